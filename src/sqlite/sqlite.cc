#include "src/sqlite/sqlite.h"

#include <sqlite3.h>

namespace sqlite {

namespace {

[[noreturn]] void fail(sqlite3* database, int code) {
    throw Error(code & 0xFF, database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
}

} // namespace

Statement::Statement(sqlite3* database, std::string_view sql) {
    const int code =
        sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
    if (code != SQLITE_OK) fail(database, code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int position, std::string_view text) {
    const char* data = text.data() ? text.data() : ""; // a null pointer would bind NULL
    const int code =
        sqlite3_bind_text64(statement_, position, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_), code);
    return *this;
}

Statement& Statement::bind(int position, std::int64_t number) {
    const int code = sqlite3_bind_int64(statement_, position, number);
    if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_), code);
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    fail(sqlite3_db_handle(statement_), code);
}

void Statement::reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

std::string Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                : std::string();
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

Database::Database(const std::string& path, int busy_ms) {
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | (path == ":memory:" ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path.c_str(), &database_, flags, nullptr);
    if (code != SQLITE_OK) {
        const Error error(code & 0xFF, database_ ? sqlite3_errmsg(database_) : sqlite3_errstr(code));
        sqlite3_close(database_); // a failed open gives a handle all the same
        throw error;
    }
    sqlite3_busy_timeout(database_, busy_ms);
}

Database::~Database() { sqlite3_close(database_); }

void Database::run(const std::string& sql) {
    const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(database_, code);
}

int Database::changes() const { return sqlite3_changes(database_); }

} // namespace sqlite
