#include "runtime_api/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "runtime_api/error.h"
#include "src/base/percent.h"
#include "src/base/text.h"

namespace runtime_api {
namespace {

constexpr std::size_t max_socket_path = 107; // sockaddr_un::sun_path less its NUL

[[noreturn]] void fail(const std::string& why) { throw Error(Errc::bad_endpoint, why); }

bool control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The URL as a message may show it: one line, not endless, without what may be a password.
std::string shown(std::string_view url) {
    std::string out(url); // whole: the '@' that marks a password may come late
    const std::size_t scheme = out.find("://");
    const std::size_t at = out.rfind('@');
    if (at != std::string::npos) {
        const std::size_t colon = out.find(':', scheme == std::string::npos ? 0 : scheme + 3);
        if (colon < at) out.replace(colon + 1, at - colon - 1, "***");
    }
    if (out.size() > 200) out = out.substr(0, 200) + "…";
    for (char& c : out)
        if (control(c)) c = '?';
    return '"' + out + '"';
}

bool all_of(std::string_view text, std::string_view extra) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return base::is_letter(c) || base::is_digit(c) || extra.find(c) != std::string_view::npos;
    });
}

// The text with its escapes read.
std::string decoded(std::string_view encoded) {
    std::optional<std::string> text = base::percent_decoded(encoded);
    if (!text) fail("a '%' must be followed by two hex digits (a plain '%' is %25)");
    if (text->find('\0') != std::string::npos) fail("%00 cannot be part of a path or a name");
    return std::move(*text);
}

std::string socket_path(std::string_view encoded) {
    if (encoded.find_first_of("?#") != std::string_view::npos)
        fail("the path of a socket has no query or fragment (write %3F for '?', %23 for '#')");
    std::string path = decoded(encoded);
    if (std::any_of(path.begin(), path.end(), control))
        fail("the path of a socket cannot hold control characters");
    if (path.size() > max_socket_path)
        fail("the path of the socket has " + std::to_string(path.size()) + " bytes; the system allows " +
             std::to_string(max_socket_path) + ": use a shorter path or a symbolic link to it");
    return path;
}

std::uint16_t port_number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 65535)
        fail("the port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(value);
}

/// An address in brackets, less the brackets. A zone may be written as %eth0 or, as RFC 6874 has it, %25eth0.
std::string ipv6(std::string_view text) {
    const std::size_t percent = text.find('%');
    std::string address(text.substr(0, percent));
    in6_addr ignored;
    if (inet_pton(AF_INET6, address.c_str(), &ignored) != 1)
        fail("what is in brackets must be an IPv6 address");
    if (percent == std::string_view::npos) return address;
    std::string_view zone = text.substr(percent + 1);
    if (zone.starts_with("25") && zone.size() > 2) zone.remove_prefix(2);
    if (zone.empty() || !all_of(zone, "._-")) fail("the zone of the IPv6 address is not one");
    return address + '%' + std::string(zone);
}

/// ssh takes a host or user that begins with '-' for an option, and hands both to a shell in ProxyCommand.
void check_host(std::string_view host) {
    if (host.empty()) fail("the host is missing");
    if (host.front() == '-') fail("a host cannot begin with '-'");
    if (!all_of(host, "._-"))
        fail("the host may have letters, digits and \".-_\" only (IPv6 goes in brackets)");
}

void read_host_and_port(std::string_view authority, Endpoint& out) {
    std::string_view port;
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) fail("the ']' after the IPv6 address is missing");
        out.host = ipv6(authority.substr(1, close - 1));
        port = authority.substr(close + 1);
        if (!port.empty() && port.front() != ':') fail("only a port may follow the ']'");
    } else {
        const std::size_t colon = authority.find(':');
        if (colon != std::string_view::npos && authority.find(':', colon + 1) != std::string_view::npos)
            fail("an IPv6 address must be in brackets: [::1]:2375");
        out.host = std::string(authority.substr(0, colon));
        check_host(out.host);
        if (colon != std::string_view::npos) port = authority.substr(colon);
    }
    if (!port.empty()) out.port = port_number(port.substr(1));
}

void read_unix(std::string_view rest, Endpoint& out) {
    out.kind = Endpoint::Kind::unix_socket;
    if (rest.empty()) fail("the path is missing: unix:///run/podman/podman.sock");
    if (rest.front() != '/')
        fail("the path must be absolute, with three slashes: unix:///" + std::string(rest.substr(0, 100)));
    out.path = socket_path(rest);
}

void read_tcp(std::string_view rest, Endpoint::Kind kind, const char* example, Endpoint& out) {
    out.kind = kind;
    const std::size_t end = rest.find_first_of("/?#");
    const std::string_view authority = rest.substr(0, end);
    if (end != std::string_view::npos && rest.substr(end) != "/")
        fail(std::string("nothing may follow the port: ") + example);
    if (authority.find('@') != std::string_view::npos)
        fail(std::string("a user or password has no place here: ") + example);
    read_host_and_port(authority, out);
    if (out.port == 0) fail(std::string("the port is missing: ") + example);
}

void read_ssh(std::string_view rest, Endpoint& out) {
    out.kind = Endpoint::Kind::ssh;
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    if (authority.find_first_of("?#") != std::string_view::npos) fail("an ssh URL has no query or fragment");
    if (slash != std::string_view::npos && slash + 1 < rest.size())
        out.path = socket_path(rest.substr(slash));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        const std::string_view user = authority.substr(0, at);
        if (user.find(':') != std::string_view::npos)
            fail("a password in the URL is not supported: let ssh use a key or an agent");
        out.user = decoded(user);
        if (out.user.empty() || out.user.front() == '-') fail("the user is empty or begins with '-'");
        if (!all_of(out.user, "._-+@")) fail("the user may have letters, digits and \"._-+@\" only");
        authority.remove_prefix(at + 1);
    }
    read_host_and_port(authority, out);
}

void read_url(const std::string& url, Endpoint& out) {
    const std::size_t colon = url.find("://");
    if (url.empty()) fail("it is empty");
    if (url.front() == '/') fail("a path needs its scheme: unix://" + url.substr(0, 100));
    if (colon == std::string::npos)
        fail("it has no scheme: unix:///path, tcp://host:port, https://host:port or ssh://user@host/path");
    std::string scheme = url.substr(0, colon);
    for (char& c : scheme)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const std::string_view rest = std::string_view(url).substr(colon + 3);
    if (scheme == "unix") return read_unix(rest, out);
    if (scheme == "tcp" || scheme == "http")
        return read_tcp(rest, Endpoint::Kind::tcp, "tcp://127.0.0.1:2375", out);
    if (scheme == "https") return read_tcp(rest, Endpoint::Kind::https, "https://engine.example:2376", out);
    if (scheme == "ssh") return read_ssh(rest, out);
    if (scheme == "npipe") fail("Windows' named pipes are not supported; use tcp://, https:// or ssh://");
    fail("unknown scheme; known are unix:///path, tcp://host:port, https://host:port and "
         "ssh://user@host/path");
}

std::string bracketed(const std::string& host) {
    return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

} // namespace

std::string Endpoint::url() const {
    if (kind == Kind::unix_socket) return "unix://" + base::percent_encode_path(path);
    std::string out = kind == Kind::tcp ? "tcp://" : kind == Kind::https ? "https://" : "ssh://";
    if (!user.empty()) out += base::percent_encode(user) + '@';
    out += bracketed(host);
    if (port != 0) out += ':' + std::to_string(port);
    return out + base::percent_encode_path(path);
}

bool Endpoint::loopback() const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    std::string name = host;
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (kind == Kind::unix_socket || name == "localhost") return true;
    in_addr v4;
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
    in6_addr v6;
    if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

Endpoint parse_endpoint(const std::string& url) {
    Endpoint out;
    try {
        read_url(url, out);
    } catch (const Error& e) {
        throw Error(Errc::bad_endpoint, "engine URL " + shown(url) + ": " + e.what());
    }
    return out;
}

} // namespace runtime_api
