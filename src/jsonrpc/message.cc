#include "src/jsonrpc/message.h"

#include <optional>

#include "src/base/json.h"

namespace jsonrpc {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// An id is a string or an integer; null is allowed only in the answer to something unreadable.
bool good_id(std::string_view id) {
    switch (json::kind(id)) {
    case json::Kind::string:
        return id.size() <= 1024;
    case json::Kind::number:
        return id.size() <= 32 && id.find_first_of(".eE") == std::string_view::npos;
    default:
        return false;
    }
}

// The mark is what some writers put before the first message, or before each.
std::string_view without_mark(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

bool is_null(std::string_view value) { return json::kind(value) == json::Kind::null; }

// MCP's params are an object: null and an empty array (PHP writes an empty object so) mean that there are
// none.
bool is_nothing(std::string_view params) {
    return is_null(params) ||
           (params.starts_with('[') && params.find_first_not_of(" \t\r\n", 1) == params.size() - 1);
}

struct Parts {
    std::optional<std::string_view> version, id, method, params, result, error;
};

Parts take_apart(std::string_view text) {
    Parts parts;
    for (const json::Member& m : json::members(text)) {
        if (m.key == "jsonrpc") parts.version = m.value;
        if (m.key == "id") parts.id = m.value;
        if (m.key == "method") parts.method = m.value;
        if (m.key == "params" && !is_nothing(m.value)) parts.params = m.value;
        if (m.key == "result") parts.result = m.value;
        if (m.key == "error") parts.error = m.value;
    }
    // a notification, by its name; anything else without an id is told so, since somebody waits for it
    const bool is_told = parts.method && parts.method->starts_with("\"notifications/");
    if (is_told && parts.id && is_null(*parts.id)) parts.id.reset();
    return parts;
}

void refuse(const char* why) {
    throw Error(code::invalid_request, std::string("not a JSON-RPC 2.0 message: ") + why);
}

void check_parts(const Parts& parts) {
    if (parts.version != "\"2.0\"") refuse("\"jsonrpc\" must be \"2.0\"");
    const int bodies = parts.method.has_value() + parts.result.has_value() + parts.error.has_value();
    if (bodies != 1) refuse("it must have exactly one of \"method\", \"result\" and \"error\"");
    if (parts.method && json::kind(*parts.method) != json::Kind::string)
        refuse("\"method\" must be a string");
    if (parts.method && parts.method->size() > 512) refuse("\"method\" is too long");
    const bool null_id = parts.id && json::kind(*parts.id) == json::Kind::null;
    if (parts.id && !good_id(*parts.id) && !(parts.error && null_id))
        refuse("\"id\" must be a string or an integer");
    if (parts.result && !parts.id) refuse("a result must have an \"id\"");
    if (parts.params) {
        const json::Kind kind = json::kind(*parts.params);
        if (kind != json::Kind::object && kind != json::Kind::array) refuse("\"params\" must be an object");
    }
}

} // namespace

struct MessageReader {
    // Of text_ that has been checked.
    static void take_parts(Message& message, const Parts& parts) {
        if (parts.id) message.id_ = std::string(*parts.id);
        if (parts.method) message.method_ = json::unquote(*parts.method);
        using Kind = Message::Kind;
        message.kind_ = parts.method ? (parts.id ? Kind::request : Kind::notification)
                                     : (parts.result ? Kind::result : Kind::error);
        std::optional<std::string_view> body =
            parts.method ? parts.params : (parts.result ? parts.result : parts.error);
        if (!body) {
            message.text_ += "{}"; // a place for params that are not there
            body = std::string_view(message.text_).substr(message.text_.size() - 2);
        }
        message.body_begin_ = static_cast<std::size_t>(body->data() - message.text_.data());
        message.body_size_ = body->size();
    }

    // Makes the text JSON, if it is not.
    static void make_json(Message& message, bool lists_tools) {
        std::string& text = message.text_;
        if (!text.starts_with(byte_order_mark) && !json::fault_in(text)) return;
        std::string out;
        message.repairs_ = json::repair(text, out);
        std::optional<json::Fault> fault = json::fault_in(out, json::peer_depth, true);
        if (fault && lists_tools) {
            message.left_out_ = json::drop_bad_tools(out);
            message.repairs_.not_finite.clear(); // they stand elsewhere now, and no list of tools needs them
            if (!message.left_out_.empty()) fault = json::fault_in(out, json::peer_depth, true);
        }
        if (fault) {
            const std::size_t at = json::before_repair(text, fault->at);
            throw Error(code::parse_error, "bad JSON at byte " + std::to_string(at) + ": " + fault->why +
                                               ", near \"" + json::excerpt(text, at) + '"');
        }
        text = std::move(out);
    }

    // Where the meaning is plain, the parts are put as they should be.
    static void ease(Parts& parts, std::vector<std::string>& mended) {
        const auto is_null = [](const std::optional<std::string_view>& part) { return part == "null"; };
        const bool answers = parts.id && !is_null(parts.id) && (parts.result || parts.error);
        if (answers && is_null(parts.method)) parts.method.reset();
        if (is_null(parts.id) && parts.method && !is_null(parts.method)) parts.id.reset();
        if (parts.result && is_null(parts.error)) parts.error.reset();
        if (parts.error && is_null(parts.result)) parts.result.reset();
        if (answers && !parts.method && parts.version != "\"2.0\"") {
            parts.version = "\"2.0\"";
            mended.emplace_back("answers without \"jsonrpc\": \"2.0\"");
        }
        if (!answers || json::kind(*parts.id) != json::Kind::number) return;
        const std::size_t point = parts.id->find('.');
        if (point == std::string_view::npos) return;
        if (parts.id->find_first_not_of('0', point + 1) != std::string_view::npos) return;
        parts.id = parts.id->substr(0, point);
        mended.emplace_back("ids such as 1.0");
    }
};

Message Message::parse(std::string text) {
    Message message;
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    message.text_ = std::move(text);
    json::repair_surrogates(message.text_);
    try {
        json::check(message.text_);
    } catch (const json::Error& e) {
        throw Error(code::parse_error, e.what());
    }
    if (json::kind(message.text_) != json::Kind::object) refuse("it must be an object");
    const Parts parts = take_apart(message.text_);
    check_parts(parts);
    MessageReader::take_parts(message, parts);
    return message;
}

Message Message::parse_leniently(std::string text, Lenience& lenience) {
    Message message;
    message.text_ = std::move(text);
    json::repair_surrogates(message.text_);
    try {
        MessageReader::make_json(message, lenience.lists_tools);
        if (json::kind(message.text_) != json::Kind::object) refuse("it must be an object");
        Parts parts = take_apart(message.text_);
        MessageReader::ease(parts, message.repairs_.what);
        check_parts(parts);
        MessageReader::take_parts(message, parts);
    } catch (const Error&) {
        lenience.id = json::answer_id(message.text_);
        throw;
    }
    return message;
}

std::string id_of(std::string_view text) {
    text = without_mark(text);
    try {
        json::check(text);
    } catch (const json::Error&) { // nothing in it can be believed
        return "null";
    }
    const auto id = json::member(text, "id");
    return id && good_id(*id) ? std::string(*id) : "null";
}

bool is_batch(std::string_view text) {
    text = without_mark(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '[';
}

std::vector<std::string> split_batch(const std::string& text, std::size_t most,
                                     std::vector<std::string>* mended) {
    const auto fault = json::fault_in(text);
    std::string json;
    if (fault && mended) *mended = json::repair(text, json).what;
    if (fault && (!mended || json::fault_in(json, json::peer_depth, true)))
        throw Error(code::parse_error, "bad JSON at byte " + std::to_string(fault->at) + ": " + fault->why);
    std::vector<std::string> parts;
    const std::string_view whole = fault ? std::string_view(json) : without_mark(text);
    for (const std::string_view each : json::elements(whole)) parts.emplace_back(each);
    if (parts.empty()) throw Error(code::invalid_request, "an empty batch");
    if (parts.size() > most)
        throw Error(code::invalid_request, "a batch of more than " + std::to_string(most) + " messages");
    return parts;
}

std::string request_line(std::int64_t id, std::string_view method, std::string_view params) {
    json::Writer w;
    w.reserve(params.size() + 96);
    w.object().field("jsonrpc", "2.0").field("id", id).field("method", method);
    if (!params.empty()) w.raw_field("params", params);
    return w.end().take();
}

std::string notification_line(std::string_view method, std::string_view params) {
    json::Writer w;
    w.object().field("jsonrpc", "2.0").field("method", method);
    if (!params.empty()) w.raw_field("params", params);
    return w.end().take();
}

std::string result_line(std::string_view id, std::string_view result) {
    json::Writer w;
    w.reserve(result.size() + 64);
    return w.object().field("jsonrpc", "2.0").raw_field("id", id).raw_field("result", result).end().take();
}

std::string error_line(std::string_view id, const Error& error) {
    json::Writer w;
    w.object().field("jsonrpc", "2.0");
    if (!id.empty() && id != "null") w.raw_field("id", id);
    w.key("error").object();
    w.field("code", error.code()).field("message", std::string_view(error.what()));
    if (!error.data().empty()) w.raw_field("data", error.data());
    return w.end().end().take();
}

Error read_error(std::string_view error_object) {
    std::int64_t number = code::internal_error;
    std::string message = "the other side answered with an error that says nothing";
    try {
        const auto code_text = json::member(error_object, "code");
        const auto message_text = json::kind(error_object) == json::Kind::string
                                      ? std::optional(error_object) // an error that is its message alone
                                      : json::member(error_object, "message");
        if (message_text && json::kind(*message_text) == json::Kind::string)
            message = json::unquote(*message_text);
        if (code_text) number = json::Document(*code_text).root("code").as_int();
    } catch (const json::Error&) { // its code is no integer: the message is still worth having
    }
    const auto data = json::member(error_object, "data");
    const bool fits = number >= -2147483647 && number <= 2147483647;
    return Error(fits ? static_cast<int>(number) : code::internal_error, message,
                 std::string(data.value_or("")));
}

} // namespace jsonrpc
