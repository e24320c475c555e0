#include "src/mcp/http/clients.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/mcp/rate_limit.h"

namespace mcp {
namespace {

using Clock = HttpClients::Clock;

// Beyond so many names, those are forgotten that have nothing in use and were not seen for a while.
constexpr std::size_t most_names = 2048;
constexpr std::chrono::seconds remembered{10};

std::size_t share_of(std::size_t all) { return all - all / 4; }

struct Client {
    RateLimit rate;
    // What is left to it where all have used up what there is. Empty at first: so who comes under ever new
    // names has none.
    RateLimit reserve;
    Clock::time_point seen;
    bool passing; // a connection of a client that has another name, too
    std::size_t posts = 0;
    std::size_t bytes = 0;
};

} // namespace

struct HttpClients::State {
    explicit State(Limits l) : limits(l), rate(l.requests_per_second, l.request_burst) {}

    Limits limits;
    RateLimit rate;
    std::size_t posts = 0;
    std::size_t bytes = 0;
    std::map<std::string, Client> clients{};

    // One of the names of a client.
    Client& client(const Names& names, const std::string& name, Clock::time_point now) {
        const auto it = clients.find(name);
        if (it == clients.end()) return add(name, names.size() > 1 && &name == &names.front(), now);
        it->second.seen = now;
        return it->second;
    }

    Client& add(const std::string& name, bool passing, Clock::time_point now) {
        if (clients.size() >= most_names) forget(now - remembered, false);
        // Not the others: who comes by ever new connections must not be forgotten by it.
        if (clients.size() >= most_names) forget(now, true);
        if (clients.size() >= most_names) forget(now, false);
        const double most = std::max(1.0, limits.request_burst / 2);
        Client fresh{RateLimit(limits.requests_per_second / 2, most),
                     RateLimit(limits.requests_per_second / 10, limits.request_burst / 10, now), now,
                     passing};
        return clients.emplace(name, fresh).first->second;
    }

    void forget(Clock::time_point before, bool only_passing) {
        std::erase_if(clients, [&](const auto& each) {
            const Client& client = each.second;
            return client.posts == 0 && client.bytes == 0 && client.seen <= before &&
                   (client.passing || !only_passing);
        });
    }
};

HttpClients::HttpClients(Limits limits) : state_(std::make_shared<State>(limits)) {}
HttpClients::~HttpClients() = default;

HttpClients::Verdict HttpClients::ask(const Names& client, Clock::time_point now) {
    for (const std::string& name : client)
        if (!state_->client(client, name, now).rate.take(now)) return Verdict::too_much;
    if (state_->rate.take(now)) return Verdict::fine;
    const bool spared = std::any_of(client.begin(), client.end(), [&](const std::string& name) {
        return state_->client(client, name, now).reserve.take(now);
    });
    return spared ? Verdict::fine : Verdict::too_much_of_all;
}

HttpClients::Verdict HttpClients::allows(const Names& client, std::size_t posts, std::size_t bytes) const {
    const Limits& most = state_->limits;
    const bool small = bytes <= most.most_body_bytes / 1024;
    bool works = client.empty();
    for (const std::string& name : client) {
        const auto it = state_->clients.find(name);
        if (it == state_->clients.end()) continue;
        const Client& used = it->second;
        works = works || used.posts > 0;
        if (used.posts + posts > share_of(most.most_posts)) return Verdict::too_much;
        if (!small && used.bytes + bytes > share_of(most.most_body_bytes)) return Verdict::too_much;
    }
    if (!small && bytes > share_of(most.most_body_bytes)) return Verdict::too_much;
    if (works && state_->posts + posts > most.most_posts) return Verdict::too_much_of_all;
    return !small && state_->bytes + bytes > most.most_body_bytes ? Verdict::too_much_of_all : Verdict::fine;
}

HttpClients::Use HttpClients::take(Names client, std::size_t posts, std::size_t bytes,
                                   Clock::time_point now) {
    state_->posts += posts;
    state_->bytes += bytes;
    for (const std::string& name : client) {
        Client& each = state_->client(client, name, now);
        each.posts += posts;
        each.bytes += bytes;
    }
    return Use(state_, std::move(client), posts, bytes);
}

std::size_t HttpClients::known() const { return state_->clients.size(); }

HttpClients::Use::Use(Use&& other) noexcept
    : state_(std::move(other.state_)), client_(std::move(other.client_)), posts_(other.posts_),
      bytes_(other.bytes_) {}

HttpClients::Use& HttpClients::Use::operator=(Use&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    state_ = std::move(other.state_);
    client_ = std::move(other.client_);
    posts_ = other.posts_;
    bytes_ = other.bytes_;
    return *this;
}

void HttpClients::Use::give_back() noexcept {
    if (!state_) return;
    state_->posts -= posts_;
    state_->bytes -= bytes_;
    for (const std::string& name : client_) {
        const auto it = state_->clients.find(name); // there: what is in use is not forgotten
        if (it == state_->clients.end()) continue;
        it->second.posts -= posts_;
        it->second.bytes -= bytes_;
    }
    state_.reset();
}

} // namespace mcp
