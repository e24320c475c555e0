#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A setting that cannot be used. what() names the flag or variable, the value and what is allowed.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class OutputMode { compact, structured, toon };
enum class ConfinementMode { strict, report };
enum class LogLevel { error, info, debug };

inline constexpr const char* default_image = "docker.io/library/python:3.14-slim";

/// Everything that a user can set, with its default. Filled by `apply`, complete after `check`.
struct Settings {
    // The engine
    std::string runtime{};        ///< "podman", "docker" or empty: either.
    std::string runtime_socket{}; ///< A URL, or empty: search.
    std::string tls_ca{};
    std::string tls_cert{};
    std::string tls_key{};
    bool tls_verify = true;
    bool allow_rootful = false;
    bool allow_plain_tcp = false;
    bool allow_plain_http = false; ///< serve --http beyond loopback without TLS.
    std::string oci_runtime{};
    std::optional<std::chrono::seconds> pull_timeout{}; ///< Of silence. Empty: as fits what the engine tells.

    // The container
    std::string image{}; ///< Empty: the choice of `cordon image use`, else default_image.
    std::int64_t memory_bytes = 512LL << 20;
    std::int64_t pids = 128;
    std::optional<double> cpus{};
    std::string
        container_user{}; ///< "UID:GID" or "auto"; empty: auto where many clients are served, else 65534.
    ConfinementMode confinement = ConfinementMode::strict;

    // Executions
    std::chrono::seconds timeout{30};
    std::chrono::seconds max_timeout{120};
    bool max_timeout_said = false;    ///< Somebody chose it; else it follows a longer timeout.
    std::int64_t max_output = 30'000; ///< Characters kept of each stream.
    OutputMode output_mode = OutputMode::compact;
    int pool = 1;                                      ///< Warm containers kept ready.
    std::optional<std::vector<std::string>> preload{}; ///< Modules imported early. Nothing: as they are used.
    bool prewarm = true;                               ///< Make the first one when a client comes.
    int max_containers = 16;                           ///< At most so many at once, sessions included.
    std::chrono::seconds runtime_idle_timeout{300};
    std::chrono::seconds session_idle{600};
    std::int64_t max_host_memory = 512LL << 20; ///< Of Cordon itself.

    // Upstream servers
    std::string servers_config{};     ///< A file with mcpServers, beside ~/MCPs/*.json.
    bool servers_listed_only = false; ///< `--servers listed`: a call may use only what its `servers` names.
    std::string pass_env{};           ///< "", "all", or names with commas.
    bool allow_self_server = false;

    // What code may call
    std::string policy_file{};             ///< Empty: policy.toml beside the user's other settings.
    std::string deny{}, ask{}, allow{};    ///< SERVER or SERVER.TOOL, names or globs, with commas between.
    std::chrono::seconds ask_timeout{120}; ///< For a person's answer to a question about a call.

    // Ourselves
    std::string state_dir{}; ///< Empty: $XDG_STATE_HOME/cordon or ~/.local/state/cordon.
    bool saved_tools = true;
    bool always_load = true; ///< Ask clients to show the tool at once (anthropic/alwaysLoad).
    LogLevel log_level = LogLevel::error;
};

/// One setting: how it is named, said and read. The table is what --help, README and the parsers are made
/// from.
struct Setting {
    std::string_view flag;                            ///< "max-timeout"
    std::string_view variable;                        ///< "MCP_BRIDGE_MAX_TIMEOUT"
    std::string_view argument;                        ///< "SECONDS"; empty for a switch.
    std::string_view fallback;                        ///< The default, as a person would write it.
    std::string_view help;                            ///< One line.
    void (*set)(Settings&, const std::string& value); ///< Throws Error saying only what is allowed.
    std::string_view old_flag{};                      ///< Earlier names, which still work.
    std::string_view old_variable{};
    bool several = false; ///< A flag may be given many times: their values are joined by commas.
};

std::span<const Setting> settings_table();

/// The variable's short name, which README shows: "CORDON_MAX_TIMEOUT". Both are read, and this one wins.
std::string short_variable(const Setting& setting);

/// Sets one from its text; `origin` is how the message calls it: "--timeout", "MCP_BRIDGE_TIMEOUT". Throws
/// Error.
void apply(Settings& settings, const Setting& setting, const std::string& origin, const std::string& value);

/// The variable that sets it: the short name, the long one or an earlier one, whichever is there first and is
/// not empty; "" where none is.
std::string variable_in_use(const Setting& setting, const std::map<std::string, std::string>& environment);

/// Sets all that the environment says (empty values count as not set). Throws Error. Variables that begin
/// with MCP_BRIDGE_ or CORDON_ and are none of ours are returned, for a warning.
std::vector<std::string> apply_environment(Settings& settings,
                                           const std::map<std::string, std::string>& environment);

/// Fills in what follows from other settings: the maximum of a time that nobody set rises to the time.
void settle(Settings& settings);

/// What holds between settings. Throws Error.
void check(const Settings& settings);

/// The text, which is one that may name an image. Throws Error.
std::string image_reference(const std::string& text);

/// A size such as "512m", "1g", "64MiB", "1048576". Throws Error.
std::int64_t parse_size(const std::string& text);

} // namespace config
