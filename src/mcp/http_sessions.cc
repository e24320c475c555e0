#include "src/mcp/http_sessions.h"

#include <algorithm>

namespace mcp {

void HttpSession::deliver(const std::string& line) {
    const auto posts = running; // a cancelled one leaves at once
    for (const auto& each : posts) each->deliver(line);
}

bool HttpSessions::idle_for(const HttpSession& session, std::chrono::milliseconds time,
                            Clock::time_point now) const {
    return session.running.empty() && now - session.last_used >= time;
}

bool HttpSessions::add(std::shared_ptr<HttpSession> session, Clock::time_point now) {
    expire(now);
    if (sessions_.size() >= most_) {
        const auto oldest =
            std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
                return a.second->last_used < b.second->last_used;
            });
        if (oldest == sessions_.end() || !idle_for(*oldest->second, room_after, now)) return false;
        end(oldest);
    }
    session->last_used = now;
    sessions_.emplace(session->id, std::move(session));
    return true;
}

std::shared_ptr<HttpSession> HttpSessions::find(const std::string& id, Clock::time_point now) {
    const auto it = sessions_.find(id);
    if (it == sessions_.end()) return nullptr;
    it->second->last_used = now;
    return it->second;
}

HttpSessions::Map::iterator HttpSessions::end(Map::iterator it) {
    const std::shared_ptr<HttpSession> session = it->second;
    const auto next = sessions_.erase(it);
    const auto posts = session->running;
    for (const auto& each : posts) each->cancel();
    gone_(session->client);
    return next;
}

bool HttpSessions::end(const std::string& id) {
    const auto it = sessions_.find(id);
    if (it == sessions_.end()) return false;
    end(it);
    return true;
}

void HttpSessions::expire(Clock::time_point now) {
    for (auto it = sessions_.begin(); it != sessions_.end();)
        it = idle_for(*it->second, idle_, now) ? end(it) : std::next(it);
}

void HttpSessions::end_all() {
    while (!sessions_.empty()) end(sessions_.begin());
}

} // namespace mcp
