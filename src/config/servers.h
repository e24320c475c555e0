#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/config/expand.h"

namespace config {

/// An upstream MCP server as a file names it, its variables expanded.
struct ServerEntry {
    enum class Transport { stdio, http, sse, http_or_sse };
    enum class Protocol { automatic, legacy, modern };

    std::string name;
    std::string alias{}; ///< In Python; see alias.h.
    std::string description{};
    Transport transport = Transport::stdio;
    std::vector<std::string> argv{};          ///< stdio: command and arguments.
    std::map<std::string, std::string> env{}; ///< stdio: beside base_environment.
    std::string cwd{};                        ///< stdio: empty for ours.
    std::string url{};                        ///< The others.
    std::vector<std::string> headers{};       ///< "Name: value". Secrets, often.
    Protocol protocol = Protocol::automatic;
    std::optional<std::chrono::milliseconds> timeout{};       ///< For one call.
    std::optional<std::chrono::milliseconds> start_timeout{}; ///< For its start.
    std::string source{};                                     ///< The file, "~/MCPs/a.json".
    std::size_t line = 0;                                     ///< Where it begins there.
    std::string written{};                                    ///< The entry's JSON, without blanks.
    bool disabled = false;                                    ///< By its own "disabled" or "enabled".
    bool waiting = false;             ///< It must be accepted first (accepted_servers.h); `reason` says how.
    std::string reason{};             ///< Why it cannot be used, with the place; empty: it can.
    std::vector<std::string> notes{}; ///< What of it is not understood, with the place.
};

struct ServerList {
    std::vector<ServerEntry> servers{}; ///< In the order of the files; names differ.
    std::vector<std::string>
        problems{};                   ///< Of whole files, and entries without a usable name; with the place.
    std::vector<std::string> notes{}; ///< Names that a file before has, keys that are not understood.
};

struct ServerSources {
    Surroundings surroundings{};
    std::string config_file{};    ///< MCP_SERVERS_CONFIG; may be empty.
    std::string own_executable{}; ///< To recognise ourselves by.
    bool allow_self = false;
};

/// Reads ~/MCPs/*.json, sorted by name, then ~/.config/mcp/servers/*.json likewise, then config_file; of
/// servers with one name the first counts. A file that other users could change is not read, which is a
/// problem with the command that mends it. Never throws for what is in the files.
ServerList load_servers(const ServerSources& sources);

/// The whole path of config_file; "" where there is none.
std::string config_file_path(const ServerSources& sources);

/// Reads one file's text into the list. `source` is how messages call it. Pure but for the look at our own
/// executable; for tests and fuzzing.
void read_servers(const std::string& text, const std::string& source, const ServerSources& sources,
                  ServerList& list);

/// Why an entry is Cordon itself, or "".
std::string self_reference(const ServerEntry& entry, const ServerSources& sources);

/// Why a stdio server could not be started as things are: no such program in its PATH (and what to install),
/// no such folder; with the place. Or "". `base` is base_environment().
std::string launch_trouble(const ServerEntry& entry, const std::map<std::string, std::string>& base);

/// What every child gets of our environment: HOME, PATH, USER, LOGNAME, SHELL, TERM, LANG, LC_*, TMPDIR,
/// XDG_*, proxy variables; and what pass_env
/// ("all", or names with commas) adds.
std::map<std::string, std::string> base_environment(const std::map<std::string, std::string>& environment,
                                                    const std::string& pass_env);

/// "NAME=value" for a child: the base, and over it the server's own.
std::vector<std::string> child_environment(std::map<std::string, std::string> base,
                                           const std::map<std::string, std::string>& own);

} // namespace config
