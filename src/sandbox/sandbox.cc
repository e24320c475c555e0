#include "src/sandbox/sandbox.h"

#include "src/base/json.h"
#include "src/sandbox/sandbox_state.h"

namespace sandbox {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// What the host allows beyond the guest's own deadline before it ends the container itself: for the guest's
// word of it, over a way on which a piece is lost and sent again.
constexpr auto grace = 3000ms;

} // namespace

Sandbox::Sandbox(std::shared_ptr<State> state) : state_(std::move(state)) {}

Sandbox::~Sandbox() {
    state_->notes.end();
    state_->close();
}

asio::awaitable<std::unique_ptr<Sandbox>> Sandbox::open(Workshop workshop) {
    const auto state = std::make_shared<State>(std::move(workshop));
    // from here on its destruction removes the container, whatever becomes of the rest
    std::unique_ptr<Sandbox> sandbox(new Sandbox(state));
    co_await state->begin();
    co_return sandbox;
}

// The guest's answer to an `execute` that it cannot begin.
constexpr int nothing_was_run = -32010;

asio::awaitable<Outcome> Sandbox::execute(Execution execution, std::shared_ptr<GuestHost> host) {
    const auto state = state_;
    state->notes.begin(std::move(host), execution.head, execution.keep_output);
    state->deadline_passed = false;
    state->ended_by.clear();
    state->used_up = !execution.session;
    const auto time = execution.timeout;
    const auto started = Clock::now();
    const std::weak_ptr<State> weak = state;
    auto expired = [weak] {
        const auto late = weak.lock();
        if (!late) return;
        late->deadline_passed = true;
        late->channel->close();
    };
    state->clock = std::make_unique<RunClock>(state->workshop.executor, time, grace, std::move(expired));
    std::string params = write_execution(execution);
    execution.code.clear();
    execution.code.shrink_to_fit();

    struct Leave { // also when cancelled
        State& state;
        ~Leave() {
            state.notes.end();
            if (state.clock) state.clock->stop();
            state.peer->cancel_all(); // calls of code that has ended
        }
    } leave{*state};

    Outcome outcome;
    std::string broken;
    int error_code = 0;
    try {
        const jsonrpc::Message answer =
            co_await state->peer->call("execute", std::move(params), 2 * time + 3 * grace + longest_hold);
        outcome = read_outcome(answer.result());
    } catch (const jsonrpc::Error& e) {
        broken = e.what();
        error_code = e.code();
    } catch (const json::Error& e) {
        broken = std::string("the guest's answer is none: ") + e.what();
    }
    if (const auto& told = state->notes.host()) told->ending();
    if (error_code == jsonrpc::code::cancelled) throw jsonrpc::Error(error_code, broken);
    outcome.out.head = state->notes.take_out();
    outcome.err.head = state->notes.take_err();
    if (const auto& early = state->workshop.lessons->early_modules) early->used(outcome.claimed.imports);
    if (broken.empty()) co_return outcome;
    outcome.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started).count();
    state->used_up = true;
    if (state->deadline_passed) {
        outcome.status = Status::timeout;
        outcome.limits.push_back("time");
        outcome.notes.push_back("the container gave no word of its own at the deadline (it hangs, or the way "
                                "to it is cut) and was ended: what it printed last may be missing");
        co_return outcome;
    }
    outcome.status = Status::killed;
    if (!state->ended_by.empty()) {
        outcome.limits.push_back(state->ended_by);
        outcome.error = state->ended_why;
        co_return outcome;
    }
    outcome.error = broken;
    outcome.begun = error_code != nothing_was_run;
    if (state->peer->closed()) {
        const std::string why = co_await state->why_it_ended();
        outcome.error = "the container ended before the code did: " + why;
    }
    if (outcome.error.find("out of memory") != std::string::npos) outcome.status = Status::out_of_memory;
    co_return outcome;
}

void Sandbox::end_execution(std::string limit, std::string why) {
    if (!state_->notes.host() || !state_->ended_by.empty()) return;
    state_->ended_by = std::move(limit);
    state_->ended_why = std::move(why);
    state_->channel->close();
}

asio::awaitable<void> Sandbox::writable() {
    const auto state = state_;
    co_await state->channel->writable();
}

std::size_t Sandbox::bytes_in_flight() const { return state_->channel ? state_->channel->in_flight() : 0; }

void Sandbox::pause_clock() {
    if (state_->clock && state_->clock->pause()) state_->peer->notify("pause", "{}");
}

void Sandbox::resume_clock() {
    if (state_->clock && state_->clock->resume()) state_->peer->notify("resume", "{}");
}

// The guest hears of it first: it counts its own time while it is frozen. Heartbeats go on, and lie there
// when it is thawed.
asio::awaitable<std::string> Sandbox::freeze() {
    const auto state = state_;
    if (!state->clock || state->peer->closed()) co_return "the execution is over";
    state->clock->hold();
    state->peer->notify("hold", "{}");
    std::string failed;
    state->frozen = true; // perhaps: a request that was cancelled may have been heard
    try {
        co_await state->workshop.engine->freeze(state->name);
    } catch (const runtime_api::Error& e) {
        if (e.code() == runtime_api::Errc::cancelled) throw;
        state->frozen = e.code() == runtime_api::Errc::timed_out;
        failed = e.what();
    }
    co_return failed;
}

asio::awaitable<void> Sandbox::thaw() {
    const auto state = state_;
    if (!state->clock || state->removed) co_return;
    state->peer->notify("heartbeat", "{}");
    state->peer->notify("release", "{}");
    std::string failed;
    try {
        if (state->frozen) co_await state->workshop.engine->thaw(state->name);
        state->frozen = false;
    } catch (const runtime_api::Error& e) {
        failed = e.what();
    }
    if (state->clock) state->clock->release();
    if (failed.empty() || !state->notes.host() || !state->ended_by.empty()) co_return;
    state->ended_by = "frozen";
    state->ended_why =
        "the container was frozen while the user was asked, and could not be thawed: " + failed;
    state->channel->close();
}

bool Sandbox::alive() const { return !state_->used_up && !state_->removed && !state_->peer->closed(); }
Clock::time_point Sandbox::born() const { return state_->born; }
const std::string& Sandbox::name() const { return state_->name; }
const std::vector<Finding>& Sandbox::findings() const { return state_->findings; }
std::int64_t Sandbox::open_files() const {
    for (const runtime_api::Rlimit& limit : state_->spec.rlimits)
        if (limit.name == "nofile") return limit.value;
    return 0;
}
const std::string& Sandbox::python() const { return state_->notes.python(); }

} // namespace sandbox
