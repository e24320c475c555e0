#include "src/config/servers.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/config/jsonc.h"
#include "src/config/settings.h"

using config::ServerEntry;
using config::ServerList;
using config::ServerSources;
namespace fs = std::filesystem;

namespace {

ServerSources sources() {
    ServerSources s;
    s.surroundings.environment = {{"FOO", "foov"}, {"EMPTY", ""}, {"PATH", "/usr/bin:/bin"}};
    s.surroundings.home = "/home/u";
    s.surroundings.folder = "/work dir";
    return s;
}

ServerList read(const std::string& text) {
    ServerList list;
    config::read_servers(text, "~/MCPs/a.json", sources(), list);
    return list;
}

// The reason of the only server, which is called x.
std::string reason(const std::string& entry) {
    const ServerList list = read(R"({"mcpServers":{"x":)" + entry + "}}");
    REQUIRE(list.problems.empty());
    REQUIRE(list.servers.size() == 1);
    return list.servers[0].reason;
}

ServerEntry entry(const std::string& text) {
    const ServerList list = read(R"({"mcpServers":{"x":)" + text + "}}");
    REQUIRE(list.servers.size() == 1);
    CHECK(list.servers[0].reason == "");
    return list.servers[0];
}

// A home of its own, with files.
struct Home {
    Home() { fs::create_directories(path / "MCPs"); }
    ~Home() { fs::remove_all(path); }
    void file(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
    }
    fs::path path = fs::temp_directory_path() / ("cordon-home-" + std::to_string(::getpid()));
};

} // namespace

TEST_CASE("plain_json: takes comments and last commas away, and nothing else") {
    CHECK(config::plain_json("{\"a\":1,// x\n\"b\":[1,2,/* , */ ],}") ==
          "{\"a\":1,    \n\"b\":[1,2         ] }");
    const std::string strings = R"({"u":"http://x/*y*/","q":"\",]","v":["//",",}"]})";
    CHECK(config::plain_json(strings) == strings);
    CHECK(config::plain_json("/* never ends") == "/* never ends");
    CHECK(config::plain_json("\"never ends\\") == "\"never ends\\");
    CHECK(config::plain_json("1 / 2") == "1 / 2");
}

TEST_CASE("expand: replaces what is ours, once, and leaves the rest") {
    const auto expanded = [](const char* text) { return config::expand(text, sources().surroundings); };
    CHECK(expanded("a${FOO}b${FOO:-d}") == "afoovbfoov");
    CHECK(expanded("${UNSETX:-d e}|${UNSETX:-}|${EMPTY:-d}|${EMPTY}") == "d e||d|");
    CHECK(expanded("${env:FOO}") == "foov");
    CHECK(expanded("${userHome}/x ${workspaceFolder}") == "/home/u/x /work dir");
    CHECK(expanded("$FOO ${a b} ${} ${FOO %FOO% ~/x") == "$FOO ${a b} ${} ${FOO %FOO% ~/x");
    CHECK_THROWS_WITH_AS(expanded("${UNSETX}"), "the environment variable UNSETX is not set", config::Error);
    CHECK_THROWS_WITH_AS(expanded("${env:UNSETX}"), "the environment variable UNSETX is not set",
                         config::Error);
    CHECK_THROWS_AS(expanded("${input:key}"), config::Error);
    CHECK(config::expand_path("~/x", sources().surroundings) == "/home/u/x");
    CHECK(config::expand_path("a~/x", sources().surroundings) == "a~/x");
}

TEST_CASE("read_servers: a command with all its fields") {
    const ServerEntry e = entry(
        R"({"command":"~/bin/server","args":["--key=${FOO}",""],"env":{"A":1,"B":true,"C":"${FOO}"},"cwd":"~",
        "description":"d","timeout":90,"start_timeout":2500,"protocol":"legacy"})");
    CHECK(e.argv == std::vector<std::string>{"/home/u/bin/server", "--key=foov", ""});
    CHECK(e.env == std::map<std::string, std::string>{{"A", "1"}, {"B", "true"}, {"C", "foov"}});
    CHECK(e.cwd == "/home/u");
    CHECK(e.description == "d");
    CHECK(e.timeout == std::chrono::seconds(90));
    CHECK(e.start_timeout == std::chrono::milliseconds(2500));
    CHECK(e.protocol == ServerEntry::Protocol::legacy);
    CHECK(e.source == "~/MCPs/a.json");
}

TEST_CASE("read_servers: a url, of a type or of none") {
    const ServerEntry e =
        entry(R"({"url":"https://x/mcp?k=${FOO}","headers":{"Authorization":"Bearer ${FOO}"}})");
    CHECK(e.transport == ServerEntry::Transport::http_or_sse);
    CHECK(e.url == "https://x/mcp?k=foov");
    CHECK(e.headers == std::vector<std::string>{"Authorization: Bearer foov"});
    CHECK(entry(R"({"type":"streamableHttp","url":"http://x"})").transport == ServerEntry::Transport::http);
    CHECK(entry(R"({"type":"sse","url":"http://x"})").transport == ServerEntry::Transport::sse);
}

TEST_CASE("read_servers: what is wrong is said with its place, and hides nothing else") {
    CHECK(reason(R"({"command":"c","args":["a",["b"]]})") ==
          "~/MCPs/a.json:1: mcpServers.x.args[1]: expected string");
    CHECK(reason("7") == "~/MCPs/a.json:1: mcpServers.x: expected object");
    CHECK(reason("{}") == "~/MCPs/a.json:1: mcpServers.x: missing \"command\" (or \"url\")");
    CHECK(reason(R"({"command":""})") == "~/MCPs/a.json:1: mcpServers.x.command: expected a command");
    CHECK(reason(R"({"command":"a\u0000b"})") ==
          "~/MCPs/a.json:1: mcpServers.x.command: expected text without NUL");
    CHECK(reason(R"({"command":"c","env":{"A=B":"x"}})").ends_with("a variable cannot be named \"A=B\""));
    CHECK(reason(R"({"command":"c","env":{"A":null}})").ends_with("mcpServers.x.env.A: expected string"));
    CHECK(reason(R"({"command":"c","args":["${NOT_SET}"]})") ==
          "~/MCPs/a.json:1: mcpServers.x.args[0]: the environment variable NOT_SET is not set");
    CHECK(reason(R"({"command":"c","disabled":true})") == "~/MCPs/a.json:1: mcpServers.x: disabled");
    CHECK(reason(R"({"command":"c","enabled":false})") == "~/MCPs/a.json:1: mcpServers.x: disabled");
    CHECK(
        reason(R"({"command":"c","type":"ws"})").ends_with("mcpServers.x.type: expected stdio, http or sse"));
    CHECK(reason(R"({"command":"c","url":"http://x"})")
              .ends_with("has both a command and a url, and no type to say which"));
    CHECK(reason(R"({"url":"ftp://x"})").ends_with("mcpServers.x.url: expected an http:// or https:// URL"));
    CHECK(reason(R"({"url":"http://x","headers":{"a":"b\r\nc: d"}})").ends_with("not a header: \"a\""));
    CHECK(reason(R"({"command":"c","timeout":0})").find("mcpServers.x.timeout: expected seconds") !=
          std::string::npos);
    CHECK(reason(R"({"command":"c","protocol":"new"})").ends_with("expected auto, legacy or modern"));
    const ServerList list = read(
        R"({"mcpServers":{"bad":{"args":3},"":{"command":"c"},"a\nb":{"command":"c"},"good":{"command":"c"}}})");
    REQUIRE(list.servers.size() == 2);
    CHECK(list.servers[1].name == "good");
    CHECK(list.servers[1].reason == "");
    CHECK(list.problems.size() == 2);
}

TEST_CASE("read_servers: a file that is no list is one problem") {
    for (const char* text : {"", "[]", "{}", "{\"mcpServers\":[]}", "{\"mcpServers\":{}", "\xff",
                             R"({"mcpServers":{"a":{},"a":{}}})"}) {
        CAPTURE(text);
        const ServerList list = read(text);
        CHECK(list.servers.empty());
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].starts_with("~/MCPs/a.json:"));
    }
    CHECK(read("\xEF\xBB\xBF{\"mcpServers\":{\"a\":{\"command\":\"c\",},},} // end").servers.size() == 1);
    CHECK(read("{\"mcpServers\":{}}").problems.empty());
}

TEST_CASE("read_servers: a fault has its line, and a syntax error its column as well") {
    CHECK(read("{\"mcpServers\": {\n  \"a\": {\"command\": \"c\"},\n\n  // b\n  \"b\": {\n    \"command\": "
               "\"c\"\n, \"args\": 3}\n}}")
              .servers[1]
              .reason == "~/MCPs/a.json:5: mcpServers.b.args: expected array");
    const auto problem = [](const std::string& text) {
        const ServerList list = read(text);
        REQUIRE(list.problems.size() == 1);
        return list.problems[0];
    };
    CHECK(problem("{\n  \"mcpServers\": {\n    \"a\" {}\n}}").starts_with("~/MCPs/a.json:3:9: bad JSON: "));
    CHECK(problem("\xEF\xBB\xBF{]").starts_with("~/MCPs/a.json:1:2: bad JSON: "));
    CHECK(problem("{\"mcpServers\":{\n\"a\":{},\n\"a\":{}}}").starts_with("~/MCPs/a.json:3:"));
    for (const char* quoted : {"{'mcpServers': {}}", "{\xE2\x80\x9CmcpServers\xE2\x80\x9D: {}}"})
        CHECK(problem(quoted).find("1:2: bad JSON: Missing a name for object member. (Names and texts stand "
                                   "between \", the straight") != std::string::npos);
    CHECK(problem(R"({"mcpServers":null})") == "~/MCPs/a.json: mcpServers: expected object");
    for (const char* text : {"", "  \n", "// later\n", "\xEF\xBB\xBF"})
        CHECK(problem(text) == "~/MCPs/a.json: the file is empty");
}

TEST_CASE("read_servers: other clients' files are read where they are plain; else the right key is named") {
    for (const char* text :
         {R"({"servers":{"x":{"command":"c"}},"inputs":[]})", R"({"context_servers":{"x":{"command":"c"}}})",
          R"({"mcp":{"servers":{"x":{"type":"stdio","command":"c"}}},"editor.fontSize":12})",
          R"({"mcp":{"x":{"type":"local","command":["c"]}}})",
          R"({"servers":{"y":{"command":"d"}},"mcpServers":{"x":{"command":"c"}}})"}) {
        CAPTURE(text);
        const ServerList list = read(text);
        CHECK(list.problems.empty());
        REQUIRE(list.servers.size() == 1);
        CHECK(list.servers[0].name == "x");
        CHECK(list.servers[0].argv == std::vector<std::string>{"c"});
    }
    CHECK(read(R"({"servers":{"x":{"command":""},"y":{"command":"c"}}})").servers[0].reason ==
          "~/MCPs/a.json:1: servers.x.command: expected a command");
    for (const char* key : {"mcp_servers", "MCPServers", "mcp-servers", "mcpServer"}) {
        const ServerList list = read("{\"" + std::string(key) + R"(":{"x":{"command":"c"}}})");
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].starts_with("~/MCPs/a.json: \"" + std::string(key) +
                                           "\" is no key of ours: it is \"mcpServers\""));
    }
    CHECK(read(R"({"x":{"command":"c"}})").problems.at(0).find("must be within \"mcpServers\"") !=
          std::string::npos);
    CHECK(read("{}").problems.at(0).find("there is no \"mcpServers\"") != std::string::npos);
    CHECK(read("[]").problems.at(0).find("expected {\"mcpServers\"") != std::string::npos);
    CHECK(read(R"({"servers":{"web":{"port":80}}})").servers.empty());
}

TEST_CASE(
    "read_servers: a key that is nearly one of ours is a fault, another is noted, a remark is nothing") {
    const auto fault = [](const std::string& key) { return reason(R"({"command":"c",)" + key + R"(:1})"); };
    for (const auto& [key, meant] :
         std::vector<std::pair<std::string, std::string>>{{"arg", "args"},
                                                          {"Args", "args"},
                                                          {"arguments", "args"},
                                                          {"enviroment", "env"},
                                                          {"envs", "env"},
                                                          {"ENV", "env"},
                                                          {"comand", "command"},
                                                          {"cmd", "command"},
                                                          {"uri", "url"},
                                                          {"header", "headers"},
                                                          {"workingDirectory", "cwd"},
                                                          {"disable", "disabled"},
                                                          {"startTimeout", "start_timeout"},
                                                          {"timout", "timeout"}}) {
        CAPTURE(key);
        CHECK(fault('"' + key + '"') ==
              "~/MCPs/a.json:1: mcpServers.x: unknown key \"" + key + "\": did you mean \"" + meant + "\"?");
    }
    const ServerList noted = read(
        R"({"mcpServers":{"x":{"command":"c","excludeTools":["a"],"autoApprove":[],"_why":1,"dev":{}}}})");
    CHECK(noted.servers.at(0).reason == "");
    REQUIRE(noted.notes.size() == 2);
    CHECK(noted.notes[0] ==
          "~/MCPs/a.json:1: mcpServers.x: unknown key \"excludeTools\": nothing is done with it here");
}

TEST_CASE(
    "read_servers: a command with its arguments in one text is a fault, one with blanks in its path is not") {
    CHECK(reason(R"({"command":"npx -y  @scope/foo"})") ==
          "~/MCPs/a.json:1: mcpServers.x.command: there is no program of this name with blanks in it; write "
          "\"command\": \"npx\", \"args\": [\"-y\",\"@scope/foo\"]");
    CHECK(reason(R"({"command":" "})").ends_with("command: expected a command"));
    CHECK(reason(R"({"command":"c","args":"-y foo"})").find("args: expected an array of words") !=
          std::string::npos);
    CHECK(reason(R"({"command":"c","env":["A=B"]})").find("env: expected an object") != std::string::npos);
    CHECK(reason(R"({"url":"http://x","headers":["A: B"]})").find("headers: expected an object") !=
          std::string::npos);
    const Home home;
    fs::create_directories(home.path / "My App");
    home.file("My App/server", "");
    const std::string path = (home.path / "My App/server").string();
    CHECK(entry(R"({"command":")" + path + R"("})").argv == std::vector<std::string>{path});
    CHECK(entry(R"({"command":["c","-y"],"args":["x"],"environment":{"A":1}})").argv ==
          std::vector<std::string>{"c", "-y", "x"});
    CHECK(entry(R"({"serverUrl":"http://x","transport":"sse"})").transport == ServerEntry::Transport::sse);
    CHECK(entry(R"({"httpUrl":"http://x"})").url == "http://x");
}

TEST_CASE("read_servers: names and numbers hold at their bounds") {
    const auto list_of = [](std::size_t length) {
        return read("{\"mcpServers\":{\"" + std::string(length, 'n') + "\":{\"command\":\"c\"}}}");
    };
    CHECK(list_of(128).servers.size() == 1);
    CHECK(list_of(129).problems.size() == 1);
    std::string many = "{\"mcpServers\":{";
    for (int i = 0; i < 1001; ++i)
        many += (i ? ",\"s" : "\"s") + std::to_string(i) + "\":{\"command\":\"c\"}";
    const ServerList list = read(many + "}}");
    CHECK(list.servers.size() == 1000);
    CHECK(list.problems.size() == 1);
}

TEST_CASE("load_servers: the folder in order, then the file; the first of a name counts") {
    const Home home;
    home.file("MCPs/b.json",
              R"({"description":"from b","mcpServers":{"one":{"command":"b"},"two":{"command":"b"}}})");
    home.file("MCPs/a.json", R"({"mcpServers":{"one":{"command":"a"}}})");
    home.file("MCPs/broken.json", "{");
    home.file("MCPs/large.json", std::string((16 << 20) + 1, ' '));
    home.file("MCPs/notes.txt", "{}");
    home.file("extra.json",
              R"({"mcpServers":{"two":{"command":"x"},"t-wo":{"command":"x"},"t.wo":{"command":"x"}}})");
    ServerSources s = sources();
    s.surroundings.home = home.path.string();
    s.config_file = "~/extra.json";
    const ServerList list = config::load_servers(s);
    REQUIRE(list.servers.size() == 4);
    CHECK(list.servers[0].argv.front() == "a");
    CHECK(list.servers[1].argv.front() == "b");
    CHECK(list.servers[1].description == "from b");
    CHECK(list.servers[1].alias == "two");
    CHECK(list.servers[2].alias.starts_with("t_wo_"));
    CHECK(list.servers[3].source == "~/extra.json");
    REQUIRE(list.problems.size() == 2);
    CHECK(list.problems[0].starts_with("~/MCPs/broken.json:1:2: bad JSON"));
    CHECK(list.problems[1] == "~/MCPs/large.json: larger than 16 MiB");
    REQUIRE(list.notes.size() == 2); // which counts is plain, so nothing is broken
    CHECK(list.notes[0] ==
          "~/MCPs/b.json:1: mcpServers.\"one\": left out, the name is taken by ~/MCPs/a.json");
    CHECK(list.notes[1] ==
          "~/extra.json:1: mcpServers.\"two\": left out, the name is taken by ~/MCPs/b.json");
}

TEST_CASE("load_servers: the folder of mcp-server-code-execution-mode is read too, after ours") {
    const Home home;
    fs::create_directories(home.path / ".config/mcp/servers");
    home.file("MCPs/a.json", R"({"mcpServers":{"one":{"command":"ours"}}})");
    home.file(".config/mcp/servers/b.json", R"({"mcpServers":{"two":{"command":"b"}}})");
    home.file(".config/mcp/servers/c.json",
              R"({"mcpServers":{"one":{"command":"c"},"three":{"command":"c"}}})");
    home.file(".config/mcp/servers/notes.txt", "{}");
    fs::create_symlink(home.path / "MCPs/a.json", home.path / ".config/mcp/servers/a.json");
    ServerSources s = sources();
    s.surroundings.home = home.path.string();
    s.config_file = "~/.config/mcp/servers/b.json";
    const ServerList list = config::load_servers(s);
    REQUIRE(list.servers.size() == 3);
    CHECK(list.servers[0].argv.front() == "ours");
    CHECK(list.servers[0].source == "~/MCPs/a.json");
    CHECK(list.servers[1].source == "~/.config/mcp/servers/b.json");
    CHECK(list.servers[2].source == "~/.config/mcp/servers/c.json");
    CHECK(list.problems.empty());
    REQUIRE(list.notes.size() == 1);
    CHECK(list.notes[0] ==
          "~/.config/mcp/servers/c.json:1: mcpServers.\"one\": left out, the name is taken by ~/MCPs/a.json");
}

TEST_CASE("load_servers: what is not there") {
    ServerSources s = sources();
    s.surroundings.home = "/no/such/home";
    CHECK(config::load_servers(s).problems.empty());
    s.config_file = "/no/such/file.json";
    CHECK(config::load_servers(s).problems ==
          std::vector<std::string>{"/no/such/file.json: No such file or directory"});
    s.config_file = "/";
    CHECK(config::load_servers(s).problems == std::vector<std::string>{"/: not a file that can be read"});
}

TEST_CASE("load_servers: what might have been meant is noted, and a relative path is told in full") {
    const Home home;
    home.file("MCPs/a.jsonc", "{}");
    home.file("MCPs/b.JSON", "{}");
    home.file("MCPs/c.json.txt", "{}");
    home.file("MCPs/.hidden.yaml", "");
    home.file("MCPs/wide.json", std::string("\xFF\xFE{\0}\0", 6));
    home.file("extra.json", R"({"mcpServers":{"x":{"command":"c"}}})");
    ServerSources s = sources();
    s.surroundings.home = home.path.string();
    s.surroundings.folder = home.path.string();
    s.config_file = "extra.json";
    ServerList list = config::load_servers(s);
    CHECK(list.notes.size() == 3);
    CHECK(list.problems ==
          std::vector<std::string>{"~/MCPs/wide.json: the file is UTF-16; save it as UTF-8"});
    REQUIRE(list.servers.size() == 1);
    CHECK(list.servers[0].source == "~/extra.json");
    s.config_file = "gone.json";
    CHECK(config::load_servers(s).problems.at(1) == "~/gone.json: No such file or directory");
    s.surroundings.home = "";
    CHECK(config::load_servers(s).notes ==
          std::vector<std::string>{"HOME is not set, so ~/MCPs is not read"});
}

TEST_CASE("read_servers: what belongs to the other kind of server is noted") {
    const auto notes = [](const std::string& text) {
        const ServerList list = read(R"({"mcpServers":{"x":)" + text + "}}");
        CHECK(list.servers.at(0).reason == "");
        return list.notes;
    };
    CHECK(notes(R"({"type":"http","url":"http://x","command":"c","env":{"A":"b"}})").size() == 2);
    CHECK(notes(R"({"command":"c","headers":{"A":"b"}})") ==
          std::vector<std::string>{"~/MCPs/a.json:1: mcpServers.x: \"headers\" is not used by a server that "
                                   "is started by a command"});
    CHECK(notes(R"({"command":"c","url":null,"args":[]})").empty());
}

TEST_CASE("launch_trouble: a command that is not there, with what to install") {
    ServerEntry e = entry(R"({"command":"npx"})");
    const auto trouble = [&](const std::string& path) { return config::launch_trouble(e, {{"PATH", path}}); };
    CHECK(trouble("/nowhere:/neither") ==
          "~/MCPs/a.json:1: x.command: no such command: \"npx\"; install Node.js, or give its whole path "
          "(looked for in PATH=/nowhere:/neither)");
    CHECK(trouble(std::string(10'000, 'p')).size() < 500);
    e.argv = {"sh"};
    CHECK(trouble("/nowhere:/bin") == "");
    e.env = {{"PATH", "/nowhere"}}; // its own counts
    CHECK(trouble("/bin").find("no such command: \"sh\"") != std::string::npos);
    e.argv = {"/bin/sh"};
    CHECK(trouble("/bin") == "");
    e.argv = {"./sh"};
    e.cwd = "/bin";
    CHECK(trouble("/bin") == "");
    e.cwd = "/nowhere";
    CHECK(trouble("/bin") == "~/MCPs/a.json:1: x.cwd: no such folder: \"/nowhere\"");
    e.cwd = "";
    e.argv = {"/bin"};
    CHECK(trouble("/bin") == "~/MCPs/a.json:1: x.command: not a program that can be run: \"/bin\"");
    CHECK(config::launch_trouble(entry(R"({"url":"http://x"})"), {}) == "");
}

TEST_CASE("self_reference: knows Cordon under each of its names, and only it") {
    ServerSources s = sources();
    s.own_executable = "/proc/self/exe";
    const std::string own = fs::canonical("/proc/self/exe").string();
    const auto self = [&](std::vector<std::string> argv, const std::string& name = "x") {
        ServerEntry e{name};
        e.argv = std::move(argv);
        return !config::self_reference(e, s).empty();
    };
    CHECK(self({own}));
    CHECK(self({"cordon", "serve"}));
    CHECK(self({"/opt/bin/mcp-server-code-execution-mode"}));
    CHECK(self({"uvx", "mcp-server-code-execution-mode"}));
    CHECK(self({"uvx", "--from", "git+https://host/x/mcp-server-code-execution-mode.git@main", "run"}));
    CHECK(self({"npx", "-y", "mcp-server-code-execution-mode@latest"}));
    CHECK(self({"uv", "run", "--python", "3.12", "/x/mcp_server_code_execution_mode.py"}));
    CHECK(self({"python3", "-m", "mcp_server_code_execution_mode"}));
    CHECK(self({"anything"}, "mcp-server-code-execution-mode"));
    CHECK_FALSE(self(
        {"npx", "-y", "@modelcontextprotocol/server-filesystem", "/src/mcp-server-code-execution-mode"}));
    CHECK_FALSE(self({"cat", own}));
    CHECK_FALSE(self({"ls"}));
    s.allow_self = true;
    CHECK_FALSE(self({own}));
}

TEST_CASE("base_environment: passes on what is usual, and what is asked for") {
    const std::map<std::string, std::string> all{
        {"HOME", "h"},        {"LC_ALL", "C"}, {"XDG_RUNTIME_DIR", "r"},
        {"https_proxy", "p"}, {"SECRET", "s"}, {"TOKEN", "t"}};
    CHECK(config::base_environment(all, "").size() == 4);
    CHECK(config::base_environment(all, "SECRET,NONE").contains("SECRET"));
    CHECK_FALSE(config::base_environment(all, "SECRET,NONE").contains("TOKEN"));
    CHECK(config::base_environment(all, "all") == all);
    CHECK(config::child_environment({{"A", "1"}, {"B", "2"}}, {{"B", "3"}}) ==
          std::vector<std::string>{"A=1", "B=3"});
}
