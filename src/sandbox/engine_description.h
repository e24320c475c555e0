#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "src/base/single_flight.h"
#include "src/engines/discovery.h"

namespace sandbox {

/// What the engine in use says of itself. podman takes half a second to say it; so it is asked once, and the
/// first container is made meanwhile. Shared by all who need it; on the loop's thread.
class EngineDescription : public std::enable_shared_from_this<EngineDescription> {
public:
    using Found = std::shared_ptr<const engines::Found>;

    EngineDescription(boost::asio::any_io_executor executor, Found found, engines::SearchOptions search);

    /// The engine as it was found, described or not.
    const Found& found() const { return found_; }

    /// Begins to ask, where that is not done. Returns at once.
    void begin();

    /// Waits for the description. Throws engines::NoEngine where the engine may not be used after all,
    /// and Error where it does not answer; the next call asks again. This must outlive the wait.
    boost::asio::awaitable<Found> described();

private:
    boost::asio::awaitable<Found> ask();
    boost::asio::awaitable<Found> join();

    boost::asio::any_io_executor executor_;
    Found found_;
    engines::SearchOptions search_;
    base::SingleFlight<Found> asking_;
};

} // namespace sandbox
