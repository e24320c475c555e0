#include "src/sandbox/pool.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <list>
#include <utility>

#include "src/jsonrpc/message.h"

namespace sandbox {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

// A call that waits for a container. Lives in the frame of acquire().
struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor) : turn(executor) {}
    Clock::time_point since = Clock::now();
    asio::steady_timer turn; // cancel() says that one of the two is there
    std::unique_ptr<Sandbox> sandbox{};
    std::exception_ptr failure{};
};

// A call that got a warm container runs without a competitor for this long; most have ended by then, and the
// next container is begun at their end.
constexpr auto refill_after = std::chrono::milliseconds(30);

struct Warm {
    std::unique_ptr<Sandbox> sandbox;
    Clock::time_point since;
};

} // namespace

struct Pool::State : std::enable_shared_from_this<Pool::State> {
    State(asio::any_io_executor e, Options o, WorkshopSource s, FailureSink f)
        : executor(std::move(e)), options(o), source(std::move(s)), on_failure(std::move(f)),
          demand(options.idle), idle_timer(executor), refill_timer(executor) {}

    asio::any_io_executor executor;
    Options options;
    WorkshopSource source;
    FailureSink on_failure;
    std::function<bool()> make_room;
    std::deque<Warm> warm;
    std::list<Waiter*> waiters;
    Demand demand;
    asio::steady_timer idle_timer;
    asio::steady_timer refill_timer;
    int in_use = 0;
    int making = 0;
    bool closed = false;

    int all() const { return in_use + making + static_cast<int>(warm.size()); }

    std::unique_ptr<Sandbox> take_warm() {
        while (!warm.empty()) {
            std::unique_ptr<Sandbox> sandbox = std::move(warm.front().sandbox);
            warm.pop_front();
            if (sandbox->alive()) return sandbox;
        }
        return nullptr;
    }

    // How many should be ready.
    int foreseen() {
        if (!used || options.warm == 0) return 0;
        int learned = demand.foreseen(Clock::now());
        if (learned > options.warm && options.most_warm) learned = std::min(learned, options.most_warm());
        return std::max(options.warm, learned);
    }

    // Starts as many as are wanted and allowed: one for each that waits, and the warm ones.
    void fill() {
        if (closed) return;
        const int missing = std::max(0, foreseen() - static_cast<int>(warm.size()));
        const int wanted = static_cast<int>(waiters.size()) + missing;
        while (making < wanted && all() < options.most) start_one();
        const bool starved = static_cast<int>(waiters.size()) > making;
        if (starved && make_room) make_room();
    }

    bool used = false; // the pool is filled after the first call, not at start

    void start_one() {
        ++making;
        auto done = [self = shared_from_this(), began = Clock::now()](std::exception_ptr failure,
                                                                      std::unique_ptr<Sandbox> sandbox) {
            --self->making;
            if (self->closed) return;
            if (!failure) self->demand.made_in(Clock::now() - began);
            failure ? self->failed(failure, began) : self->made(std::move(sandbox));
        };
        asio::co_spawn(executor, make(source, on_failure), std::move(done));
    }

    static asio::awaitable<std::unique_ptr<Sandbox>> make(WorkshopSource source, FailureSink on_failure) {
        for (bool again = true;;) {
            Workshop workshop = co_await source();
            try {
                co_return co_await Sandbox::open(std::move(workshop));
            } catch (const runtime_api::Error& e) {
                const bool worth_it = on_failure && on_failure(e);
                if (!std::exchange(again, false) || !worth_it) throw;
            }
        }
    }

    void made(std::unique_ptr<Sandbox> sandbox) {
        Warm fresh{std::move(sandbox), Clock::now()};
        warm.push_back(std::move(fresh));
        serve();
        watch_idle();
    }

    // One failure answers one call: the others have tries of their own. So has a call that came after this
    // try had begun: what broke it (an engine that was restarted) may be over.
    void failed(const std::exception_ptr& failure, Clock::time_point began) {
        if (waiters.empty()) return;
        Waiter* first = waiters.front();
        if (first->since <= began) {
            waiters.pop_front();
            first->failure = failure;
            first->turn.cancel();
        }
        fill();
    }

    // Hands warm containers to those who wait, and makes what is missing: for those who wait at once.
    void serve() {
        bool given = false;
        while (!waiters.empty()) {
            std::unique_ptr<Sandbox> sandbox = take_warm();
            if (!sandbox) break;
            Waiter* first = waiters.front();
            waiters.pop_front();
            first->sandbox = std::move(sandbox);
            ++in_use;
            given = true;
            first->turn.cancel();
        }
        given&& waiters.empty() ? fill_later() : fill();
    }

    void fill_later() {
        refill_timer.expires_after(refill_after);
        refill_timer.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (!ec) self->fill();
        });
    }

    std::shared_ptr<void> room(Clock::time_point since) {
        const auto self = shared_from_this();
        return std::shared_ptr<void>(nullptr, [self, since](void*) {
            --self->in_use;
            self->demand.ended(since);
            if (!self->closed) self->serve();
        });
    }

    // Lets go what nobody used.
    void watch_idle() {
        if (warm.empty() || closed) return;
        idle_timer.expires_at(warm.front().since + options.idle);
        idle_timer.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (ec || self->closed) return;
            const auto limit = Clock::now() - self->options.idle;
            while (!self->warm.empty() && self->warm.front().since <= limit) self->warm.pop_front();
            if (self->warm.empty()) self->used = false; // the next call fills it again
            self->watch_idle();
        });
    }
};

Pool::Lease& Pool::Lease::operator=(Lease&& other) noexcept {
    reset();
    sandbox_ = std::move(other.sandbox_);
    room_ = std::move(other.room_);
    return *this;
}

Pool::Lease::~Lease() { reset(); }

void Pool::Lease::reset() {
    sandbox_.reset();
    room_.reset();
}

Pool::Pool(asio::any_io_executor executor, Options options, WorkshopSource source, FailureSink on_failure)
    : state_(
          std::make_shared<State>(std::move(executor), options, std::move(source), std::move(on_failure))) {}

Pool::~Pool() { close(); }

asio::awaitable<Pool::Lease> Pool::acquire() {
    const auto state = state_;
    if (state->closed) throw jsonrpc::Error(jsonrpc::code::connection_closed, "Cordon is shutting down");
    Waiter waiter(state->executor);
    waiter.turn.expires_after(state->options.wait_limit);
    state->used = true;
    struct Entry { // out of the line again, also when cancelled
        State& state;
        Waiter& waiter;
        bool given = false;
        ~Entry() {
            state.waiters.remove(&waiter);
            if (!given) state.demand.ended(waiter.since);
            if (!waiter.sandbox) return;
            --state.in_use; // it was given, but nobody took it: the next one may
            if (!state.closed) state.made(std::move(waiter.sandbox));
        }
    } entry{*state, waiter};
    state->waiters.push_back(&waiter);
    state->demand.asked(waiter.since);
    state->serve();
    if (!waiter.sandbox && !waiter.failure) {
        boost::system::error_code ignored;
        co_await waiter.turn.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    const asio::cancellation_state cancelled = co_await asio::this_coro::cancellation_state;
    if (cancelled.cancelled() != asio::cancellation_type::none)
        throw jsonrpc::Error(jsonrpc::code::cancelled, "cancelled");
    if (waiter.failure) std::rethrow_exception(waiter.failure);
    if (!waiter.sandbox && state->closed)
        throw jsonrpc::Error(jsonrpc::code::connection_closed, "Cordon is shutting down");
    if (!waiter.sandbox && state->making > 0)
        throw jsonrpc::Error(jsonrpc::code::timed_out,
                             "no container was ready in time; one is still being made (an image that is "
                             "being pulled takes its time): try again");
    if (!waiter.sandbox)
        throw jsonrpc::Error(jsonrpc::code::timed_out, "all " + std::to_string(state->options.most) +
                                                           " containers are in use; none came free in time");
    Lease lease;
    lease.sandbox_ = std::move(waiter.sandbox);
    lease.room_ = state->room(waiter.since);
    entry.given = true;
    co_return lease;
}

void Pool::foresee() {
    if (state_->used) return;
    state_->used = true;
    state_->fill();
}

void Pool::on_pressure(std::function<bool()> make_room) { state_->make_room = std::move(make_room); }

void Pool::set_wait_limit(std::chrono::milliseconds limit) { state_->options.wait_limit = limit; }

void Pool::close() {
    state_->closed = true;
    state_->make_room = nullptr;
    state_->idle_timer.cancel();
    state_->refill_timer.cancel();
    state_->warm.clear();
    for (Waiter* waiter : state_->waiters) waiter->turn.cancel();
}

int Pool::in_use() const { return state_->in_use; }
int Pool::warm() const { return static_cast<int>(state_->warm.size()); }
int Pool::making() const { return state_->making; }

} // namespace sandbox
