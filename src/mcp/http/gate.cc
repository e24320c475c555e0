#include "src/mcp/http/gate.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "src/base/text.h"

namespace mcp {
namespace {

std::string lower(std::string_view text) { return base::lower(std::string(text)); }

std::string_view trimmed(std::string_view text) { return base::trimmed(text, base::http_blanks); }

// The parts between commas, or semicolons.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string media_type(std::string_view value) { return lower(split(value, ';').front()); }

// Takes as long whatever differs, the length included.
bool same_secret(std::string_view a, std::string_view b) {
    const auto digest = [](std::string_view text) {
        std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
        SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
        return out;
    };
    const auto left = digest(a), right = digest(b);
    return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

[[noreturn]] void refuse(int status, const std::string& message, const std::string& name = {},
                         const std::string& value = {}) {
    HttpReply reply = error_reply(status, message);
    if (!name.empty()) reply.headers.emplace_back(name, value);
    throw HttpRefused(std::move(reply));
}

// What an Accept header says of one media type.
struct Wishes {
    bool named = false;    ///< By its name, or as "text/*".
    bool anything = false; ///< By "*/*".
    bool refused = false;  ///< By its name, with ";q=0".
};

Wishes wishes(std::string_view accept, std::string_view type) {
    const std::string any = std::string(type.substr(0, type.find('/'))) + "/*";
    Wishes out;
    for (const std::string_view part : split(accept, ',')) {
        const auto pieces = split(part, ';');
        const std::string name = lower(pieces.front());
        const bool never = std::any_of(pieces.begin() + 1, pieces.end(), [](std::string_view piece) {
            return lower(piece).starts_with("q=0") &&
                   piece.find_first_not_of("0.", 2) == std::string_view::npos;
        });
        if (name == type && never) out.refused = true;
        if (never) continue;
        if (name == type || name == any) out.named = true;
        if (name == "*/*") out.anything = true;
    }
    return out;
}

// Of the ways to send a body, chunks are undone; what else is named would be read as JSON as it is.
void check_codings(const HttpMessage& head) {
    if (head.has("transfer-encoding") && lower(trimmed(head.joined("transfer-encoding"))) != "chunked")
        refuse(501, "of transfer codings, only \"chunked\" is known here");
    if (head.has("content-encoding") && lower(trimmed(head.joined("content-encoding"))) != "identity")
        refuse(415, "the body must not be compressed", "Accept-Encoding", "identity");
}

// ":80", or ":" alone, which a URL may end its host with.
bool is_port(std::string_view text) {
    return text.starts_with(':') && text.size() <= 6 && text.find_first_not_of("0123456789", 1) == text.npos;
}

// What a name or an IPv4 address may be made of: so no user ("localhost:1@evil.example"), no path, no escape
// of either, and nothing that two readers could read in two ways.
bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '.' || c == '-' || c == '_';
    });
}

void check_post(const HttpMessage& head) {
    check_codings(head);
    if (media_type(head.header("content-type")) != "application/json")
        refuse(415, "the Content-Type must be application/json");
    if (answer_for(head) == HttpAnswer::none)
        refuse(406, "the Accept header must list application/json or text/event-stream, or both");
}

} // namespace

std::string host_of(std::string_view authority) {
    const bool bracketed = authority.starts_with('[');
    const auto end = bracketed ? authority.find(']') : authority.find(':');
    if (bracketed && end == std::string_view::npos) return {};
    const std::string host = lower(authority.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end));
    const std::string_view rest =
        end == std::string_view::npos ? "" : authority.substr(end + (bracketed ? 1 : 0));
    if (!rest.empty() && !is_port(rest)) return {};
    return bracketed ? (is_address(host) && host.find(':') != host.npos ? host : "")
                     : (is_name(host) ? host : "");
}

bool is_address(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
           inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

HttpTarget target_of(std::string_view target) {
    HttpTarget out;
    const std::string scheme = lower(target.substr(0, 8));
    const std::size_t begin = scheme.starts_with("http://") ? 7 : scheme == "https://" ? 8 : 0;
    if (begin > 0) {
        const std::size_t end = std::min(target.find_first_of("/?", begin), target.size());
        out.authority = target.substr(begin, end - begin);
        if (out.authority.empty()) out.authority = "?"; // no host at all is none that is known
        target.remove_prefix(end);
    }
    out.path = target.substr(0, target.find('?'));
    if (out.path.size() > 1 && out.path.ends_with('/')) out.path.pop_back();
    return out;
}

HttpAnswer answer_for(const HttpMessage& head) {
    if (!head.has("accept")) return HttpAnswer::json;
    const std::string accept = head.joined("accept");
    if (accept.empty()) return HttpAnswer::json;
    const Wishes json = wishes(accept, "application/json"), stream = wishes(accept, "text/event-stream");
    const bool takes_json = !json.refused && (json.named || json.anything);
    if (takes_json) return stream.named && !stream.refused ? HttpAnswer::either : HttpAnswer::json;
    const bool takes_stream = !stream.refused && (stream.named || stream.anything);
    return takes_stream ? HttpAnswer::stream : HttpAnswer::none;
}

bool HttpGate::known_name(std::string_view host) const {
    if (host == "localhost" || host == "127.0.0.1" || host == "::1") return true;
    return std::find(options_.hosts.begin(), options_.hosts.end(), host) != options_.hosts.end();
}

void HttpGate::check_host(const HttpMessage& head) const {
    if (!head.has("host")) refuse(400, "there is no Host header");
    // A target with a host overrides the header, for those who follow RFC 9112; others might not look at it.
    const HttpTarget target = target_of(head.target);
    const auto known = [this](const std::string& host) { return known_name(host) || is_address(host); };
    if (!known(host_of(head.header("host")))) refuse(403, "this server is not known by that Host");
    if (!target.authority.empty() && !known(host_of(target.authority)))
        refuse(403, "this server is not known by the host in that request target");
}

void HttpGate::check_origin(const HttpMessage& head) const {
    if (!head.has("origin")) return;
    const std::string origin = head.header("origin");
    if (std::find(options_.origins.begin(), options_.origins.end(), origin) != options_.origins.end()) return;
    const auto scheme = origin.find("://");
    const bool web = origin.starts_with("http://") || origin.starts_with("https://");
    if (!web || !known_name(host_of(std::string_view(origin).substr(scheme + 3))))
        refuse(403, "this Origin may not use the server");
}

void HttpGate::check_token(const HttpMessage& head) const {
    if (options_.token.empty()) return;
    const std::string given = head.header("authorization");
    const bool bearer = lower(std::string_view(given).substr(0, 7)) == "bearer ";
    if (!bearer) refuse(401, "a bearer token is needed", "WWW-Authenticate", "Bearer");
    if (!same_secret(trimmed(std::string_view(given).substr(7)), options_.token))
        refuse(401, "the bearer token is not the right one", "WWW-Authenticate",
               "Bearer error=\"invalid_token\"");
}

void HttpGate::check(const HttpMessage& head) const {
    check_host(head);
    check_origin(head);
    check_token(head);
    if (target_of(head.target).path != target_of(options_.path).path)
        refuse(404, "there is nothing at this path");
    if (head.method == "POST") return check_post(head);
    // No stream outside a request is offered: there is nothing that a server of ours would say on it.
    if (head.method != "DELETE") refuse(405, "only POST and DELETE are served here", "Allow", "POST, DELETE");
}

} // namespace mcp
