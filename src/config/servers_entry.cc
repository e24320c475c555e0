#include "src/config/servers_entry.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "src/config/servers_entry_keys.h"
#include "src/config/settings.h"

namespace config {
namespace {

constexpr std::int64_t first_milliseconds =
    1000; // a timeout below it must be seconds (Cline's), from it on milliseconds (Claude's)

constexpr std::size_t most_shown = 200;

bool has_controls(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// "npx -y foo" as an entry ought to have it.
std::string split_form(const std::string& command) {
    json::Writer args;
    std::string first;
    args.array();
    for (std::size_t at = 0; (at = command.find_first_not_of(" \t\n", at)) != std::string::npos;) {
        const std::size_t end = std::min(command.find_first_of(" \t\n", at), command.size());
        const std::string word = command.substr(at, end - at);
        if (first.empty())
            first = word;
        else
            args.value(word);
        at = end;
    }
    return "\"command\": " + json::quote(first) + ", \"args\": " + args.end().take();
}

// Reads members of one entry; a wrong one throws json::Error or config::Error with its place.
class EntryReader {
public:
    EntryReader(const json::Reader& in, const Surroundings& surroundings)
        : in_(in), surroundings_(surroundings) {}

    void read(ServerEntry& out) const {
        read_switches(out);
        read_keys(out);
        in_.read_optional("description", out.description);
        read_transport(out);
        read_protocol(out);
        out.timeout = read_timeout("timeout");
        out.start_timeout = read_timeout("start_timeout");
        if (out.transport == ServerEntry::Transport::stdio)
            read_command(out);
        else
            read_url(out);
        note_unused(out);
    }

private:
    void read_switches(ServerEntry& out) const {
        bool disabled = false, enabled = true;
        in_.read_optional("disabled", disabled);
        in_.read_optional("enabled", enabled);
        out.disabled = disabled || !enabled;
        if (out.disabled) throw Error("disabled");
    }

    // A key that is nearly one of ours would be missed; one that is not may mean much to another client.
    void read_keys(ServerEntry& out) const {
        for (const std::string& key : in_.keys()) {
            const KeyFound found = look_up_key(key);
            const std::string shown = json::quote(key.substr(0, most_shown));
            if (!found.meant.empty())
                in_.fail("unknown key " + shown + ": did you mean \"" + found.meant + "\"?");
            if (!found.known)
                out.notes.push_back(in_.path() + ": unknown key " + shown + ": nothing is done with it here");
        }
    }

    // What belongs to the other kind of server.
    void note_unused(ServerEntry& out) const {
        const bool local = out.transport == ServerEntry::Transport::stdio;
        static const std::vector<std::string> of_local{"command", "args", "env", "environment", "cwd"},
            of_remote{"url", "serverUrl", "httpUrl", "headers"};
        for (const std::string& key : local ? of_remote : of_local)
            if (in_.has(key))
                out.notes.push_back(in_.path() + ": \"" + key + "\" is not used by a server that is " +
                                    (local ? "started by a command" : "reached by a url"));
    }

    // The first of the keys that is there and not null.
    std::string key_of(std::initializer_list<const char*> names) const {
        for (const char* name : names)
            if (in_.has(name)) return name;
        return *names.begin();
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
        const std::string type_key = key_of({"type", "transport"}),
                          url_key = key_of({"url", "serverUrl", "httpUrl"});
        if (in_.read_optional(type_key, type)) {
            const auto it = known.find(type);
            if (it == known.end()) in_.at(type_key).fail("expected stdio, http or sse");
            out.transport = it->second;
        } else if (in_.has("command") && in_.has(url_key)) {
            in_.fail("has both a command and a url, and no type to say which");
        } else if (!in_.has("command") && !in_.has(url_key)) {
            in_.fail("missing \"command\" (or \"url\")");
        } else {
            out.transport = in_.has(url_key) ? Transport::http_or_sse : Transport::stdio;
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

    void read_argv(ServerEntry& out) const {
        const json::Reader command = in_.at("command");
        if (command.is_array()) // as some clients have it: the command and its arguments
            read_words(command, out);
        else
            out.argv.push_back(path(command));
        if (out.argv.empty() || out.argv.front().empty()) command.fail("expected a command");
        check_blanks(command, out.argv.front());
        const auto args = in_.find("args");
        if (!args || args->is_null()) return;
        if (args->is_string())
            args->fail("expected an array of words, such as [\"-y\", \"package\"], not one text");
        read_words(*args, out);
    }

    void read_words(const json::Reader& words, ServerEntry& out) const {
        if (!words.is_array()) words.fail("expected array");
        for (std::size_t i = 0; i < words.size(); ++i) out.argv.push_back(path(words[i]));
    }

    // No shell takes it apart. A program may have blanks in its path, though.
    static void check_blanks(const json::Reader& place, const std::string& command) {
        std::error_code ignored;
        if (command.find_first_of(" \t\n") == std::string::npos || std::filesystem::exists(command, ignored))
            return;
        if (command.find_first_not_of(" \t\n") == std::string::npos) place.fail("expected a command");
        place.fail("there is no program of this name with blanks in it; write " +
                   split_form(command.substr(0, most_shown)));
    }

    void read_command(ServerEntry& out) const {
        read_argv(out);
        if (const auto env = in_.find(key_of({"env", "environment"})); env && !env->is_null()) {
            if (!env->is_object()) env->fail("expected an object: {\"NAME\": \"value\"}");
            for (const std::string& name : env->keys()) {
                if (name.empty() || name.find('=') != std::string::npos || has_controls(name))
                    env->fail("a variable cannot be named " + json::quote(name));
                out.env[name] = path(env->at(name));
            }
        }
        if (const auto cwd = in_.find("cwd"); cwd && !cwd->is_null()) out.cwd = path(*cwd);
    }

    void read_url(ServerEntry& out) const {
        const std::string key = key_of({"url", "serverUrl", "httpUrl"});
        out.url = text(in_.at(key));
        const bool good = out.url.starts_with("http://") || out.url.starts_with("https://");
        if (!good || has_controls(out.url) || out.url.find(' ') != std::string::npos)
            in_.at(key).fail("expected an http:// or https:// URL");
        const auto headers = in_.find("headers");
        if (!headers || headers->is_null()) return;
        if (!headers->is_object()) headers->fail("expected an object: {\"Name\": \"value\"}");
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

} // namespace

void read_entry(const json::Reader& in, const Surroundings& surroundings, ServerEntry& out) {
    if (!in.is_object()) in.fail("expected object");
    EntryReader(in, surroundings).read(out);
}

} // namespace config
