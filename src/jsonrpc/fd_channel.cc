#include "src/jsonrpc/fd_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <vector>

#include "src/base/event.h"
#include "src/base/turns.h"

namespace jsonrpc {
namespace asio = boost::asio;
using boost::system::error_code;
namespace {

constexpr std::size_t read_size = 64 << 10; // what a pipe holds
constexpr std::size_t small_line = 8 << 10; // cheaper to copy than to give a buffer of its own
constexpr std::size_t chunk_size = 64 << 10;
constexpr std::size_t most_chunks = 16; // in one write; asio passes at most 64 buffers on
constexpr std::chrono::milliseconds settling = std::chrono::seconds(1);

// A stretch of output: several small lines with their newlines, or one large line without.
struct Chunk {
    std::string text;
    bool large = false;
    std::size_t size() const { return text.size() + (large ? 1 : 0); }
};

// Bytes in a pipe that nobody has read, asked at its writing end; nothing where it is no pipe.
std::optional<std::uint64_t> unread_in(int fd) {
    struct stat what {};
    int bytes = 0;
    if (::fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode) || ::ioctl(fd, FIONREAD, &bytes) != 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

} // namespace

struct FdChannel::State : std::enable_shared_from_this<FdChannel::State> {
    State(const asio::any_io_executor& executor, base::UniqueFd read_end, base::UniqueFd write_end, Options o)
        : options(std::move(o)), in_flags(::fcntl(read_end.get(), F_GETFL)),
          out_flags(::fcntl(write_end.get(), F_GETFL)), in(executor, read_end.release()),
          out(executor, write_end.release()), splitter(options.most_line, options.bound_of),
          changed(executor) {}

    Options options;
    int in_flags; // both taken before asio touches either: a terminal's two ends are one description
    int out_flags;
    asio::posix::stream_descriptor in;
    asio::posix::stream_descriptor out;
    LineSplitter splitter;
    std::vector<char> buffer = std::vector<char>(read_size);
    bool read_ended = false;
    bool write_ended = false; // nothing more is taken
    bool deaf = false;        // the other side no longer reads, or we have closed
    std::string reason;
    std::deque<Chunk> queue;
    std::vector<Chunk> flying; // what the kernel is being given
    std::size_t queued = 0;    // bytes of both
    std::uint64_t taken = 0;   // bytes of all lines that were ever queued
    std::uint64_t sent = 0;    // of these, what the kernel took; a write under way is not counted yet
    std::optional<std::uint64_t> unread{}; // of these, what the other side left when it closed its end
    base::Event changed;

    void queue_line(std::string line) {
        if (write_ended) return;
        if (queued > 0 && queued + line.size() > options.most_queued) {
            reason = "it does not read: " + std::to_string(queued) + " bytes wait for it";
            return close();
        }
        queued += line.size() + 1;
        taken += line.size() + 1;
        if (line.size() > small_line)
            queue.push_back(Chunk{std::move(line), true});
        else if (!queue.empty() && !queue.back().large && queue.back().size() < chunk_size)
            queue.back().text.append(line).push_back('\n');
        else
            queue.push_back(Chunk{std::move(line += '\n'), false});
        push();
    }

    void push() {
        if (!flying.empty() || !out.is_open()) return;
        if (queue.empty()) {
            if (write_ended) close_out();
            return changed.notify();
        }
        static constexpr char newline = '\n';
        std::vector<asio::const_buffer> buffers;
        while (!queue.empty() && flying.size() < most_chunks) {
            flying.push_back(std::move(queue.front()));
            queue.pop_front();
        }
        for (const Chunk& each : flying) {
            buffers.push_back(asio::buffer(each.text));
            if (each.large) buffers.push_back(asio::buffer(&newline, 1));
        }
        asio::async_write(out, buffers, [self = shared_from_this()](error_code ec, std::size_t size) {
            self->sent += size;
            base::now_doing("writing to a pipe");
            self->written(ec);
        });
    }

    void written(error_code ec) {
        for (const Chunk& each : flying) queued -= each.size();
        flying.clear();
        changed.notify(); // to who waits for room
        if (ec && !deaf)
            go_deaf(ec == asio::error::broken_pipe ? "it no longer reads" : "write: " + ec.message());
        changed.notify(); // whoever waits in settled()
        push();
    }

    // What the other side wrote before it went is still to be read.
    void go_deaf(const std::string& why) {
        if (reason.empty()) reason = why;
        deaf = true;
        // before our end is closed; the pipe keeps what is in it until then
        if (out.is_open() && nobody_reads()) unread = unread_in(out.native_handle());
        drop_output();
    }

    bool nobody_reads() {
        pollfd now{out.native_handle(), 0, 0};
        return ::poll(&now, 1, 0) > 0 && (now.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    }

    void drop_output() {
        write_ended = true;
        for (const Chunk& each : queue) queued -= each.size();
        queue.clear();
        close_out();
        changed.notify();
    }

    // Notices an end that closes while there is nothing to write. Files cannot be watched, nor need they be.
    void watch() {
        out.async_wait(asio::posix::stream_descriptor::wait_error, [weak = weak_from_this()](error_code ec) {
            const auto self = weak.lock();
            if (ec || !self || !self->out.is_open()) return;
            if (self->nobody_reads()) return self->go_deaf("it no longer reads");
            self->watch();
        });
    }

    void close_in() noexcept {
        if (!in.is_open()) return;
        if (in_flags >= 0) ::fcntl(in.native_handle(), F_SETFL, in_flags);
        error_code ignored;
        in.close(ignored);
    }
    void close_out() noexcept {
        if (!out.is_open()) return;
        if (out_flags >= 0) ::fcntl(out.native_handle(), F_SETFL, out_flags);
        error_code ignored;
        out.close(ignored);
    }
    void close() noexcept {
        read_ended = true;
        deaf = true;
        close_in();
        drop_output();
    }
};

FdChannel::FdChannel(asio::any_io_executor executor, base::UniqueFd in, base::UniqueFd out, Options options)
    : state_(std::make_shared<State>(executor, std::move(in), std::move(out), std::move(options))) {
    state_->watch();
}

FdChannel::~FdChannel() { state_->close(); }

asio::awaitable<std::optional<LineSplitter::Line>> FdChannel::read() {
    const auto state = state_;
    for (;;) {
        if (!state->in.is_open()) co_return std::nullopt; // close() drops what was not taken yet
        if (std::optional<LineSplitter::Line> line = state->splitter.next()) co_return line;
        if (state->read_ended) co_return std::nullopt;
        error_code ec;
        const std::size_t size = co_await state->in.async_read_some(
            asio::buffer(state->buffer), asio::redirect_error(asio::use_awaitable, ec));
        if (ec == asio::error::operation_aborted && state->in.is_open())
            throw boost::system::system_error(ec); // the reader was cancelled
        base::now_doing("reading from a pipe");
        state->splitter.feed(std::string_view(state->buffer.data(), size));
        if (!ec) continue;
        state->read_ended = true;
        state->splitter.finish();
        if (ec != asio::error::eof && state->in.is_open() && state->reason.empty())
            state->reason = "read: " + ec.message();
    }
}

void FdChannel::write(std::string line) { state_->queue_line(std::move(line)); }
void FdChannel::close() noexcept { state_->close(); }
std::string FdChannel::reason() const { return state_->reason; }

std::uint64_t FdChannel::position() const { return state_->taken; }

// The end of a write that was cut short tells how much of it was taken: until then nothing is known.
std::optional<std::uint64_t> FdChannel::read_up_to() const {
    const State& s = *state_;
    if (!s.unread || !s.flying.empty() || *s.unread > s.sent) return std::nullopt;
    return s.sent - *s.unread;
}

asio::awaitable<void> FdChannel::settled() {
    const auto state = state_;
    if (!state->deaf && state->out.is_open() && state->nobody_reads()) state->go_deaf("it no longer reads");
    const auto until = base::after(settling);
    while (state->deaf && !state->flying.empty() && std::chrono::steady_clock::now() < until)
        co_await state->changed.wait(until);
}

void FdChannel::end_writing() {
    state_->write_ended = true;
    state_->push();
}

asio::awaitable<bool> FdChannel::room(std::size_t bytes, std::chrono::steady_clock::time_point until) {
    const auto state = state_;
    const auto fits = [&] {
        return state->write_ended || state->queued == 0 ||
               state->queued + bytes <= state->options.most_queued / 2;
    };
    while (!fits() && std::chrono::steady_clock::now() < until) co_await state->changed.wait(until);
    co_return fits();
}

asio::awaitable<bool> FdChannel::flushed(std::chrono::milliseconds limit) {
    const auto state = state_;
    const auto until = base::after(limit);
    while (state->queued > 0 && !state->deaf && std::chrono::steady_clock::now() < until)
        co_await state->changed.wait(until);
    co_return state->queued == 0 && !state->deaf;
}

asio::awaitable<void> FdChannel::closed() {
    const auto state = state_;
    while (!state->deaf) co_await state->changed.wait(std::chrono::steady_clock::time_point::max());
}

} // namespace jsonrpc
