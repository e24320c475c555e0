#include "src/base/changeable.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/base/shell_word.h"
#include "src/sandbox/instance.h"

using base::changeable_by_others;
namespace fs = std::filesystem;

namespace {

// top/folder/file, all of them ours alone.
struct Tree {
    Tree() {
        fs::create_directories(path / "folder");
        std::ofstream(path / "folder/file") << "x";
        for (const char* each : {"", "folder", "folder/file"}) mode(each, 0700);
    }
    ~Tree() { fs::remove_all(path); }
    std::string at(const std::string& name) const { return (name.empty() ? path : path / name).string(); }
    void mode(const std::string& name, mode_t mode) const { REQUIRE(::chmod(at(name).c_str(), mode) == 0); }
    // The command that mends what is wrong with top/folder/file, or "".
    std::string mend(const std::string& name = "folder/file") const {
        const auto found = changeable_by_others(at(name));
        return found ? found->mend : "";
    }
    fs::path path =
        fs::canonical(fs::temp_directory_path()) / ("cordon-changeable-" + sandbox::random_hex(8));
};

} // namespace

TEST_CASE("changeable: ours alone, and what others only read") {
    const Tree tree;
    CHECK(tree.mend() == "");
    for (const char* each : {"", "folder", "folder/file"}) tree.mode(each, 0755);
    CHECK(tree.mend() == "");
    CHECK(tree.mend("folder/none") == "");
    CHECK_FALSE(changeable_by_others("/bin/sh"));
}

TEST_CASE("changeable: the file, its folder, one above, each with its command") {
    const Tree tree;
    for (const char* each : {"folder/file", "folder", ""})
        for (const mode_t open : {0702u, 0777u, 0706u}) {
            tree.mode(each, open);
            CHECK(tree.mend() == "chmod go-w " + tree.at(each));
            tree.mode(each, 0700);
        }
}

TEST_CASE("changeable: a folder with the sticky bit may be open, a file may not") {
    const Tree tree;
    tree.mode("folder", 01777);
    tree.mode("", 01777);
    CHECK(tree.mend() == "");
    tree.mode("folder/file", 01702);
    CHECK(tree.mend() == "chmod go-w " + tree.at("folder/file"));
}

TEST_CASE("changeable: both ends of a link count") {
    const Tree tree;
    fs::create_directory(tree.path / "links");
    fs::create_symlink("../folder/file", tree.path / "links/link");
    CHECK(tree.mend("links/link") == "");
    tree.mode("links", 0777);
    CHECK(tree.mend("links/link") == "chmod go-w " + tree.at("links"));
    tree.mode("links", 0700);
    tree.mode("folder", 0777);
    CHECK(tree.mend("links/link") == "chmod go-w " + tree.at("folder"));
}

TEST_CASE("changeable: owners and groups, as root sees them") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can give files away");
        return;
    }
    const Tree tree;
    tree.mode("folder/file", 0770);
    CHECK(tree.mend() == ""); // root's own group
    for (const char* each : {"folder/file", "folder"}) {
        REQUIRE(::chown(tree.at(each).c_str(), 12345, 0) == 0);
        CHECK(tree.mend() == "chown -h root " + tree.at(each));
        CHECK(changeable_by_others(tree.at("folder/file"))->why ==
              tree.at(each) + " belongs to another user (uid 12345)");
        REQUIRE(::chown(tree.at(each).c_str(), 0, 12345) == 0);
        tree.mode(each, 0770);
        CHECK(tree.mend() == "chmod go-w " + tree.at(each));
        tree.mode(each, 0700);
    }
}

TEST_CASE("shell_word: plain as it is, else quoted for a shell") {
    CHECK(base::shell_word("/a/b-c_1.json") == "/a/b-c_1.json");
    CHECK(base::shell_word("") == "''");
    CHECK(base::shell_word("a b") == "'a b'");
    CHECK(base::shell_word("it's $HOME") == "'it'\\''s $HOME'");
    CHECK(base::shell_word("~") == "'~'");
}
