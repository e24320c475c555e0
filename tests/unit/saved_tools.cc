#include "src/bridge/saved_tools.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/sandbox/instance.h"
#include "src/sqlite/sqlite.h"

using bridge::SavedTools;

namespace {

namespace fs = std::filesystem;

/// A folder of this test, gone with it.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
};

unsigned mode_of(const std::string& path) {
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    return about.st_mode & 07777u;
}

std::string refusal(SavedTools& tools, const std::string& name, const std::string& source) {
    try {
        tools.save(name, source, {});
    } catch (const SavedTools::Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("SavedTools: keeps, replaces, lists and removes; another process sees the same") {
    const Folder folder;
    SavedTools tools(folder.file("tools.db"));
    CHECK(tools.list().empty());
    CHECK_FALSE(tools.save("plus", "def plus(a, b):\n    return a + b\n", {}));
    CHECK_FALSE(tools.save("minus", "def minus(): pass", {}));
    CHECK(tools.save("plus", "def plus(): 'ünïcode \"quotes\"'", {}));
    CHECK(tools.names() == std::vector<std::string>{"minus", "plus"});
    SavedTools again(folder.file("tools.db"));
    REQUIRE(again.list().size() == 2);
    CHECK(again.list()[1].name == "plus");
    CHECK(again.list()[1].source == "def plus(): 'ünïcode \"quotes\"'");
    CHECK(again.remove("plus"));
    CHECK_FALSE(again.remove("plus"));
    CHECK_FALSE(again.remove("'; DROP TABLE tools; --"));
    CHECK(tools.names() == std::vector<std::string>{"minus"});
}

TEST_CASE("SavedTools: the file is its owner's alone from the first moment, whatever the umask") {
    const Folder folder;
    const mode_t before = ::umask(0);
    SavedTools tools(folder.file("state/deep/tools.db"));
    tools.save("plus", "def plus(): pass", {});
    ::umask(before);
    CHECK(mode_of(folder.file("state/deep/tools.db")) == 0600);
    CHECK(mode_of(folder.file("state/deep")) == 0700);
    ::chmod(folder.file("state/deep/tools.db").c_str(), 0666);
    SavedTools again(folder.file("state/deep/tools.db"));
    CHECK(again.names().size() == 1);
    CHECK(mode_of(folder.file("state/deep/tools.db")) == 0600);
}

TEST_CASE("SavedTools: names are small Python names") {
    const Folder folder;
    SavedTools tools(folder.file("tools.db"));
    for (const std::string& good :
         std::vector<std::string>{"a", "_", "plus_2", std::string(64, 'x'), "match"}) {
        CAPTURE(good);
        CHECK(refusal(tools, good, "def f(): pass").empty());
    }
    for (const std::string& bad :
         std::vector<std::string>{"", "Plus", "2nd", "a-b", "a b", "a.b", "../x", "größe", "class", "lambda",
                                  std::string(65, 'x')}) {
        CAPTURE(bad);
        CHECK(refusal(tools, bad, "def f(): pass").find("a saved tool cannot be called") == 0);
    }
    CHECK_FALSE(refusal(tools, std::string("a\0b", 3), "def f(): pass").empty());
    CHECK(refusal(tools, "class", "x").find("Python keyword") != std::string::npos);
    CHECK(tools.names().size() == 5);
}

TEST_CASE("SavedTools: source is bounded at 64 KiB, and not empty") {
    const Folder folder;
    SavedTools tools(folder.file("tools.db"));
    CHECK(refusal(tools, "most", std::string(64 * 1024, '#')).empty());
    CHECK(refusal(tools, "more", std::string(64 * 1024 + 1, '#')).find("65537 bytes") != std::string::npos);
    CHECK_FALSE(refusal(tools, "none", "").empty());
    CHECK_FALSE(refusal(tools, "blank", " \n\t").empty());
    CHECK_FALSE(refusal(tools, "nul", std::string("def f():\0 pass", 14)).empty());
    CHECK(tools.names() == std::vector<std::string>{"most"});
    CHECK(tools.list().front().source.size() == 64 * 1024);
}

TEST_CASE("SavedTools: a hundred fit, the next does not, and one that is there may still be replaced") {
    const Folder folder;
    SavedTools tools(folder.file("tools.db"));
    for (int i = 0; i < 100; ++i) tools.save("tool_" + std::to_string(i), "pass", {});
    CHECK(refusal(tools, "one_more", "pass").find("100 saved tools") != std::string::npos);
    CHECK(tools.save("tool_7", "other", {}));
    CHECK(tools.remove("tool_7"));
    CHECK(refusal(tools, "one_more", "pass").empty());
}

TEST_CASE("SavedTools: several processes at once lose nothing") {
    const Folder folder;
    const std::string path = folder.file("tools.db");
    std::vector<pid_t> children;
    for (int child = 0; child < 4; ++child) {
        const pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            int failed = 0;
            try {
                SavedTools tools(path);
                for (int i = 0; i < 10; ++i)
                    tools.save("tool_" + std::to_string(child) + "_" + std::to_string(i), "pass", {});
            } catch (const std::exception&) {
                failed = 1;
            }
            ::_exit(failed);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        REQUIRE(::waitpid(pid, &status, 0) == pid);
        CHECK(status == 0);
    }
    CHECK(SavedTools(path).names().size() == 40);
}

TEST_CASE("SavedTools: a damaged file is said to be, and left as it is") {
    const Folder folder;
    const std::string path = folder.file("tools.db");
    std::ofstream(path) << std::string(10'000, 'x');
    SavedTools tools(path);
    CHECK(refusal(tools, "plus", "pass").find("is damaged") != std::string::npos);
    CHECK_THROWS_WITH_AS(tools.list(), doctest::Contains("is damaged"), SavedTools::Error);
    CHECK_THROWS_AS(tools.names(), SavedTools::Error);
    CHECK(fs::file_size(path) == 10'000);
    fs::remove(path); // moved away, as the message says: the same object works again
    CHECK_FALSE(tools.save("plus", "pass", {}));
    CHECK(tools.names().size() == 1);
}

TEST_CASE("SavedTools: a file damaged in its middle never crashes us") {
    const Folder folder;
    const std::string path = folder.file("tools.db");
    {
        SavedTools tools(path);
        for (int i = 0; i < 50; ++i) tools.save("tool_" + std::to_string(i), std::string(500, 'x'), {});
    }
    const auto size = fs::file_size(path);
    for (std::uintmax_t at = 0; at < size; at += 997) {
        const std::string copy = folder.file("copy.db");
        fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
        std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(at));
        file << "\xFF\x00\xFF\x7F" << std::string(60, '\xFF');
        file.close();
        try {
            SavedTools tools(copy);
            tools.list();
            tools.save("other", "pass", {});
        } catch (const SavedTools::Error& error) {
            CHECK(std::string(error.what()).find("saved tools") == 0);
        }
    }
}

TEST_CASE("SavedTools: a place that cannot be written, a folder, and a link are refused with the path") {
    const Folder folder;
    fs::create_directories(folder.path / "folder.db");
    fs::create_symlink(folder.path / "elsewhere", folder.path / "link.db");
    std::ofstream(folder.path / "file") << "x";
    for (const std::string name : {"folder.db", "link.db", "file/tools.db"}) {
        SavedTools tools(folder.file(name));
        CAPTURE(name);
        CHECK(refusal(tools, "plus", "pass").find(folder.file(name)) != std::string::npos);
    }
    CHECK_FALSE(fs::exists(folder.path / "elsewhere"));
}

TEST_CASE(
    "SavedTools: a function keeps the rights of the run that saved it; one of an earlier Cordon had all") {
    const Folder folder;
    const std::string path = folder.file("tools.db");
    {
        sqlite::Database old((std::ofstream(path), path), 0);
        old.run("CREATE TABLE tools (name TEXT PRIMARY KEY NOT NULL, source TEXT NOT NULL) WITHOUT ROWID;"
                "INSERT INTO tools VALUES ('old', 'def old(): pass')");
    }
    SavedTools tools(path);
    CHECK_FALSE(tools.list().at(0).rights.servers.has_value());
    SavedTools::Rights none, some;
    none.servers.emplace();
    none.origin = "a client";
    some.servers = std::vector<std::string>{"files", "a\"b"};
    CHECK_FALSE(tools.save("plus", "def plus(): pass", none));
    CHECK_FALSE(tools.save("minus", "def minus(): pass", some));
    const auto replaced = tools.save("plus", "def plus(): 2", {});
    REQUIRE(replaced.has_value());
    CHECK(replaced->source == "def plus(): pass");
    CHECK(replaced->rights.origin == "a client");
    REQUIRE(replaced->rights.servers.has_value());
    CHECK(replaced->rights.servers->empty());
    CHECK(replaced->saved_at > 1'700'000'000);
    const auto all = SavedTools(path).list();
    REQUIRE(all.size() == 3);
    CHECK(all[0].rights.servers == some.servers);
    CHECK_FALSE(all[2].rights.servers.has_value());
}
