#include "src/sandbox/remover.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <utility>

#include "runtime_api/error.h"
#include "runtime_api/pause.h"

namespace sandbox {
namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Remover::State {
    State(asio::any_io_executor e, std::function<void(const std::string&)> l)
        : executor(std::move(e)), log(std::move(l)) {}
    asio::any_io_executor executor;
    std::function<void(const std::string&)> log;
    std::size_t pending = 0;
    std::map<std::string, std::shared_ptr<runtime_api::Engine>> given_up; // by the container's name
    bool stopped = false;
};

namespace {

constexpr int most_tries = 5;
constexpr std::size_t most_given_up = 1000;

// Why one try failed, or "" where it did not.
asio::awaitable<std::string> try_once(std::shared_ptr<runtime_api::Engine> engine, std::string name) {
    try {
        co_await engine->remove(name);
    } catch (const runtime_api::Error& e) {
        co_return std::string(e.what());
    }
    co_return std::string();
}

// A create whose answer was lost may still be at work in the engine: asks until it is there and gone, or a
// few seconds have passed.
asio::awaitable<void> remove_late(std::shared_ptr<runtime_api::Engine> engine, std::string name) {
    for (int i = 0; i < 10; ++i) {
        co_await runtime_api::pause(300ms);
        const auto state = co_await engine->inspect(name);
        if (!state) continue;
        co_await engine->remove(name);
        co_return;
    }
}

asio::awaitable<std::string> remove_stubbornly(std::shared_ptr<runtime_api::Engine> engine, std::string name,
                                               bool uncertain) {
    std::string why;
    for (int i = 0; i < most_tries; ++i) {
        if (i > 0) co_await runtime_api::pause(100ms * (1 << i));
        why = co_await try_once(engine, name);
        if (why.empty()) break;
    }
    if (why.empty() && uncertain) co_await remove_late(engine, name);
    co_return why;
}

} // namespace

Remover::Remover(asio::any_io_executor executor, std::function<void(const std::string&)> log)
    : state_(std::make_shared<State>(std::move(executor), std::move(log))) {}

Remover::~Remover() { stop(); }

void Remover::stop() noexcept {
    state_->stopped = true;
    state_->log = nullptr;
}

void Remover::remove(std::shared_ptr<runtime_api::Engine> engine, std::string name, bool uncertain) {
    if (state_->stopped) return;
    ++state_->pending;
    auto done = [state = state_, engine, name](std::exception_ptr failure, std::string why) {
        --state->pending;
        if (failure && why.empty()) why = "interrupted";
        if (why.empty()) return;
        if (state->given_up.size() < most_given_up) state->given_up[name] = engine;
        if (state->log) state->log("container " + name + " could not be removed: " + why);
    };
    asio::co_spawn(state_->executor, remove_stubbornly(std::move(engine), std::move(name), uncertain),
                   std::move(done));
}

void Remover::retry() {
    for (auto& [name, engine] : std::exchange(state_->given_up, {})) remove(std::move(engine), name);
}

std::size_t Remover::pending() const { return state_->pending; }

asio::awaitable<void> Remover::drained(std::chrono::milliseconds limit) {
    const auto state = state_;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (state->pending > 0 && std::chrono::steady_clock::now() < deadline) {
        asio::steady_timer step(state->executor, 10ms);
        boost::system::error_code ignored;
        co_await step.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
}

} // namespace sandbox
