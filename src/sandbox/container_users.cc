#include "src/sandbox/container_users.h"

#include <random>

namespace sandbox {
namespace {

constexpr std::int64_t count = ContainerUsers::last - ContainerUsers::first + 1;

std::int64_t after(std::int64_t id) { return id == ContainerUsers::last ? ContainerUsers::first : id + 1; }

} // namespace

struct ContainerUsers::State {
    std::int64_t next = first;
    std::multiset<std::int64_t> taken{};
};

ContainerUsers::ContainerUsers() : state_(std::make_shared<State>()) {
    std::random_device device;
    state_->next = std::uniform_int_distribution<std::int64_t>(first, last)(device);
}

ContainerUsers::User ContainerUsers::take() {
    for (std::int64_t tries = 0; tries < count && state_->taken.contains(state_->next); ++tries)
        state_->next = after(state_->next);
    const std::int64_t id = state_->next;
    state_->taken.insert(id);
    state_->next = after(id);
    return User(state_, id);
}

ContainerUsers::User& ContainerUsers::User::operator=(User&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    state_ = std::move(other.state_);
    id_ = other.id_;
    return *this;
}

void ContainerUsers::User::give_back() noexcept {
    if (!state_) return;
    const auto it = state_->taken.find(id_);
    if (it != state_->taken.end()) state_->taken.erase(it);
    state_.reset();
}

} // namespace sandbox
