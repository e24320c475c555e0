#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "src/base/random_name.h"
#include "src/mcp/http/post.h"
#include "src/mcp/server/session.h"

namespace mcp {

/// A legacy client's session: what it negotiated, and what runs in it.
struct HttpSession {
    using Clock = std::chrono::steady_clock;

    std::string id = base::random_name();
    std::string client = "http-" + base::random_name(); ///< As in CallContext; not the id, which is a secret.
    std::string address{};                              ///< That it was opened from.
    std::shared_ptr<ServerSession> state = std::make_shared<ServerSession>();
    std::set<std::shared_ptr<HttpPost>> running{};
    Clock::time_point last_used{};
    std::int64_t next_first_id = 1; ///< Each POST has a million ids for what it asks the client.

    /// Hands a line to all that runs: who it is for knows it.
    void deliver(const std::string& line);
};

/// The sessions of a server, bounded in number and in idle time. On the loop's thread.
class HttpSessions {
public:
    using Clock = HttpSession::Clock;
    /// Told the `client` of a session that has ended.
    using Gone = std::function<void(const std::string& client)>;

    HttpSessions(std::size_t most, std::chrono::milliseconds idle, Gone gone)
        : most_(most), idle_(idle), gone_(std::move(gone)) {}

    /// False where there is no room. Some is made by the session that was idle longest of the address that
    /// has most; where that is this one's own address, only if it was idle for `room_after`.
    bool add(std::shared_ptr<HttpSession> session, Clock::time_point now);
    /// nullptr where there is none of that id. Counts as use.
    std::shared_ptr<HttpSession> find(const std::string& id, Clock::time_point now);
    /// The same, but is no use.
    std::shared_ptr<HttpSession> peek(const std::string& id) const;
    /// Ends one: cancels what runs in it. False where there is none.
    bool end(const std::string& id);
    /// Ends those that were idle too long.
    void expire(Clock::time_point now);
    void end_all();

    std::size_t size() const { return sessions_.size(); }

    static constexpr std::chrono::minutes room_after{5};

private:
    using Map = std::map<std::string, std::shared_ptr<HttpSession>, std::less<>>;
    bool idle_for(const HttpSession& session, std::chrono::milliseconds time, Clock::time_point now) const;
    Map::iterator end(Map::iterator it);
    bool make_room(const std::string& address, Clock::time_point now);

    std::size_t most_;
    std::chrono::milliseconds idle_;
    Gone gone_;
    Map sessions_{};
};

} // namespace mcp
