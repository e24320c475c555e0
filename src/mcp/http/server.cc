#include "src/mcp/http/server.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/base/event.h"
#include "src/mcp/server/subscriptions.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

using asio::ip::tcp;
using boost::system::error_code;

// How long clients may take to read the last answers.
constexpr std::chrono::milliseconds farewell{500};

// How long a connection is given to bring its first request before another may take its place.
constexpr std::chrono::milliseconds just_come{500};

[[noreturn]] void fail(const std::string& what, const error_code& error) {
    throw std::runtime_error(what + ": " + error.message());
}

} // namespace

struct HttpServer::State {
    State(asio::any_io_executor e, Service& service, Options o)
        : executor(e), options(std::move(o)), changed(e), front(e, methods, service, options.front) {
        add_core_methods(methods, service, options.front.description);
        if (options.extend) options.extend(methods);
    }

    asio::any_io_executor executor;
    Options options;
    MethodTable methods{};
    std::shared_ptr<asio::ssl::context> tls{};
    std::vector<tcp::acceptor> acceptors{};
    std::set<std::shared_ptr<HttpConnection>> connections{};
    base::Event changed;
    HttpFront front;
    bool stopping = false;

    std::uint16_t bind(const tcp::endpoint& where) {
        tcp::acceptor acceptor(executor);
        const std::string what =
            "listen on " + where.address().to_string() + " port " + std::to_string(where.port());
        error_code error;
        acceptor.open(where.protocol(), error);
        if (error) fail(what, error);
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (where.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), error);
        acceptor.bind(where, error);
        if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
        if (error) fail(what, error);
        acceptors.push_back(std::move(acceptor));
        return acceptors.back().local_endpoint().port();
    }

    // The oldest that has not been let in, of the address that has most of them.
    std::shared_ptr<HttpConnection> oldest_stranger() const {
        std::map<std::string, std::size_t> counts;
        for (const auto& each : connections)
            if (!each->let_in()) ++counts[each->owner()];
        std::shared_ptr<HttpConnection> found;
        const auto rank = [&](const HttpConnection& each) {
            return std::pair(counts[each.owner()], -each.born().time_since_epoch());
        };
        for (const auto& each : connections)
            if (!each->let_in() && (!found || rank(*each) > rank(*found))) found = each;
        return found;
    }

    // The one that was idle longest, of the client that has most. The only one of a client is left to it.
    std::shared_ptr<HttpConnection> idlest_of_greediest() const {
        std::map<std::string, std::size_t> counts;
        for (const auto& each : connections) ++counts[each->owner()];
        std::shared_ptr<HttpConnection> found;
        const auto rank = [&](const HttpConnection& each) {
            return std::pair(counts[each.owner()], -each.idle_since().time_since_epoch());
        };
        for (const auto& each : connections)
            if (each->idle() && counts[each->owner()] > 1 && (!found || rank(*each) > rank(*found)))
                found = each;
        return found;
    }

    // Its request may be on the way, a client's as well as another's. Not where many come at once without
    // one.
    bool is_new(const HttpConnection& stranger) const {
        const auto is_stranger = [](const auto& each) { return !each->let_in(); };
        const auto strangers = std::count_if(connections.begin(), connections.end(), is_stranger);
        return std::chrono::steady_clock::now() - stranger.born() < just_come &&
               static_cast<std::size_t>(strangers) * 8 <= options.most_connections;
    }

    bool make_room() {
        const std::shared_ptr<HttpConnection> stranger = oldest_stranger();
        const bool spared = stranger && is_new(*stranger);
        std::shared_ptr<HttpConnection> leaves = spared ? nullptr : stranger;
        if (!leaves) leaves = idlest_of_greediest();
        if (!leaves) leaves = stranger;
        if (!leaves) return false;
        leaves->close();
        connections.erase(leaves);
        return true;
    }

    void start(tcp::socket socket, const std::shared_ptr<State>& self) {
        if (connections.size() >= options.most_connections && !make_room())
            return; // its destructor closes it
        error_code gone;
        const tcp::endpoint other = socket.remote_endpoint(gone);
        std::string peer = gone ? "" : other.address().to_string() + ':' + std::to_string(other.port());
        std::unique_ptr<ByteStream> stream =
            tls ? tls_stream(std::move(socket), *tls) : plain_stream(std::move(socket));
        const auto connection = std::make_shared<HttpConnection>(executor, std::move(stream), front,
                                                                 options.limits, std::move(peer));
        connections.insert(connection);
        asio::co_spawn(executor, connection->run(), [self, connection](std::exception_ptr failure) {
            if (failure) connection->close();
            self->connections.erase(connection);
            self->changed.notify();
        });
    }
};

HttpServer::HttpServer(asio::any_io_executor executor, Service& service, Options options)
    : state_(std::make_shared<State>(std::move(executor), service, std::move(options))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::listen() {
    State& s = *state_;
    const bool tls = !s.options.certificate_file.empty() || !s.options.key_file.empty();
    if (tls) s.tls = tls_context(s.options.certificate_file, s.options.key_file);
    error_code error;
    tcp::resolver resolver(s.executor);
    const auto found =
        resolver.resolve(s.options.host, std::to_string(s.options.port), tcp::resolver::passive, error);
    if (error) fail("look up " + s.options.host, error);
    std::uint16_t port = s.options.port;
    std::set<tcp::endpoint> bound;
    for (const auto& each : found) {
        const tcp::endpoint where(each.endpoint().address(), port);
        if (bound.insert(where).second) port = s.bind(where);
    }
    return port;
}

asio::awaitable<void> HttpServer::run() {
    const auto state = state_;
    const auto accept = [](std::shared_ptr<State> self, std::size_t index) -> asio::awaitable<void> {
        while (!self->stopping) {
            error_code error;
            tcp::socket socket = co_await self->acceptors[index].async_accept(
                asio::redirect_error(asio::use_awaitable, error));
            if (self->stopping) break;
            if (!error) self->start(std::move(socket), self);
            if (error)
                co_await self->changed.wait(
                    base::after(std::chrono::milliseconds(100))); // out of descriptors, say
        }
    };
    for (std::size_t i = 0; i < state->acceptors.size(); ++i)
        asio::co_spawn(state->executor, accept(state, i),
                       [state](std::exception_ptr) { state->changed.notify(); });
    while (!state->stopping) {
        co_await state->changed.wait(base::after(std::chrono::minutes(1)));
        state->front.expire();
    }
    const bool ended = co_await state->front.drained_within(state->options.drain_limit);
    if (!ended && state->options.front.log)
        state->options.front.log("requests did not end in time after their cancellation");
    const auto until = base::after(farewell);
    const auto busy = [&] {
        return std::any_of(state->connections.begin(), state->connections.end(),
                           [](const auto& each) { return !each->idle(); });
    };
    while (busy() && std::chrono::steady_clock::now() < until) co_await state->changed.wait(until);
    const auto open = state->connections;
    for (const auto& each : open) each->close();
    const auto last = base::after(std::chrono::seconds(5));
    while (!state->connections.empty() && std::chrono::steady_clock::now() < last)
        co_await state->changed.wait(last);
}

void HttpServer::stop() {
    State& s = *state_;
    if (s.stopping) return;
    s.stopping = true;
    error_code ignored;
    for (tcp::acceptor& each : s.acceptors) each.close(ignored);
    s.front.stop();
    s.changed.notify();
}

Subscriptions& HttpServer::subscriptions() { return state_->front.subscriptions(); }

} // namespace mcp
