#include "src/sandbox/guest_channel.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>

#include "runtime_api/error.h"
#include "runtime_api/json.h"

namespace sandbox {
namespace asio = boost::asio;
namespace {

constexpr std::size_t most_line = 96u << 20;
constexpr std::size_t most_queued = 256u << 20;
constexpr std::size_t most_last_words = 4096;

} // namespace

// Shared with the coroutines, which may outlive the channel by a turn of the loop.
struct GuestChannel::State {
    State(asio::any_io_executor e, std::unique_ptr<runtime_api::AttachStream> s)
        : executor(std::move(e)), stream(std::move(s)) {}

    asio::any_io_executor executor;
    std::unique_ptr<runtime_api::AttachStream> stream;
    jsonrpc::LineSplitter splitter{most_line};
    std::string last_words;
    std::deque<std::string> queue;
    std::size_t queued = 0;
    bool writing = false;
    bool closed = false;
    std::string reason;

    void close(const std::string& why) {
        if (closed) return;
        closed = true;
        reason = why;
        queue.clear();
        stream->close();
    }

    void take(runtime_api::AttachStream::Piece piece) {
        if (piece.stream == runtime_api::AttachStream::Stream::out) return splitter.feed(piece.data);
        last_words += piece.data;
        if (last_words.size() > most_last_words) last_words.erase(0, last_words.size() - most_last_words);
    }
};

namespace {

// Writes what is queued, in order, until there is nothing left.
template <class State> asio::awaitable<void> pump(std::shared_ptr<State> state) {
    try {
        while (!state->queue.empty() && !state->closed) {
            std::string next = std::move(state->queue.front());
            state->queue.pop_front();
            state->queued -= next.size();
            co_await state->stream->write(std::move(next));
        }
    } catch (const runtime_api::Error& e) { // the reader sees the end of the stream too, and says so
        state->close(e.what());
    }
    state->writing = false;
}

} // namespace

GuestChannel::GuestChannel(asio::any_io_executor executor, std::unique_ptr<runtime_api::AttachStream> stream)
    : state_(std::make_shared<State>(std::move(executor), std::move(stream))) {}

GuestChannel::~GuestChannel() { close(); }

asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> GuestChannel::read() {
    const auto state = state_;
    for (;;) {
        if (auto line = state->splitter.next()) co_return line;
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
    state_->queue.push_back(std::move(bytes));
    if (state_->queued > most_queued) return state_->close("the container does not read what it is sent");
    if (state_->writing) return;
    state_->writing = true;
    asio::co_spawn(state_->executor, pump(state_), asio::detached);
}

void GuestChannel::close() noexcept { state_->close(""); }

std::string GuestChannel::reason() const { return state_->reason; }

std::string GuestChannel::last_words() const { return json::valid_utf8(state_->last_words); }

} // namespace sandbox
