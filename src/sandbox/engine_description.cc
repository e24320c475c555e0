#include "src/sandbox/engine_description.h"

#include <boost/asio/co_spawn.hpp>

namespace sandbox {
namespace asio = boost::asio;

EngineDescription::EngineDescription(asio::any_io_executor executor, Found found,
                                     engines::SearchOptions search)
    : executor_(executor), found_(std::move(found)), search_(std::move(search)), asking_(executor) {}

void EngineDescription::begin() {
    if (found_->described || asking_.flying()) return;
    // who needs it asks again, and is told of a failure then
    asio::co_spawn(executor_, join(), [](const std::exception_ptr&, const Found&) {});
}

asio::awaitable<EngineDescription::Found> EngineDescription::described() {
    if (found_->described) co_return found_;
    co_return co_await join();
}

// No coroutine of its own: what it returns outlives this.
asio::awaitable<EngineDescription::Found> EngineDescription::join() {
    const auto make = [self = shared_from_this()] { return self->ask(); };
    return asking_.join(make);
}

asio::awaitable<EngineDescription::Found> EngineDescription::ask() {
    engines::Found known = *found_;
    known.info = co_await engines::describe_engine(found_, search_);
    known.described = true;
    found_ = std::make_shared<const engines::Found>(std::move(known));
    co_return found_;
}

} // namespace sandbox
