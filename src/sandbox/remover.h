#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "runtime_api/engine.h"

namespace sandbox {

/// Sees to it that containers are removed, off the path of every answer. A removal that fails is tried again
/// for some seconds, and then whenever the janitor comes round; what is left at the end is for the janitor of
/// the next start. On the loop's thread.
class Remover {
public:
    /// `log` gets a line for each removal that was given up.
    Remover(boost::asio::any_io_executor executor, std::function<void(const std::string&)> log);
    ~Remover();
    Remover(const Remover&) = delete;
    Remover& operator=(const Remover&) = delete;

    /// Starts to remove a container and returns at once. `uncertain`: whether it was ever made is not known
    /// (an answer was lost), so that "no such container" is asked again for a while.
    void remove(std::shared_ptr<runtime_api::Engine> engine, std::string name, bool uncertain = false);

    /// Tries again what was given up: the engine can be reached now, perhaps.
    void retry();

    /// From now on nothing is removed or logged any more: the loop turns no longer. Guests whose streams are
    /// closed end by themselves, and the engine removes them.
    void stop() noexcept;

    std::size_t pending() const;

    /// Waits until nothing is pending, at most `limit`.
    boost::asio::awaitable<void> drained(std::chrono::milliseconds limit);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace sandbox
