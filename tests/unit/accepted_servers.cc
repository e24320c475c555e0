#include "src/config/accepted_servers.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/base/json.h"
#include "src/sandbox/instance.h"

using config::AcceptedFile;
using config::AcceptedServers;
using config::Reach;
using config::ServerEntry;
namespace fs = std::filesystem;

namespace {

ServerEntry entry(const std::string& name, const std::string& written = "{}") {
    ServerEntry out{name};
    out.source = "~/MCPs/a.json";
    out.line = 1;
    out.written = written;
    return out;
}

// One start after the other, of servers with one record.
struct Machine {
    Machine() { fs::create_directories(path / "home"); }
    ~Machine() { fs::remove_all(path); }
    std::string at(const std::string& name) const { return (path / name).string(); }
    bool has(const std::string& name) const { return fs::exists(path / name); }

    AcceptedFile file(const std::vector<ServerEntry>& servers) const {
        return AcceptedFile(at("home/state"), servers, {}, at("var"));
    }
    // A start with these servers; gives the names of those that wait.
    std::vector<std::string> start(std::vector<ServerEntry> servers, bool reach) {
        std::vector<Reach> found;
        if (reach) found.push_back(Reach{"files", "~/MCPs/a.json:1", {"cwd \"/\""}, {"the lists"}});
        AcceptedFile record = file(servers);
        said = config::judge_servers(servers, found, record, "cordon servers accept");
        std::vector<std::string> waiting;
        for (const ServerEntry& each : servers) {
            if (each.waiting) waiting.push_back(each.name);
            CHECK(each.waiting ==
                  (each.reason.find("cordon servers accept " + each.name) != std::string::npos));
        }
        return waiting;
    }
    void accept(const std::vector<ServerEntry>& servers, const ServerEntry& which, bool at_rest) const {
        AcceptedFile record = file(servers);
        AcceptedServers known = record.load().value_or(AcceptedServers());
        known.take(which);
        known.watched = !at_rest;
        record.save(known, at_rest);
    }
    ServerEntry given(const std::string& folder) const {
        ServerEntry out = entry("files", folder);
        out.argv = {"server", at(folder)};
        return out;
    }

    fs::path path = fs::canonical(fs::temp_directory_path()) / ("cordon-accepted-" + sandbox::random_hex(8));
    std::vector<std::string> said{};
};

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("accepted servers: the record, there and back") {
    AcceptedServers record;
    record.watched = true;
    record.take(entry("a"));
    record.take(entry("b", "{\"x\":1}"));
    const AcceptedServers again = config::read_accepted(config::accepted_json(record));
    CHECK(again.watched);
    CHECK(again.has(entry("a")));
    CHECK(again.has(entry("b", "{\"x\":1}")));
    CHECK_FALSE(again.has(entry("b")));
    CHECK_FALSE(again.has(entry("c")));
    CHECK(again.had(entry("b")));
    CHECK_FALSE(again.had(entry("c")));
    for (const char* text :
         {"", "[]", "{}", "{\"watched\":1,\"servers\":[]}", "{\"watched\":true,\"servers\":{}}",
          "{\"watched\":true,\"servers\":[{\"name\":\"a\"}]}", "{\"watched\":true,\"servers\":[7]}"})
        CHECK_THROWS_AS(config::read_accepted(text), json::Error);
}

TEST_CASE("accepted servers: what is taken replaces what that file had under the name, and no other's") {
    AcceptedServers record;
    record.take(entry("a", "1"));
    record.take(entry("a", "2"));
    CHECK_FALSE(record.has(entry("a", "1")));
    ServerEntry elsewhere = entry("a", "3");
    elsewhere.source = "~/MCPs/b.json";
    record.take(elsewhere);
    CHECK(record.has(entry("a", "2")));
    CHECK(record.has(elsewhere));
}

TEST_CASE("accepted servers: without reach all is accepted and recorded, privately") {
    Machine machine;
    CHECK(machine.start({}, false) == Names{});
    CHECK_FALSE(machine.has("home/state"));
    CHECK(machine.start({entry("a")}, false) == Names{});
    CHECK(machine.said.empty());
    struct stat about {};
    REQUIRE(::stat(machine.at("home/state/accepted_servers.json").c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0600);
    CHECK(machine.start({entry("a", "2"), entry("b")}, false) == Names{});
    CHECK(machine.start({entry("a", "2"), entry("b")}, true) == Names{});
}

TEST_CASE("accepted servers: with reach, the first time all is accepted and said, then what is new waits") {
    Machine machine;
    CHECK(machine.start({entry("a")}, true) == Names{});
    CHECK(machine.said.size() == 2);
    CHECK(machine.said[1].find("taken as accepted") != std::string::npos);
    for (int i = 0; i < 2; ++i) {
        CHECK(machine.start({entry("a"), entry("b")}, true) == Names{"b"});
        CHECK(machine.said.size() == 1);
    }
    CHECK(machine.start({entry("a", "2"), entry("b")}, true) == Names{"a", "b"});
    machine.accept({}, entry("b"), false);
    CHECK(machine.start({entry("a"), entry("b")}, true) == Names{});
}

TEST_CASE("accepted servers: a disabled one does not wait; enabled, it does") {
    Machine machine;
    CHECK(machine.start({entry("a")}, true) == Names{});
    ServerEntry off = entry("b", "off");
    off.disabled = true;
    off.reason = "disabled";
    CHECK(machine.start({entry("a"), off}, true) == Names{});
    CHECK(machine.start({entry("a"), entry("b", "on")}, true) == Names{"b"});
}

TEST_CASE("accepted servers: after a reach has gone, what is new waits until the user accepts something") {
    Machine machine;
    machine.start({entry("a")}, true);
    CHECK(machine.start({entry("a")}, false) == Names{});
    CHECK(machine.start({entry("a"), entry("b")}, false) == Names{"b"});
    machine.accept({}, entry("b"), true);
    CHECK(machine.start({entry("a"), entry("b"), entry("c")}, false) == Names{});
}

TEST_CASE(
    "accepted servers: a record in reach of a server is kept out of its reach, and counts from then on") {
    Machine machine;
    machine.start({entry("a")}, false);
    CHECK(machine.has("home/state/accepted_servers.json"));
    CHECK_FALSE(machine.has("var"));
    const ServerEntry files = machine.given("home");
    CHECK(machine.start({entry("a"), files}, true) == Names{"files"});
    REQUIRE(machine.has("var"));
    machine.accept({entry("a"), files}, files, false);
    CHECK(machine.start({entry("a"), files}, true) == Names{});

    // what the server writes into the state folder means nothing, even when it takes itself out
    AcceptedServers forged;
    forged.take(entry("evil"));
    std::ofstream(machine.at("home/state/accepted_servers.json")) << config::accepted_json(forged);
    CHECK(machine.start({entry("a"), files, entry("evil")}, true) == Names{"evil"});
    CHECK(machine.start({entry("a"), entry("evil")}, false) == Names{"evil"});
    fs::remove_all(machine.path / "home/state");
    CHECK(machine.start({entry("a"), entry("evil")}, false) == Names{"evil"});
    fs::create_directory_symlink("elsewhere", machine.path / "home/state");
    CHECK(machine.start({entry("a"), entry("evil")}, false) == Names{"evil"});
    fs::remove(machine.path / "home/state");

    machine.accept({entry("a")}, entry("a"), true); // the user says that it is over
    CHECK(machine.has("home/state/accepted_servers.json"));
    CHECK(fs::is_empty(machine.path / "var" / ("cordon-" + std::to_string(::geteuid()))));
    CHECK(machine.start({entry("a"), entry("later")}, false) == Names{});
}

TEST_CASE("accepted servers: where every place is in reach, that is said") {
    Machine machine;
    machine.start({machine.given("")}, true);
    bool told = false;
    for (const std::string& each : machine.said) told = told || each.find("cannot be relied on") != each.npos;
    CHECK(told);
}

TEST_CASE("accepted servers: a record that others could have written, or that is none, accepts nothing") {
    Machine machine;
    machine.start({entry("a")}, false);
    const std::string file = machine.at("home/state/accepted_servers.json");
    ::chmod(file.c_str(), 0666);
    CHECK(machine.start({entry("a")}, false) == Names{"a"});
    CHECK(machine.said.at(0).find("can be written to by other users") != std::string::npos);
    machine.accept({}, entry("a"), true);
    CHECK(machine.start({entry("a")}, false) == Names{});
    std::ofstream(file, std::ios::trunc) << "{\"watched\":false";
    CHECK(machine.start({entry("a")}, false) == Names{"a"});
}

TEST_CASE(
    "accepted servers: a record that cannot be kept out of reach is kept all the same, and that is said") {
    Machine machine;
    std::ofstream(machine.path / "var") << "no folder";
    const ServerEntry files = machine.given("home");
    for (int i = 0; i < 2; ++i) {
        CHECK(machine.start({files}, true) == Names{});
        CHECK(machine.said.back().find("cannot be kept out of a server's reach") != std::string::npos);
    }
    CHECK(machine.start({files, entry("b")}, true) == Names{"b"});
}

TEST_CASE("accepted servers: a record that cannot be kept is said where it matters") {
    Machine machine;
    std::ofstream(machine.path / "home/state") << "no folder";
    CHECK(machine.start({entry("a")}, false) == Names{});
    CHECK(machine.said.empty());
    CHECK(machine.start({entry("a")}, true) == Names{});
    CHECK(machine.said.back().find("cannot be recorded") != std::string::npos);
}
