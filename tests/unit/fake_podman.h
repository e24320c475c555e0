#pragma once
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

/// Answers _ping and info on a socket that listens, as podman does, from a thread of its own, until it is
/// destroyed.
class FakePodman {
public:
    FakePodman(int listening, const std::string& info)
        : listening_(listening), info_(info), thread_([this] { serve(); }) {}
    ~FakePodman() {
        ::shutdown(listening_, SHUT_RDWR); // ends accept()
        thread_.join();
    }
    FakePodman(const FakePodman&) = delete;
    FakePodman& operator=(const FakePodman&) = delete;

private:
    void serve() {
        for (;;) {
            const int fd = ::accept(listening_, nullptr, nullptr);
            if (fd < 0) return;
            std::string head;
            char c = 0;
            while (!head.ends_with("\r\n\r\n") && ::read(fd, &c, 1) == 1) head += c;
            const std::string body = head.starts_with("GET /_ping ") ? "OK" : info_;
            const std::string answer =
                "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nLibpod-Api-Version: 4.3.1\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
            CHECK(::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) ==
                  static_cast<ssize_t>(answer.size()));
            ::close(fd);
        }
    }

    int listening_; ///< The Machine's.
    std::string info_;
    std::thread thread_;
};
