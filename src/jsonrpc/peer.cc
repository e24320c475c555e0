#include "src/jsonrpc/peer.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/base/json.h"
#include "src/base/turns.h"

namespace jsonrpc {
namespace asio = boost::asio;
namespace {

constexpr std::size_t most_in_batch = 100;
constexpr std::string_view request_head = R"({"jsonrpc":"2.0","id":)";

// A time limit as messages name it: what is left of one may be short.
std::string in_words(std::chrono::milliseconds limit) {
    if (limit >= std::chrono::seconds(10)) return std::to_string(limit.count() / 1000) + " s";
    return std::to_string(limit.count() / 1000) + '.' + std::to_string(limit.count() % 1000 / 100) + " s";
}

// A request of the other side that runs.
struct Running {
    asio::cancellation_signal signal;
    bool cancelled = false;
};

// A line or a part of a batch, read: a message, or why it is none.
struct Parsed {
    std::optional<Message> message{};
    std::optional<Error> error{};
    std::string head{}; // of a bad one: what it begins with
    std::string kept{}; // the same, by the id in it
    std::string id{};   // of a bad one that answers a call of ours
};

// How lines are read.
struct Reading {
    bool keep_head = false;
    bool keep_all = false;
    bool lenient = false;
    bool lists_tools = false; // an answer to tools/list is waited for
};

// Pure: may run on another thread.
Parsed parse_text(std::string text, Reading how) {
    Parsed parsed;
    Lenience lenience;
    lenience.lists_tools = how.lists_tools;
    const auto began = base::thread_cpu_time();
    if (how.keep_head || how.lenient) parsed.head = text.substr(0, 128);
    if (how.keep_all && text.size() < 65536) parsed.kept = text;
    try {
        parsed.message = how.lenient ? Message::parse_leniently(std::move(text), lenience)
                                     : Message::parse(std::move(text));
        parsed.message->set_cost(base::thread_cpu_time() - began);
    } catch (const Error& e) {
        parsed.error = e;
        parsed.id = std::move(lenience.id);
    }
    return parsed;
}

// A batch, read.
struct ParsedBatch {
    std::vector<Parsed> parts{};
    std::optional<Error> error{}; // it is no batch
};

ParsedBatch parse_batch(const std::string& text, Reading how) {
    ParsedBatch batch;
    std::vector<std::string> mended;
    try {
        for (std::string& part : split_batch(text, most_in_batch, how.lenient ? &mended : nullptr))
            batch.parts.push_back(parse_text(std::move(part), how));
        for (Parsed& part : batch.parts)
            if (part.message) part.message->add_mended(mended);
    } catch (const Error& e) {
        batch.error = e;
    }
    return batch;
}

// The answers of a batch, sent together when the last is there.
struct Batch {
    std::size_t open = 0;
    std::string answers;
};

// The line that answers a request with what its handler gives; a large one is put together by workers.
asio::awaitable<std::string> answer_line(asio::awaitable<std::string> handler, std::string id,
                                         base::Workers* workers) {
    std::string result = co_await std::move(handler);
    base::now_doing("an answer of ours");
    auto job = [&] { return result_line(id, result); };
    // A handler that was cancelled may still answer. To await anything here would throw its answer away.
    if (!workers || result.size() < base::large_text) co_return job();
    co_return co_await workers->run(job);
}

// A call of ours that waits. Lives in the frame of call().
struct Waiting {
    Waiting(const asio::any_io_executor& executor, std::uint64_t at) : done(executor), begins(at) {}
    asio::steady_timer done; // its expiry is the time limit, cancel() says that the answer is there
    std::optional<Message> answer{};
    std::exception_ptr failure{};
    std::uint64_t begins; // where in the channel's stream its request begins
};

Error to_error(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        return e;
    } catch (const json::Error& e) {
        return Error(code::invalid_params, e.what());
    } catch (const boost::system::system_error& e) {
        if (e.code() == asio::error::operation_aborted) return Error(code::cancelled, "cancelled");
        return Error(code::internal_error, e.what());
    } catch (const std::exception& e) {
        return Error(code::internal_error, e.what());
    }
}

std::optional<std::int64_t> number_in(std::string_view id) {
    if (id.size() >= 2 && id.front() == '"')
        id = id.substr(1, id.size() - 2); // some peers echo our number as a string
    const std::size_t point = id.find('.');
    if (point != std::string_view::npos && id.find_first_not_of('0', point + 1) == std::string_view::npos)
        id = id.substr(0, point); // and some as 1.0
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
    return number;
}

// The JSON text of an id, "" where it is none. Python writes a space before it.
std::string id_at(std::string_view text) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    if (text.starts_with('"')) {
        const std::size_t end = text.find('"', 1);
        return end == std::string_view::npos || text.substr(0, end).find('\\') != std::string_view::npos
                   ? std::string()
                   : std::string(text.substr(0, end + 1));
    }
    const std::string_view digits = text.substr(0, text.find_first_not_of("-0123456789"));
    return number_in(digits) ? std::string(digits) : std::string();
}

// The id among the first members of a line, before any that nests.
std::string id_in_head(std::string_view head) {
    const std::size_t at = head.find("\"id\":");
    if (at == std::string_view::npos || !head.starts_with('{')) return {};
    if (head.substr(1, at).find_first_of("{[") != std::string_view::npos) return {};
    return id_at(head.substr(at + 5));
}

// The id where it is the last member, or the last but "jsonrpc".
std::string id_in_tail(std::string_view tail) {
    const std::size_t at = tail.rfind("\"id\":");
    if (at == std::string_view::npos) return {};
    const std::string id = id_at(tail.substr(at + 5));
    std::string rest(tail.substr(std::min(tail.find(id, at + 5), tail.size())).substr(id.size()));
    std::erase(rest, ' ');
    return rest == "}" || rest == ",\"jsonrpc\":\"2.0\"}" ? id : std::string();
}

// The id in a line too long to parse: SDKs write it first, or last.
std::string id_in_pieces(const LineSplitter::Line& line) {
    const std::string id = id_in_head(line.text);
    return id.empty() ? id_in_tail(line.tail) : id;
}

} // namespace

struct Peer::State : std::enable_shared_from_this<Peer::State> {
    State(asio::any_io_executor e, Channel& c, Options o, RequestHandler r, NotificationHandler n)
        : executor(e), channel(c), options(std::move(o)), on_request(std::move(r)),
          on_notification(std::move(n)), next_id(options.first_id) {}

    asio::any_io_executor executor;
    Channel& channel;
    Options options;
    RequestHandler on_request;
    NotificationHandler on_notification;
    std::map<std::string, std::shared_ptr<Running>> running;
    std::map<std::int64_t, Waiting*> waiting;
    std::int64_t next_id;
    std::size_t lists = 0; // calls of tools/list that wait
    bool closed = false;
    bool gone = false; // the Peer has been destroyed: the channel may be no more
    std::set<asio::steady_timer*>
        drains; // cancel() says that nothing runs any more; each lives in a frame of drained_within()

    void tell_idle() {
        for (asio::steady_timer* each : drains) each->cancel();
    }

    void send(std::string line) {
        if (!gone) channel.write(std::move(line));
    }

    void bad_line(const std::string& id, const Error& error, const std::shared_ptr<Batch>& batch) {
        if (options.on_bad_line) options.on_bad_line(error.what());
        if (options.answer_bad_lines) answer(error_line(id, error), batch);
    }

    Reading reading() const {
        return {options.answer_bad_requests, options.answer_bad_lines, options.lenient, lists > 0};
    }

    void take_line(LineSplitter::Line line) {
        if (line.oversized) return take_oversized(line);
        if (options.batches && is_batch(line.text))
            return take_batch(parse_batch(line.whole(), reading()), line);
        Parsed parsed = parse_text(line.whole(), reading());
        take_parsed(std::move(parsed), nullptr, std::move(line.share), line.of_request);
        end_answer(line);
    }

    Waiting* waiting_for(std::string_view id) const {
        const auto number = number_in(id);
        const auto it = number ? waiting.find(*number) : waiting.end();
        return it == waiting.end() ? nullptr : it->second;
    }

    // False where no call waits for this id any more.
    bool fail_call(std::string_view id, const Error& error) {
        Waiting* call = waiting_for(id);
        if (!call || call->answer || call->failure) return false;
        call->failure = std::make_exception_ptr(error);
        call->done.cancel();
        return true;
    }

    // All that came to a request has been taken: a call that still waits for it would wait in vain.
    void end_answer(const LineSplitter::Line& line) {
        if (line.whole_answer)
            fail_call(line.of_request,
                      Error(code::invalid_request, "what it sent is no answer to this request"));
    }

    bool fail_unreadable(const Parsed& bad, const std::string& of_request) {
        if (!options.lenient) return false;
        if (bad.id.empty() && bad.head.find("\"method\"") != std::string::npos)
            return false; // something else that came on the way to the answer
        const Error error(bad.error->code(), std::string("its answer cannot be read: ") + bad.error->what());
        return fail_call(bad.id.empty() ? of_request : bad.id, error);
    }

    void take_measured(LineSplitter::Line line) {
        const base::Doing doing("a message of a peer");
        if (!options.on_spent) return take_line(std::move(line));
        const auto began = base::thread_cpu_time();
        take_line(std::move(line));
        options.on_spent(base::thread_cpu_time() - began);
    }

    void take_oversized(const LineSplitter::Line& line) {
        const Error error(code::too_large,
                          "a message of " + std::to_string(line.size) + " bytes is above the bound");
        if (is_own_request(line.text))
            return send(error_line(id_in_head(line.text),
                                   Error(code::too_large, error.what(), R"({"kind":"too_large"})")));
        const std::string id = id_in_pieces(line);
        if (!options.answer_bad_lines && fail_call(id, error)) return;
        bad_line(id, Error(code::invalid_request, error.what()), nullptr);
    }

    void take_batch(ParsedBatch read, const LineSplitter::Line& line) {
        if (read.error) {
            Parsed whole;
            whole.error = read.error;
            if (!fail_unreadable(whole, line.of_request)) bad_line("null", *read.error, nullptr);
            return;
        }
        const auto batch = std::make_shared<Batch>();
        ++batch->open; // held by this loop, so that an answer given at once does not end it
        for (Parsed& part : read.parts) take_parsed(std::move(part), batch, {}, line.of_request);
        close_part(batch);
        end_answer(line);
    }

    // A request as our own peers write it: it is answered, whatever else is wrong with it.
    bool is_own_request(std::string_view head) const {
        return options.answer_bad_requests && head.starts_with(request_head) &&
               head.substr(0, 128).find(",\"method\":") != std::string_view::npos;
    }

    void take_parsed(Parsed parsed, const std::shared_ptr<Batch>& batch, base::Budget::Share share,
                     const std::string& of_request) {
        if (parsed.message) {
            const bool odd = !parsed.message->mended().empty() || !parsed.message->left_out().empty();
            if (odd && options.on_mended) options.on_mended(*parsed.message);
            // an error that names no request is that of the request it came with
            const bool nameless = parsed.message->kind() == Message::Kind::error &&
                                  (parsed.message->id().empty() || parsed.message->id() == "null");
            if (nameless && fail_call(of_request, read_error(parsed.message->error()))) return;
            parsed.message->set_batched(batch != nullptr);
            parsed.message->hold(std::move(share));
            return take(std::move(*parsed.message), batch);
        }
        if (is_own_request(parsed.head))
            return answer(error_line(id_in_head(parsed.head), *parsed.error), nullptr);
        if (fail_unreadable(parsed, of_request)) return;
        if (batch) ++batch->open;
        bad_line(id_of(parsed.kept), *parsed.error, batch);
    }

    void take(Message message, const std::shared_ptr<Batch>& batch) {
        switch (message.kind()) {
        case Message::Kind::request:
            return start(std::move(message), batch);
        case Message::Kind::notification:
            return on_notification(std::move(message));
        case Message::Kind::result:
        case Message::Kind::error:
            return finish(std::move(message));
        }
    }

    void start(Message message, const std::shared_ptr<Batch>& batch) {
        if (batch) ++batch->open;
        const std::string id = message.id();
        if (running.contains(id))
            return answer(
                error_line(id, Error(code::invalid_request, "a request with this id is still running")),
                batch);
        if (running.size() >= options.most_in_flight)
            return answer(error_line(id, Error(code::internal_error,
                                               "more than " + std::to_string(options.most_in_flight) +
                                                   " requests at once")),
                          batch);
        const auto call = std::make_shared<Running>();
        running.emplace(id, call);
        // co_spawn calls this exactly once, so each request gets at most one answer, and none if it was
        // cancelled.
        auto done = [self = shared_from_this(), id, call, batch](std::exception_ptr failure,
                                                                 std::string line) {
            self->running.erase(id);
            if (call->cancelled)
                self->close_part(batch);
            else
                self->answer(failure ? error_line(id, to_error(failure)) : std::move(line), batch);
            if (self->running.empty()) self->tell_idle();
        };
        asio::co_spawn(executor, answer_line(on_request(std::move(message)), id, options.workers),
                       asio::bind_cancellation_slot(call->signal.slot(), std::move(done)));
    }

    // Sends an answer, or keeps it for its batch.
    void answer(std::string line, const std::shared_ptr<Batch>& batch) {
        if (!batch) return send(std::move(line));
        if (!batch->answers.empty() && batch->answers.size() + line.size() > options.most_batch_bytes)
            send('[' + std::exchange(batch->answers, {}) + ']');
        batch->answers += (batch->answers.empty() ? "" : ",") + line;
        close_part(batch);
    }

    void close_part(const std::shared_ptr<Batch>& batch) {
        if (!batch || --batch->open > 0 || batch->answers.empty()) return;
        send('[' + batch->answers + ']');
    }

    void finish(Message message) {
        Waiting* call = waiting_for(message.id());
        if (!call) { // late, or an answer to nothing that we asked
            if (options.on_bad_line)
                options.on_bad_line("an answer to no request of ours: id " + message.id());
            return;
        }
        if (message.kind() == Message::Kind::error)
            call->failure = std::make_exception_ptr(read_error(message.error()));
        else
            call->answer = std::move(message);
        call->done.cancel();
    }

    void fail_all() {
        closed = true;
        const std::string why = channel.reason();
        const std::string text = options.name + " closed the connection" + (why.empty() ? "" : ": " + why);
        const std::exception_ptr failure = std::make_exception_ptr(Error(code::connection_closed, text));
        const std::exception_ptr unseen = std::make_exception_ptr(NotReceived(text));
        const std::optional<std::uint64_t> read = channel.read_up_to();
        for (auto& [id, call] : waiting) {
            if (call->answer || call->failure) continue; // it has its answer, and only did not wake yet
            call->failure = read && call->begins >= *read ? unseen : failure;
            call->done.cancel();
        }
    }

    void stop_all() {
        // a signal may run its handler at once, which erases from `running`
        const auto calls = running;
        for (const auto& [id, call] : calls) {
            call->cancelled = true;
            call->signal.emit(asio::cancellation_type::terminal);
        }
    }
};

Peer::Peer(asio::any_io_executor executor, Channel& channel, Options options, RequestHandler on_request,
           NotificationHandler on_notification)
    : state_(std::make_shared<State>(std::move(executor), channel, std::move(options), std::move(on_request),
                                     std::move(on_notification))) {}

Peer::~Peer() {
    state_->gone = true;
    state_->stop_all();
    state_->fail_all();
}

// Reads a large line on another thread.
asio::awaitable<void> Peer::take_large(std::shared_ptr<State> state, LineSplitter::Line line) {
    const Reading how = state->reading();
    std::chrono::nanoseconds spent{0};
    ParsedBatch batch;
    const bool is_one = !state->options.batches || !is_batch(line.text);
    if (is_one) {
        auto job = [&] { return parse_text(line.whole(), how); };
        Parsed parsed = co_await state->options.workers->run(std::move(job), &spent);
        batch.parts.push_back(std::move(parsed));
    } else {
        auto job = [&] { return parse_batch(line.whole(), how); };
        batch = co_await state->options.workers->run(job, &spent);
    }
    if (state->gone) co_return;
    if (state->options.on_spent) state->options.on_spent(spent);
    const base::Doing doing("a large message of a peer");
    if (is_one)
        state->take_parsed(std::move(batch.parts.front()), nullptr, std::move(line.share), line.of_request);
    else
        state->take_batch(std::move(batch), line);
    state->end_answer(line);
}

asio::awaitable<void> Peer::run() {
    const auto state = state_;
    std::exception_ptr failure;
    try {
        for (;;) {
            std::optional<LineSplitter::Line> line = co_await state->channel.read();
            if (!line || state->gone) break;
            if (state->options.workers && line->bytes() > base::large_text) {
                co_await take_large(state, std::move(*line));
            } else {
                state->take_measured(std::move(*line));
                co_await base::yield_if_long();
            }
            if (state->gone) break;
        }
    } catch (...) { // the calls that wait must learn of it first
        failure = std::current_exception();
    }
    if (!state->gone) state->fail_all();
    if (failure) std::rethrow_exception(failure);
}

asio::awaitable<Message> Peer::call(std::string method, std::string params, std::chrono::milliseconds limit) {
    const auto state = state_;
    if (state->closed) throw NotReceived(state->options.name + " has closed the connection");
    if (state->waiting.size() >= state->options.most_pending)
        throw Error(code::internal_error, "too many calls wait for " + state->options.name);
    const std::int64_t id = state->next_id++;
    Waiting wait(state->executor, state->channel.position());
    struct Entry {
        State& state;
        std::int64_t id;
        bool lists;
        bool answered = false;
        ~Entry() {
            state.waiting.erase(id);
            state.lists -= lists ? 1 : 0;
            if (!answered && !state.closed && state.options.on_abandoned)
                state.options.on_abandoned(std::to_string(id));
        }
    } entry{*state, id, method == "tools/list"};
    state->lists += entry.lists ? 1 : 0;
    state->waiting.emplace(id, &wait);
    wait.done.expires_after(limit);
    if (state->options.workers && params.size() > base::large_text) {
        auto job = [&] { return request_line(id, method, params); };
        std::string line = co_await state->options.workers->run(job);
        const asio::cancellation_state given_up = co_await asio::this_coro::cancellation_state;
        if (given_up.cancelled() != asio::cancellation_type::none) {
            entry.answered = true; // it was never sent: nobody need be told
            throw Error(code::cancelled, method + " was cancelled");
        }
        if (!wait.failure) {
            wait.begins = state->channel.position();
            state->send(std::move(line));
        }
    } else {
        state->send(request_line(id, method, params));
    }
    base::now_doing("a call of ours");
    params.clear();
    params.shrink_to_fit();
    boost::system::error_code ignored;
    if (!wait.answer && !wait.failure) // the channel may have ended while the line was made
        co_await wait.done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    entry.answered = wait.answer || wait.failure;
    if (wait.failure) std::rethrow_exception(wait.failure);
    if (wait.answer) co_return std::move(*wait.answer);
    const asio::cancellation_state cancelled = co_await asio::this_coro::cancellation_state;
    if (cancelled.cancelled() != asio::cancellation_type::none)
        throw Error(code::cancelled, method + " was cancelled");
    throw Error(code::timed_out,
                state->options.name + " did not answer " + method + " within " + in_words(limit));
}

void Peer::notify(std::string_view method, std::string_view params) {
    state_->send(notification_line(method, params));
}

void Peer::end_calls() { state_->fail_all(); }

bool Peer::give_up(const std::string& id) {
    const auto it = state_->running.find(id);
    if (it == state_->running.end()) return false;
    const auto call = it->second; // its end takes it out of the table
    call->signal.emit(asio::cancellation_type::terminal);
    return true;
}

bool Peer::cancel(const std::string& id) {
    const auto it = state_->running.find(id);
    if (it == state_->running.end()) return false; // finished already: the race is the other side's to lose
    const auto call = it->second;
    call->cancelled = true;
    call->signal.emit(asio::cancellation_type::terminal);
    return true;
}

void Peer::cancel_all() { state_->stop_all(); }

void Peer::receive(std::string line) {
    LineSplitter::Line whole;
    whole.size = line.size();
    whole.text = std::move(line);
    state_->take_line(std::move(whole));
}

void Peer::receive(Message message) { state_->take(std::move(message), nullptr); }

asio::awaitable<void> Peer::read(std::string line) {
    const auto state = state_;
    LineSplitter::Line whole;
    whole.size = line.size();
    whole.text = std::move(line);
    if (state->options.workers && whole.size > base::large_text)
        co_await take_large(state, std::move(whole));
    else
        state->take_line(std::move(whole));
}

asio::awaitable<void> Peer::drained() { co_await drained_within(std::chrono::hours(24 * 365)); }

asio::awaitable<bool> Peer::drained_within(std::chrono::milliseconds limit) {
    const auto state = state_;
    asio::steady_timer wait(state->executor, limit);
    struct Entry {
        State& state;
        asio::steady_timer* wait;
        ~Entry() { state.drains.erase(wait); }
    } entry{*state, &wait};
    state->drains.insert(&wait);
    while (!state->running.empty()) {
        boost::system::error_code interrupted;
        co_await wait.async_wait(asio::redirect_error(asio::use_awaitable, interrupted));
        if (!interrupted) break; // the limit
    }
    co_return state->running.empty();
}

std::size_t Peer::in_flight() const { return state_->running.size(); }
std::size_t Peer::pending() const { return state_->waiting.size(); }
bool Peer::closed() const { return state_->closed; }

} // namespace jsonrpc
