#include "src/mcp/server/conversation.h"

#include <map>

#include "src/base/json.h"
#include "src/jsonrpc/peer.h"
#include "src/mcp/cancelled.h"
#include "src/mcp/server/progress.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

using jsonrpc::Error;
using jsonrpc::Message;

// What goes around a result or an error, at most.
constexpr std::size_t envelope_bytes = 2048;

} // namespace

struct Conversation::State : std::enable_shared_from_this<Conversation::State> {
    State(const MethodTable& m, Options o) : methods(m), options(std::move(o)) {}

    const MethodTable& methods;
    Options options;
    std::unique_ptr<jsonrpc::Peer> peer{}; // none once the Conversation is gone
    std::size_t bytes_in_flight = 0;
    std::map<std::string, std::shared_ptr<ProgressTrack>> tracks{}; // of requests that run, by id

    // What ends with a request, however it ends.
    struct Running {
        Running(std::shared_ptr<State> s, const Message& message)
            : state(std::move(s)), id(message.id()), bytes(message.size()) {
            state->bytes_in_flight += bytes;
        }
        ~Running() {
            state->bytes_in_flight -= bytes;
            state->end_progress(id);
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

        std::shared_ptr<State> state;
        std::string id;
        std::size_t bytes;
    };

    struct Admitted {
        const MethodTable::Method& method;
        RequestMeta meta;
        Admission served_as;
    };

    const MethodTable::Method& method_of(const Message& message) const {
        const MethodTable::Method* method = methods.find(message.method());
        if (!method) refuse_method(message);
        return *method;
    }

    Admitted admit(const Message& message, RequestMeta meta) const {
        const MethodTable::Method& method = method_of(message);
        Admission as =
            options.modern_only ? admit_modern(meta) : options.session->admit(message.method(), meta);
        if (!method.serves(as.era)) refuse_method(message);
        if (message.method() == "initialize" && message.batched())
            throw Error(jsonrpc::code::invalid_request, "\"initialize\" must not be part of a batch");
        return {method, std::move(meta), std::move(as)};
    }

    [[noreturn]] static void refuse_method(const Message& message) {
        throw Error(jsonrpc::code::method_not_found, "Method not found: " + message.method());
    }

    void end_progress(const std::string& id) {
        const auto it = tracks.find(id);
        if (it == tracks.end()) return;
        it->second->end();
        tracks.erase(it);
    }

    void notify(std::string_view method, std::string_view params) {
        if (!peer) return;
        if (params.size() + envelope_bytes > options.most_line_bytes)
            return log("a notification is too long: " + std::string(method));
        peer->notify(method, params);
    }

    void log(const std::string& what) const {
        if (options.log) options.log(what);
    }

    asio::awaitable<RequestMeta> meta_of(const Message* message) const;
    void fill(Request& request, const RequestMeta& meta);
    std::string bounded(std::string result) const;
    void take_notification(const Message& message);
    asio::awaitable<std::string> ask(Era era, std::string method, std::string params);
    static asio::awaitable<std::string> answer(std::shared_ptr<State> self, Message message);
};

// A large message is looked through on another thread. Not the opening, which what follows must not overtake.
asio::awaitable<RequestMeta> Conversation::State::meta_of(const Message* message) const {
    auto read = [message] { return read_meta(message->params()); };
    if (message->method() == "initialize") co_return read();
    co_return co_await base::run_if_large(options.workers, message->params().size(), read);
}

// The ways back to the client, which end with the request.
void Conversation::State::fill(Request& request, const RequestMeta& meta) {
    request.client = options.client;
    request.session = options.session;
    request.subscriptions = options.subscriptions;
    request.workers = options.workers;
    const auto track = std::make_shared<ProgressTrack>(meta.progress_token);
    tracks.insert_or_assign(request.message.id(), track);
    const std::weak_ptr<State> weak = weak_from_this();
    const Era era = request.served_as.era;
    request.notify = [weak, track](std::string method, std::string params) {
        const auto self = weak.lock();
        if (self && !track->ended()) self->notify(method, params);
    };
    request.progress = [weak, track](double done, std::optional<double> total, std::string message) {
        const auto self = weak.lock();
        const auto params = track->next(done, total, message, ProgressTrack::Clock::now());
        if (self && params) self->notify("notifications/progress", *params);
    };
    request.ask = [weak, era, track](std::string method, std::string params) {
        const auto self = weak.lock();
        if (!self || track->ended()) throw Error(jsonrpc::code::connection_closed, "the client is gone");
        return self->ask(era, std::move(method), std::move(params));
    };
}

asio::awaitable<std::string> Conversation::State::ask(Era era, std::string method, std::string params) {
    const auto self = shared_from_this();
    if (era == Era::modern)
        throw Error(jsonrpc::code::internal_error, "a modern client cannot be asked: " + method);
    if (!peer) throw Error(jsonrpc::code::connection_closed, "the client is gone");
    const Message reply = co_await peer->call(std::move(method), std::move(params), options.ask_limit);
    co_return std::string(reply.result());
}

std::string Conversation::State::bounded(std::string result) const {
    if (result.size() + envelope_bytes <= options.most_line_bytes) return result;
    throw Error(jsonrpc::code::internal_error,
                "the result has " + std::to_string(result.size()) + " bytes, more than the " +
                    std::to_string(options.most_line_bytes) + " that one message may have");
}

asio::awaitable<std::string> Conversation::State::answer(std::shared_ptr<State> self, Message message) {
    self->method_of(message);
    RequestMeta meta = co_await self->meta_of(&message);
    Admitted admitted = self->admit(message, std::move(meta));
    const Running running(self, message);
    if (self->bytes_in_flight > self->options.most_bytes_in_flight)
        throw Error(jsonrpc::code::internal_error,
                    "too many bytes of requests are being worked on; try again later");
    const MethodTable::Method& method = admitted.method;
    const Era era = admitted.served_as.era;
    Request request;
    request.served_as = admitted.served_as;
    request.message = std::move(message);
    self->fill(request, admitted.meta);
    request.meta = std::move(admitted.meta);
    std::string result;
    try {
        result = co_await method.answer(std::move(request));
    } catch (const Error& error) {
        throw for_era(era, error);
    }
    co_return self->bounded(for_era(era, std::move(result), self->options.info, method.cacheable));
}

void Conversation::State::take_notification(const Message& message) {
    if (message.method() != "notifications/cancelled") return; // initialized, and what we have no use for
    const auto id = json::member(message.params(), "requestId");
    if (!id || !peer) return;
    end_progress(std::string(*id));
    peer->cancel(std::string(*id));
}

Conversation::Conversation(asio::any_io_executor executor, jsonrpc::Channel& channel,
                           const MethodTable& methods, Options options)
    : state_(std::make_shared<State>(methods, std::move(options))) {
    jsonrpc::Peer::Options peer;
    peer.most_in_flight = state_->options.most_in_flight;
    peer.most_batch_bytes = state_->options.most_line_bytes;
    peer.batches = true;
    peer.answer_bad_lines = true;
    peer.first_id = state_->options.first_id;
    peer.workers = state_->options.workers;
    peer.name = "the MCP client";
    peer.on_bad_line = state_->options.log;
    const std::weak_ptr<State> weak = state_; // the state owns the peer
    peer.on_abandoned = [weak](const std::string& id) {
        if (const auto self = weak.lock()) self->notify("notifications/cancelled", cancelled_params(id));
    };
    const auto on_request = [weak](Message message) {
        return State::answer(weak.lock(), std::move(message));
    };
    const auto on_notification = [weak](Message message) {
        if (const auto self = weak.lock()) self->take_notification(message);
    };
    state_->peer = std::make_unique<jsonrpc::Peer>(std::move(executor), channel, std::move(peer), on_request,
                                                   on_notification);
}

Conversation::~Conversation() { state_->peer.reset(); }

asio::awaitable<void> Conversation::run() {
    const auto state = state_;
    co_await state->peer->run();
}

void Conversation::receive(std::string line) { state_->peer->receive(std::move(line)); }

void Conversation::receive(Message message) { state_->peer->receive(std::move(message)); }

asio::awaitable<void> Conversation::read(std::string line) {
    const auto state = state_;
    co_await state->peer->read(std::move(line));
}

void Conversation::check(const Message& request) const {
    state_->admit(request, read_meta(request.params()));
}

void Conversation::end_questions() { state_->peer->end_calls(); }

void Conversation::cancel_all() {
    for (auto& [id, track] : state_->tracks) track->end();
    state_->peer->cancel_all();
}

asio::awaitable<bool> Conversation::drained_within(std::chrono::milliseconds limit) {
    const auto state = state_;
    co_return co_await state->peer->drained_within(limit);
}

std::size_t Conversation::in_flight() const { return state_->peer->in_flight(); }

} // namespace mcp
