#include "src/jsonrpc/child_process.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <optional>

#include "src/base/event.h"

namespace jsonrpc {
namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
namespace {

constexpr std::size_t stderr_kept = 8 << 10;

std::string exit_text(int status) {
    if (WIFSIGNALED(status))
        return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
               ::strsignal(WTERMSIG(status)) + ")";
    return "exited with status " + std::to_string(WEXITSTATUS(status));
}

// Why the command could not be run, in words that say what to do about it.
std::string start_text(const Launch& launch, const KeeperReport& report) {
    const std::string& command = launch.argv.front();
    if (report.kind == KeeperReport::Kind::no_cwd)
        return "cannot start " + command + ": cwd " + launch.cwd + ": " + std::strerror(report.value);
    if (report.kind == KeeperReport::Kind::no_fork || report.value != ENOENT)
        return "cannot start " + command + ": " + std::strerror(report.value);
    for (const std::string& each : candidates(command, launch.env)) {
        struct stat found {};
        if (::stat(each.c_str(), &found) == 0)
            return "cannot start " + each + ": the interpreter that it names is missing";
    }
    if (command.find('/') != std::string::npos) return command + ": not found";
    return command + ": not found in PATH=" + path_of(launch.env);
}

} // namespace

struct ChildProcess::State : std::enable_shared_from_this<ChildProcess::State> {
    State(const asio::any_io_executor& executor, Launch l, Kept kept, FdChannel::Options options)
        : launch(std::move(l)), keeper(kept.keeper), lifeline(std::move(kept.lifeline)),
          channel(executor, std::move(kept.out), std::move(kept.in), std::move(options)),
          status(executor, kept.status.release()), err(executor, kept.err.release()), retry(executor),
          changed(executor) {}

    Launch launch;
    pid_t keeper;
    base::UniqueFd lifeline;
    FdChannel channel;
    asio::posix::stream_descriptor status;
    asio::posix::stream_descriptor err;
    asio::steady_timer retry;
    base::Event changed;
    KeeperReport report{};
    std::array<char, 4096> err_buffer{};
    std::string err_tail;
    pid_t pid = 0;
    std::string ending; // how it ended, or why it could not start
    bool err_ended = false;
    bool gone = false;
    bool stopping = false; // its end is our wish

    // These hold the state until the keeper is gone, so that it is waited for whatever becomes of the
    // ChildProcess.
    void read_status() {
        asio::async_read(status, asio::buffer(&report, sizeof report),
                         [self = shared_from_this()](error_code ec, std::size_t) {
                             if (ec) return self->reap();
                             self->take_report();
                             self->read_status();
                         });
    }

    void take_report() {
        switch (report.kind) {
        case KeeperReport::Kind::started:
            pid = report.value;
            break;
        case KeeperReport::Kind::exited:
            if (ending.empty()) ending = exit_text(report.value);
            break;
        default:
            ending = start_text(launch, report);
        }
        changed.notify();
    }

    // The keeper has closed its pipe, so it is ending.
    void reap() {
        if (::waitpid(keeper, nullptr, WNOHANG) != 0) {
            gone = true;
            lifeline.reset();
            return changed.notify();
        }
        retry.expires_after(1ms);
        retry.async_wait([self = shared_from_this()](error_code ec) {
            if (!ec) self->reap();
        });
    }

    void read_stderr() {
        err.async_read_some(asio::buffer(err_buffer),
                            [self = shared_from_this()](error_code ec, std::size_t size) {
                                if (ec) {
                                    self->err_ended = true;
                                    return self->changed.notify();
                                }
                                self->err_tail.append(self->err_buffer.data(), size);
                                if (self->err_tail.size() > 2 * stderr_kept)
                                    self->err_tail.erase(0, self->err_tail.size() - stderr_kept);
                                self->read_stderr();
                            });
    }

    void terminate() {
        if (lifeline && ::write(lifeline.get(), &keeper_terminate, 1) < 0)
            lifeline.reset(); // no keeper, nobody to tell
    }

    void kill() noexcept {
        stopping = true;
        lifeline.reset();
        channel.close();
        changed.notify();
    }
};

ChildProcess::ChildProcess(asio::any_io_executor executor, Launch launch, FdChannel::Options options) {
    Kept kept = jsonrpc::launch(launch);
    state_ = std::make_shared<State>(executor, std::move(launch), std::move(kept), std::move(options));
    state_->read_status();
    state_->read_stderr();
}

ChildProcess::~ChildProcess() { state_->kill(); }

asio::awaitable<std::optional<LineSplitter::Line>> ChildProcess::read() {
    const auto state = state_;
    std::optional<LineSplitter::Line> line = co_await state->channel.read();
    // one that closes its stdout has ended, or is about to; who asks for the reason should learn it, and its
    // last words
    const auto until = base::after(500ms);
    const auto known = [&] {
        return state->stopping || (state->err_ended && (state->gone || !state->ending.empty()));
    };
    while (!line && !known() && std::chrono::steady_clock::now() < until) co_await state->changed.wait(until);
    if (!line) co_await state->channel.settled();
    co_return line;
}

void ChildProcess::write(std::string line) { state_->channel.write(std::move(line)); }
asio::awaitable<bool> ChildProcess::room(std::size_t bytes, std::chrono::steady_clock::time_point until) {
    const auto state = state_;
    const bool has_room = co_await state->channel.room(bytes, until);
    co_return has_room;
}
void ChildProcess::close() noexcept { state_->kill(); }
std::uint64_t ChildProcess::position() const { return state_->channel.position(); }
std::optional<std::uint64_t> ChildProcess::read_up_to() const { return state_->channel.read_up_to(); }

std::string ChildProcess::reason() const {
    if (state_->stopping) return {};
    return state_->ending.empty() ? state_->channel.reason() : state_->ending;
}

std::string ChildProcess::stderr_tail() const {
    const std::string& all = state_->err_tail;
    return all.size() > stderr_kept ? all.substr(all.size() - stderr_kept) : all;
}

pid_t ChildProcess::pid() const { return state_->pid; }
bool ChildProcess::gone() const { return state_->gone; }

asio::awaitable<void> ChildProcess::stop(std::chrono::milliseconds grace) {
    const auto state = state_;
    // with its last words: stderr ends when nobody holds it any more
    const auto gone_within = [](std::shared_ptr<State> s,
                                std::chrono::milliseconds limit) -> asio::awaitable<bool> {
        const auto until = base::after(limit);
        const auto over = [&] { return s->gone && s->err_ended; };
        while (!over() && std::chrono::steady_clock::now() < until) co_await s->changed.wait(until);
        co_return over();
    };
    state->stopping = true;
    state->channel.end_writing();
    if (co_await gone_within(state, grace)) co_return;
    state->terminate();
    if (co_await gone_within(state, grace)) co_return;
    state->kill();
    co_await gone_within(state, 2000ms);
}

} // namespace jsonrpc
