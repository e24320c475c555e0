#include "runtime_api/http_head.h"

#include <algorithm>

#include "runtime_api/error.h"
#include "src/base/text.h"

namespace runtime_api {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// "HTTP/1.1 101 UPGRADED"
int status_of(std::string_view line) {
    const bool good = line.size() >= 12 && line.starts_with("HTTP/1.") && digit(line[7]) && line[8] == ' ' &&
                      digit(line[9]) && digit(line[10]) && digit(line[11]) &&
                      (line.size() == 12 || line[12] == ' ');
    if (!good) throw Error(Errc::protocol, "the answer has no HTTP status line");
    return (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
}

HttpResponse parse_head(std::string_view head) {
    HttpResponse out;
    std::size_t at = head.find("\r\n");
    out.status = status_of(head.substr(0, at));
    while (at != std::string_view::npos) {
        head.remove_prefix(at + 2);
        at = head.find("\r\n");
        const std::string_view line = head.substr(0, at);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            throw Error(Errc::protocol, "the answer has a header line without a colon");
        const std::string name =
            base::lower(std::string(base::trimmed(line.substr(0, colon), base::http_blanks)));
        out.headers[name] = std::string(base::trimmed(line.substr(colon + 1), base::http_blanks));
    }
    return out;
}

} // namespace

std::optional<HttpResponse> HttpHeadReader::feed(std::string_view bytes) {
    const std::size_t seen = buffer_.size();
    buffer_ += bytes;
    std::size_t from = seen < 3 ? 0 : seen - 3; // the end of the head may be split
    for (;;) {
        const std::string_view magic = std::string_view("HTTP/1.").substr(0, buffer_.size());
        if (!buffer_.starts_with(magic)) throw Error(Errc::protocol, "the answer is not HTTP/1");
        const std::size_t end = buffer_.find("\r\n\r\n", from);
        if (passed_over_ + std::min(end, buffer_.size()) > max_head_bytes)
            throw Error(Errc::too_large,
                        "the answer's head is larger than " + std::to_string(max_head_bytes) + " bytes");
        if (end == std::string::npos) return std::nullopt;
        HttpResponse answer = parse_head(std::string_view(buffer_).substr(0, end));
        buffer_.erase(0, end + 4);
        if (answer.status >= 200 || answer.status == 101) return answer;
        passed_over_ += end + 4;
        from = 0;
    }
}

} // namespace runtime_api
