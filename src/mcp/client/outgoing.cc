#include "src/mcp/client/outgoing.h"

#include "src/base/json.h"
#include "src/base/json_repair.h"

namespace mcp {
namespace {

using jsonrpc::Error;

constexpr std::size_t surely_an_answer =
    std::size_t{1} << 20; // nothing else of such a size is sent, and to parse it twice costs

bool is_json(std::string_view text) {
    try {
        json::check(text);
        return true;
    } catch (const json::Error&) { // a page for people
        return false;
    }
}

std::string string_member(std::string_view object, std::string_view key) {
    const auto value = json::member(object, key);
    return value && json::kind(*value) == json::Kind::string ? json::unquote(*value) : std::string();
}

// 1 of 1, "1" and 1.0: servers give our numbers back in each of these ways.
std::string_view plain_id(std::string_view id) {
    if (id.size() >= 2 && id.front() == '"') id = id.substr(1, id.size() - 2);
    return id.ends_with(".0") ? id.substr(0, id.size() - 2) : id;
}

bool is_no_question(std::string_view message) {
    return json::member(message, "method").value_or("null") == "null";
}

std::string hint(int status) {
    if (status == 401) return " (it wants credentials: see \"headers\")";
    if (status == 403) return " (not allowed: see \"headers\")";
    return {};
}

std::string status_data(int status, bool lost) {
    json::Writer w;
    w.object().field("httpStatus", status);
    if (lost) w.field("sessionLost", true);
    return w.end().take();
}

// JSON-RPC's, in the body.
std::optional<std::string_view> error_object(const WebAnswer& answer) {
    if (!is_json(answer.body)) return std::nullopt;
    const auto object = json::member(answer.body, "error");
    return object && json::kind(*object) == json::Kind::object ? object : std::nullopt;
}

// Some SDKs' servers say 400 and not 404 to a session that they do not know.
bool means_lost_session(int status, const std::string& words) {
    return status == 404 || (status == 400 && (words.find("ession") != std::string::npos ||
                                               words.find("not initialized") != std::string::npos));
}

} // namespace

Outgoing take_outgoing(std::string line) {
    Outgoing out;
    out.line = std::move(line);
    if (jsonrpc::is_batch(out.line)) return out; // answers to a batch of the server's
    if (const auto id = json::member(out.line, "id")) out.id = std::string(*id);
    out.method = string_member(out.line, "method");
    const auto params = json::member(out.line, "params");
    if (params) out.name = string_member(*params, out.method == "resources/read" ? "uri" : "name");
    return out;
}

std::string_view arguments_in(const Outgoing& out) {
    const auto params = json::member(out.line, "params");
    return params ? json::member(*params, "arguments").value_or("null") : "null";
}

Error http_error(const WebAnswer& answer, const std::string& url, bool had_session) {
    const int status = answer.head.status;
    const std::string where = shown_url(url) + ": HTTP " + std::to_string(status);
    if (const auto object = error_object(answer)) {
        const Error said = jsonrpc::read_error(*object);
        const bool lost = had_session && means_lost_session(status, said.what());
        return Error(said.code(), where + ": " + said.what() + hint(status),
                     said.data().empty() || lost ? status_data(status, lost) : said.data());
    }
    const std::string words = http_words(answer);
    const bool lost = had_session && means_lost_session(status, words);
    return Error(jsonrpc::code::connection_closed,
                 where + hint(status) + (words.empty() ? "" : words_are_elsewhere),
                 status_data(status, lost));
}

std::string http_words(const WebAnswer& answer) {
    constexpr std::size_t most = 2000;
    return error_object(answer) ? std::string() : answer.body.substr(0, most);
}

void tell_words(const WebAnswer& answer, const std::function<void(const std::string&)>& sink) {
    const std::string said = http_words(answer);
    if (sink && !said.empty()) sink(said);
}

bool answers(std::string_view text, const std::string& id) {
    if (text.size() > surely_an_answer) return true;
    if (json::fault_in(text)) { // the reader gets over it, or fails the call with it
        const std::string found = json::answer_id(text);
        return found.empty() ? text.find("\"method\"") == std::string_view::npos
                             : plain_id(found) == plain_id(id);
    }
    const auto found = json::member(text, "id");
    return found && plain_id(*found) == plain_id(id) && is_no_question(text);
}

bool says_session_lost(const Error& error) {
    return json::member(error.data().empty() ? "null" : error.data(), "sessionLost") == "true";
}

std::string media_type(const WebRequest::Head& head) {
    const auto it = head.headers.find("content-type");
    std::string type = it == head.headers.end() ? std::string() : it->second.substr(0, it->second.find(';'));
    while (type.ends_with(' ')) type.pop_back();
    for (char& c : type)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return type;
}

} // namespace mcp
