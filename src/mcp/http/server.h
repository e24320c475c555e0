#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "src/mcp/http/connection.h"
#include "src/mcp/http/front.h"
#include "src/mcp/server/core_methods.h"

namespace mcp {

/// An MCP server on streamable HTTP, plain or with TLS, for any number of clients of either era. On the
/// loop's thread.
class HttpServer {
public:
    struct Options {
        std::string host = "127.0.0.1"; ///< A name or an address; all that it resolves to are bound.
        std::uint16_t port = 0;         ///< 0: one that is free.
        std::string certificate_file{}; ///< PEM; with key_file: TLS.
        std::string key_file{};
        HttpFront::Options front{};
        HttpConnection::Limits limits{};
        /// When there are so many, a new one replaces the oldest that has not yet had a request let in, so
        /// that who has no token cannot keep clients out. If that one has only just come, and few such are
        /// there, or if there is none, it replaces the one that was idle longest of the client that has most,
        /// if that has several. Else it is closed at once.
        std::size_t most_connections = 256;
        std::chrono::milliseconds drain_limit{10'000};
        std::function<void(MethodTable&)> extend{}; ///< Adds methods that Service does not know.
    };

    /// Service must outlive this and the loop's work.
    HttpServer(boost::asio::any_io_executor executor, Service& service, Options options);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Binds and listens; returns the port. Throws std::runtime_error that says what could not be had. Once,
    /// before run.
    std::uint16_t listen();

    /// Serves until stop(), then returns when what ran has ended, or drain_limit is over. Once.
    boost::asio::awaitable<void> run();

    /// Takes no more connections, ends subscriptions with their answers, cancels the rest. May be called
    /// twice.
    void stop();

    Subscriptions& subscriptions();

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace mcp
