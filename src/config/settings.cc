#include "src/config/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/byte_size.h"
#include "src/base/module_name.h"
#include "src/base/text.h"

namespace config {
namespace {

std::int64_t integer(const std::string& text, std::int64_t least, std::int64_t most, const char* unit) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        throw Error(std::string("expected ") + unit + " from " + std::to_string(least) + " to " +
                    std::to_string(most));
    return value;
}

std::chrono::seconds seconds(const std::string& text, std::int64_t least, std::int64_t most) {
    return std::chrono::seconds(integer(text, least, most, "a whole number of seconds"));
}

bool flag(const std::string& text) {
    const std::string lower = base::lower(text);
    if (lower == "1" || lower == "true" || lower == "yes" || lower == "on") return true;
    if (lower == "0" || lower == "false" || lower == "no" || lower == "off") return false;
    throw Error("expected 1 or 0 (also true, false, yes, no, on, off)");
}

template <class T>
T one_of(const std::string& text, std::initializer_list<std::pair<const char*, T>> choices) {
    std::string names;
    for (const auto& [name, value] : choices) {
        if (text == name) return value;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    throw Error("expected one of: " + names);
}

// "uid:gid" in numbers: a name could mean anything inside an image.
std::string numeric_user(const std::string& text) {
    if (text == "auto") return text;
    const std::size_t colon = text.find(':');
    const std::string group = colon == std::string::npos ? text : text.substr(colon + 1);
    try {
        const auto uid = integer(text.substr(0, colon), 1, 4294967294, "a uid");
        const auto gid = integer(group, 1, 4294967294, "a gid");
        return std::to_string(uid) + ':' + std::to_string(gid);
    } catch (const Error&) {
        throw Error("expected UID:GID in numbers, neither of them 0, or auto");
    }
}

double cpu_count(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0.01 && value <= 1024))
        throw Error("expected a number of CPUs from 0.01 to 1024");
    return value;
}

std::int64_t memory_size(const std::string& text) {
    const std::int64_t bytes = parse_size(text);
    if (bytes < (32LL << 20) || bytes > (1LL << 44)) throw Error("expected a size from 32m to 16t");
    return bytes;
}

std::string runtime_name(const std::string& text) {
    if (text == "auto") return {};
    return one_of<std::string>(text, {{"podman", "podman"}, {"docker", "docker"}});
}

// Nothing: what runs import is learned.
std::optional<std::vector<std::string>> module_names(const std::string& text) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names;
    if (text == "auto") return std::nullopt;
    if (text == "none") return names;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string_view name = base::trimmed(std::string_view(text).substr(at, end - at));
        if (!base::is_module_name(name) || names.size() == most)
            throw Error(
                "expected one of: auto, none, at most 8 names of modules with commas, as numpy,pandas");
        names.emplace_back(name);
        at = end + 1;
    }
    return names;
}

constexpr Setting table[] = {
    {"runtime-socket", "MCP_BRIDGE_RUNTIME_SOCKET", "URL", "found by itself",
     "the engine's socket: unix:///path, tcp://host:port, https://host:port, ssh://user@host/path",
     [](Settings& s, const std::string& v) { s.runtime_socket = v; }},
    {"runtime", "MCP_BRIDGE_RUNTIME", "NAME", "either", "look only for podman, or only for docker",
     [](Settings& s, const std::string& v) { s.runtime = runtime_name(v); }},
    {"image", "MCP_BRIDGE_IMAGE", "REFERENCE", "docker.io/library/python:3.14-slim",
     "the image that has python3", [](Settings& s, const std::string& v) { s.image = image_reference(v); }},
    {"pull-timeout", "MCP_BRIDGE_PULL_TIMEOUT", "SECONDS", "60; podman 150, before 4.8 900",
     "give up the pull of an image of which nothing came for so long",
     [](Settings& s, const std::string& v) { s.pull_timeout = seconds(v, 1, 86400); }},
    {"timeout", "MCP_BRIDGE_TIMEOUT", "SECONDS", "30", "time of an execution that asks for none",
     [](Settings& s, const std::string& v) { s.timeout = seconds(v, 1, 86400); }},
    {"max-timeout", "MCP_BRIDGE_MAX_TIMEOUT", "SECONDS", "120",
     "the most that an execution may ask for; where it is not set, at least the time above",
     [](Settings& s, const std::string& v) {
         s.max_timeout = seconds(v, 1, 86400);
         s.max_timeout_said = true;
     }},
    {"memory", "MCP_BRIDGE_MEMORY", "SIZE", "512m", "memory of a container, swap included (512m, 1g)",
     [](Settings& s, const std::string& v) { s.memory_bytes = memory_size(v); }},
    {"pids", "MCP_BRIDGE_PIDS", "NUMBER", "128", "processes and threads of a container at once",
     [](Settings& s, const std::string& v) { s.pids = integer(v, 8, 32768, "a number"); }},
    {"cpus", "MCP_BRIDGE_CPUS", "NUMBER", "the host's", "CPUs of a container; 0.5 is half of one",
     [](Settings& s, const std::string& v) { s.cpus = cpu_count(v); }},
    {"container-user", "MCP_BRIDGE_CONTAINER_USER", "UID:GID|auto", "65534:65534; serve --http auto",
     "who the code runs as, inside; auto: another for each container",
     [](Settings& s, const std::string& v) { s.container_user = numeric_user(v); }},
    {"confinement", "MCP_BRIDGE_CONFINEMENT", "MODE", "strict",
     "strict: refuse to run where a limit is not in force; report: run, and say so in the result",
     [](Settings& s, const std::string& v) {
         s.confinement = one_of<ConfinementMode>(
             v, {{"strict", ConfinementMode::strict}, {"report", ConfinementMode::report}});
     }},
    {"allow-rootful", "MCP_BRIDGE_ALLOW_ROOTFUL", "", "0", "use an engine that runs as root",
     [](Settings& s, const std::string& v) { s.allow_rootful = flag(v); }},
    {"allow-plain-tcp", "MCP_BRIDGE_ALLOW_PLAIN_TCP", "", "0", "use tcp:// without TLS beyond this machine",
     [](Settings& s, const std::string& v) { s.allow_plain_tcp = flag(v); }},
    {"allow-plain-http", "MCP_BRIDGE_ALLOW_PLAIN_HTTP", "", "0",
     "serve --http without TLS beyond this machine",
     [](Settings& s, const std::string& v) { s.allow_plain_http = flag(v); }},
    {"runtime-tls-ca", "MCP_BRIDGE_RUNTIME_TLS_CA", "FILE", "the system's", "CA of an https:// engine",
     [](Settings& s, const std::string& v) { s.tls_ca = v; }, "tls-ca", "MCP_BRIDGE_TLS_CA"},
    {"runtime-tls-cert",
     "MCP_BRIDGE_RUNTIME_TLS_CERT",
     "FILE",
     "none",
     "client certificate for an https:// engine",
     [](Settings& s, const std::string& v) { s.tls_cert = v; },
     {},
     "MCP_BRIDGE_TLS_CERT"},
    {"runtime-tls-key",
     "MCP_BRIDGE_RUNTIME_TLS_KEY",
     "FILE",
     "none",
     "its key",
     [](Settings& s, const std::string& v) { s.tls_key = v; },
     {},
     "MCP_BRIDGE_TLS_KEY"},
    {"runtime-tls-verify", "MCP_BRIDGE_RUNTIME_TLS_VERIFY", "0|1", "1",
     "check the engine's certificate and its name",
     [](Settings& s, const std::string& v) { s.tls_verify = flag(v); }, "tls-verify",
     "MCP_BRIDGE_TLS_VERIFY"},
    {"oci-runtime", "MCP_BRIDGE_OCI_RUNTIME", "NAME", "the engine's",
     "crun, runc, runsc, as the engine calls it; podman takes its default alone",
     [](Settings& s, const std::string& v) { s.oci_runtime = image_reference(v); }},
    {"max-output", "MCP_BRIDGE_MAX_OUTPUT", "CHARACTERS", "30000",
     "kept of each output stream; the middle is left out",
     [](Settings& s, const std::string& v) {
         s.max_output = integer(v, 200, 4'000'000, "a number of characters");
     }},
    {"output-mode", "MCP_BRIDGE_OUTPUT_MODE", "MODE", "compact",
     "form of a result: compact, structured, toon",
     [](Settings& s, const std::string& v) {
         s.output_mode = one_of<OutputMode>(v, {{"compact", OutputMode::compact},
                                                {"structured", OutputMode::structured},
                                                {"toon", OutputMode::toon}});
     }},
    {"pool", "MCP_BRIDGE_POOL", "NUMBER", "1",
     "containers kept warm at least, and as many as are often wanted at once; 0 is off",
     [](Settings& s, const std::string& v) { s.pool = static_cast<int>(integer(v, 0, 256, "a number")); }},
    {"preload", "MCP_BRIDGE_PRELOAD", "auto|none|NAMES", "auto",
     "modules that a container imports while it waits; auto: the heavy ones that runs in this image imported",
     [](Settings& s, const std::string& v) { s.preload = module_names(v); }},
    {"prewarm", "MCP_BRIDGE_PREWARM", "0|1", "1",
     "1: the first container is made when a client comes, if the engine is at a local socket and has the "
     "image",
     [](Settings& s, const std::string& v) { s.prewarm = flag(v); }},
    {"max-containers", "MCP_BRIDGE_MAX_CONTAINERS", "NUMBER", "16", "containers at once; more calls wait",
     [](Settings& s, const std::string& v) {
         s.max_containers = static_cast<int>(integer(v, 1, 1024, "a number"));
     }},
    {"runtime-idle-timeout", "MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT", "SECONDS", "300",
     "a warm container unused so long is let go",
     [](Settings& s, const std::string& v) { s.runtime_idle_timeout = seconds(v, 1, 86400); }},
    {"session-idle", "MCP_BRIDGE_SESSION_IDLE", "SECONDS", "600", "a session unused so long ends",
     [](Settings& s, const std::string& v) { s.session_idle = seconds(v, 1, 7200); }},
    {"max-host-memory", "MCP_BRIDGE_MAX_HOST_MEMORY", "SIZE", "512m",
     "memory of Cordon itself: 256m, and as much for large answers of tools; past it the greediest run ends",
     [](Settings& s, const std::string& v) {
         s.max_host_memory = parse_size(v);
         if (s.max_host_memory < 64LL << 20) throw Error("at least 64m");
     }},
    {"servers", "MCP_BRIDGE_SERVERS", "all|listed", "all",
     "listed: a call may use only the servers that it names",
     [](Settings& s, const std::string& v) {
         s.servers_listed_only = one_of<bool>(v, {{"all", false}, {"listed", true}});
     }},
    {"servers-config", "MCP_SERVERS_CONFIG", "FILE", "none", "a file with mcpServers, beside ~/MCPs/*.json",
     [](Settings& s, const std::string& v) { s.servers_config = v; }},
    {"pass-env", "MCP_BRIDGE_PASS_ENV", "all|NAMES", "none",
     "environment given to upstream servers beyond the usual few",
     [](Settings& s, const std::string& v) { s.pass_env = v; }},
    {"allow-self-server", "MCP_BRIDGE_ALLOW_SELF_SERVER", "", "0",
     "offer Cordon itself as an upstream server",
     [](Settings& s, const std::string& v) { s.allow_self_server = flag(v); }},
    {"policy", "MCP_BRIDGE_POLICY", "FILE", "~/.config/cordon/policy.toml",
     "rules for which tools code may call; the usual file need not be there",
     [](Settings& s, const std::string& v) { s.policy_file = v; }},
    {"deny",
     "MCP_BRIDGE_DENY",
     "SERVER.TOOL",
     "none",
     "refuse calls of a tool, or of a whole SERVER; globs too (github.delete_*), many times or with commas",
     [](Settings& s, const std::string& v) { s.deny = v; },
     {},
     {},
     true},
    {"ask",
     "MCP_BRIDGE_ASK",
     "SERVER.TOOL",
     "none",
     "ask the user before each call of it",
     [](Settings& s, const std::string& v) { s.ask = v; },
     {},
     {},
     true},
    {"allow",
     "MCP_BRIDGE_ALLOW",
     "SERVER.TOOL",
     "none",
     "allow calls of it; --deny goes before --ask, that before --allow, and all three before the policy file",
     [](Settings& s, const std::string& v) { s.allow = v; },
     {},
     {},
     true},
    {"ask-timeout", "MCP_BRIDGE_ASK_TIMEOUT", "SECONDS", "120",
     "how long the user may think about a call that is asked, at most 300; no answer is a no",
     [](Settings& s, const std::string& v) { s.ask_timeout = seconds(v, 1, 300); }},
    {"saved-tools", "MCP_BRIDGE_SAVED_TOOLS", "0|1", "1", "let code keep functions for later runs",
     [](Settings& s, const std::string& v) { s.saved_tools = flag(v); }},
    {"always-load", "MCP_BRIDGE_ALWAYS_LOAD", "0|1", "1", "ask clients to show the tool without a search",
     [](Settings& s, const std::string& v) { s.always_load = flag(v); }},
    {"state-dir", "MCP_BRIDGE_STATE_DIR", "FOLDER", "~/.local/state/cordon",
     "where saved tools and instance files live", [](Settings& s, const std::string& v) { s.state_dir = v; }},
    {"log-level", "MCP_BRIDGE_LOG_LEVEL", "LEVEL", "error", "error, info or debug, to stderr",
     [](Settings& s, const std::string& v) {
         s.log_level = one_of<LogLevel>(base::lower(v), {{"error", LogLevel::error},
                                                         {"info", LogLevel::info},
                                                         {"debug", LogLevel::debug},
                                                         {"warning", LogLevel::error},
                                                         {"critical", LogLevel::error}});
     }},
};

} // namespace

std::span<const Setting> settings_table() { return table; }

void apply(Settings& settings, const Setting& setting, const std::string& origin, const std::string& value) {
    try {
        setting.set(settings, value);
    } catch (const Error& e) {
        const std::string shown = value.size() > 80 ? value.substr(0, 80) + "…" : value;
        throw Error(origin + "=\"" + shown + "\": " + e.what());
    }
}

std::string short_variable(const Setting& setting) {
    std::string name = "CORDON_" + std::string(setting.flag);
    for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

std::string variable_in_use(const Setting& setting, const std::map<std::string, std::string>& environment) {
    for (const std::string& name :
         {short_variable(setting), std::string(setting.variable), std::string(setting.old_variable)}) {
        const auto it = environment.find(name);
        if (it != environment.end() && !it->second.empty()) return name;
    }
    return {};
}

std::vector<std::string> apply_environment(Settings& settings,
                                           const std::map<std::string, std::string>& environment) {
    for (const Setting& setting : table) {
        const std::string name = variable_in_use(setting, environment);
        if (!name.empty()) apply(settings, setting, name, environment.at(name));
    }
    std::vector<std::string> unknown;
    for (const auto& variable : environment) {
        const std::string& name = variable.first;
        const bool known = std::any_of(std::begin(table), std::end(table), [&](const Setting& s) {
            return s.variable == name || s.old_variable == name || short_variable(s) == name;
        });
        if (!known && (name.starts_with("MCP_BRIDGE_") || name.starts_with("CORDON_")))
            unknown.push_back(name);
    }
    return unknown;
}

void settle(Settings& settings) {
    if (!settings.max_timeout_said) settings.max_timeout = std::max(settings.max_timeout, settings.timeout);
}

void check(const Settings& settings) {
    if (settings.timeout > settings.max_timeout)
        throw Error("timeout (" + std::to_string(settings.timeout.count()) + ") is above max-timeout (" +
                    std::to_string(settings.max_timeout.count()) +
                    "): lower --timeout (CORDON_TIMEOUT) or raise --max-timeout (CORDON_MAX_TIMEOUT)");
    if (settings.tls_cert.empty() != settings.tls_key.empty())
        throw Error("runtime-tls-cert and runtime-tls-key go together: one of them is missing");
}

std::string image_reference(const std::string& text) {
    const auto bad = [](unsigned char c) {
        return c <= ' ' || c == 0x7F || c == '"' || c == '\\' || c == '?' || c == '#';
    };
    if (text.empty() || text.size() > 512 || text.front() == '-' ||
        std::any_of(text.begin(), text.end(), bad))
        throw Error("expected an image reference such as docker.io/library/python:3.14-slim");
    return text;
}

std::int64_t parse_size(const std::string& text) {
    const std::optional<std::int64_t> bytes = base::read_byte_size(text);
    if (!bytes) throw Error("expected a size such as 512m or 1g");
    return *bytes;
}

} // namespace config
