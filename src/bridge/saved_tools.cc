#include "src/bridge/saved_tools.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>

#include "src/base/json.h"
#include "src/base/private_folder.h"
#include "src/search/python_name.h"
#include "src/sqlite/sqlite.h"

namespace bridge {

namespace {

constexpr std::size_t most_source_bytes = 64 << 10;
constexpr std::int64_t most_tools = 100;
constexpr std::size_t most_name_bytes = 64;
constexpr int busy_ms = 2000; // others hold the lock for milliseconds

bool is_tool_name(const std::string& name) {
    const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
    const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= most_name_bytes && letter(name.front()) &&
           std::all_of(name.begin(), name.end(), inner);
}

void check_name(const std::string& name) {
    const std::string shown = json::quote(name.substr(0, 80));
    if (!is_tool_name(name))
        throw SavedTools::Error(
            "a saved tool cannot be called " + shown +
            ": small letters, digits and _ are allowed, not a digit first, at most 64 characters");
    if (search::is_python_keyword(name))
        throw SavedTools::Error("a saved tool cannot be called " + shown + ": it is a Python keyword");
}

void check_source(const std::string& source) {
    if (source.find_first_not_of(" \t\r\n\f") == std::string::npos)
        throw SavedTools::Error("the source of the tool is empty");
    if (source.size() > most_source_bytes)
        throw SavedTools::Error("the source of the tool has " + std::to_string(source.size()) +
                                " bytes, at most " + std::to_string(most_source_bytes) + " are allowed");
    if (source.find('\0') != std::string::npos)
        throw SavedTools::Error("the source of the tool contains a NUL byte");
}

/// Makes the file, for its owner alone from the first moment, whatever the umask; an existing one is brought
/// to that mode. SQLite gives its journals the mode of the file.
void make_private_file(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    try {
        if (!folder.empty()) base::make_private_folder(folder.string());
    } catch (const std::runtime_error& e) {
        throw SavedTools::Error("saved tools are not available: " + path + ": " + e.what());
    }
    const int fd =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
    if (fd < 0)
        throw SavedTools::Error("saved tools are not available: " + path + ": " + std::strerror(errno));
    struct stat about {};
    const bool usable = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid() &&
                        about.st_nlink == 1 && ::fchmod(fd, S_IRUSR | S_IWUSR) == 0;
    ::close(fd);
    if (!usable) throw SavedTools::Error("saved tools are not available: " + path + " is not a file of ours");
}

/// A broken file is left as it is: it may hold what somebody wants to save, and only they know.
[[noreturn]] void explain(const std::string& path, const sqlite::Error& error) {
    switch (error.code()) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        throw SavedTools::Error("saved tools are not available: " + path + " is damaged (" + error.what() +
                                "); move it away to begin anew");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw SavedTools::Error("saved tools are in use by another process; try again");
    default:
        throw SavedTools::Error("saved tools are not available: " + path + ": " + error.what());
    }
}

} // namespace

struct SavedTools::Impl {
    std::string path;
    std::optional<sqlite::Database> database{};
    std::mutex turn{};
    ino_t inode = 0; ///< Of the file that is open: one that was moved away or replaced is opened anew.

    /// Runs work on the open database, and says failures as people do.
    template <class Work> auto with_database(Work work) {
        const std::lock_guard lock(turn);
        try {
            open();
            return work(*database);
        } catch (const sqlite::Error& error) {
            database.reset();
            explain(path, error);
        }
    }

    void open() {
        struct stat about {};
        if (database && (::stat(path.c_str(), &about) != 0 || about.st_ino != inode)) database.reset();
        if (database) return;
        make_private_file(path);
        database.emplace(path, busy_ms);
        // No WAL: it brings two more files and does not work on network file systems, and a write here is
        // rare and short.
        database->run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                      "CREATE TABLE IF NOT EXISTS tools (name TEXT PRIMARY KEY NOT NULL, source TEXT NOT "
                      "NULL) WITHOUT ROWID");
        if (::stat(path.c_str(), &about) == 0) inode = about.st_ino;
    }
};

SavedTools::SavedTools(std::string path) : impl_(std::make_unique<Impl>()) { impl_->path = std::move(path); }

SavedTools::~SavedTools() = default;

namespace {

constexpr const char* columns = "name, source, servers, origin, saved_at";

// NULL: all. A text that is no list gives no server: whoever wrote it meant to take something away.
std::string to_text(const std::optional<std::vector<std::string>>& servers) {
    json::Writer w;
    w.array();
    if (servers)
        for (const std::string& each : *servers) w.value(each);
    return w.end().take();
}

std::vector<std::string> from_text(const std::string& text) {
    std::vector<std::string> servers;
    try {
        const json::Document document(text);
        const json::Reader list = document.root("servers");
        for (std::size_t i = 0; i < list.size(); ++i) servers.push_back(list[i].as_string());
    } catch (const json::Error&) {
        servers.clear();
    }
    return servers;
}

SavedTools::Tool read_row(const sqlite::Statement& row) {
    SavedTools::Tool tool{.name = row.text(0), .source = row.text(1)};
    const std::string servers = row.text(2);
    if (!servers.empty()) tool.rights.servers = from_text(servers); // NULL reads as ""
    tool.rights.origin = row.text(3);
    tool.saved_at = row.integer(4);
    return tool;
}

std::optional<SavedTools::Tool> find(sqlite::Database& database, const std::string& name) {
    sqlite::Statement read(database.get(), std::string("SELECT ") + columns + " FROM tools WHERE name = ?1");
    read.bind(1, name);
    if (!read.step()) return std::nullopt;
    return read_row(read);
}

std::optional<SavedTools::Tool> store(sqlite::Database& database, const std::string& name,
                                      const std::string& source, const SavedTools::Rights& rights) {
    std::optional<SavedTools::Tool> replaced = find(database, name);
    sqlite::Statement count(database.get(), "SELECT count(*) FROM tools");
    count.step();
    if (!replaced && count.integer(0) >= most_tools)
        throw SavedTools::Error(
            "there are " + std::to_string(most_tools) +
            " saved tools, the most that are kept; delete one first: runtime.delete_tool(name)");
    sqlite::Statement write(database.get(),
                            "INSERT INTO tools (name, source, servers, origin, saved_at) "
                            "VALUES (?1, ?2, nullif(?3, ''), ?4, CAST(strftime('%s', 'now') AS INTEGER)) "
                            "ON CONFLICT (name) DO UPDATE SET source = excluded.source, servers = "
                            "excluded.servers, origin = excluded.origin, saved_at = excluded.saved_at");
    write.bind(1, name).bind(2, source).bind(3, rights.servers ? to_text(rights.servers) : "");
    write.bind(4, rights.origin).step();
    return replaced;
}

bool has_column(sqlite::Database& database, const std::string& name) {
    sqlite::Statement known(database.get(),
                            "SELECT count(*) FROM pragma_table_info('tools') WHERE name = ?1");
    known.bind(1, name).step();
    return known.integer(0) > 0;
}

// A file of an earlier Cordon lacks the columns of rights. Within a transaction, since another may add them.
void add_columns(sqlite::Database& database) {
    for (const char* column : {"servers TEXT", "origin TEXT", "saved_at INTEGER"}) {
        const std::string text = column;
        if (!has_column(database, text.substr(0, text.find(' '))))
            database.run("ALTER TABLE tools ADD COLUMN " + text);
    }
}

template <class Work> auto in_transaction(sqlite::Database& database, Work work) {
    database.run("BEGIN IMMEDIATE"); // the count and the write are one step, also among processes
    try {
        auto result = work();
        database.run("COMMIT");
        return result;
    } catch (const std::exception&) {
        if (!sqlite3_get_autocommit(database.get())) database.run("ROLLBACK");
        throw;
    }
}

} // namespace

std::optional<SavedTools::Tool> SavedTools::save(const std::string& name, const std::string& source,
                                                 const Rights& rights) {
    check_name(name);
    check_source(source);
    return impl_->with_database([&](sqlite::Database& database) {
        const auto work = [&] {
            add_columns(database);
            return store(database, name, source, rights);
        };
        return in_transaction(database, work);
    });
}

std::vector<SavedTools::Tool> SavedTools::list() const {
    return impl_->with_database([](sqlite::Database& database) {
        const auto work = [&] {
            add_columns(database);
            return 0;
        };
        if (!has_column(database, "saved_at")) in_transaction(database, work); // the last of them
        std::vector<Tool> tools;
        sqlite::Statement read(database.get(),
                               std::string("SELECT ") + columns + " FROM tools ORDER BY name");
        while (read.step()) tools.push_back(read_row(read));
        return tools;
    });
}

std::vector<std::string> SavedTools::names() const {
    return impl_->with_database([](sqlite::Database& database) {
        std::vector<std::string> found;
        sqlite::Statement read(database.get(), "SELECT name FROM tools ORDER BY name");
        while (read.step()) found.push_back(read.text(0));
        return found;
    });
}

bool SavedTools::remove(const std::string& name) {
    return impl_->with_database([&](sqlite::Database& database) {
        sqlite::Statement(database.get(), "DELETE FROM tools WHERE name = ?1").bind(1, name).step();
        return database.changes() > 0;
    });
}

} // namespace bridge
