#include "src/policy/policy_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "src/policy/store.h"
#include "src/sandbox/instance.h"

using namespace policy;
using namespace std::chrono_literals;

namespace {

std::string errors_of(const std::string& text) {
    try {
        read_policy(text, "p.toml", "/home/me");
        return "";
    } catch (const FileErrors& e) {
        return e.what();
    }
}

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    std::string file = (path / "policy.toml").string();
    Folder() { std::filesystem::create_directory(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const std::string& text) const {
        std::ofstream(file) << text;
        ::chmod(file.c_str(), 0600);
    }
};

} // namespace

TEST_CASE("read_policy: all that a policy can say") {
    const Rules rules = read_policy(R"(
default = "ask"
strict_flow = true

[server."my files"]
trust_hints = true
private = true
pin = "deny"

[server.web]
public = true

[[rule]]
name = "notes"
server = ["my files", "notes*"]
tool = "read_*"
read_only = true
destructive = false
when = [
  { at = "/path", under = ["~/notes", "/srv//notes/"] },
  { at = "/n", one_of = [1, "x"], optional = true },
]
action = "allow"
calls_per_run = 5
calls_per_tool = 4
calls_per_minute = 3
max_arguments = "64k"
max_result = 1000
timeout = 2.5
)",
                                    "p.toml", "/home/me");
    CHECK(rules.fallback == Action::ask);
    CHECK(rules.strict_flow);
    CHECK(rules.servers.at("my files").trust_hints);
    CHECK(rules.servers.at("my files").holds_private);
    CHECK(rules.servers.at("my files").pin == Pin::deny);
    CHECK(rules.servers.at("web").is_public);
    REQUIRE(rules.rules.size() == 1);
    const Rule& rule = rules.rules.front();
    CHECK(called(rule) == "rule \"notes\" (p.toml:13)");
    CHECK(rule.servers == std::vector<std::string>{"my files", "notes*"});
    CHECK(rule.when.at(0).under == std::vector<std::string>{"/home/me/notes", "/srv/notes"});
    CHECK(rule.when.at(1).one_of == std::vector<std::string>{"1", "\"x\""});
    CHECK(rule.when.at(1).optional);
    CHECK(rule.calls_per_run == 5);
    CHECK(rule.calls_per_tool == 4);
    CHECK(rule.calls_per_minute == 3);
    CHECK(rule.max_arguments == 65536);
    CHECK(rule.max_result == 1000);
    CHECK(rule.timeout == 2500ms);
    CHECK_FALSE(read_policy("", "p.toml", "").says_anything());
}

TEST_CASE("read_policy: each error names line and column, and what would be right") {
    const std::pair<const char*, const char*> all[] = {
        {"a = ", "p.toml:1:"},
        {"defualt = \"deny\"",
         "p.toml:1:1: there is no key \"defualt\" (did you mean \"default\"?): expected "
         "default, strict_flow, rule, server"},
        {"default = \"no\"", "p.toml:1:11: default: expected one of \"allow\", \"ask\", \"deny\""},
        {"default = \"alow\"", "(did you mean \"allow\"?)"},
        {"strict_flow = 1", "p.toml:1:15: strict_flow: expected true or false"},
        {"rule = 1", "p.toml:1:8: rule: expected [[rule]], in two brackets, above each rule"},
        {"[rule]\naction = \"deny\"", "p.toml:1:1: rule: expected [[rule]]"},
        {"rule = [1]", "rule: expected [[rule]]"},
        {"[[rule]]\nserver = \"a\"", "p.toml:1:1: a rule needs action = \"allow\", \"ask\" or \"deny\""},
        {"[[rule]]\naction = \"deny\"\n  sever = \"a\"",
         "p.toml:3:3: there is no key \"sever\" in a rule (did you "
         "mean \"server\""},
        {"[[rule]]\naction = \"deny\"\nserver = 1", "p.toml:3:10: server: expected a text in quotes"},
        {"[[rule]]\naction = \"deny\"\nserver = [\"a\", \"\"]",
         "p.toml:3:16: server: expected a text of 1 to 1024"},
        {"[[rule]]\naction = \"deny\"\ntool = []", "p.toml:3:8: tool: expected 1 to 64 values in the list"},
        {"[[rule]]\naction = \"deny\"\nread_only = \"yes\"", "read_only: expected true or false"},
        {"[[rule]]\naction = \"allow\"\ncalls_per_run = 0",
         "calls_per_run: expected a whole number from 1 to 10000"},
        {"[[rule]]\naction = \"allow\"\ncalls_per_run = 1.5", "calls_per_run: expected a whole number"},
        {"[[rule]]\naction = \"allow\"\nmax_result = \"1 meg\"",
         "max_result: expected a size from 1 to \"64m\""},
        {"[[rule]]\naction = \"allow\"\nmax_arguments = \"65m\"", "max_arguments: expected a size"},
        {"[[rule]]\naction = \"allow\"\ntimeout = nan", "timeout: expected a number of seconds"},
        {"[[rule]]\naction = \"allow\"\nwhen = \"/path\"", "p.toml:3:8: when: expected { at = "},
        {"[[rule]]\naction = \"allow\"\nwhen = {}", "a condition needs at"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"path\", under = \"/a\" }",
         "p.toml:3:15: a condition needs at"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"\", under = \"/a\" }", "a condition needs at"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/path\" }",
         "a condition needs under, one_of or matches"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/path\", under = \"notes\" }",
         "under: expected a folder"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/path\", under = [\"/a\", 1] }",
         "under: expected a text"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/p\", one_of = [1.5] }",
         "one_of: expected texts, whole numbers"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/p\", matches = \"a(\" }",
         "matches: not a pattern of RE2: "},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/p\", matches = \"(a)\\\\1\" }",
         "not a pattern of RE2"},
        {"[[rule]]\naction = \"allow\"\nwhen = { at = \"/p\", undr = \"/a\" }",
         "there is no key \"undr\" in a condition"},
        {"[server]\nweb = 1", "p.toml:2:7: server: expected [server.NAME]"},
        {"[server.web]\npublik = true",
         "p.toml:2:1: there is no key \"publik\" of a server (did you mean \"public\"?)"},
        {"[server.web]\npin = \"never\"", "pin: expected one of \"ask\", \"deny\", \"warn\""},
    };
    for (const auto& [text, expected] : all) {
        const std::string said = errors_of(text);
        CHECK_MESSAGE(said.find(expected) != std::string::npos, text, "\ngave: ", said);
        CHECK_MESSAGE(said.starts_with("p.toml:"), text);
    }
}

TEST_CASE("read_policy: all errors are told at once, at most twenty") {
    const std::string three = errors_of("x = 1\ny = 2\n[[rule]]\nz = 3\naction = \"deny\"\n");
    CHECK(std::count(three.begin(), three.end(), '\n') == 2);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "x" + std::to_string(i) + " = 1\n";
    const std::string said = errors_of(many);
    CHECK(std::count(said.begin(), said.end(), '\n') == 20);
    CHECK(said.ends_with("80 errors more"));
}

TEST_CASE("read_policy: bounds hold for size, rules and depth") {
    CHECK(errors_of(std::string(most_policy_file + 1, ' ')).find("larger than 256 KiB") != std::string::npos);
    CHECK(errors_of(std::string(most_policy_file, ' ')).empty());
    std::string rules;
    for (int i = 0; i < 200; ++i) rules += "[[rule]]\naction = \"deny\"\n";
    CHECK(errors_of(rules).empty());
    CHECK(errors_of(rules + "[[rule]]\naction = \"deny\"\n").find("at most 200 rules") != std::string::npos);
    std::string deep = "a";
    for (int i = 0; i < 100'000; ++i) deep += ".a";
    CHECK(errors_of("\n" + deep + " = 1").find("p.toml:2:1: more dots") != std::string::npos);
    CHECK(errors_of("# ...\nx.y = \"" + std::string(5000, '.') + "\"\n").find("there is no key \"x\"") !=
          std::string::npos);
    CHECK_FALSE(errors_of("a = " + std::string(10'000, '[')).empty());
}

TEST_CASE(
    "Store: a changed file is read anew after a second; one that breaks or goes leaves the last good one") {
    Folder folder;
    folder.write("default = \"deny\"\n");
    std::vector<std::string> said;
    Store::Options options;
    options.file = folder.file;
    options.deny = "web";
    options.say = [&](bool is_error, const std::string& line) {
        said.push_back((is_error ? "E " : "I ") + line);
    };
    Store store(options);
    auto now = std::chrono::steady_clock::now();
    CHECK(store.current(now)->fallback == Action::deny);
    CHECK(store.current(now)->rules.size() == 1);
    folder.write("default = \"ask\" # longer\n");
    CHECK(store.current(now)->fallback == Action::deny);
    CHECK(store.current(now += 2s)->fallback == Action::ask);
    CHECK(store.trouble().empty());
    folder.write("default = \"asc\"\n");
    CHECK(store.current(now += 2s)->fallback == Action::ask);
    CHECK(store.current(now += 2s)->fallback == Action::ask);
    CHECK(store.trouble().find(folder.file + ":1:11: default") != std::string::npos);
    std::filesystem::remove(folder.file);
    CHECK(store.current(now += 2s)->fallback == Action::ask);
    CHECK(store.trouble().find("is gone") != std::string::npos);
    folder.write("default = \"allow\"\n");
    CHECK(store.current(now += 2s)->fallback == Action::allow);
    CHECK(store.trouble().empty());
    CHECK(said.size() == 4);
    CHECK(said.at(1).find("stays in force") != std::string::npos);
    CHECK(store.current(now += 2s)->rules.front().place == "--deny web");
}

TEST_CASE("Store: a file that others can write is refused, with the command that mends it") {
    Folder folder;
    folder.write("default = \"deny\"\n");
    ::chmod(folder.file.c_str(), 0666);
    Store::Options options;
    options.file = folder.file;
    std::string said;
    try {
        Store store(options);
    } catch (const std::runtime_error& e) {
        said = e.what();
    }
    CHECK(said.find("others could have written it") != std::string::npos);
    CHECK(said.find("chmod go-w " + folder.file) != std::string::npos);
}

TEST_CASE("Store: a named file must be there; the usual one may come later") {
    Folder folder;
    Store::Options options;
    options.file = folder.file;
    options.must_be_there = true;
    CHECK_THROWS_AS(Store{options}, std::runtime_error);
    options.must_be_there = false;
    Store store(options);
    const auto now = std::chrono::steady_clock::now();
    CHECK_FALSE(store.current(now)->says_anything());
    folder.write("default = \"deny\"\n");
    CHECK(store.current(now + 2s)->fallback == Action::deny);
    CHECK(usual_policy_file("/home/me") == "/home/me/.config/cordon/policy.toml");
    CHECK(usual_policy_file("").empty());
}
