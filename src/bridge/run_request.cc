#include "src/bridge/run_request.h"

#include <cmath>

#include "runtime_api/json.h"
#include "src/bridge/sessions.h"

namespace bridge {
namespace {

constexpr std::size_t most_servers = 1000;

std::string short_text(const json::Reader& value) {
    std::string text = value.text();
    if (text.size() > 60) text = json::valid_utf8(text.substr(0, 60)) + "…";
    return text;
}

// Some clients write arrays as JSON in a string; a bare name is taken as a list of one.
std::vector<std::string> servers_in_string(const std::string& text) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    if (text[text.find_first_not_of(" \t\r\n")] != '[') return {text};
    std::vector<std::string> names;
    const json::Document document(text);
    const json::Reader list = document.root("servers");
    for (std::size_t i = 0; i < list.size(); ++i) names.push_back(list[i].as_string());
    return names;
}

std::vector<std::string> read_servers(const json::Reader& value) {
    std::vector<std::string> names;
    try {
        if (value.is_string()) {
            names = servers_in_string(value.as_string());
        } else {
            if (!value.is_array()) throw json::Error("not an array");
            for (std::size_t i = 0; i < value.size() && i <= most_servers; ++i)
                names.push_back(value[i].as_string());
        }
    } catch (const json::Error&) {
        throw BadArguments("servers: expected an array of server names such as [\"github\"], got " +
                           short_text(value));
    }
    if (names.size() > most_servers)
        throw BadArguments("servers: more than " + std::to_string(most_servers) + " names");
    return names;
}

std::string read_session(const json::Reader& value) {
    const bool right = value.is_string();
    std::string name = right ? value.as_string() : "";
    bool printable = true;
    for (const char c : name) printable = printable && static_cast<unsigned char>(c) >= ' ' && c != 0x7F;
    if (!right || name.empty() || name.size() > Sessions::most_name_bytes || !printable)
        throw BadArguments("session: expected a name of 1 to 64 characters, got " + short_text(value));
    return name;
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

RunRequest read_arguments(std::string_view arguments, const RunLimits& limits) {
    RunRequest request;
    request.timeout = limits.timeout;
    const json::Document document(arguments);
    const json::Reader in = document.root("arguments");
    if (!in.is_object()) throw BadArguments("arguments: expected an object with `code`");
    const auto code = in.find("code");
    if (!code) throw BadArguments("code: missing; expected the Python source as a string");
    if (!code->is_string())
        throw BadArguments("code: expected the Python source as a string, got " + short_text(*code));
    request.code = code->as_string();
    if (request.code.size() > most_code_bytes)
        throw BadArguments("code: " + std::to_string(request.code.size()) + " bytes are above the limit of " +
                           std::to_string(most_code_bytes) + " (8 MiB)");
    if (in.has("servers")) request.servers = read_servers(in.at("servers"));
    if (in.has("session")) request.session = read_session(in.at("session"));
    if (in.has("timeout")) {
        const json::Reader timeout = in.at("timeout");
        if (timeout.kind() != json::Kind::number)
            throw BadArguments("timeout: expected a number of seconds from 1 to " +
                               std::to_string(limits.max_timeout.count()) + ", got " + short_text(timeout));
        set_timeout(request, timeout.as_number(), limits);
    }
    return request;
}

} // namespace bridge
