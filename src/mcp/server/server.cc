#include "src/mcp/server/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "src/mcp/server/conversation.h"
#include "src/mcp/server/subscriptions.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

// How long subscriptions may take to say that they end.
constexpr std::chrono::milliseconds farewell{500};

} // namespace

struct Server::State {
    State(asio::any_io_executor e, jsonrpc::Channel& c, Service& s, Options o)
        : executor(std::move(e)), channel(c), service(s), options(std::move(o)) {}

    asio::any_io_executor executor;
    jsonrpc::Channel& channel;
    Service& service;
    Options options;
    MethodTable methods{};
    std::shared_ptr<Subscriptions> subscriptions{};
    std::unique_ptr<Conversation> conversation{};
    bool stopping = false;

    Conversation::Options conversation_options() const {
        Conversation::Options out;
        out.workers = options.workers;
        out.info = options.description.info;
        out.client = options.client;
        out.session = std::make_shared<ServerSession>();
        out.subscriptions = subscriptions;
        out.most_line_bytes = options.most_line_bytes;
        out.log = options.log;
        return out;
    }
};

Server::Server(asio::any_io_executor executor, jsonrpc::Channel& channel, Service& service, Options options)
    : state_(std::make_shared<State>(executor, channel, service, std::move(options))) {
    State& s = *state_;
    add_core_methods(s.methods, service, s.options.description);
    if (s.options.extend) s.options.extend(s.methods);
    s.subscriptions = std::make_shared<Subscriptions>(executor, s.options.description.capabilities);
    s.conversation = std::make_unique<Conversation>(executor, channel, s.methods, s.conversation_options());
}

Server::~Server() = default;

asio::awaitable<void> Server::run() {
    const auto state = state_;
    std::exception_ptr failure;
    try {
        co_await state->conversation->run();
    } catch (...) { // what runs must be ended whatever happened to the channel
        failure = std::current_exception();
    }
    state->conversation->cancel_all();
    state->service.client_gone(state->options.client);
    const bool ended = co_await state->conversation->drained_within(state->options.drain_limit);
    if (!ended && state->options.log)
        state->options.log("requests did not end in time after their cancellation");
    if (failure) std::rethrow_exception(failure);
}

void Server::stop() {
    if (state_->stopping) return;
    state_->stopping = true;
    state_->subscriptions->close_all();
    const auto close = [](std::shared_ptr<State> state) -> asio::awaitable<void> {
        const auto until = std::chrono::steady_clock::now() + farewell;
        while (state->subscriptions->size() > 0 && std::chrono::steady_clock::now() < until)
            co_await asio::post(state->executor, asio::use_awaitable);
        co_await asio::post(state->executor, asio::use_awaitable); // their answers are written: now the rest
        state->conversation->cancel_all();
        co_await state->conversation->drained_within(farewell);
        state->channel.close();
    };
    const auto state = state_;
    asio::co_spawn(state->executor, close(state), [state](std::exception_ptr) { state->channel.close(); });
}

Subscriptions& Server::subscriptions() { return *state_->subscriptions; }

} // namespace mcp
