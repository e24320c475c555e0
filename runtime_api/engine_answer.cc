#include "runtime_api/engine_answer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/json.h"

namespace runtime_api {
namespace {

bool says_any(const std::string& words, std::initializer_list<std::string_view> phrases) {
    return std::any_of(phrases.begin(), phrases.end(),
                       [&](std::string_view phrase) { return words.find(phrase) != std::string::npos; });
}

/// libpod: {"cause","message","response"}; Docker: {"message"}; Docker before a hijack and before 26 here and
/// there: plain text.
std::string message_of(const std::string& body) {
    try {
        const json::Document document(body, json::engine_depth);
        std::string message;
        if (document.root().is_object() && document.root().read_optional("message", message)) return message;
    } catch (const json::Error&) { // not JSON, or none that we would read: shown as it is
    }
    return body;
}

} // namespace

std::string one_line(const std::string& text, std::size_t max_bytes) {
    std::string out = json::valid_utf8(std::string_view(text).substr(0, max_bytes));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    while (!out.empty() && out.back() == ' ') out.pop_back();
    if (text.size() > max_bytes) out += "…";
    return out;
}

std::string engine_words(const std::string& body) { return one_line(message_of(body)); }

Errc answer_errc(int status, const std::string& words) {
    if (status == 404) return Errc::not_found;
    if (status == 409) return Errc::conflict;
    if (status >= 400 && status < 500) return Errc::rejected;
    if (status < 500) return Errc::protocol;
    if (says_any(words,
                 {"no such container", "no such image", "image not known", "no container with name or ID"}))
        return Errc::not_found;
    if (says_any(words,
                 {"name is already in use", "container state improper", "can only kill running containers"}))
        return Errc::conflict;
    if (says_any(words, {"invalid reference format", "invoke a command that was not found"}))
        return Errc::rejected;
    return Errc::engine_fault;
}

Error answer_error(const std::string& attempted, const HttpResponse& answer) {
    const std::string words = engine_words(answer.body);
    std::string message = attempted + ": HTTP " + std::to_string(answer.status);
    if (!words.empty()) message += ": " + words;
    return Error(answer_errc(answer.status, words), message);
}

} // namespace runtime_api
