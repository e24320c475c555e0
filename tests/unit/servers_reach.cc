#include "src/config/servers_reach.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "src/base/path_ways.h"
#include "src/sandbox/instance.h"

using config::OwnPlace;
using config::Reach;
using config::ServerEntry;
using config::servers_reach;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// A machine in a folder: home/MCPs, home/notes, state, links among them.
struct Disk {
    Disk() {
        for (const char* each : {"home/MCPs", "home/notes/deep", "home/MCPs-not", "state/deep", "bin", "far"})
            fs::create_directories(path / each);
        std::ofstream(path / "bin/cordon") << "x";
        fs::create_directory_symlink("home", path / "to-home");
        fs::create_directory_symlink(path / "home/MCPs", path / "home/notes/lists");
        fs::create_directory_symlink("../../home", path / "home/notes/up");
        sources.surroundings.home = at("home");
        sources.surroundings.folder = at("home/notes");
        sources.own_executable = at("bin/cordon");
    }
    ~Disk() { fs::remove_all(path); }
    std::string at(const std::string& name) const { return (path / name).string(); }

    std::vector<Reach> reach(ServerEntry entry) const {
        entry.argv.insert(entry.argv.begin(), "server");
        entry.source = "~/MCPs/a.json";
        entry.line = 3;
        return servers_reach({entry}, config::own_places(sources, at("state")), sources.surroundings);
    }
    Words what(const std::string& argument, const std::string& cwd = "") const {
        ServerEntry entry{"x"};
        entry.argv = {argument};
        entry.cwd = cwd;
        const std::vector<Reach> found = reach(entry);
        return found.empty() ? Words() : found.front().what;
    }
    bool reaches(const std::string& argument, const std::string& cwd = "") const {
        return !what(argument, cwd).empty();
    }

    fs::path path = fs::canonical(fs::temp_directory_path()) / ("cordon-reach-" + sandbox::random_hex(8));
    config::ServerSources sources{};
};

} // namespace

TEST_CASE("path_ways: each link on the way, and the end") {
    const Disk disk;
    CHECK(base::path_ways(disk.at("home")) == Words{disk.at("home")});
    CHECK(base::path_ways(disk.at("to-home/notes/up/MCPs/")) ==
          Words{disk.at("to-home"), disk.at("home/notes/up"), disk.at("home/MCPs")});
    CHECK(base::plain_path(disk.at("home/notes/lists/new.json")) == disk.at("home/MCPs/new.json"));
    CHECK(base::plain_path(disk.at("home/notes/up/..")) == disk.path.string()); // as the kernel has it
    CHECK(base::plain_path("/nowhere/./a/../b//") == "/nowhere/b");
    CHECK(base::plain_path("/../..") == "/");
    fs::create_symlink("round", disk.path / "round");
    CHECK(base::plain_path(disk.at("round/x")) == disk.at("round/x"));
}

TEST_CASE("path_holds: itself and what is below, by whole names") {
    CHECK(base::path_holds("/", "/a"));
    CHECK(base::path_holds("/a", "/a"));
    CHECK(base::path_holds("/a", "/a/b"));
    CHECK_FALSE(base::path_holds("/a", "/ab"));
    CHECK_FALSE(base::path_holds("/a/b", "/a"));
}

TEST_CASE("paths_in: all of a word, and what in it may be a path") {
    using config::paths_in;
    CHECK(paths_in("/a b", "/h") == Words{"/a b", "/a", "b"});
    CHECK(paths_in("--root=/a/", "/h") == Words{"/a/"});
    CHECK(paths_in("-d/a", "/h") == Words{"/a"});
    CHECK(paths_in("--verbose", "/h") == Words{});
    CHECK(paths_in("-", "/h") == Words{});
    CHECK(paths_in("", "/h") == Words{});
    CHECK(paths_in("~", "/h") == Words{"/h"});
    CHECK(paths_in("~/x", "/h") == Words{"/h/x"});
    CHECK(paths_in("~x", "/h") == Words{"~x"});
    CHECK(paths_in("$HOME/x", "/h") == Words{"/h/x"});
    CHECK(paths_in("~", "") == Words{"~"});
    CHECK(paths_in("file:///a%20b", "/h") == Words{" /a b", "/a", "b"});
    CHECK(paths_in("--at=file://localhost/a%2Fb%", "/h") == Words{"/a/b%"});
    CHECK(paths_in("type=bind,src=/a,dst=/b", "/h") ==
          Words{"type=bind,src=/a,dst=/b", "type", "bind", "src", "/a", "dst", "/b"});
    CHECK(paths_in("/a:/b:ro", "/h") == Words{"/a:/b:ro", "/a", "/b", "ro"});
    CHECK(paths_in("https://", "/h") == Words{"https://", "https"});
    CHECK(paths_in("/", "/h") == Words{"/"});
    CHECK(paths_in(std::string(200'000, ','), "/h").size() == 1);
    std::string many;
    for (int i = 0; i < 3000; ++i) many += "/" + std::to_string(i) + ",";
    CHECK(paths_in(many, "/h").size() == 1000);
}

TEST_CASE(
    "servers_reach: an argument that is one of our places, or holds it, in whatever way it is written") {
    const Disk disk;
    for (const char* each : {"home",
                             "home/",
                             "home/.",
                             "to-home",
                             "home/notes/..",
                             "home/notes/up",
                             "home/MCPs",
                             "home/MCPs//",
                             "home/notes/lists",
                             "home/MCPs/a.json",
                             "to-home/MCPs/new.json",
                             "home/notes/lists/new.json",
                             ".",
                             "state",
                             "state/deep",
                             "state/deep/none",
                             "bin",
                             "bin/cordon",
                             "home/.config",
                             "home/.config/mcp/servers/x.json",
                             "home/.config/cordon/policy"})
        CHECK_MESSAGE(disk.reaches(disk.at(each)), each);
    CHECK(disk.reaches("/"));
    for (const char* each :
         {"home/notes", "home/notes/deep", "home/MCPs-not", "home/MCPs/server/run.py", "home/MCPs/notes.txt",
          "home/MCP", "far", "bin/other", "states", "home/.config/other"})
        CHECK_MESSAGE(!disk.reaches(disk.at(each)), each);
    for (const char* each : {"--verbose", "-y", "@modelcontextprotocol/server-filesystem",
                             "https://example.com/", "postgres://user@host/home", "latest", "3000", "", "-"})
        CHECK_MESSAGE(!disk.reaches(each), each);
}

TEST_CASE("servers_reach: a relative path is below the server's folder, or below ours") {
    const Disk disk;
    CHECK(disk.reaches(".."));
    CHECK(disk.reaches("../MCPs/x.json"));
    CHECK(disk.reaches("--root=../"));
    CHECK_FALSE(disk.reaches("."));
    CHECK_FALSE(disk.reaches("deep"));
    CHECK(disk.reaches("../..", disk.at("home/notes/deep")));
    CHECK_FALSE(disk.reaches("..", disk.at("home/notes/deep")));
    CHECK(disk.reaches("x", disk.at("home"))); // for its folder
    CHECK(disk.reaches("x", ".."));
    CHECK_FALSE(disk.reaches("x", disk.at("home/notes")));
}

TEST_CASE("servers_reach: links of ours are places, and so is what they lead to") {
    const Disk disk;
    std::ofstream(disk.path / "far/all.json") << "{}";
    CHECK_FALSE(disk.reaches(disk.at("far")));
    fs::create_symlink("../../far/all.json", disk.path / "home/MCPs/mine.json");
    CHECK(disk.what(disk.at("far")) == Words{"the server lists in ~/MCPs"});
    CHECK(disk.what(disk.at("far/all.json")) == Words{"the server lists in ~/MCPs"});
    fs::rename(disk.path / "state", disk.path / "far/state");
    fs::create_directory_symlink("far/state", disk.path / "state");
    CHECK(disk.what(disk.at("far/state/http-token")) == Words{"Cordon's state in " + disk.at("state")});
    fs::remove(disk.path / "home/MCPs/mine.json");
    CHECK(disk.what(disk.at("far")) == Words{"Cordon's state in " + disk.at("state")});
}

TEST_CASE("servers_reach: a list that is named, by whatever path") {
    Disk disk;
    disk.sources.config_file = "~/notes/deep/client.json";
    const Words list{"the server list " + disk.at("home/notes/deep/client.json")};
    CHECK(disk.what(disk.at("home/notes")) == list);
    CHECK(disk.what("deep") == list);
    disk.sources.config_file = "deep/../client.json";
    CHECK(disk.what(".").size() == 1);
    CHECK(disk.what("deep") == Words{});
}

TEST_CASE("servers_reach: variables that are paths count, those that name no data do not") {
    const Disk disk;
    ServerEntry entry{"x"};
    entry.env = {
        {"HOME", disk.at("home")}, {"PATH", "/bin:/"}, {"XDG_DATA_HOME", disk.at("home")}, {"MODE", ".."}};
    CHECK(disk.reach(entry).empty());
    entry.env["VAULT"] = disk.at("home");
    REQUIRE(disk.reach(entry).size() == 1);
    CHECK(disk.reach(entry)[0].given == Words{"env VAULT \"" + disk.at("home") + '"'});
}

TEST_CASE("servers_reach: only servers that are started, and what is said of one is one line") {
    const Disk disk;
    ServerEntry entry{"x\n\"y"};
    entry.argv = {"--a=" + disk.at("home"), disk.at("state")};
    entry.cwd = disk.at("home");
    const std::vector<Reach> found = disk.reach(entry);
    REQUIRE(found.size() == 1);
    CHECK(found[0].given.size() == 3);
    CHECK(found[0].text().find('\n') == std::string::npos);
    CHECK(found[0].text().starts_with("server \"x\\n\\\"y\" (~/MCPs/a.json:3) is given cwd \""));
    entry.reason = "disabled";
    CHECK(disk.reach(entry).empty());
    entry.reason.clear();
    entry.transport = ServerEntry::Transport::http;
    CHECK(disk.reach(entry).empty());
}

TEST_CASE("servers_reach: who is given more than is looked at is taken to be given ours, too") {
    const Disk disk;
    ServerEntry entry{"x"};
    for (int i = 0; i < 25'000; ++i) entry.argv.push_back("a" + std::to_string(i));
    REQUIRE(disk.reach(entry).size() == 1);
    CHECK(disk.reach(entry)[0].given == Words{"more than is looked at"});
}
