#include "src/config/settings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using config::Settings;

namespace {

const config::Setting& setting(const std::string& flag) {
    const auto table = config::settings_table();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const config::Setting& s) { return s.flag == flag; });
    REQUIRE(found != table.end());
    return *found;
}

Settings with(const std::string& flag, const std::string& value) {
    Settings settings;
    config::apply(settings, setting(flag), "--" + flag, value);
    return settings;
}

/// What apply says of a bad value; "" where it takes it.
std::string refusal(const std::string& flag, const std::string& value) {
    try {
        with(flag, value);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "";
}

struct Values {
    const char* flag;
    std::vector<std::string> good;
    std::vector<std::string> bad;
    const char* allowed; ///< What each refusal of a bad one says.
};

const std::vector<std::string> bad_flags = {"2", "maybe", "", "-1", "yes please"};
const std::vector<std::string> bad_seconds = {
    "0", "-1", "86401", "1.5", "30s", "", " 30", "0x10", "99999999999999999999"};

const std::vector<Values> values = {
    {"runtime", {"podman", "docker", "auto"}, {"", "Podman", "nerdctl", "podman "}, "podman, docker"},
    {"runtime-socket", {"unix:///run/x.sock", "tcp://127.0.0.1:2375", ""}, {}, ""},
    {"image",
     {"python:3.14", "docker.io/library/python@sha256:abc", "localhost:5000/a/b:c"},
     {"", "-v", "a b", "a\"b", "a?b", "a#b", "a\nb", std::string(513, 'a')},
     "image reference"},
    {"timeout", {"1", "30", "86400"}, bad_seconds, "from 1 to 86400"},
    {"max-timeout", {"1", "120", "86400"}, bad_seconds, "from 1 to 86400"},
    {"memory",
     {"32m", "512m", "1g", "1GiB", "16t", "536870912", "524288k"},
     {"31m", "17t", "", "512", "1.5g", "m", "-1g", "512mm", "512 m", "1e9", "9223372036854775807g"},
     "size"},
    {"pull-timeout", {"1", "86400"}, bad_seconds, "from 1 to 86400"},
    {"pids", {"8", "128", "32768"}, {"7", "32769", "", "many"}, "from 8 to 32768"},
    {"cpus",
     {"0.01", "1", "2.5", "1024"},
     {"0", "-1", "1025", "nan", "inf", "", "two", "1,5"},
     "from 0.01 to 1024"},
    {"container-user",
     {"1:1", "65534:65534", "1000", "4294967294:1", "auto"},
     {"0", "0:1", "1:0", "root", "1:root", "", ":", "1:", ":1", "-1:1", "4294967295:1", "1:2:3", "Auto",
      "auto:auto"},
     "UID:GID"},
    {"confinement", {"strict", "report"}, {"", "Strict", "off", "none"}, "strict, report"},
    {"allow-rootful", {"1", "0", "true", "No", "ON", "off", "yes", "FALSE"}, bad_flags, "1 or 0"},
    {"allow-plain-tcp", {"1", "0"}, bad_flags, "1 or 0"},
    {"allow-plain-http", {"1", "0"}, bad_flags, "1 or 0"},
    {"runtime-tls-verify", {"1", "0"}, bad_flags, "1 or 0"},
    {"runtime-tls-ca", {"/a"}, {}, ""},
    {"runtime-tls-cert", {"/a"}, {}, ""},
    {"runtime-tls-key", {"/a"}, {}, ""},
    {"oci-runtime", {"crun", "runsc", "/usr/bin/crun"}, {"", "-x", "a b"}, "expected"},
    {"max-output", {"200", "30000", "4000000"}, {"199", "4000001", "", "30k"}, "from 200 to 4000000"},
    {"output-mode", {"compact", "structured", "toon"}, {"", "json", "Compact"}, "compact, structured, toon"},
    {"pool", {"0", "1", "256"}, {"-1", "257", ""}, "from 0 to 256"},
    {"preload",
     {"auto", "none", "numpy", "numpy, matplotlib.pyplot", "a,b,c,d,e,f,g,h"},
     {"", "a b", "1a", "a.", ".a", "a,,b", "a,b,c,d,e,f,g,h,i", "../x"},
     "auto, none"},
    {"prewarm", {"0", "1", "yes"}, {"", "2"}, "1 or 0"},
    {"max-containers", {"1", "1024"}, {"0", "1025", ""}, "from 1 to 1024"},
    {"runtime-idle-timeout", {"1", "86400"}, bad_seconds, "from 1 to 86400"},
    {"session-idle", {"1", "7200"}, {"0", "7201", ""}, "from 1 to 7200"},
    {"max-host-memory", {"64m", "256m", "1g"}, {"63m", "", "512", "lots"}, ""},
    {"servers", {"all", "listed"}, {"", "some", "github"}, "all, listed"},
    {"servers-config", {"/a.json"}, {}, ""},
    {"pass-env", {"all", "A,B", ""}, {}, ""},
    {"allow-self-server", {"1", "0"}, bad_flags, "1 or 0"},
    {"policy", {"/a"}, {}, ""},
    {"ask-timeout", {"1", "300"}, {"0", "301", "1.5", ""}, "from 1 to 300"},
    {"deny", {"a", "a.b,c.*"}, {}, ""},
    {"ask", {"a"}, {}, ""},
    {"allow", {"a"}, {}, ""},
    {"saved-tools", {"1", "0"}, bad_flags, "1 or 0"},
    {"always-load", {"1", "0"}, bad_flags, "1 or 0"},
    {"state-dir", {"/a"}, {}, ""},
    {"log-level",
     {"error", "info", "debug", "DEBUG", "warning", "critical"},
     {"", "loud", "trace"},
     "error, info, debug"},
};

} // namespace

TEST_CASE("settings: each takes its good values, and refuses its bad ones with the name, the value and what "
          "is allowed") {
    for (const Values& each : values) {
        CAPTURE(each.flag);
        for (const std::string& good : each.good) {
            CAPTURE(good);
            CHECK(refusal(each.flag, good) == "");
        }
        for (const std::string& bad : each.bad) {
            CAPTURE(bad);
            const std::string said = refusal(each.flag, bad);
            CHECK(said.find(std::string("--") + each.flag + "=\"" + bad.substr(0, 80)) == 0);
            CHECK(said.find(each.allowed) != std::string::npos);
        }
    }
}

TEST_CASE("settings: this test knows all of them") {
    std::set<std::string> tested;
    for (const Values& each : values) tested.insert(each.flag);
    for (const config::Setting& each : config::settings_table()) {
        CAPTURE(each.flag);
        CHECK(tested.contains(std::string(each.flag)));
    }
    CHECK(tested.size() == config::settings_table().size());
}

TEST_CASE("settings: flags and variables are unique, and named alike") {
    std::set<std::string_view> flags, variables;
    for (const config::Setting& each : config::settings_table()) {
        CAPTURE(each.flag);
        CHECK(flags.insert(each.flag).second);
        CHECK(variables.insert(each.variable).second);
        CHECK_FALSE(each.help.empty());
        CHECK(each.help.find('\n') == std::string_view::npos);
        CHECK_FALSE(each.fallback.empty());
        std::string name = "MCP_BRIDGE_" + std::string(each.flag);
        for (char& c : name)
            c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        const bool is_of_the_seed = each.variable == "MCP_SERVERS_CONFIG"; // a name that users have already
        CHECK((each.variable == name || is_of_the_seed));
    }
}

TEST_CASE("settings: the default that is told is the one that holds") {
    const Settings defaults;
    for (const char* flag : {"image",
                             "timeout",
                             "max-timeout",
                             "memory",
                             "pids",
                             "confinement",
                             "allow-rootful",
                             "allow-plain-tcp",
                             "allow-plain-http",
                             "runtime-tls-verify",
                             "max-output",
                             "output-mode",
                             "pool",
                             "max-containers",
                             "runtime-idle-timeout",
                             "session-idle",
                             "servers",
                             "allow-self-server",
                             "saved-tools",
                             "always-load",
                             "log-level"}) {
        CAPTURE(flag);
        const Settings told = with(flag, std::string(setting(flag).fallback));
        CHECK((told.image.empty() || told.image == config::default_image));
        CHECK(told.timeout == defaults.timeout);
        CHECK(told.max_timeout == defaults.max_timeout);
        CHECK(told.memory_bytes == defaults.memory_bytes);
        CHECK(told.pids == defaults.pids);
        CHECK(told.container_user == defaults.container_user);
        CHECK(told.confinement == defaults.confinement);
        CHECK(told.allow_rootful == defaults.allow_rootful);
        CHECK(told.allow_plain_tcp == defaults.allow_plain_tcp);
        CHECK(told.allow_plain_http == defaults.allow_plain_http);
        CHECK(told.tls_verify == defaults.tls_verify);
        CHECK(told.max_output == defaults.max_output);
        CHECK(told.output_mode == defaults.output_mode);
        CHECK(told.pool == defaults.pool);
        CHECK(told.max_containers == defaults.max_containers);
        CHECK(told.runtime_idle_timeout == defaults.runtime_idle_timeout);
        CHECK(told.session_idle == defaults.session_idle);
        CHECK(told.servers_listed_only == defaults.servers_listed_only);
        CHECK(told.allow_self_server == defaults.allow_self_server);
        CHECK(told.saved_tools == defaults.saved_tools);
        CHECK(told.always_load == defaults.always_load);
        CHECK(told.log_level == defaults.log_level);
    }
}

TEST_CASE("settings: values arrive where they belong") {
    CHECK(with("memory", "1g").memory_bytes == 1LL << 30);
    CHECK(with("cpus", "0.5").cpus == 0.5);
    CHECK(with("container-user", "1000").container_user == "1000:1000");
    CHECK(with("container-user", "1000:7").container_user == "1000:7");
    CHECK(with("confinement", "report").confinement == config::ConfinementMode::report);
    CHECK(with("output-mode", "toon").output_mode == config::OutputMode::toon);
    CHECK(with("servers", "listed").servers_listed_only);
    CHECK(with("log-level", "Debug").log_level == config::LogLevel::debug);
    CHECK(with("runtime", "auto").runtime.empty());
    CHECK(with("runtime", "docker").runtime == "docker");
    CHECK_FALSE(with("runtime-tls-verify", "off").tls_verify);
    CHECK(with("timeout", "7").timeout == std::chrono::seconds(7));
}

TEST_CASE("settings: the environment sets what it names; empty is not set; what is unknown is told") {
    Settings settings;
    const auto unknown = config::apply_environment(settings, {{"MCP_BRIDGE_TIMEOUT", "5"},
                                                              {"MCP_BRIDGE_MEMORY", ""},
                                                              {"MCP_BRIDGE_TIMEOUTS", "5"},
                                                              {"MCP_SERVERS_CONFIG", "/x.json"},
                                                              {"HOME", "/root"}});
    CHECK(settings.timeout == std::chrono::seconds(5));
    CHECK(settings.memory_bytes == Settings().memory_bytes);
    CHECK(settings.servers_config == "/x.json");
    CHECK(unknown == std::vector<std::string>{"MCP_BRIDGE_TIMEOUTS"});
    CHECK_THROWS_WITH_AS(config::apply_environment(settings, {{"MCP_BRIDGE_POOL", "lots"}}),
                         "MCP_BRIDGE_POOL=\"lots\": expected a number from 0 to 256", config::Error);
}

TEST_CASE("settings: a variable's earlier name works, and the new one wins") {
    Settings settings;
    CHECK(config::apply_environment(settings, {{"MCP_BRIDGE_TLS_CA", "/old"}}).empty());
    CHECK(settings.tls_ca == "/old");
    config::apply_environment(settings,
                              {{"MCP_BRIDGE_RUNTIME_TLS_CA", "/new"}, {"MCP_BRIDGE_TLS_CA", "/old"}});
    CHECK(settings.tls_ca == "/new");
    CHECK_THROWS_WITH_AS(config::apply_environment(settings, {{"MCP_BRIDGE_TLS_VERIFY", "perhaps"}}),
                         doctest::Contains("MCP_BRIDGE_TLS_VERIFY=\"perhaps\""), config::Error);
}

TEST_CASE("settings: each variable has a short name, which wins; an empty one is not set") {
    for (const config::Setting& each : config::settings_table()) {
        CAPTURE(each.flag);
        const std::string name = config::short_variable(each);
        CHECK(name.starts_with("CORDON_"));
        CHECK(config::variable_in_use(each, {{name, "1"}, {std::string(each.variable), "2"}}) == name);
        CHECK(config::variable_in_use(each, {{name, ""}, {std::string(each.variable), "2"}}) ==
              each.variable);
        CHECK(config::variable_in_use(each, {}).empty());
    }
    Settings settings;
    const auto unknown = config::apply_environment(settings, {{"CORDON_TIMEOUT", "7"},
                                                              {"MCP_BRIDGE_TIMEOUT", "5"},
                                                              {"CORDON_SERVERS_CONFIG", "/y.json"},
                                                              {"MCP_SERVERS_CONFIG", "/x.json"},
                                                              {"CORDON_TIMOUT", "5"}});
    CHECK(settings.timeout == std::chrono::seconds(7));
    CHECK(settings.servers_config == "/y.json");
    CHECK(unknown == std::vector<std::string>{"CORDON_TIMOUT"});
    CHECK_THROWS_WITH_AS(config::apply_environment(settings, {{"CORDON_POOL", "lots"}}),
                         doctest::Contains("CORDON_POOL=\"lots\""), config::Error);
}

TEST_CASE(
    "settings: the maximum follows a longer time where nobody set it, and is an error where somebody did") {
    Settings settings = with("timeout", "500");
    config::settle(settings);
    CHECK(settings.max_timeout == std::chrono::seconds(500));
    settings = with("timeout", "5");
    config::settle(settings);
    CHECK(settings.max_timeout == Settings().max_timeout);
    settings = with("max-timeout", "100");
    settings.timeout = std::chrono::seconds(500);
    config::settle(settings);
    CHECK(settings.max_timeout == std::chrono::seconds(100));
    CHECK_THROWS_WITH_AS(config::check(settings), doctest::Contains("--max-timeout"), config::Error);
}

TEST_CASE("settings: a long value is cut in the message") {
    const std::string said = refusal("pool", std::string(10'000, '9'));
    CHECK(said.size() < 300);
    CHECK(said.find("…") != std::string::npos);
}

TEST_CASE("settings: check holds them against each other") {
    Settings settings;
    CHECK_NOTHROW(config::check(settings));
    settings.timeout = settings.max_timeout;
    CHECK_NOTHROW(config::check(settings));
    settings.timeout += std::chrono::seconds(1);
    CHECK_THROWS_WITH_AS(config::check(settings), doctest::Contains("CORDON_MAX_TIMEOUT"), config::Error);
    settings = {};
    settings.tls_cert = "/cert";
    CHECK_THROWS_WITH_AS(config::check(settings), doctest::Contains("runtime-tls-key"), config::Error);
    settings.tls_key = "/key";
    CHECK_NOTHROW(config::check(settings));
}

TEST_CASE("parse_size: units, and no more than they mean") {
    for (const auto& [text, bytes] :
         std::map<std::string, std::int64_t>{{"0", 0},
                                             {"1048576", 1048576},
                                             {"536870912", 536870912},
                                             {"1b", 1},
                                             {"1k", 1024},
                                             {"2KB", 2048},
                                             {"3KiB", 3072},
                                             {"64MiB", 64LL << 20},
                                             {"512m", 512LL << 20},
                                             {"1G", 1LL << 30},
                                             {"2t", 2LL << 40},
                                             {"9007199254740992", 9007199254740992}}) {
        CAPTURE(text);
        CHECK(config::parse_size(text) == bytes);
    }
    for (const char* bad : {"", "m", "-1", "+1", " 1", "1 ", "1.5m", "1mm", "1x", "0x10", "1ib", "1bb",
                            "9999999t", "99999999999999999999", "8388608t"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(config::parse_size(bad), config::Error);
    }
}
