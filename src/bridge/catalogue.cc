#include "src/bridge/catalogue.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "src/bridge/guest_methods.h"
#include "src/config/alias.h"
#include "src/jsonrpc/peer.h"
#include "src/mcp/client/client.h"

namespace bridge {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

// After a failed start: the next is tried no sooner than this, doubled each time up to the most.
constexpr auto first_back_off = 500ms;
constexpr std::chrono::milliseconds most_back_off = 30s;

// One server: its configuration, and the life that it has now, if any.
struct Entry {
    CatalogueServer about;
    mcp::ClientSpec spec;
    std::shared_ptr<mcp::Client> client; // shared with coroutines that wait in it while a new life begins
    Catalogue::Tools tools;
    std::chrono::milliseconds back_off{0};
    Clock::time_point not_before{};
    std::string last_failure;
    bool failure_counted = false; // of the present life: many calls may wait for one start
    std::uint64_t answered = 0;   // calls, in all of its lives
};

// What a call is, however often it is sent.
struct Asked {
    std::string server, tool, arguments;
    mcp::CallOptions options;
    Clock::time_point until;
};

// What became of a call that was sent.
struct Sent {
    std::optional<jsonrpc::Message> answer{};
    std::optional<jsonrpc::Error> error{};
    bool not_received = false;
};

Catalogue::Tools with_aliases(const std::vector<mcp::UpstreamTool>& upstream) {
    std::vector<std::string> names;
    names.reserve(upstream.size());
    for (const mcp::UpstreamTool& tool : upstream) names.push_back(tool.name);
    const std::map<std::string, std::string> aliases = config::aliases(names);
    auto tools = std::make_shared<std::vector<CatalogueTool>>();
    tools->reserve(upstream.size());
    for (const mcp::UpstreamTool& tool : upstream) {
        CatalogueTool entry{tool.name,         aliases.at(tool.name), tool.description,
                            tool.input_schema, tool.output_schema,    tool.annotations};
        tools->push_back(std::move(entry));
    }
    return tools;
}

bool lives(const Entry& entry) {
    if (!entry.client) return false;
    const mcp::Client::State state = entry.client->state();
    return state == mcp::Client::State::ready || state == mcp::Client::State::starting;
}

} // namespace

struct Catalogue::State : std::enable_shared_from_this<Catalogue::State> {
    State(asio::any_io_executor e, std::function<void(const std::string&)> l, base::Workers* w)
        : executor(std::move(e)), log(std::move(l)), workers(w) {}

    asio::any_io_executor executor;
    std::function<void(const std::string&)> log;
    std::function<void(const std::string&)> words;
    base::Workers* workers;
    std::vector<std::shared_ptr<Entry>> entries;
    std::vector<std::string> problems;
    std::vector<std::string> troubles;
    std::vector<std::string> notes;
    std::vector<std::string> reach;
    std::uint64_t generation = 1;
    bool stopped = false;

    std::shared_ptr<Entry> find(const std::string& name) const {
        for (const auto& entry : entries)
            if (entry->about.name == name) return entry;
        return nullptr;
    }

    // The client of a server's present life, or of a new one.
    std::shared_ptr<mcp::Client> living(const std::shared_ptr<Entry>& entry, bool may_ask) {
        if (lives(*entry)) return entry->client;
        if (Clock::now() < entry->not_before)
            throw guest_error(
                "upstream", "server \"" + entry->about.name +
                                "\" failed a moment ago and is not tried again yet: " + entry->last_failure);
        if (entry->client) entry->spec.protocol = entry->client->next_protocol();
        entry->spec.elicits = may_ask;
        mcp::Client::Options options;
        options.workers = workers;
        const std::weak_ptr<State> weak = weak_from_this();
        const std::weak_ptr<Entry> weak_entry = entry;
        options.log = [weak, name = entry->about.name](const std::string& line) {
            if (const auto self = weak.lock()) self->log(name + ": " + line);
        };
        options.on_words = [weak, name = entry->about.name](const std::string& said) {
            const auto self = weak.lock();
            if (self && self->words) self->words("server " + name + " wrote: " + said);
        };
        options.on_tools_changed = [weak, weak_entry] {
            const auto self = weak.lock();
            const auto changed = weak_entry.lock();
            if (self && changed) self->take_tools(*changed);
        };
        entry->client = std::make_shared<mcp::Client>(executor, entry->spec, std::move(options));
        entry->tools = nullptr;
        entry->failure_counted = false;
        return entry->client;
    }

    static asio::awaitable<Sent> send(std::shared_ptr<Entry> entry, Asked* asked, base::Workers* workers) {
        const std::shared_ptr<mcp::Client> client = entry->client;
        const bool may_go_again = client->transport() == "stdio";
        mcp::CallOptions options = asked->options;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(asked->until - Clock::now());
        options.limit = std::max(left, std::chrono::milliseconds(1));
        std::string arguments;
        auto copy = [asked] { return asked->arguments; };
        if (may_go_again) // it keeps them; a copy of 60 MiB is no work for the loop
            arguments = co_await base::run_if_large(workers, asked->arguments.size(), copy);
        else
            arguments.swap(asked->arguments);
        base::now_doing("a call to an upstream server");
        Sent sent;
        try {
            sent.answer = co_await client->call_tool(asked->tool, std::move(arguments), std::move(options));
            ++entry->answered;
        } catch (const jsonrpc::NotReceived& e) {
            sent.error = e;
            sent.not_received = may_go_again;
        } catch (const jsonrpc::Error& e) {
            if (e.code() == jsonrpc::code::cancelled) throw;
            sent.error = e;
        }
        co_return sent;
    }

    // What code is told of a call that failed.
    static jsonrpc::Error told(const Asked& asked, const mcp::Client& client, const Sent& sent) {
        const jsonrpc::Error& error = *sent.error;
        std::string kind = "upstream";
        std::string why = error.what();
        if (error.code() == jsonrpc::code::timed_out) kind = "timeout";
        if (error.code() == jsonrpc::code::too_large) {
            kind = "too_large";
            why += " of 64 MiB";
        }
        const bool ended = error.code() == jsonrpc::code::connection_closed && client.transport() == "stdio";
        if (ended && !sent.not_received)
            why += "; the call may have been carried out, so it is not sent again";
        return guest_error(kind, asked.server + '.' + asked.tool + ": " + why, error.data());
    }

    void take_tools(Entry& entry) {
        entry.tools = with_aliases(entry.client->tools());
        ++generation;
    }

    void failed(Entry& entry, const std::string& why) {
        if (std::exchange(entry.failure_counted, true)) return;
        entry.last_failure = why;
        entry.back_off = entry.back_off == 0ms ? first_back_off : std::min(entry.back_off * 2, most_back_off);
        entry.not_before = Clock::now() + entry.back_off;
    }

    CatalogueServer describe(const Entry& entry) const {
        CatalogueServer about = entry.about;
        if (!about.usable) {
            about.state = about.disabled ? "disabled" : about.waiting ? "not accepted" : "unusable";
            return about;
        }
        about.state = entry.client ? mcp::to_string(entry.client->state()) : "not started";
        if (!entry.client) return about;
        about.transport = entry.client->transport();
        about.reason = entry.client->failure();
        if (!about.reason.empty()) about.words = entry.client->words();
        if (entry.client->state() == mcp::Client::State::ready) about.version = entry.client->facts().version;
        if (entry.tools) about.tools = entry.tools->size();
        return about;
    }
};

Catalogue::Catalogue(asio::any_io_executor executor, std::vector<CatalogueEntry> entries,
                     std::function<void(const std::string&)> log, base::Workers* workers)
    : state_(std::make_shared<State>(std::move(executor), std::move(log), workers)) {
    for (CatalogueEntry& each : entries) {
        auto entry = std::make_shared<Entry>();
        entry->about = std::move(each.about);
        entry->spec = std::move(each.spec);
        state_->entries.push_back(std::move(entry));
    }
}

Catalogue::Catalogue(asio::any_io_executor executor, CatalogueConfiguration configuration,
                     std::function<void(const std::string&)> log, base::Workers* workers)
    : Catalogue(std::move(executor), std::move(configuration.entries), std::move(log), workers) {
    state_->problems = std::move(configuration.problems);
    state_->troubles = std::move(configuration.troubles);
    state_->notes = std::move(configuration.notes);
    state_->reach = std::move(configuration.reach);
}

Catalogue::~Catalogue() = default;

void Catalogue::words_to(std::function<void(const std::string&)> sink) { state_->words = std::move(sink); }

std::vector<std::string> Catalogue::faults() const {
    std::vector<std::string> all = state_->problems;
    for (const auto& entry : state_->entries)
        if (!entry->about.usable && !entry->about.disabled) all.push_back(entry->about.reason);
    all.insert(all.end(), state_->troubles.begin(), state_->troubles.end());
    return all;
}

const std::vector<std::string>& Catalogue::configuration_notes() const { return state_->notes; }
const std::vector<std::string>& Catalogue::reach() const { return state_->reach; }
const std::vector<std::string>& Catalogue::configuration_problems() const { return state_->problems; }

std::vector<CatalogueServer> Catalogue::servers() const {
    std::vector<CatalogueServer> all;
    for (const auto& entry : state_->entries) all.push_back(state_->describe(*entry));
    return all;
}

std::optional<std::string> Catalogue::find(const std::string& name_or_alias) const {
    if (state_->find(name_or_alias)) return name_or_alias;
    for (const auto& entry : state_->entries)
        if (entry->about.alias == name_or_alias) return entry->about.name;
    return std::nullopt;
}

bool Catalogue::needs_start(const std::string& server) const {
    const auto entry = state_->find(server);
    return entry && (!entry->client || entry->client->state() != mcp::Client::State::ready);
}

asio::awaitable<Catalogue::Tools> Catalogue::tools(std::string server, bool may_ask) {
    const auto state = state_;
    const auto entry = state->find(server);
    if (!entry || state->stopped)
        throw guest_error("unknown_server", "there is no server \"" + server + "\"");
    const std::shared_ptr<mcp::Client> client = state->living(entry, may_ask);
    std::string failure;
    try {
        co_await client->start();
    } catch (const jsonrpc::Error& e) {
        if (e.code() == jsonrpc::code::cancelled) throw;
        failure = e.what();
    }
    if (!failure.empty()) {
        if (entry->client == client) state->failed(*entry, failure);
        throw guest_error("upstream", "server \"" + server + "\" could not be started: " + failure);
    }
    entry->back_off = 0ms;
    if (!entry->tools && entry->client == client) state->take_tools(*entry);
    if (!entry->tools) throw guest_error("upstream", "server \"" + server + "\" ended while it was started");
    co_return entry->tools;
}

asio::awaitable<jsonrpc::Message> Catalogue::call(std::string server, std::string tool, std::string arguments,
                                                  mcp::CallOptions options, WhileStarting starting) {
    const auto state = state_;
    const auto entry = state->find(server);
    if (!entry || !entry->client)
        throw guest_error("unknown_server", "server \"" + server + "\" was not started");
    const bool may_ask = options.asker.ask != nullptr;
    std::chrono::milliseconds limit = entry->spec.call_timeout;
    if (options.limit.count() > 0) limit = std::min(options.limit, limit);
    Asked asked{server, std::move(tool), std::move(arguments), std::move(options), Clock::now() + limit};
    for (bool again = false;; again = true) {
        const std::uint64_t answered = entry->answered;
        const std::shared_ptr<mcp::Client> client = entry->client;
        Sent sent = co_await State::send(entry, &asked, state->workers);
        if (sent.answer) co_return std::move(*sent.answer);
        const bool lives_in_vain = again && entry->answered == answered;
        if (!sent.not_received || lives_in_vain || state->stopped || Clock::now() >= asked.until)
            throw State::told(asked, *client, sent);
        const std::shared_ptr<void> held = starting ? starting() : nullptr;
        co_await tools(server, may_ask);
    }
}

std::uint64_t Catalogue::generation() const { return state_->generation; }

Catalogue::Tools Catalogue::known_tools(const std::string& server) const {
    const auto entry = state_->find(server);
    return entry ? entry->tools : nullptr;
}

const std::vector<std::string>& Catalogue::warnings(const std::string& server) const {
    static const std::vector<std::string> none;
    const auto entry = state_->find(server);
    return entry && entry->client ? entry->client->warnings() : none;
}

asio::awaitable<void> Catalogue::stop(std::chrono::milliseconds limit) {
    const auto state = state_;
    state->stopped = true;
    const auto open = std::make_shared<std::size_t>(0);
    const auto all = std::make_shared<asio::steady_timer>(state->executor, limit);
    for (const auto& entry : state->entries) {
        if (!entry->client) continue;
        ++*open;
        auto done = [open, all, client = entry->client](std::exception_ptr) {
            if (--*open == 0) all->cancel();
        };
        asio::co_spawn(state->executor, entry->client->stop(limit / 4), std::move(done));
    }
    boost::system::error_code ignored;
    if (*open > 0) co_await all->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    for (const auto& entry : state->entries) entry->client.reset(); // kills what is left
}

} // namespace bridge
