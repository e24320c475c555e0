#include "src/sandbox/janitor.h"

#include <boost/asio/use_awaitable.hpp>

#include "runtime_api/error.h"

namespace sandbox {
namespace asio = boost::asio;

asio::awaitable<std::vector<Leftover>> find_leftovers(std::shared_ptr<runtime_api::Engine> engine,
                                                      const Instance* instance) {
    const std::vector<runtime_api::ContainerSummary> all =
        co_await engine->list(std::string(label::mark) + "=1");
    std::vector<Leftover> found;
    for (const runtime_api::ContainerSummary& each : all) {
        // an engine may not know the filter, and labels are hints that others can write: what is not wholly
        // as we make it is not touched
        if (!is_ours(each.name, each.labels)) continue;
        found.push_back(Leftover{each.name, each.state, instance->state_of(each.labels),
                                 past_deadline(each.labels, instance->now())});
    }
    co_return found;
}

asio::awaitable<std::vector<std::string>> sweep(std::shared_ptr<runtime_api::Engine> engine,
                                                const Instance* instance,
                                                std::function<void(const std::string&)> log) {
    const std::vector<Leftover> found = co_await find_leftovers(engine, instance);
    std::vector<std::string> removed;
    for (const Leftover& each : found) {
        if (!each.dead()) continue;
        try {
            co_await engine->remove(each.name);
            removed.push_back(each.name);
        } catch (const runtime_api::Error& e) {
            log("leftover container " + each.name + " could not be removed: " + e.what());
        }
    }
    instance->tidy();
    co_return removed;
}

} // namespace sandbox
