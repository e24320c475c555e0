#pragma once
#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime_api/endpoint.h"

/// A server on a Unix socket that answers every request with the same bytes, whatever they are. Runs on the
/// test's loop; what it saw is in `seen`.
class FakeServer {
public:
    struct Plan {
        std::vector<std::string> pieces{}; ///< Written one after the other once the request's head has come.
        bool hold = false;   ///< Then keeps the connection, and reads all that comes; else closes it.
        bool read_on = true; ///< With hold: false leaves what comes unread.
        int requests = 1;    ///< Read from one connection (without bodies, where it is more than one) …
        int answers = 1;     ///< … and so many of these answered.
    };
    struct Seen {
        std::vector<std::string> requests{}; ///< Head of each, and what came with it.
        std::string after{};                 ///< What came after the answer was written, of all connections.
        int connections = 0;
        int closed = 0; ///< Connections that the client closed.
    };

    FakeServer(boost::asio::io_context& loop, Plan plan) {
        directory_ = (std::filesystem::temp_directory_path() / "cordon-test-XXXXXX").string();
        if (::mkdtemp(directory_.data()) == nullptr) throw std::runtime_error("mkdtemp");
        endpoint_.path = directory_ + "/s";
        boost::asio::co_spawn(
            loop, accept(Acceptor(loop, Protocol::endpoint(endpoint_.path)), std::move(plan), seen_),
            boost::asio::detached);
    }
    ~FakeServer() {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    const runtime_api::Endpoint& endpoint() const { return endpoint_; }
    const Seen& seen() const { return *seen_; }

private:
    using Protocol = boost::asio::local::stream_protocol;
    using Acceptor = Protocol::acceptor;

    static boost::asio::awaitable<void> accept(Acceptor acceptor, Plan plan, std::shared_ptr<Seen> seen) {
        for (;;) {
            Protocol::socket socket = co_await acceptor.async_accept(boost::asio::use_awaitable);
            boost::asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), plan, seen),
                                  boost::asio::detached);
        }
    }

    static boost::asio::awaitable<void> serve(Protocol::socket socket, Plan plan,
                                              std::shared_ptr<Seen> seen) {
        boost::system::error_code ec;
        ++seen->connections;
        for (int i = 0; i < plan.requests; ++i) {
            std::string request;
            co_await boost::asio::async_read_until(
                socket, boost::asio::dynamic_buffer(request), "\r\n\r\n",
                boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            if (ec && request.empty()) co_return; // the client keeps it no longer
            seen->requests.push_back(request);
            if (i >= plan.answers) continue;
            for (const std::string& piece : plan.pieces) {
                co_await boost::asio::async_write(
                    socket, boost::asio::buffer(piece),
                    boost::asio::redirect_error(boost::asio::use_awaitable, ec));
                if (ec) break;
            }
        }
        if (!plan.hold) co_return;
        if (!plan.read_on) {
            co_await socket.async_wait(Protocol::socket::wait_error,
                                       boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            co_return;
        }
        std::string buffer(65536, '\0');
        while (!ec) {
            const std::size_t n = co_await socket.async_read_some(
                boost::asio::buffer(buffer), boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            seen->after.append(buffer, 0, n);
        }
        ++seen->closed;
    }

    std::string directory_;
    runtime_api::Endpoint endpoint_{};
    std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};
