// How a client comes to be ready: connection, era, version, tools.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <cstdlib>

#include "src/base/json.h"
#include "src/base/turns.h"
#include "src/mcp/client/life.h"
#include "src/mcp/client/tool_list.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
using jsonrpc::Message;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds probe_limit =
    3s;                                      // as the SDKs have it; a server that is silent is one of old
constexpr std::size_t large_page = 64 << 10; // read on another thread

int code_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        return e.code();
    } catch (const std::exception&) { // a cancellation, or a bug of ours
        return jsonrpc::code::internal_error;
    }
}

// The HTTP status that a transport put into an error, or 0.
std::int64_t http_status(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        const std::string data = e.data().empty() ? "null" : e.data();
        const auto status = json::member(data, "httpStatus");
        return status && json::kind(*status) == json::Kind::number ? std::atoi(std::string(*status).c_str())
                                                                   : 0;
    } catch (const std::exception&) {
        return 0;
    }
}

} // namespace

asio::awaitable<void> Client::Life::open() {
    const auto self = shared_from_this();
    const TimePoint until = base::after(spec.start_timeout);
    std::exception_ptr failed;
    try {
        co_await handshake(until);
        if (facts.tools) co_await list_tools(until);
    } catch (...) { // told to all who wait for the start
        failed = std::current_exception();
    }
    if (state != State::starting) co_return; // stopped meanwhile
    if (failed) {
        const Error error = with_context(failed, "", "");
        const std::string name = "server " + spec.name;
        failure_code = error.code();
        fail((std::string(error.what()).starts_with(name) ? "" : name + ": ") + error.what());
        co_return;
    }
    link->channel->session_began();
    finish(State::ready);
    if (facts.era == Era::modern && facts.tools_change)
        asio::co_spawn(executor, listen(),
                       [self](std::exception_ptr) {}); // without it nothing is lost but news
    if (tools_stale) relist_soon();
}

asio::awaitable<void> Client::Life::handshake(TimePoint until) {
    connect(spec.transport);
    const bool ask = spec.protocol != ClientSpec::Protocol::legacy && transport != ClientSpec::Transport::sse;
    Probe found = Probe::legacy;
    if (ask) found = co_await probe(until);
    if (found == Probe::modern) co_return;
    if (spec.protocol == ClientSpec::Protocol::modern)
        throw Error(jsonrpc::code::invalid_request,
                    "its \"protocol\" asks for a version from 2026-07-28 on, and it speaks none: " +
                        probe_said);
    if (found == Probe::ended) start_unasked();
    co_await initialize_somehow(found == Probe::silent, until);
}

// After the server ended when it read the probe.
void Client::Life::start_unasked() {
    if (!link->channel->ever_ran()) throw Error(jsonrpc::code::connection_closed, link->channel->reason());
    warn("it ended when it was asked for its protocol versions; started again without the question");
    learned = ClientSpec::Protocol::legacy;
    connect(spec.transport);
}

asio::awaitable<Client::Life::Probe> Client::Life::probe(TimePoint until) {
    const auto asked = link;
    for (bool first = true;; first = false) {
        std::exception_ptr failed;
        try {
            if (over_http()) asked->channel->agreed(Era::modern, modern_versions().front());
            if (co_await discover(until)) co_return Probe::modern;
        } catch (...) { // what it means is decided below
            failed = std::current_exception();
        }
        if (over_http()) asked->channel->agreed(Era::legacy, "");
        if (!failed) co_return Probe::legacy;
        if (state != State::starting) std::rethrow_exception(failed);
        const Error said = with_context(failed, "", "");
        probe_said = said.what();
        if (said.code() == jsonrpc::code::timed_out) co_return Probe::silent;
        if (said.code() == jsonrpc::code::connection_closed && asked->peer.closed()) co_return Probe::ended;
        // any other error is what an old server says; only a modern one names its versions
        if (said.code() != mcp::code::unsupported_version) co_return Probe::legacy;
        if (said.data().empty()) throw said;
        if (read_unsupported(said).era == Era::legacy) co_return Probe::legacy;
        if (!first) throw said; // it names the version that it refused
    }
}

// Asks a server of the new era what it is; false where it is one of old.
asio::awaitable<bool> Client::Life::discover(TimePoint until) {
    const auto asked = link;
    RequestDress modern;
    modern.modern_version = modern_versions().front();
    std::string params = bare_params(modern);
    const bool only_modern = spec.protocol == ClientSpec::Protocol::modern;
    const std::chrono::milliseconds limit = only_modern ? left(until) : std::min(left(until), probe_limit);
    const Message answer = co_await asked->peer.call("server/discover", std::move(params), limit);
    ServerFacts found = read_discover(answer.result());
    const bool is_modern = found.era == Era::modern;
    if (is_modern) agree(std::move(found));
    co_return is_modern;
}

// By `initialize`, and where that fails by what else may be meant.
asio::awaitable<void> Client::Life::initialize_somehow(bool was_silent, TimePoint until) {
    std::exception_ptr failed;
    try {
        co_await initialize(until);
        co_return;
    } catch (...) { // there may be another way
        failed = std::current_exception();
    }
    if (state != State::starting) std::rethrow_exception(failed);
    const std::int64_t status = http_status(failed);
    if (transport == ClientSpec::Transport::http_or_sse &&
        (status == 400 || status == 404 || status == 405)) {
        connect(ClientSpec::Transport::sse);
        co_await initialize(until);
        co_return;
    }
    // one that was slow to come up, and then read the probe that we had given up
    if (was_silent && code_of(failed) == jsonrpc::code::connection_closed && link->peer.closed()) {
        start_unasked();
        co_await initialize(until);
        co_return;
    }
    // a modern server that was only slow to come up has answered the probe too late, and does not know
    // `initialize`
    if (was_silent && code_of(failed) == jsonrpc::code::method_not_found) {
        const Probe again = co_await probe(until);
        if (again == Probe::modern) co_return;
    }
    std::rethrow_exception(failed);
}

asio::awaitable<void> Client::Life::initialize(TimePoint until) {
    const auto asked = link;
    std::string params = initialize_params(spec.elicits);
    const Message answer = co_await asked->peer.call("initialize", std::move(params), left(until));
    agree(read_initialize(answer.result()));
    asked->peer.notify("notifications/initialized", "");
}

asio::awaitable<void> Client::Life::list_tools(TimePoint until) {
    tools_stale = false;
    ToolList list(facts.era == Era::modern, over_http() && facts.era == Era::modern);
    std::optional<std::string> cursor;
    do {
        std::string params = list_params(dress(), cursor);
        const Message answer = co_await request("tools/list", std::move(params), left(until));
        auto job = [&list, &answer] { return list.add(answer.result()); };
        if (options.workers && answer.result().size() > large_page)
            cursor = co_await options.workers->run(job);
        else
            cursor = job();
        co_await base::yield_if_long();
    } while (cursor);
    for (const std::string& each : list.notes) warn(each);
    tools = std::move(list.tools);
    link->channel->set_tools(tools);
}

// Replaces a lost HTTP session; those who come while one does so wait for it.
asio::awaitable<void> Client::Life::renew(std::string lost_why) {
    if (renewing) {
        const TimePoint until = base::after(spec.start_timeout);
        while (renewing && std::chrono::steady_clock::now() < until) co_await changed.wait(until);
        if (renewing || state != State::ready) throw Error(jsonrpc::code::connection_closed, lost_why);
        co_return;
    }
    renewing = true;
    struct Done {
        Life& life;
        ~Done() {
            life.renewing = false;
            life.changed.notify();
        }
    } done{*this};
    warn("the session was lost (" + lost_why + "); a new one is asked for");
    co_await initialize(base::after(spec.start_timeout));
    link->channel->session_began();
}

} // namespace mcp
