#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace sandbox {

/// Users for containers, one each. The kernel counts some of its pools by user (inotify instances, timers,
/// message queues, pipes): containers of one user could take them from each other. On the loop's thread.
///
/// The ids are of those that systemd reserves for dynamic users, so that they are nobody else's on a host.
/// Where to begin is chosen at random, since other Cordons may use the same engine; an id that was given back
/// comes last, since its container may take a moment to go.
class ContainerUsers {
    struct State;

public:
    static constexpr std::int64_t first = 61184, last = 65519;

    ContainerUsers();

    /// An id that is taken as long as this lives. May outlive the ContainerUsers.
    class User {
    public:
        User() = default;
        User(std::shared_ptr<State> state, std::int64_t id) : state_(std::move(state)), id_(id) {}
        User(User&& other) noexcept : state_(std::move(other.state_)), id_(other.id_) {}
        User& operator=(User&& other) noexcept;
        ~User() { give_back(); }
        std::string text() const {
            return std::to_string(id_) + ':' + std::to_string(id_);
        } ///< "61234:61234"

    private:
        void give_back() noexcept;
        std::shared_ptr<State> state_{};
        std::int64_t id_ = 0;
    };

    /// Where all are taken, one that another has too.
    User take();

private:
    std::shared_ptr<State> state_;
};

} // namespace sandbox
