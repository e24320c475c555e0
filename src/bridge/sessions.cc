#include "src/bridge/sessions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <map>
#include <optional>

#include "src/base/json.h"
#include "src/base/random_name.h"
#include "src/jsonrpc/message.h"

namespace bridge {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto most_age = 2h;
// Ended sessions whose end is still to be told; of more than these, one is forgotten.
constexpr std::size_t most_remembered = 1000;

using Key = std::pair<std::string, std::string>; // client, name

struct Session {
    sandbox::Pool::Lease lease;
    std::shared_ptr<Policy::Rights> rights;      // of all runs in this interpreter so far
    std::shared_ptr<std::set<std::string>> read; // by all of them
    bool busy = false;
    bool over = false; // no longer in the table
    Clock::time_point last_used = Clock::now();
    std::deque<asio::steady_timer*> line; // calls that wait for their turn
};

} // namespace

struct Sessions::State : std::enable_shared_from_this<Sessions::State> {
    State(asio::any_io_executor e, sandbox::Pool& p, std::chrono::seconds i)
        : executor(e), pool(p), idle(i), timer(e) {}

    asio::any_io_executor executor;
    sandbox::Pool& pool;
    std::chrono::seconds idle;
    asio::steady_timer timer;
    std::map<Key, std::shared_ptr<Session>> sessions;
    std::map<Key, std::string> ended; // why, until the next call of that name is told
    bool closed = false;

    void end(const Key& key, const std::string& why) {
        const auto it = sessions.find(key);
        if (it == sessions.end()) return;
        if (!why.empty() && ended.size() >= most_remembered) ended.erase(ended.begin());
        if (!why.empty()) ended[key] = why;
        const auto session = it->second;
        sessions.erase(it);
        session->over = true;
        session->lease.reset();
        for (asio::steady_timer* waiting : session->line) waiting->cancel();
    }

    // What has been idle or has lived too long ends.
    void tidy() {
        const auto now = Clock::now();
        const auto all = sessions;
        for (const auto& [key, session] : all) {
            if (session->busy || !session->lease) continue;
            if (!session->lease->alive())
                end(key, "its container ended");
            else if (now - session->last_used >= idle)
                end(key, "it was idle for " + std::to_string(idle.count()) + " s");
            else if (now - session->lease->born() >= most_age)
                end(key, "it was two hours old");
        }
    }

    void watch() {
        if (closed || sessions.empty()) return;
        timer.expires_after(std::min<std::chrono::seconds>(idle, 5s));
        timer.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
            const auto self = weak.lock();
            if (ec || !self || self->closed) return;
            self->tidy();
            self->watch();
        });
    }

    void leave(const Key& key, const std::shared_ptr<Session>& session) {
        session->busy = false;
        session->last_used = Clock::now();
        if (!session->over && (!session->lease || !session->lease->alive()))
            end(key, session->lease ? "its interpreter ended" : "");
        if (!session->line.empty()) session->line.front()->cancel();
    }
};

Sessions::Sessions(asio::any_io_executor executor, sandbox::Pool& pool, std::chrono::seconds idle)
    : state_(std::make_shared<State>(std::move(executor), pool, idle)) {}

Sessions::~Sessions() { close(); }

sandbox::Sandbox& Sessions::Turn::sandbox() const { return *sandbox_; }
const Policy::Rights& Sessions::Turn::rights() const { return *rights_; }
void Sessions::Turn::leave_rights(Policy::Rights rights) { *rights_ = std::move(rights); }

namespace {

// Waits until it is our turn in this session; false where the session ended meanwhile.
asio::awaitable<bool> wait_for_turn(asio::any_io_executor executor, std::shared_ptr<Session> session) {
    asio::steady_timer turn(executor, Clock::time_point::max());
    struct Place { // in the line, also out of it when cancelled
        Session& session;
        asio::steady_timer& turn;
        ~Place() {
            std::erase(session.line, &turn);
            // one that was called and gave up in the same moment calls the next
            if (!session.busy && !session.line.empty()) session.line.front()->cancel();
        }
    } place{*session, turn};
    session->line.push_back(&turn);
    while (!session->over && (session->busy || session->line.front() != &turn)) {
        boost::system::error_code ignored;
        co_await turn.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        const asio::cancellation_state cancelled = co_await asio::this_coro::cancellation_state;
        if (cancelled.cancelled() != asio::cancellation_type::none)
            throw jsonrpc::Error(jsonrpc::code::cancelled, "cancelled");
    }
    if (!session->over) session->busy = true;
    co_return !session->over;
}

} // namespace

std::string Sessions::name_for_stranger(const std::string& wanted) const {
    const Key key("", wanted);
    if (state_->sessions.contains(key) || state_->ended.contains(key)) return wanted;
    return json::valid_utf8(wanted.substr(0, 24)) + '-' + base::random_name(); // within most_name_bytes
}

asio::awaitable<Sessions::Turn> Sessions::enter(std::string client, std::string name) {
    const auto state = state_;
    const Key key(client, name);
    std::shared_ptr<Session> session;
    for (bool ours = false; !ours;) {
        if (state->closed) throw jsonrpc::Error(jsonrpc::code::connection_closed, "Cordon is shutting down");
        state->tidy();
        std::shared_ptr<Session>& slot = state->sessions[key];
        if (!slot) slot = std::make_shared<Session>();
        session = slot;
        ours = co_await wait_for_turn(state->executor, session);
    }
    Turn result;
    result.hold_ =
        std::shared_ptr<void>(nullptr, [state, key, session](void*) { state->leave(key, session); });
    if (!session->lease) {
        sandbox::Pool::Lease lease = co_await state->pool.acquire();
        session->lease = std::move(lease);
        session->rights = std::make_shared<Policy::Rights>();
        session->read = std::make_shared<std::set<std::string>>();
        const auto told = state->ended.find(key);
        if (told != state->ended.end()) {
            result.anew_ = told->second;
            state->ended.erase(told);
        }
        state->watch();
    }
    result.sandbox_ = &*session->lease;
    result.rights_ = session->rights;
    result.read_ = session->read;
    co_return result;
}

void Sessions::end_client(const std::string& client) {
    const auto all = state_->sessions;
    for (const auto& [key, session] : all)
        if (key.first == client) state_->end(key, "");
    std::erase_if(state_->ended, [&](const auto& each) { return each.first.first == client; });
}

bool Sessions::end_idlest() {
    std::map<std::string, int> counts;
    for (const auto& [key, session] : state_->sessions) ++counts[key.first];
    const auto rank = [&](const auto& each) {
        return std::pair(counts[each.first.first], -each.second->last_used.time_since_epoch());
    };
    const std::pair<const Key, std::shared_ptr<Session>>* found = nullptr;
    for (const auto& each : state_->sessions)
        if (!each.second->busy && each.second->lease && (!found || rank(each) > rank(*found))) found = &each;
    std::optional<Key> idlest;
    if (found) idlest = found->first;
    if (idlest) state_->end(*idlest, "room was needed for other calls");
    return idlest.has_value();
}

void Sessions::close() {
    state_->closed = true;
    state_->timer.cancel();
    const auto all = state_->sessions;
    for (const auto& [key, session] : all) state_->end(key, "");
}

std::size_t Sessions::size() const { return state_->sessions.size(); }

} // namespace bridge
