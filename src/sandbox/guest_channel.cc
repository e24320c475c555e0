#include "src/sandbox/guest_channel.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>

#include "runtime_api/error.h"
#include "src/base/event.h"
#include "src/base/json.h"
#include "src/base/turns.h"

namespace sandbox {
namespace asio = boost::asio;
namespace {

constexpr std::size_t most_line = 96u << 20;
constexpr std::size_t most_queued = 256u << 20;
constexpr std::size_t most_last_words = 4096;
constexpr std::size_t most_in_flight = 16u << 20; // of one guest; then it is not read
constexpr std::size_t large_message = 8u << 20;   // one of these at a time, beside what is small
constexpr std::size_t little_queued = 4u << 20;

constexpr std::size_t small_request = 64u << 10;
struct MethodBound {
    std::string_view method;
    std::size_t bytes;
};
// The larger ones. JSON may write a byte in six.
constexpr MethodBound method_bounds[] = {
    {"call_tool", (64u << 20) + small_request}, // arguments
    {"save_tool", 6 * (64u << 10) + 1024},      // a source
    {"display", 24u << 20},                     // pictures of a run have 5 MiB together
    {"artifact", 12u << 20},                    // a file of 8 MiB in base64
    {"output", 2u << 20},                       // what one read of a pipe gave
    {"compiled", 2u << 20},
    {"ready", 1u << 20},
};

} // namespace

std::size_t guest_line_bound(std::string_view head) {
    constexpr std::string_view key = "\"method\":\"";
    const std::size_t at = head.find(key);
    // An answer: the end of a run, with what was kept of its output.
    if (at == std::string_view::npos || head.find('{', 1) < at) return most_line;
    const std::string_view rest = head.substr(at + key.size());
    const std::string_view method = rest.substr(0, rest.find('"'));
    for (const MethodBound& each : method_bounds)
        if (each.method == method) return each.bytes;
    return small_request;
}

// Shared with the coroutines, which may outlive the channel by a turn of the loop.
struct GuestChannel::State {
    State(asio::any_io_executor e, std::unique_ptr<runtime_api::AttachStream> s, base::Budget* whole)
        : executor(std::move(e)), stream(std::move(s)), budget(executor, most_in_flight, whole),
          large(executor, large_message, &budget), changed(executor) {}

    // What waits to be written, and its bytes in the budget.
    struct Out {
        std::string bytes;
        base::Budget::Share share;
    };

    asio::any_io_executor executor;
    std::unique_ptr<runtime_api::AttachStream> stream;
    base::Budget budget;
    base::Budget large; // of its messages that are; part of the other
    jsonrpc::LineSplitter splitter{most_line, guest_line_bound};
    base::Budget::Share unread; // what the splitter holds
    std::string last_words;
    std::deque<Out> queue;
    std::size_t queued = 0;
    base::Event changed; // little is queued, or it is closed
    bool writing = false;
    bool closed = false;
    std::string reason;

    void close(const std::string& why) {
        if (closed) return;
        closed = true;
        reason = why;
        queue.clear();
        stream->close();
        changed.notify();
        budget.wake();
    }

    void take(runtime_api::AttachStream::Piece piece) {
        base::now_doing("what a guest wrote");
        if (piece.stream == runtime_api::AttachStream::Stream::out) {
            splitter.feed(piece.data);
            unread = base::Budget::Share();
            unread = budget.take(splitter.held());
            return;
        }
        last_words += piece.data;
        if (last_words.size() > most_last_words) last_words.erase(0, last_words.size() - most_last_words);
    }

    // In flight, beside the line that is still being read.
    // A large message may wait for a server's answer for long; what comes behind it is read all the same,
    // until it is large, too.
    bool too_much() const {
        return budget.used() - unread.bytes() - large.used() > most_in_flight ||
               (large.used() > 0 && splitter.held() > large_message);
    }

    // A line that came, with its bytes counted as long as its message lives.
    std::optional<jsonrpc::LineSplitter::Line> next() {
        auto line = splitter.next();
        if (!line) return line;
        unread = base::Budget::Share();
        unread = budget.take(splitter.held());
        const std::size_t size = line->bytes();
        line->share = size > large_message ? large.take(size) : budget.take(size);
        return line;
    }
};

namespace {

// Writes what is queued, in order, until there is nothing left.
template <class State> asio::awaitable<void> pump(std::shared_ptr<State> state) {
    try {
        while (!state->queue.empty() && !state->closed) {
            auto next = std::move(state->queue.front());
            state->queue.pop_front();
            const std::size_t size = next.bytes.size();
            co_await state->stream->write(std::move(next.bytes));
            state->queued -= size;
            if (state->queued <= little_queued) state->changed.notify();
        }
    } catch (const runtime_api::Error& e) { // the reader sees the end of the stream too, and says so
        state->close(e.what());
    }
    state->writing = false;
}

} // namespace

GuestChannel::GuestChannel(asio::any_io_executor executor, std::unique_ptr<runtime_api::AttachStream> stream,
                           base::Budget* whole)
    : state_(std::make_shared<State>(std::move(executor), std::move(stream), whole)) {}

GuestChannel::~GuestChannel() { close(); }

asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> GuestChannel::read() {
    const auto state = state_;
    for (;;) {
        if (auto line = state->next()) co_return line;
        if (state->closed) co_return std::nullopt;
        // What has begun is read to its end: only then can it be done with.
        while (!state->closed && state->too_much()) co_await state->budget.change();
        co_await base::yield_if_long(); // who writes as fast as we read never makes us wait
        if (state->closed) co_return std::nullopt;
        try {
            runtime_api::AttachStream::Piece piece = co_await state->stream->read();
            if (piece.data.empty())
                state->close("");
            else
                state->take(std::move(piece));
        } catch (const runtime_api::Error& e) {
            state->close(e.what());
        }
    }
}

void GuestChannel::write(std::string line) {
    line += '\n';
    write_raw(std::move(line));
}

void GuestChannel::write_raw(std::string bytes) {
    if (state_->closed) return;
    state_->queued += bytes.size();
    auto share = state_->budget.take(bytes.size());
    state_->queue.push_back(State::Out{std::move(bytes), std::move(share)});
    if (state_->queued > most_queued) return state_->close("the container does not read what it is sent");
    if (state_->writing) return;
    state_->writing = true;
    asio::co_spawn(state_->executor, pump(state_), asio::detached);
}

void GuestChannel::close() noexcept { state_->close(""); }

std::size_t GuestChannel::in_flight() const { return state_->budget.used(); }

asio::awaitable<void> GuestChannel::writable() {
    const auto state = state_;
    while (state->queued > little_queued && !state->closed)
        co_await state->changed.wait(std::chrono::steady_clock::time_point::max());
}

std::string GuestChannel::reason() const { return state_->reason; }

std::string GuestChannel::last_words() const { return json::valid_utf8(state_->last_words); }

} // namespace sandbox
