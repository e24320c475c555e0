#include "src/sandbox/sandbox.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

#include "runtime_api/base64.h"
#include "runtime_api/error.h"
#include "runtime_api/json.h"
#include "src/guest/bundle.h"
#include "src/jsonrpc/peer.h"
#include "src/sandbox/guest_channel.h"
#include "src/sandbox/run_clock.h"

namespace sandbox {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto heartbeat_every = 5s;
constexpr int heartbeat_seconds = 30; // a starved machine is no dead host
// What the host allows beyond the guest's own deadline before it ends the container itself: for the guest's
// word of it, over a way on which a piece is lost and sent again.
constexpr auto grace = 3000ms;

std::string boot_line(std::chrono::seconds life) {
    json::Writer w;
    w.object().field("life_seconds", life.count()).field("heartbeat_seconds", heartbeat_seconds).end();
    return jsonrpc::notification_line("boot", w.str());
}

// What the guest reads: the blob, ten digits and what an earlier one compiled, then lines.
std::string guest_source(const Lessons& lessons, std::chrono::seconds life) {
    const std::string compiled = lessons.for_others ? lessons.compiled_guest : "-";
    char digits[11];
    std::snprintf(digits, sizeof digits, "%010zu", compiled.size());
    std::string bytes(guest::blob);
    bytes.append(digits).append(compiled);
    return bytes + boot_line(life) + '\n';
}

} // namespace

struct Sandbox::State : std::enable_shared_from_this<Sandbox::State> {
    explicit State(Workshop w)
        : workshop(std::move(w)), name(workshop.instance->new_name()), ready_event(workshop.executor),
          looked_event(workshop.executor) {
        looked_event.expires_at(Clock::time_point::max());
        ready_event.expires_at(Clock::time_point::max());
    }
    ~State() { close(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Workshop workshop;
    std::string name;
    runtime_api::ContainerSpec spec;
    Clock::time_point born = Clock::now();
    std::unique_ptr<GuestChannel> channel;
    std::unique_ptr<jsonrpc::Peer> peer;
    // shared with the coroutine that waits on it, which ends when this is cancelled by close()
    std::shared_ptr<asio::steady_timer> heartbeat = std::make_shared<asio::steady_timer>(workshop.executor);
    asio::steady_timer ready_event; // cancel() says: ready came, or the channel ended
    std::string facts;              // JSON text of the attestation; empty until `ready`
    std::string python;
    std::vector<std::string> warnings;               // the engine's, at create
    std::optional<runtime_api::ContainerState> seen; // its view of the container that was started
    std::exception_ptr unseen;                       // why it has none
    bool looked = false;
    asio::steady_timer looked_event; // cancel() says: looked
    std::vector<Finding> findings;
    std::shared_ptr<GuestHost> host; // while an execution runs
    std::unique_ptr<RunClock> clock;
    Output out, err; // of the execution that runs
    std::int64_t head = 0;
    bool keep_output = true;
    bool deadline_passed = false;
    bool used_up = false;
    bool uncertain = false; // a create whose answer did not come
    bool removed = false;

    void close() {
        heartbeat->cancel();
        if (clock) clock->stop();
        if (channel) channel->close();
        if (std::exchange(removed, true)) return;
        workshop.remover->remove(workshop.engine, name, uncertain);
    }

    void on_notification(const jsonrpc::Message& message) {
        try {
            const json::Document document(message.params());
            take_notification(message.method(), document.root("params"));
        } catch (const json::Error&) { // from code that got hold of PID 1's place in the conversation, or a
                                       // guest that broke: nothing to show
        }
    }

    void take_notification(const std::string& method, const json::Reader& params) {
        if (method == "ready") return take_ready(params);
        if (method == "compiled") return take_compiled(params);
        if (method == "cancel") {
            peer->give_up(params.at("id").text());
            return;
        }
        if (!host) return; // what a session's threads say between executions
        if (method == "output")
            return take_output(params.at("stream").as_string() == "stderr", params.at("text").as_string());
        if (method == "tick") return host->tick(params.at("line").as_string());
        if (method == "progress") return take_progress(params);
        if (method == "display") return take_display(params);
        if (method == "artifact") return take_artifact(params);
    }

    // Only from a guest in which no user code can have run yet.
    void take_compiled(const json::Reader& params) {
        const std::string text = params.at("data").as_string();
        if (!facts.empty() || text.size() / 4 * 3 > Lessons::max_compiled_guest) return;
        if (std::optional<std::string> bytes = runtime_api::base64_decoded(text))
            workshop.lessons->compiled_guest = std::move(*bytes);
    }

    void take_ready(const json::Reader& params) {
        if (!facts.empty()) return;
        params.read("python", python);
        facts = params.at("attestation").text();
        ready_event.cancel();
    }

    void take_output(bool is_err, const std::string& text) {
        if (!keep_output) return host->output(is_err, text);
        std::string& kept = is_err ? err.head : out.head;
        // four bytes a character at most; a guest that sends more than it was allowed is not believed
        if (kept.size() + text.size() > static_cast<std::size_t>(head) * 4 + 4) return;
        kept += text;
        host->output(is_err, text);
    }

    void take_progress(const json::Reader& params) {
        std::optional<double> total;
        std::string text;
        params.read_optional("total", total);
        params.read_optional("message", text);
        host->progress(params.at("done").as_number(), total, text);
    }

    void take_display(const json::Reader& params) {
        std::string text;
        const std::string type = params.at("mime_type").as_string();
        if (params.read_optional("data", text)) return host->display(type, std::move(text), true);
        params.read("text", text);
        host->display(type, std::move(text), false);
    }

    void take_artifact(const json::Reader& params) {
        std::optional<std::string> data;
        std::string skipped;
        params.read_optional("data", data);
        params.read_optional("skipped", skipped);
        host->artifact(params.at("name").as_string(), std::move(data), std::move(skipped));
    }

    asio::awaitable<std::string> on_request(jsonrpc::Message message) {
        const std::shared_ptr<GuestHost> kept =
            host; // a call that is being cancelled outlives its execution by a turn of the loop
        if (!kept) throw jsonrpc::Error(jsonrpc::code::invalid_request, "no execution runs");
        co_return co_await kept->request(std::move(message));
    }

    asio::awaitable<void> make_container();
    asio::awaitable<void> try_to_make();
    asio::awaitable<void> converse();
    asio::awaitable<void> wait_for_ready();
    asio::awaitable<void> look();
    asio::awaitable<void> attest();
    asio::awaitable<std::string> why_it_ended();
};

namespace {

template <class State>
asio::awaitable<void> keep_alive(std::weak_ptr<State> weak, std::shared_ptr<asio::steady_timer> timer) {
    for (;;) {
        timer->expires_after(heartbeat_every);
        boost::system::error_code ec;
        co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ec));
        const auto state = weak.lock();
        if (!state || !state->peer || state->peer->closed() || state->removed) co_return;
        state->peer->notify("heartbeat", "{}");
    }
}

} // namespace

// One try at create, attach and start.
asio::awaitable<void> Sandbox::State::try_to_make() {
    runtime_api::Engine& engine = *workshop.engine;
    spec = to_spec(workshop.confinement, name, workshop.instance->labels(workshop.confinement.life + 60s),
                   std::string(guest::loader));
    uncertain = true;
    const runtime_api::Created created = co_await engine.create(spec);
    uncertain = false;
    warnings = created.warnings;
    std::unique_ptr<runtime_api::AttachStream> stream = co_await engine.attach(name);
    channel = std::make_unique<GuestChannel>(workshop.executor, std::move(stream));
    channel->write_raw(guest_source(*workshop.lessons, workshop.confinement.life));
    co_await engine.start(name);
}

// An engine may have lower hard limits than we ask for: then once more with low ones, under a new name.
asio::awaitable<void> Sandbox::State::make_container() {
    std::string refused;
    workshop.confinement.low_rlimits = workshop.lessons->low_rlimits;
    try {
        co_await try_to_make();
    } catch (const runtime_api::Error& e) {
        if (workshop.confinement.low_rlimits || !is_rlimit_failure(e.what())) throw;
        refused = e.what();
    }
    if (refused.empty()) co_return;
    channel.reset();
    workshop.remover->remove(workshop.engine, name, uncertain);
    name = workshop.instance->new_name();
    workshop.confinement.low_rlimits = true;
    co_await try_to_make();
    workshop.lessons->low_rlimits = true;
}

asio::awaitable<void> Sandbox::State::converse() {
    jsonrpc::Peer::Options options;
    options.name = "the container";
    options.answer_bad_requests = true;
    const std::weak_ptr<State> weak = weak_from_this();
    auto on_request_of_guest = [weak](jsonrpc::Message message) -> asio::awaitable<std::string> {
        const auto state = weak.lock();
        if (!state) throw jsonrpc::Error(jsonrpc::code::connection_closed, "the execution has ended");
        co_return co_await state->on_request(std::move(message));
    };
    auto on_note = [weak](jsonrpc::Message message) {
        if (const auto state = weak.lock()) state->on_notification(message);
    };
    peer = std::make_unique<jsonrpc::Peer>(workshop.executor, *channel, std::move(options),
                                           std::move(on_request_of_guest), std::move(on_note));
    auto ended = [weak](std::exception_ptr) {
        if (const auto state = weak.lock()) state->ready_event.cancel();
    };
    asio::co_spawn(workshop.executor, peer->run(), std::move(ended));
    asio::co_spawn(workshop.executor, keep_alive(weak, heartbeat), asio::detached);
    co_return;
}

asio::awaitable<void> Sandbox::State::wait_for_ready() {
    ready_event.expires_at(born + workshop.start_limit);
    while (facts.empty() && !peer->closed() && Clock::now() < ready_event.expiry()) {
        boost::system::error_code ignored;
        co_await ready_event.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (!facts.empty()) co_return;
    if (!peer->closed())
        throw NotStarted("the container was not ready within " + std::to_string(workshop.start_limit / 1s) +
                         " s");
    const std::string why = co_await why_it_ended();
    throw NotStarted("the container did not start: " + why);
}

// The engine's view of the started container, asked for while the guest's Python comes up. Spawned: it holds
// the state and throws nothing.
asio::awaitable<void> Sandbox::State::look() {
    const auto self = shared_from_this();
    try {
        seen = co_await workshop.engine->inspect(name);
    } catch (...) { // told by attest(), in the order of what a person should hear first
        unseen = std::current_exception();
    }
    looked = true;
    looked_event.cancel();
}

// The engine's view and the guest's, against what was asked for.
asio::awaitable<void> Sandbox::State::attest() {
    while (!looked) {
        boost::system::error_code ignored;
        co_await looked_event.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (unseen) std::rethrow_exception(unseen);
    if (!seen) throw NotStarted("the container was removed by somebody else while it started");
    findings = judge(spec, workshop.info, *seen, warnings, facts);
    const std::vector<Finding> bad = shortfalls(findings);
    if (workshop.confinement.strict && !bad.empty())
        throw NotConfined(
            "no code was run, since the container is not confined as it should be: " + describe(bad), bad);
}

// After the attach stream has ended on its own: what the engine and the guest's stderr say.
asio::awaitable<std::string> Sandbox::State::why_it_ended() {
    std::string why = channel->reason();
    std::string words = channel->last_words();
    try {
        const std::optional<runtime_api::ContainerState> now = co_await workshop.engine->inspect(name);
        std::string how;
        if (!now)
            how = "it was removed";
        else if (now->oom_killed)
            how = "killed: out of memory";
        else if (!now->running && now->exit_code)
            how = "it ended with exit code " + std::to_string(*now->exit_code) +
                  (now->error.empty() ? "" : ": " + now->error);
        if (!how.empty()) why = why.empty() ? how : how + " (" + why + ")";
    } catch (const runtime_api::Error& e) {
        why = why.empty() ? e.what() : why + "; " + e.what();
    }
    while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
    if (!words.empty()) why += (why.empty() ? "" : "; ") + ("its last words: " + words);
    co_return why.empty() ? std::string("the connection to it ended") : why;
}

Sandbox::Sandbox(std::shared_ptr<State> state) : state_(std::move(state)) {}

Sandbox::~Sandbox() {
    state_->host = nullptr;
    state_->close();
}

asio::awaitable<std::unique_ptr<Sandbox>> Sandbox::open(Workshop workshop) {
    const auto state = std::make_shared<State>(std::move(workshop));
    // from here on its destruction removes the container, whatever becomes of the rest
    std::unique_ptr<Sandbox> sandbox(new Sandbox(state));
    co_await state->make_container();
    asio::co_spawn(state->workshop.executor, state->look(), asio::detached);
    co_await state->converse();
    co_await state->wait_for_ready();
    co_await state->attest();
    co_return sandbox;
}

// The guest's answer to an `execute` that it cannot begin.
constexpr int nothing_was_run = -32010;

asio::awaitable<Outcome> Sandbox::execute(Execution execution, std::shared_ptr<GuestHost> host) {
    const auto state = state_;
    state->host = std::move(host);
    state->head = execution.head;
    state->keep_output = execution.keep_output;
    state->out = Output();
    state->err = Output();
    state->deadline_passed = false;
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
            state.host = nullptr;
            if (state.clock) state.clock->stop();
            state.peer->cancel_all(); // calls of code that has ended
        }
    } leave{*state};

    Outcome outcome;
    std::string broken;
    int error_code = 0;
    try {
        const jsonrpc::Message answer =
            co_await state->peer->call("execute", std::move(params), 2 * time + 3 * grace);
        outcome = read_outcome(answer.result());
    } catch (const jsonrpc::Error& e) {
        broken = e.what();
        error_code = e.code();
    } catch (const json::Error& e) {
        broken = std::string("the guest's answer is none: ") + e.what();
    }
    if (error_code == jsonrpc::code::cancelled) throw jsonrpc::Error(error_code, broken);
    outcome.out.head = std::move(state->out.head);
    outcome.err.head = std::move(state->err.head);
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
    outcome.error = broken;
    outcome.begun = error_code != nothing_was_run;
    if (state->peer->closed()) {
        const std::string why = co_await state->why_it_ended();
        outcome.error = "the container ended before the code did: " + why;
    }
    if (outcome.error.find("out of memory") != std::string::npos) outcome.status = Status::out_of_memory;
    co_return outcome;
}

void Sandbox::pause_clock() {
    if (state_->clock && state_->clock->pause()) state_->peer->notify("pause", "{}");
}

void Sandbox::resume_clock() {
    if (state_->clock && state_->clock->resume()) state_->peer->notify("resume", "{}");
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
const std::string& Sandbox::python() const { return state_->python; }

} // namespace sandbox
