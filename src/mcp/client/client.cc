#include "src/mcp/client/client.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "src/base/json.h"
#include "src/base/text.h"
#include "src/mcp/cancelled.h"
#include "src/mcp/client/life.h"
#include "src/mcp/client/outgoing.h"
#include "src/mcp/client/tool_list.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
using jsonrpc::Message;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_calls = 1024;
constexpr std::size_t most_warnings = 50;
constexpr int most_rounds = 8;
// A server that says so all the time is asked at most so often: twice as rarely each time, up to the last.
constexpr std::chrono::milliseconds relist_pause = 200ms;
constexpr std::chrono::milliseconds most_relist_pause = 60s;
constexpr std::size_t most_other_message = ToolList::most_page; // all that no call of a tool waits for
constexpr std::size_t large_call = 64 << 10;                    // bytes of arguments that wait for room

constexpr std::chrono::milliseconds ending_limit = 5s; // from a connection's end to its client's

bool was_not_received(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const jsonrpc::NotReceived&) {
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// Large arguments are put into a message by workers. All are the caller's locals.
asio::awaitable<std::string> built_params(base::Workers* workers, const RequestDress* dressed,
                                          const std::string* tool, const std::string* arguments,
                                          const NextRound* round) {
    auto build = [=] { return call_params(*dressed, *tool, *arguments, *round); };
    co_return co_await base::run_if_large(workers, arguments->size(), build);
}

asio::awaitable<void> run_link(std::shared_ptr<ClientLink> link) { co_await link->peer.run(); }

} // namespace

ClientLink::ClientLink(const asio::any_io_executor& executor, std::unique_ptr<ClientChannel> way,
                       jsonrpc::Peer::Options options, jsonrpc::Peer::RequestHandler on_request,
                       jsonrpc::Peer::NotificationHandler on_notification)
    : channel(std::move(way)),
      peer(executor, *channel, std::move(options), std::move(on_request), std::move(on_notification)) {}

Client::Life::Life(asio::any_io_executor e, ClientSpec s, Options o)
    : executor(std::move(e)), spec(std::move(s)), options(std::move(o)), transport(spec.transport),
      learned(spec.protocol), relist_wait(relist_pause), changed(executor) {}

std::chrono::milliseconds Client::Life::left(TimePoint until) {
    const auto rest =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    return std::max(rest, std::chrono::milliseconds(1));
}

RequestDress Client::Life::dress() const {
    RequestDress dress;
    if (facts.era == Era::modern) dress.modern_version = facts.version;
    return dress;
}

void Client::Life::connect(ClientSpec::Transport how) {
    if (link) link->channel->close();
    transport = how;
    ClientSpec chosen = spec;
    chosen.transport = how;
    auto channel = options.connect ? options.connect(chosen) : connect_by_transport(executor, chosen);
    channel->bound_by([weak = weak_from_this()](std::string_view head) {
        const auto self = weak.lock();
        return self ? self->bound_of(head) : most_other_message;
    });
    channel->words_to([weak = weak_from_this()](const std::string& said) {
        if (const auto self = weak.lock()) self->server_said(said);
    });
    jsonrpc::Peer::Options o;
    o.name = "server " + spec.name;
    o.most_pending = most_calls;
    o.batches = true;
    o.lenient = true;
    o.on_mended = [weak = weak_from_this()](const Message& message) {
        if (const auto self = weak.lock()) self->note_mended(message);
    };
    o.workers = options.workers;
    o.on_abandoned = [weak = weak_from_this()](const std::string& id) {
        if (const auto self = weak.lock()) self->abandoned(id);
    };
    o.on_bad_line = [weak = weak_from_this()](const std::string& what) {
        const auto self = weak.lock();
        if (self && ++self->bad_lines <= 3) self->warn("a line was skipped: " + what);
    };
    auto on_notification = [weak = weak_from_this()](Message message) {
        if (const auto self = weak.lock()) self->notified(std::move(message));
    };
    auto on_request = [weak = weak_from_this()](Message message) { return answer(weak, std::move(message)); };
    link = std::make_shared<ClientLink>(executor, std::move(channel), std::move(o), std::move(on_request),
                                        std::move(on_notification));
    asio::co_spawn(executor, run_link(link),
                   [weak = weak_from_this(), which = std::weak_ptr(link)](std::exception_ptr) {
                       const auto self = weak.lock();
                       if (self && which.lock() == self->link) self->ended(self->link);
                   });
}

// Only the answer to a call of a tool has a reason to be large.
std::size_t Client::Life::bound_of(std::string_view head) const {
    const std::size_t method = head.find("\"method\"");
    const bool asks = method != std::string_view::npos && method < head.find("\"result\"");
    return calls.empty() || asks ? most_other_message : spec.most_message;
}

void Client::Life::agree(ServerFacts found) {
    facts = std::move(found);
    learned = facts.era == Era::legacy ? ClientSpec::Protocol::legacy : spec.protocol;
    link->channel->agreed(facts.era, facts.version);
}

void Client::Life::abandoned(const std::string& id) {
    if (state != State::ready || link->channel->abandon(id))
        return; // `initialize` must not be cancelled, nor need the probe be
    link->peer.notify("notifications/cancelled", cancelled_params(id));
}

asio::awaitable<Message> Client::Life::request(std::string method, std::string params,
                                               std::chrono::milliseconds limit) {
    const auto asked = link;
    std::exception_ptr failed;
    const bool may_retry = over_http() && facts.era == Era::legacy;
    const TimePoint until = base::after(limit);
    while (renewing && std::chrono::steady_clock::now() < until) co_await changed.wait(until);
    std::string again = may_retry ? params : std::string();
    try {
        co_return co_await asked->peer.call(method, std::move(params), limit);
    } catch (...) { // looked at below
        failed = std::current_exception();
    }
    const Error said = with_context(failed, "", "");
    if (!may_retry || !says_session_lost(said) || state != State::ready) std::rethrow_exception(failed);
    std::string why = said.what();
    // of many calls that found it lost, one replaces it and the others wait or come later
    if (renewing || asked->channel->session_lost()) co_await renew(std::move(why));
    co_return co_await asked->peer.call(std::move(method), std::move(again), limit);
}

void Client::Life::refuse_task(const std::string& tool) const {
    const auto known =
        std::find_if(tools.begin(), tools.end(), [&](const UpstreamTool& each) { return each.name == tool; });
    if (known != tools.end() && known->needs_task)
        throw Error(jsonrpc::code::method_not_found,
                    "tool " + json::quote(tool) +
                        " can only be run as a task, which this client does not do");
}

asio::awaitable<Message> Client::Life::call(std::string tool, std::string arguments, CallOptions wanted) {
    refuse_task(tool);
    struct Token {
        Life& life;
        std::optional<std::int64_t> value{};
        ~Token() {
            if (value) life.progress.erase(*value);
        }
    } token{*this};
    if (wanted.on_progress) {
        token.value = next_token++;
        progress.emplace(*token.value, std::move(wanted.on_progress));
    }
    CallInFlight in_flight(*this, std::move(wanted.asker));
    RequestDress dressed = dress();
    dressed.progress_token = token.value;
    dressed.elicits = in_flight.asker.ask != nullptr;
    std::chrono::milliseconds limit = wanted.limit.count() > 0 ? wanted.limit : spec.call_timeout;
    const auto asked = link;
    if (arguments.size() > large_call) {
        const TimePoint until = base::after(limit);
        const bool has_room = co_await asked->channel->room(arguments.size(), until);
        if (!has_room)
            throw Error(jsonrpc::code::timed_out, "server " + spec.name + " did not read what it was sent");
        limit = left(until);
    }
    std::exception_ptr failed;
    try {
        if (facts.era == Era::legacy)
            co_return co_await call_legacy(std::move(dressed), std::move(tool), std::move(arguments), limit);
        co_return co_await call_modern(std::move(dressed), std::move(tool), std::move(arguments), limit,
                                       &in_flight);
    } catch (const Error&) { // the rest is ours, or a cancellation
        failed = std::current_exception();
    }
    if (!asked->peer.closed()) std::rethrow_exception(failed);
    const bool wrote = !tail_of(asked->channel->log_tail()).empty();
    const Error said = with_context(failed, "", wrote ? words_are_elsewhere : "");
    if (!was_not_received(failed)) throw said;
    // whoever asks the server's next life must find this one over
    const TimePoint until = base::after(ending_limit);
    while (state == State::ready && asked == link && std::chrono::steady_clock::now() < until)
        co_await changed.wait(until);
    throw jsonrpc::NotReceived(said.what());
}

asio::awaitable<Message> Client::Life::call_legacy(RequestDress dressed, std::string tool,
                                                   std::string arguments, std::chrono::milliseconds limit) {
    const NextRound first;
    std::string params = co_await built_params(options.workers, &dressed, &tool, &arguments, &first);
    std::string().swap(arguments); // it may be large, and waits for long; an assignment would keep its memory
    Message answer = co_await request("tools/call", std::move(params), limit);
    check_result(answer.result(), false);
    co_return answer;
}

// In the new era a call may take several rounds: questions, and headers that are others than they were.
asio::awaitable<Message> Client::Life::call_modern(RequestDress dressed, std::string tool,
                                                   std::string arguments, std::chrono::milliseconds limit,
                                                   CallInFlight* in_flight) {
    const TimePoint until = base::after(limit);
    NextRound next;
    bool listed = false;
    for (int round = 0; round < most_rounds; ++round) {
        std::string params = co_await built_params(options.workers, &dressed, &tool, &arguments, &next);
        try {
            Message answer = co_await request("tools/call", std::move(params), left(until));
            std::optional<NextRound> more = next_round(answer.result());
            if (!more) check_result(answer.result(), true);
            if (!more) co_return answer;
            next = std::move(*more);
            if (!next.questions.empty()) next.responses = co_await answer_all(next.questions, in_flight);
            continue;
        } catch (const jsonrpc::NotReceived& e) { // of this round; it had answered those before
            if (round == 0) throw;
            throw Error(e.code(), e.what());
        } catch (const Error& e) { // a mismatch was refused before the tool ran
            if (!over_http() || e.code() != mcp::code::header_mismatch || listed) throw;
        }
        listed = true;
        co_await list_tools(until);
    }
    throw Error(jsonrpc::code::internal_error, "the tool asks for input again and again");
}

void Client::Life::notified(Message message) {
    if (message.method() == "notifications/tools/list_changed") {
        tools_stale = true; // heard before we are ready, it is looked at when we are
        if (state == State::ready) relist_soon();
    } else if (message.method() == "notifications/progress") {
        const auto report = read_progress(message.params());
        const auto it = report ? progress.find(report->token) : progress.end();
        if (it == progress.end()) return; // late, or for nobody
        const auto tell = it->second;     // it may end the call
        tell(report->done, report->total, report->message);
    } else if (message.method() == "notifications/cancelled") {
        const auto id = json::member(message.params(), "requestId");
        if (id) link->peer.cancel(std::string(*id)); // a question that is no longer of interest
    }
}

// Keeps the stream open on which a modern server says that its tools have changed.
asio::awaitable<void> Client::Life::listen() {
    const auto self = shared_from_this();
    for (std::chrono::milliseconds pause = 1s; state == State::ready;
         pause = std::min<std::chrono::milliseconds>(2 * pause, 60s)) {
        const auto asked = link;
        std::string params = listen_params(dress());
        bool refused = false;
        try {
            co_await asked->peer.call("subscriptions/listen", std::move(params),
                                      std::chrono::hours(24 * 365)); // as long as it lives
        } catch (const Error& e) { // a stream that was cut, or a server that does not do this
            refused =
                e.code() == jsonrpc::code::method_not_found || e.code() == jsonrpc::code::invalid_params;
        }
        if (refused) co_return;
        const TimePoint until = base::after(pause);
        while (state == State::ready && std::chrono::steady_clock::now() < until)
            co_await changed.wait(until);
        tools_stale = true; // what it said meanwhile was not heard
        if (state == State::ready) relist_soon();
    }
}

void Client::Life::relist_soon() {
    if (relisting) return;
    relisting = true;
    asio::co_spawn(executor, relist(),
                   [self = shared_from_this()](std::exception_ptr) { self->relisting = false; });
}

asio::awaitable<void> Client::Life::relist() {
    const auto self = shared_from_this();
    // one that has been quiet for a while is asked at once
    const auto quiet = std::chrono::steady_clock::now() - relisted;
    if (quiet > 2 * relist_wait) relist_wait = relist_pause;
    while (tools_stale && state == State::ready) {
        std::string failed;
        try {
            co_await list_tools(base::after(spec.call_timeout));
        } catch (const Error& e) { // the old list stands
            failed = e.what();
        }
        if (!failed.empty()) warn("its tools changed, but could not be listed: " + failed);
        const auto tell = options.on_tools_changed; // a copy: it may end the Client
        if (failed.empty() && tell) tell();
        const TimePoint pause = base::after(relist_wait);
        while (state == State::ready && std::chrono::steady_clock::now() < pause)
            co_await changed.wait(pause);
        relist_wait = std::min(2 * relist_wait, most_relist_pause);
        relisted = std::chrono::steady_clock::now();
    }
}

void Client::Life::ended(const std::shared_ptr<ClientLink>& which) {
    if (state != State::ready) return changed.notify(); // whoever starts it sees it
    const std::string why = which->channel->reason();
    fail("server " + spec.name + " ended: " + (why.empty() ? "it closed the connection" : why));
    if (const auto tell = options.on_ended) tell(); // a copy: it may end the Client
}

void Client::Life::fail(const std::string& why) {
    failure = why;
    const std::string tail = link ? tail_of(link->channel->log_tail()) : "";
    if (!tail.empty()) {
        failure += words_are_elsewhere;
        server_said(tail);
    }
    if (link) link->channel->close();
    finish(State::failed);
}

void Client::Life::finish(State how) {
    state = how;
    changed.notify();
}

void Client::Life::note_mended(const Message& message) {
    for (const std::string& what : message.mended()) warn(std::string(Client::mended) + what);
    for (const std::string& what : message.left_out()) warn(what);
}

void Client::Life::warn(const std::string& what) {
    if (warnings.size() >= most_warnings) return;
    if (std::find(warnings.begin(), warnings.end(), what) != warnings.end()) return;
    warnings.push_back(what);
    if (options.log) options.log(what);
}

void Client::Life::server_said(const std::string& said) {
    words = json::valid_utf8(said);
    const auto tell = options.on_words; // a copy: it may end the Client
    if (tell && words_told.take(std::chrono::steady_clock::now())) tell(words);
}

Error with_context(const std::exception_ptr& failure, const std::string& before, const std::string& after) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        return Error(e.code(), before + e.what() + after, e.data());
    } catch (const std::exception& e) {
        return Error(jsonrpc::code::internal_error, before + e.what() + after);
    }
}

std::string tail_of(const std::string& log) {
    constexpr std::size_t most = 2000;
    std::string_view tail = log;
    if (tail.size() > most) tail.remove_prefix(tail.size() - most);
    return std::string(base::trimmed(tail));
}

Client::Client(asio::any_io_executor executor, ClientSpec spec, Options options)
    : life_(std::make_shared<Life>(std::move(executor), std::move(spec), std::move(options))) {}

Client::~Client() {
    life_->options = {}; // nothing of the owner is called any more
    if (life_->link) life_->link->channel->close();
    life_->finish(State::stopped);
}

asio::awaitable<void> Client::start() {
    const auto life = life_;
    if (life->state == State::not_started) {
        life->state = State::starting;
        asio::co_spawn(life->executor, life->open(), [life](std::exception_ptr) {});
    }
    while (life->state == State::starting)
        co_await life->changed.wait(Life::TimePoint::max()); // open() has a limit
    if (life->state == State::failed) throw Error(life->failure_code, life->failure);
    if (life->state == State::stopped)
        throw Error(jsonrpc::code::connection_closed, "server " + life->spec.name + " was stopped");
}

asio::awaitable<Message> Client::call_tool(std::string tool, std::string arguments, CallOptions options) {
    const auto life = life_;
    if (life->state == State::failed) throw jsonrpc::NotReceived(life->failure);
    if (life->state != State::ready)
        throw jsonrpc::NotReceived("server " + life->spec.name + " is " + to_string(life->state));
    co_return co_await life->call(std::move(tool), std::move(arguments), std::move(options));
}

asio::awaitable<void> Client::stop(std::chrono::milliseconds grace) {
    const auto life = life_;
    if (life->state != State::failed) life->finish(State::stopped);
    const auto link = life->link;
    if (link) co_await link->channel->stop(grace);
    if (link) link->channel->close();
}

Client::State Client::state() const { return life_->state; }
const ClientSpec& Client::spec() const { return life_->spec; }
const std::string& Client::failure() const { return life_->failure; }
const std::string& Client::words() const { return life_->words; }
const std::vector<UpstreamTool>& Client::tools() const { return life_->tools; }
const ServerFacts& Client::facts() const { return life_->facts; }
const std::vector<std::string>& Client::warnings() const { return life_->warnings; }
std::string Client::log_tail() const {
    return life_->link ? life_->link->channel->log_tail() : std::string();
}
std::size_t Client::calls() const { return life_->link ? life_->link->peer.pending() : 0; }
ClientSpec::Protocol Client::next_protocol() const { return life_->learned; }

std::string Client::transport() const {
    switch (life_->transport) {
    case ClientSpec::Transport::stdio:
        return "stdio";
    case ClientSpec::Transport::sse:
        return "sse";
    default:
        return "http";
    }
}

const char* to_string(Client::State state) {
    switch (state) {
    case Client::State::not_started:
        return "not started";
    case Client::State::starting:
        return "starting";
    case Client::State::ready:
        return "ready";
    case Client::State::failed:
        return "failed";
    case Client::State::stopped:
        return "stopped";
    }
    return "";
}

} // namespace mcp
