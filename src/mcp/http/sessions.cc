#include "src/mcp/http/sessions.h"

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

// The greediest address loses, so that one cannot keep others out.
bool HttpSessions::make_room(const std::string& address, Clock::time_point now) {
    std::map<std::string, std::size_t> counts;
    for (const auto& [id, each] : sessions_) ++counts[each->address];
    const auto more = [&](const auto& a, const auto& b) { return counts[a] > counts[b]; };
    auto idlest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
        if (!it->second->running.empty()) continue;
        const HttpSession& each = *it->second;
        const bool first = idlest == sessions_.end();
        if (first || more(each.address, idlest->second->address) ||
            (!more(idlest->second->address, each.address) && each.last_used < idlest->second->last_used))
            idlest = it;
    }
    if (idlest == sessions_.end()) return false;
    const bool greedier = counts[idlest->second->address] > counts[address] + 1;
    if (!greedier && !idle_for(*idlest->second, room_after, now)) return false;
    end(idlest);
    return true;
}

std::shared_ptr<HttpSession> HttpSessions::peek(const std::string& id) const {
    const auto it = sessions_.find(id);
    return it == sessions_.end() ? nullptr : it->second;
}

bool HttpSessions::add(std::shared_ptr<HttpSession> session, Clock::time_point now) {
    expire(now);
    if (sessions_.size() >= most_ && !make_room(session->address, now)) return false;
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
