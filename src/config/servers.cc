#include "src/config/servers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "runtime_api/json.h"
#include "src/config/alias.h"
#include "src/config/jsonc.h"
#include "src/config/settings.h"

namespace config {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_file = std::size_t{1} << 20;
constexpr std::size_t most_servers = 1000;
constexpr std::size_t most_name = 128;
constexpr std::int64_t first_milliseconds =
    1000; // a timeout below it must be seconds (Cline's), from it on milliseconds (Claude's)

bool has_controls(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Reads members of one entry; a wrong one throws json::Error or config::Error with its place.
class EntryReader {
public:
    EntryReader(const json::Reader& in, const Surroundings& surroundings)
        : in_(in), surroundings_(surroundings) {}

    void read(ServerEntry& out) const {
        in_.read_optional("description", out.description);
        read_switches();
        read_transport(out);
        read_protocol(out);
        out.timeout = read_timeout("timeout");
        out.start_timeout = read_timeout("start_timeout");
        if (out.transport == ServerEntry::Transport::stdio)
            read_command(out);
        else
            read_url(out);
    }

private:
    void read_switches() const {
        bool disabled = false, enabled = true;
        in_.read_optional("disabled", disabled);
        in_.read_optional("enabled", enabled);
        if (disabled || !enabled) throw Error("disabled");
    }

    void read_transport(ServerEntry& out) const {
        using Transport = ServerEntry::Transport;
        static const std::map<std::string, Transport> known{{"stdio", Transport::stdio},
                                                            {"local", Transport::stdio},
                                                            {"http", Transport::http},
                                                            {"streamable-http", Transport::http},
                                                            {"streamableHttp", Transport::http},
                                                            {"streamable_http", Transport::http},
                                                            {"sse", Transport::sse},
                                                            {"remote", Transport::http_or_sse}};
        std::string type;
        if (in_.read_optional("type", type)) {
            const auto it = known.find(type);
            if (it == known.end()) in_.at("type").fail("expected stdio, http or sse");
            out.transport = it->second;
        } else if (in_.has("command") && in_.has("url")) {
            in_.fail("has both a command and a url, and no type to say which");
        } else {
            out.transport = in_.has("url") ? Transport::http_or_sse : Transport::stdio;
        }
    }

    void read_protocol(ServerEntry& out) const {
        std::string protocol = "auto";
        in_.read_optional("protocol", protocol);
        if (protocol != "auto" && protocol != "legacy" && protocol != "modern")
            in_.at("protocol").fail("expected auto, legacy or modern");
        if (protocol == "legacy") out.protocol = ServerEntry::Protocol::legacy;
        if (protocol == "modern") out.protocol = ServerEntry::Protocol::modern;
    }

    std::optional<std::chrono::milliseconds> read_timeout(const char* key) const {
        double value = 0;
        if (!in_.read_optional(key, value)) return std::nullopt;
        const double milliseconds = value < first_milliseconds ? value * 1000 : value;
        if (!(milliseconds >= 1) || milliseconds > 86'400'000)
            in_.at(key).fail("expected seconds, or milliseconds from 1000 on, up to a day");
        return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
    }

    void read_command(ServerEntry& out) const {
        out.argv.push_back(path(in_.at("command")));
        if (out.argv.front().empty()) in_.at("command").fail("expected a command");
        if (const auto args = in_.find("args"); args && !args->is_null()) {
            if (!args->is_array()) args->fail("expected array");
            for (std::size_t i = 0; i < args->size(); ++i) out.argv.push_back(path((*args)[i]));
        }
        if (const auto env = in_.find("env"); env && !env->is_null())
            for (const std::string& name : env->keys()) {
                if (name.empty() || name.find('=') != std::string::npos || has_controls(name))
                    env->fail("a variable cannot be named " + json::quote(name));
                out.env[name] = path(env->at(name));
            }
        if (const auto cwd = in_.find("cwd"); cwd && !cwd->is_null()) out.cwd = path(*cwd);
    }

    void read_url(ServerEntry& out) const {
        out.url = text(in_.at("url"));
        const bool good = out.url.starts_with("http://") || out.url.starts_with("https://");
        if (!good || has_controls(out.url) || out.url.find(' ') != std::string::npos)
            in_.at("url").fail("expected an http:// or https:// URL");
        const auto headers = in_.find("headers");
        if (!headers || headers->is_null()) return;
        for (const std::string& name : headers->keys()) {
            const std::string value = text(headers->at(name));
            const bool bad_name =
                name.empty() || has_controls(name) || name.find_first_of(": ") != std::string::npos;
            if (bad_name || has_controls(value)) headers->fail("not a header: " + json::quote(name));
            out.headers.push_back(name + ": " + value);
        }
    }

    // A string, number or boolean, as people write the values of variables.
    std::string raw(const json::Reader& value) const {
        std::string found = value.is_string() ? value.as_string() : std::string();
        const json::Kind kind = value.kind();
        if (kind == json::Kind::number || kind == json::Kind::boolean) found = value.text();
        if (kind == json::Kind::object || kind == json::Kind::array || kind == json::Kind::null)
            found = value.as_string(); // throws
        if (found.find('\0') != std::string::npos) value.fail("expected text without NUL");
        return found;
    }
    std::string text(const json::Reader& value) const { return placed(value, expand); }
    std::string path(const json::Reader& value) const { return placed(value, expand_path); }

    template <class Expand> std::string placed(const json::Reader& value, Expand how) const {
        const std::string written = raw(value);
        try {
            return how(written, surroundings_);
        } catch (const Error& e) {
            value.fail(e.what());
        }
    }

    const json::Reader& in_;
    const Surroundings& surroundings_;
};

void read_entry(const json::Reader& in, ServerEntry& entry, const ServerSources& sources) {
    try {
        if (!in.is_object()) in.fail("expected object");
        EntryReader(in, sources.surroundings).read(entry);
        entry.reason = self_reference(entry, sources);
    } catch (const std::runtime_error&
                 e) { // json::Error or config::Error: this one cannot be used, the others can
        const std::string what = e.what();
        entry.reason = entry.source + ": " + (what.starts_with("mcpServers") ? "" : in.path() + ": ") + what;
    }
}

const ServerEntry* named(const ServerList& list, const std::string& name) {
    for (const ServerEntry& each : list.servers)
        if (each.name == name) return &each;
    return nullptr;
}

// Why a server cannot have this name, or be there at all; or "".
std::string name_fault(const std::string& name, const ServerList& list) {
    if (name.empty() || name.size() > most_name || has_controls(name))
        return "a name has 1 to 128 bytes and no control characters";
    if (const ServerEntry* other = named(list, name))
        return "left out, the name is taken by " + other->source;
    return list.servers.size() >= most_servers ? "left out, there are more than 1,000 servers" : "";
}

std::string words(const std::string& path, const std::string& home) {
    return !home.empty() && path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

void read_file(const std::string& path, const ServerSources& sources, ServerList& list) {
    const std::string source = words(path, sources.surroundings.home);
    std::error_code ec;
    const bool regular = fs::is_regular_file(path, ec);
    std::ifstream file(path, std::ios::binary);
    if (!regular || !file) {
        list.problems.push_back(
            source + ": " +
            (regular || ec ? std::strerror(regular ? errno : ec.value()) : "not a file that can be read"));
        return;
    }
    std::string text(most_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_file)
        list.problems.push_back(source + ": larger than 1 MiB");
    else
        read_servers(text, source, sources, list);
}

std::vector<std::string> files_in(const std::string& folder, ServerList& list) {
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        const std::string name = it->path().filename().string();
        if (name.ends_with(".json") && !name.starts_with(".")) files.push_back(it->path().string());
    }
    if (ec && ec != std::errc::no_such_file_or_directory)
        list.problems.push_back(folder + ": " + ec.message());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

void read_servers(const std::string& text, const std::string& source, const ServerSources& sources,
                  ServerList& list) {
    try {
        const json::Document document(plain_json(text));
        const json::Reader root = document.root();
        std::string description;
        if (root.is_object() && root.has("description") && root.at("description").is_string())
            description = root.at("description").as_string();
        const json::Reader servers = root.at("mcpServers");
        for (const std::string& name : servers.keys()) {
            const std::string fault = name_fault(name, list);
            if (!fault.empty()) {
                list.problems.push_back(source + ": mcpServers." + json::quote(name.substr(0, most_name)) +
                                        ": " + fault);
                continue;
            }
            ServerEntry entry{name};
            entry.source = source;
            entry.description = description;
            read_entry(servers.at(name), entry, sources);
            list.servers.push_back(std::move(entry));
        }
    } catch (const json::Error& e) {
        list.problems.push_back(source + ": " + e.what());
    }
}

ServerList load_servers(const ServerSources& sources) {
    ServerList list;
    const std::string& home = sources.surroundings.home;
    std::vector<std::string> files;
    if (!home.empty()) files = files_in(home + "/MCPs", list);
    if (!sources.config_file.empty()) {
        std::string file = sources.config_file;
        if (file.starts_with("~/")) file.replace(0, 1, home);
        std::error_code ec; // the same file twice is no reason to complain about its names
        const bool again = std::any_of(files.begin(), files.end(), [&](const std::string& each) {
            return fs::equivalent(each, file, ec);
        });
        if (!again) files.push_back(file);
    }
    for (const std::string& each : files) read_file(each, sources, list);
    std::vector<std::string> names;
    for (const ServerEntry& each : list.servers) names.push_back(each.name);
    const std::map<std::string, std::string> chosen = aliases(names);
    for (ServerEntry& each : list.servers) each.alias = chosen.at(each.name);
    return list;
}

} // namespace config
