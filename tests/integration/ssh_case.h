#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "runtime_api/error.h"
#include "runtime_api/http.h"
#include "tests/integration/sshd.h"
#include "tests/unit/fake_podman.h"
#include "tests/unit/run.h"

/// What the tests of ssh:// share.

inline constexpr const char* rootless =
    R"({"host":{"security":{"rootless":true}},"version":{"Version":"4.3.1"}})";

inline std::unique_ptr<runtime_api::Http> http_to(boost::asio::io_context& loop,
                                                  const runtime_api::Endpoint& endpoint,
                                                  const runtime_api::SshOptions& options) {
    return make_tunnel_http(loop.get_executor(), endpoint, std::chrono::seconds(5), options);
}

inline int status_of(boost::asio::io_context& loop, runtime_api::Http& http) {
    runtime_api::HttpRequest request;
    request.target = "/_ping";
    return run(loop, http.send(request)).status;
}

inline std::string failure_of(boost::asio::io_context& loop, runtime_api::Http& http) {
    try {
        return "status " + std::to_string(status_of(loop, http));
    } catch (const runtime_api::Error& e) {
        return e.what();
    }
}

/// What happens at the first request.
inline std::string failure_of(const runtime_api::Endpoint& endpoint, const runtime_api::SshOptions& options) {
    boost::asio::io_context loop;
    const std::unique_ptr<runtime_api::Http> http = http_to(loop, endpoint, options);
    return failure_of(loop, *http);
}

/// Takes one connection over and gives back what it is sent, as stdout.
inline void echo_frames(int listening) {
    const int fd = ::accept(listening, nullptr, nullptr);
    std::string head;
    for (char c = 0; !head.ends_with("\r\n\r\n") && ::read(fd, &c, 1) == 1;) head += c;
    const std::string answer = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
    bool going =
        ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(answer.size());
    std::vector<char> piece(4096);
    for (ssize_t n = 0; going && (n = ::read(fd, piece.data(), piece.size())) > 0;) {
        std::string frame("\1\0\0\0\0\0", 6);
        frame += static_cast<char>(n >> 8);
        frame += static_cast<char>(n & 255);
        frame.append(piece.data(), static_cast<std::size_t>(n));
        going = ::send(fd, frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
    }
    ::close(fd);
}

#define CHECK_HAS(text, part) CHECK_MESSAGE(std::string(text).find(part) != std::string::npos, (text))
