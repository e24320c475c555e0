#include "src/bridge/run_request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/base/text.h"
#include "src/bridge/sessions.h"

namespace bridge {
namespace {

constexpr std::size_t most_servers = 1000;
constexpr std::size_t most_notes = 5;                  // on unknown arguments
constexpr std::size_t most_small_argument = 256 << 10; // bytes, of all but the code

std::string short_text(const json::Reader& value) {
    std::string text = value.text();
    if (text.size() > 60) text = json::valid_utf8(text.substr(0, 60)) + "…";
    return text;
}

bool is_blank_word(const std::string& given) {
    const std::string text = base::lower(std::string(base::trimmed(given)));
    if (text.empty()) return true;
    static const std::set<std::string> words = {"null",  "none", "undefined", "nil", "n/a",
                                                "false", "{}",   "\"\"",      "''"};
    return words.contains(text);
}

// What a model writes where it gives nothing; an array is another question.
bool is_blank(const json::Reader& value) {
    switch (value.kind()) {
    case json::Kind::null:
        return true;
    case json::Kind::boolean:
        return value.text() == "false";
    case json::Kind::number:
        return value.as_number() == 0;
    case json::Kind::string:
        return is_blank_word(value.as_string());
    case json::Kind::object:
        return value.keys().empty();
    case json::Kind::array:
        break;
    }
    return false;
}

bool is_empty_array(const json::Reader& value) {
    return (value.is_array() && value.size() == 0) || (value.is_string() && value.as_string() == "[]");
}

// Some clients write arrays as JSON in a string; a bare name is taken as a list of one.
std::vector<std::string> servers_in_string(const std::string& text) {
    if (text[text.find_first_not_of(" \t\r\n")] != '[') return {text};
    std::vector<std::string> names;
    const json::Document document(text);
    const json::Reader list = document.root("servers");
    for (std::size_t i = 0; i < list.size(); ++i)
        names.push_back(is_blank(list[i]) ? "" : list[i].as_string());
    return names;
}

// Names without the blanks among them; nothing where there are only blanks. An empty list stays one.
std::optional<std::vector<std::string>> without_blanks(std::vector<std::string> names) {
    const std::size_t given = names.size();
    std::erase_if(names, is_blank_word);
    if (names.empty() && given > 0) return std::nullopt;
    return names;
}

std::optional<std::vector<std::string>> read_servers(const json::Reader& value) {
    if (is_blank(value)) return std::nullopt;
    std::vector<std::string> names;
    try {
        if (value.is_string()) {
            names = servers_in_string(value.as_string());
        } else {
            if (!value.is_array()) throw json::Error("not an array");
            for (std::size_t i = 0; i < value.size() && i <= most_servers; ++i)
                names.push_back(is_blank(value[i]) ? "" : value[i].as_string());
        }
    } catch (const json::Error&) {
        throw BadArguments("servers: expected an array of server names such as [\"github\"], got " +
                           short_text(value));
    }
    if (names.size() > most_servers)
        throw BadArguments("servers: more than " + std::to_string(most_servers) + " names");
    return without_blanks(std::move(names));
}

std::string read_session(const json::Reader& value) {
    if (is_blank(value) || is_empty_array(value)) return {};
    const bool right = value.is_string();
    std::string name = right ? value.as_string() : "";
    bool printable = true;
    for (const char c : name) printable = printable && static_cast<unsigned char>(c) >= ' ' && c != 0x7F;
    if (!right || name.empty() || name.size() > Sessions::most_name_bytes || !printable)
        throw BadArguments("session: expected a name of 1 to 64 characters, got " + short_text(value));
    return name;
}

// "60", "60.5", "60 s", "60 seconds"; nothing for any other text.
std::optional<double> seconds_in(const std::string& text) {
    double seconds = 0;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), seconds);
    if (read.ec != std::errc() || !std::isfinite(seconds)) return std::nullopt;
    std::string unit;
    for (const char c :
         std::string_view(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr)))
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') unit += c;
    static const std::set<std::string> units = {"", "s", "sec", "secs", "second", "seconds"};
    return units.contains(unit) ? std::optional(seconds) : std::nullopt;
}

void read_timeout(const json::Reader& value, RunRequest& request, const RunLimits& limits) {
    if (is_blank(value) || is_empty_array(value)) return;
    std::optional<double> seconds;
    if (value.kind() == json::Kind::number) seconds = value.as_number();
    if (value.is_string()) seconds = seconds_in(value.as_string());
    if (!seconds)
        throw BadArguments("timeout: expected a number of seconds from 1 to " +
                           std::to_string(limits.max_timeout.count()) + ", got " + short_text(value));
    if (*seconds < 0)
        request.notes.push_back("timeout " + short_text(value) + " is no time; the default of " +
                                std::to_string(limits.timeout.count()) + " s held");
    if (*seconds <= 0) return; // "0"
    set_timeout(request, *seconds, limits);
}

const std::vector<std::string>& known_arguments() {
    static const std::vector<std::string> names = {"code", "servers", "timeout", "session"};
    return names;
}

// The argument that was meant, or "": near in spelling, or one of its own words as in "session_id".
std::string meant(const std::string& name) {
    const std::vector<std::string> near = base::nearest(name, known_arguments(), 1);
    if (!near.empty()) return near.front();
    const std::string written = base::letters(name);
    for (const std::string& known : known_arguments())
        if (written.starts_with(known) || written.ends_with(known) || known.starts_with(written + 's'))
            return known;
    return {};
}

std::string hint(const std::string& name) {
    const std::string known = meant(name);
    return known.empty() ? "" : " (did you mean " + json::quote(known) + "?)";
}

void note_unknown(const json::Reader& in, RunRequest& request) {
    std::size_t count = 0;
    for (const std::string& name : in.keys()) {
        const auto& known = known_arguments();
        if (name.starts_with('_') || std::find(known.begin(), known.end(), name) != known.end()) continue;
        if (++count > most_notes) continue;
        request.notes.push_back("the argument " + json::quote(json::valid_utf8(name.substr(0, 60))) +
                                " is unknown and was ignored" + hint(name));
    }
    if (count > most_notes)
        request.notes.push_back(std::to_string(count - most_notes) + " more unknown arguments were ignored");
}

// Where `code` is missing and something near was given, that is what is wrong.
BadArguments without_code(const json::Reader& in) {
    std::string text = "code: missing; expected the Python source as a string";
    std::size_t looked_at = 0;
    for (const std::string& name : in.keys())
        if (++looked_at <= 20 && meant(name) == "code")
            return BadArguments(text + " (" + json::quote(json::valid_utf8(name.substr(0, 60))) +
                                " was given)");
    return BadArguments(text);
}

} // namespace

void set_timeout(RunRequest& request, double seconds, const RunLimits& limits) {
    const auto most = static_cast<double>(limits.max_timeout.count());
    if (!(seconds >= 1))
        throw BadArguments("timeout: expected a number of seconds from 1 to " +
                           std::to_string(limits.max_timeout.count()));
    if (seconds > most) {
        request.notes.push_back("timeout was cut to the maximum of " +
                                std::to_string(limits.max_timeout.count()) + " s");
        seconds = most;
    }
    request.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

namespace {

// Arguments without what is large in them: of the code and of unknown arguments, the kind or the name is
// enough. So reading them costs no more memory than the code.
std::string slim(std::string_view arguments) {
    const auto& known = known_arguments();
    json::Writer out;
    out.object();
    for (const json::Member& each : json::members(arguments)) {
        const bool is_code = each.key == "code" && json::kind(each.value) == json::Kind::string;
        const bool is_known = std::find(known.begin(), known.end(), each.key) != known.end();
        if (is_code || (!is_known && each.value.size() > most_small_argument)) {
            out.field(each.key, "");
            continue;
        }
        if (each.value.size() > most_small_argument)
            throw BadArguments(each.key + ": " + std::to_string(each.value.size()) +
                               " bytes are too many for this argument");
        out.raw_field(each.key, each.value);
    }
    return out.end().take();
}

std::string code_in(std::string_view arguments) {
    const auto code = json::member(arguments, "code");
    return code && json::kind(*code) == json::Kind::string ? json::unquote(*code) : std::string();
}

} // namespace

RunRequest read_arguments(std::string_view arguments, const RunLimits& limits) {
    RunRequest request;
    request.timeout = limits.timeout;
    request.max_timeout = limits.max_timeout;
    const bool is_large =
        json::kind(arguments) == json::Kind::object && arguments.size() > most_small_argument;
    const json::Document document(is_large ? slim(arguments) : std::string(arguments));
    const json::Reader in = document.root("arguments");
    if (!in.is_object()) throw BadArguments("arguments: expected an object with `code`");
    const auto code = in.find("code");
    if (!code) throw without_code(in);
    if (!code->is_string())
        throw BadArguments("code: expected the Python source as a string, got " + short_text(*code));
    request.code = is_large ? code_in(arguments) : code->as_string();
    if (request.code.size() > most_code_bytes)
        throw BadArguments("code: " + std::to_string(request.code.size()) + " bytes are above the limit of " +
                           std::to_string(most_code_bytes) + " (8 MiB)");
    if (const auto servers = in.find("servers")) request.servers = read_servers(*servers);
    if (const auto session = in.find("session")) request.session = read_session(*session);
    if (const auto timeout = in.find("timeout")) read_timeout(*timeout, request, limits);
    note_unknown(in, request);
    return request;
}

} // namespace bridge
