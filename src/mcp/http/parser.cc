#include "src/mcp/http/parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>

namespace mcp {
namespace http = boost::beast::http;
namespace {

std::string text(boost::beast::string_view view) { return std::string(view.data(), view.size()); }

std::string lower(boost::beast::string_view view) {
    std::string out = text(view);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

[[noreturn]] void refuse(const boost::system::error_code& error) {
    if (error == http::error::body_limit) throw HttpRefused(error_reply(413, "the body is too long"));
    if (error == http::error::header_limit) throw HttpRefused(error_reply(431, "the headers are too long"));
    throw HttpRefused(error_reply(400, "this is no HTTP request: " + error.message()));
}

// What a chunked body ends with, at the least. Beast (1.81) asserts that it is given so many bytes once it
// has seen the last chunk's beginning; held back until then, nothing that is well formed waits for ever.
constexpr std::size_t least_end = 5;

} // namespace

struct HttpParser::Impl {
    http::request_parser<http::string_body> parser;
    std::size_t most_head = 0;
    std::size_t head_bytes = 0; // taken so far

    // Beast's own limit on the head depends on where it is cut. `waiting` bytes are not taken yet.
    void count_head(std::size_t taken, std::size_t waiting) {
        head_bytes += taken;
        if (head_bytes + (parser.is_header_done() ? 0 : waiting) > most_head)
            refuse(http::error::header_limit);
        parser.eager(parser.is_header_done()); // not before, or the body's bytes would count
    }
};

HttpParser::HttpParser(std::size_t most_head, std::size_t most_body) : impl_(std::make_unique<Impl>()) {
    impl_->most_head = most_head;
    impl_->parser.header_limit(static_cast<std::uint32_t>(2 * most_head));
    impl_->parser.body_limit(most_body);
}

HttpParser::~HttpParser() = default;

std::size_t HttpParser::feed(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !done()) {
        boost::system::error_code error;
        const std::string_view rest = bytes.substr(used);
        const bool in_head = !head_done();
        if (!in_head && impl_->parser.chunked() && rest.size() < least_end) break;
        const std::size_t taken = impl_->parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
        used += taken;
        if (in_head) impl_->count_head(taken, bytes.size() - used);
        if (error == http::error::need_more) break;
        if (error) refuse(error);
        if (taken == 0) break;
    }
    return used;
}

bool HttpParser::head_done() const { return impl_->parser.is_header_done(); }
bool HttpParser::done() const { return impl_->parser.is_done(); }
std::size_t HttpParser::body_bytes() const { return impl_->parser.get().body().size(); }

bool HttpParser::expects_continue() const {
    return lower(impl_->parser.get()[http::field::expect]) == "100-continue";
}

HttpMessage HttpParser::head() const {
    const auto& request = impl_->parser.get();
    HttpMessage out;
    out.method = text(request.method_string());
    out.target = text(request.target());
    out.keep_alive = request.keep_alive();
    out.chunks = request.version() >= 11;
    for (const auto& field : request)
        out.headers.emplace_back(lower(field.name_string()), text(field.value()));
    return out;
}

HttpMessage HttpParser::take() {
    HttpMessage out = head();
    out.body = std::move(impl_->parser.get().body());
    if (out.body.starts_with("\xEF\xBB\xBF")) out.body.erase(0, 3); // a byte order mark
    return out;
}

} // namespace mcp
