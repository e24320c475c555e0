#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime_api/error.h"
#include "src/base/json.h"
#include "src/guest/bundle.h"
#include "src/sandbox/sandbox_state.h"

namespace sandbox {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto heartbeat_every = 5s;
constexpr int heartbeat_seconds = 30; // a starved machine is no dead host

std::string boot_line(std::chrono::seconds life) {
    json::Writer w;
    w.object().field("life_seconds", life.count()).field("heartbeat_seconds", heartbeat_seconds).end();
    return jsonrpc::notification_line("boot", w.str());
}

// As the guest's loader reads it: ten digits that hold its length, and the part.
void append_part(std::string& bytes, const std::string& part) {
    char digits[11];
    std::snprintf(digits, sizeof digits, "%010zu", part.size());
    bytes.append(digits).append(part);
}

// What the guest reads: the blob, what an earlier one compiled, what the image sets, then lines.
std::string guest_source(const Workshop& workshop) {
    const Lessons& lessons = *workshop.lessons;
    std::string variables;
    for (const auto& [name, value] : workshop.image_environment)
        variables.append(name).append("=").append(value).push_back('\0');
    std::string bytes(guest::blob);
    append_part(bytes, lessons.for_others ? lessons.compiled_guest : "-");
    append_part(bytes, variables);
    const bool early =
        lessons.early_modules && lessons.for_others; // one that is used at once imports nothing early
    append_part(bytes, early ? lessons.early_modules->for_guest() : "");
    return bytes + boot_line(workshop.confinement.life) + '\n';
}

std::string path_of_image(const Workshop& workshop) {
    const auto path = workshop.image_environment.find("PATH");
    return path == workshop.image_environment.end() ? "" : path->second;
}

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

Sandbox::State::State(Workshop w)
    : workshop(std::move(w)), name(workshop.instance->new_name()),
      notes(workshop.lessons, {.ready = [this] { ready_event_.cancel(); },
                               .give_up = [this](const std::string& id) { peer->give_up(id); }}),
      heartbeat_(std::make_shared<asio::steady_timer>(workshop.executor)), ready_event_(workshop.executor),
      looked_event_(workshop.executor) {
    looked_event_.expires_at(Clock::time_point::max());
    ready_event_.expires_at(Clock::time_point::max());
}

void Sandbox::State::close() {
    heartbeat_->cancel();
    if (clock) clock->stop();
    if (channel) channel->close();
    if (std::exchange(removed, true)) return;
    workshop.remover->remove(workshop.engine, name, uncertain_);
}

asio::awaitable<void> Sandbox::State::begin() {
    co_await make_container();
    asio::co_spawn(workshop.executor, look(), asio::detached);
    converse();
    co_await wait_for_ready();
    co_await attest();
}

// One try at create, attach and start.
asio::awaitable<void> Sandbox::State::try_to_make() {
    runtime_api::Engine& engine = *workshop.engine;
    if (workshop.users) {
        user_ = workshop.users->take();
        workshop.confinement.user = user_.text();
    }
    spec = to_spec(workshop.confinement, name, workshop.instance->labels(workshop.confinement.life + 60s),
                   std::string(guest::loader), path_of_image(workshop));
    uncertain_ = true;
    const runtime_api::Created created = co_await engine.create(spec);
    uncertain_ = false;
    warnings_ = created.warnings;
    std::unique_ptr<runtime_api::AttachStream> stream = co_await engine.attach(name);
    channel = std::make_unique<GuestChannel>(workshop.executor, std::move(stream), workshop.whole);
    channel->write_raw(guest_source(workshop));
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
    workshop.remover->remove(workshop.engine, name, uncertain_);
    name = workshop.instance->new_name();
    workshop.confinement.low_rlimits = true;
    co_await try_to_make();
    workshop.lessons->low_rlimits = true;
}

void Sandbox::State::converse() {
    jsonrpc::Peer::Options options;
    options.name = "the container";
    options.answer_bad_requests = true;
    options.workers = workshop.workers;
    const std::weak_ptr<State> weak = weak_from_this();
    options.on_spent = [weak](std::chrono::nanoseconds time) {
        const auto state = weak.lock();
        if (state && state->notes.host()) state->notes.host()->spent(time);
    };
    auto on_request_of_guest = [weak](jsonrpc::Message message) -> asio::awaitable<std::string> {
        const auto state = weak.lock();
        if (!state) throw jsonrpc::Error(jsonrpc::code::connection_closed, "the execution has ended");
        co_return co_await state->on_request(std::move(message));
    };
    auto on_note = [weak](jsonrpc::Message message) {
        if (const auto state = weak.lock()) state->notes.take(message);
    };
    peer = std::make_unique<jsonrpc::Peer>(workshop.executor, *channel, std::move(options),
                                           std::move(on_request_of_guest), std::move(on_note));
    auto ended = [weak](std::exception_ptr) {
        if (const auto state = weak.lock()) state->ready_event_.cancel();
    };
    asio::co_spawn(workshop.executor, peer->run(), std::move(ended));
    asio::co_spawn(workshop.executor, keep_alive(weak, heartbeat_), asio::detached);
}

asio::awaitable<std::string> Sandbox::State::on_request(jsonrpc::Message message) {
    // a call that is being cancelled outlives its execution by a turn of the loop
    const std::shared_ptr<GuestHost> kept = notes.host();
    if (!kept) throw jsonrpc::Error(jsonrpc::code::invalid_request, "no execution runs");
    co_return co_await kept->request(std::move(message));
}

asio::awaitable<void> Sandbox::State::wait_for_ready() {
    ready_event_.expires_at(born + workshop.start_limit);
    while (notes.facts().empty() && !peer->closed() && Clock::now() < ready_event_.expiry()) {
        boost::system::error_code ignored;
        co_await ready_event_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (!notes.facts().empty()) co_return;
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
        seen_ = co_await workshop.engine->inspect(name);
    } catch (...) { // told by attest(), in the order of what a person should hear first
        unseen_ = std::current_exception();
    }
    looked_ = true;
    looked_event_.cancel();
}

// An image that took the other's name sets other variables than those that the guest was told: once more, as
// for one that is gone.
void Sandbox::State::check_image() {
    std::string& first = workshop.lessons->image_id;
    if (first.empty()) first = seen_->image_id;
    if (!seen_->image_id.empty() && first != seen_->image_id)
        throw runtime_api::Error(runtime_api::Errc::not_found,
                                 "image " + spec.image + " was replaced by another of its name");
}

// The engine's view and the guest's, against what was asked for.
asio::awaitable<void> Sandbox::State::attest() {
    while (!looked_) {
        boost::system::error_code ignored;
        co_await looked_event_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (unseen_) std::rethrow_exception(unseen_);
    if (!seen_) throw NotStarted("the container was removed by somebody else while it started");
    check_image();
    const EngineDescription::Found engine = co_await workshop.description->described();
    findings = judge(spec, engine->info, *seen_, warnings_, notes.facts());
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

} // namespace sandbox
