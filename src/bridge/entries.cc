#include "src/bridge/entries.h"

#include <filesystem>

#include "src/base/shell_word.h"
#include "src/config/servers_reach.h"

namespace bridge {
namespace {

mcp::ClientSpec::Transport to_transport(config::ServerEntry::Transport transport) {
    switch (transport) {
    case config::ServerEntry::Transport::stdio:
        return mcp::ClientSpec::Transport::stdio;
    case config::ServerEntry::Transport::http:
        return mcp::ClientSpec::Transport::http;
    case config::ServerEntry::Transport::sse:
        return mcp::ClientSpec::Transport::sse;
    case config::ServerEntry::Transport::http_or_sse:
        break;
    }
    return mcp::ClientSpec::Transport::http_or_sse;
}

mcp::ClientSpec::Protocol to_protocol(config::ServerEntry::Protocol protocol) {
    switch (protocol) {
    case config::ServerEntry::Protocol::legacy:
        return mcp::ClientSpec::Protocol::legacy;
    case config::ServerEntry::Protocol::modern:
        return mcp::ClientSpec::Protocol::modern;
    case config::ServerEntry::Protocol::automatic:
        break;
    }
    return mcp::ClientSpec::Protocol::automatic;
}

const char* transport_name(config::ServerEntry::Transport transport) {
    switch (transport) {
    case config::ServerEntry::Transport::stdio:
        return "stdio";
    case config::ServerEntry::Transport::sse:
        return "sse";
    case config::ServerEntry::Transport::http:
    case config::ServerEntry::Transport::http_or_sse:
        break;
    }
    return "http";
}

mcp::ClientSpec to_spec(const config::ServerEntry& entry, const std::map<std::string, std::string>& base) {
    mcp::ClientSpec spec;
    spec.name = entry.name;
    spec.transport = to_transport(entry.transport);
    spec.launch.argv = entry.argv;
    spec.launch.env = config::child_environment(base, entry.env);
    spec.launch.cwd = entry.cwd;
    spec.url = entry.url;
    spec.headers = entry.headers;
    spec.protocol = to_protocol(entry.protocol);
    if (entry.timeout) spec.call_timeout = *entry.timeout;
    if (entry.start_timeout) spec.start_timeout = *entry.start_timeout;
    return spec;
}

config::ServerSources sources_of(const config::Settings& settings,
                                 const std::map<std::string, std::string>& environment) {
    config::ServerSources sources;
    sources.surroundings.environment = environment;
    const auto home = environment.find("HOME");
    if (home != environment.end()) sources.surroundings.home = home->second;
    sources.config_file = settings.servers_config;
    std::error_code ignored;
    sources.surroundings.folder = std::filesystem::current_path(ignored).string();
    sources.own_executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    sources.allow_self = settings.allow_self_server;
    return sources;
}

// It finds the same files from any shell of the user's.
std::string accept_command(const config::ServerSources& sources, const std::string& state_folder) {
    std::string command = "cordon servers accept";
    const std::string list = config::config_file_path(sources);
    if (state_folder != sources.surroundings.home + "/.local/state/cordon")
        command += " --state-dir " + base::shell_word(state_folder);
    if (!list.empty()) command += " --servers-config " + base::shell_word(list);
    return command;
}

} // namespace

ConfiguredServers configured_servers(const config::Settings& settings,
                                     const std::map<std::string, std::string>& environment,
                                     const std::string& state_folder) {
    const config::ServerSources sources = sources_of(settings, environment);
    config::ServerList list = config::load_servers(sources);
    std::vector<config::OwnPlace> places = config::own_places(sources, state_folder);
    const std::string& policy = settings.policy_file; // the usual one is among the places
    if (!policy.empty())
        places.push_back(
            {config::OwnPlace::Kind::file, "the policy " + policy, std::filesystem::absolute(policy)});
    auto reach = config::servers_reach(list.servers, places, sources.surroundings);
    config::AcceptedFile accepted(state_folder, list.servers, sources.surroundings);
    return {std::move(list), std::move(reach), std::move(accepted), accept_command(sources, state_folder)};
}

CatalogueConfiguration load_entries(const config::Settings& settings,
                                    const std::map<std::string, std::string>& environment,
                                    const std::string& state_folder) {
    ConfiguredServers configured = configured_servers(settings, environment, state_folder);
    config::ServerList& list = configured.list;
    const std::map<std::string, std::string> base = config::base_environment(environment, settings.pass_env);
    CatalogueConfiguration out;
    out.reach =
        config::judge_servers(list.servers, configured.reach, configured.accepted, configured.accept_command);
    out.problems = std::move(list.problems);
    out.notes = std::move(list.notes);
    for (const config::ServerEntry& each : list.servers) {
        CatalogueEntry entry;
        entry.about.name = each.name;
        entry.about.alias = each.alias;
        entry.about.description = each.description;
        entry.about.cwd = each.cwd;
        entry.about.source = each.source;
        entry.about.transport = transport_name(each.transport);
        entry.about.usable = each.reason.empty();
        entry.about.disabled = each.disabled;
        entry.about.waiting = each.waiting;
        entry.about.reason = each.reason;
        out.given.push_back(Secrets::Server{each.env, each.headers, each.url});
        if (entry.about.usable) {
            entry.spec = to_spec(each, base);
            const std::string trouble = config::launch_trouble(each, base);
            if (!trouble.empty()) out.troubles.push_back(trouble); // it may be installed before it is used
        }
        out.entries.push_back(std::move(entry));
    }
    return out;
}

} // namespace bridge
