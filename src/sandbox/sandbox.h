#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/base/budget.h"
#include "src/base/workers.h"
#include "src/sandbox/attestation.h"
#include "src/sandbox/confinement.h"
#include "src/sandbox/container_users.h"
#include "src/sandbox/engine_description.h"
#include "src/sandbox/execution.h"
#include "src/sandbox/instance.h"
#include "src/sandbox/lessons.h"
#include "src/sandbox/remover.h"

namespace sandbox {

/// A container that may not be used: what() lists what falls short, why, and what to do.
class NotConfined : public std::runtime_error {
public:
    NotConfined(const std::string& message, std::vector<Finding> findings)
        : std::runtime_error(message), findings_(std::move(findings)) {}
    const std::vector<Finding>& findings() const { return findings_; }

private:
    std::vector<Finding> findings_;
};

/// A container that did not come up: the image has no python3, the guest broke, the engine failed.
class NotStarted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What a sandbox is made with. The instance outlives the loop's last turn; the rest it shares, since a loop
/// that is destroyed destroys what was still being made, when its maker is gone.
struct Workshop {
    boost::asio::any_io_executor executor;
    std::shared_ptr<runtime_api::Engine> engine;
    std::shared_ptr<EngineDescription> description;
    Confinement confinement;
    const Instance* instance = nullptr;
    std::shared_ptr<Remover> remover;
    std::shared_ptr<Lessons> lessons;
    std::shared_ptr<ContainerUsers> users{};                ///< Where each container has a user of its own.
    std::map<std::string, std::string> image_environment{}; ///< What the image sets: the code's, not PID 1's.
    std::chrono::milliseconds start_limit{60'000};          ///< From create to ready.
    base::Workers* workers =
        nullptr;                   ///< For large messages. Null: the loop's thread reads them. Outlives all.
    base::Budget* whole = nullptr; ///< Bytes in flight of all guests. May be null. Outlives all.
};

/// One container with a guest that waits: created, attached, started, attested. Runs one execution, or in a
/// session several one after the other. Its destruction closes the attach stream, which ends the guest at
/// once, and has the container removed.
class Sandbox {
public:
    /// Makes one. Throws runtime_api::Error (not_found: the image is not there; NoEngine: the engine may not
    /// be used, by its own description, which is waited for last), NotStarted, NotConfined (strict only). Not
    /// cancellable: the caller lets it finish and destroys what comes out.
    static boost::asio::awaitable<std::unique_ptr<Sandbox>> open(Workshop workshop);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    /// Runs code to its end, its deadline, or the container's death: always an Outcome, unless it is
    /// cancelled (then the sandbox is of no more use). `host` is held until the last call of the code has
    /// ended.
    boost::asio::awaitable<Outcome> execute(Execution execution, std::shared_ptr<GuestHost> host);

    /// Stops and starts the clock of the execution, nested: an upstream server is being started.
    void pause_clock();
    void resume_clock();

    /// A person is asked: the clock stands still, for at most `longest_hold` in one execution, and the engine
    /// freezes the container. Gives "" or, where the engine cannot freeze, why: then the code runs on. Ends
    /// with the execution if thaw() is not called. Cancellable (terminal); thaw() is needed then too.
    boost::asio::awaitable<std::string> freeze();
    /// All goes on. Where the engine cannot thaw what it froze, the execution is ended. Not to be called in
    /// a coroutine that was cancelled; one that ends so removes the container, frozen or not.
    boost::asio::awaitable<void> thaw();
    static constexpr std::chrono::minutes longest_hold{60};

    /// Ends the execution that runs, if any, and the container with it: the outcome names `limit` among those
    /// that were hit, and `why` is its error.
    void end_execution(std::string limit, std::string why);

    /// Waits until the guest has read most of what was written to it. Cancellable (terminal).
    boost::asio::awaitable<void> writable();

    std::size_t bytes_in_flight() const; ///< Of the host's memory, both ways.

    bool alive() const; ///< The guest is there and can be given an execution.
    std::chrono::steady_clock::time_point born() const;
    const std::string& name() const;
    const std::vector<Finding>& findings() const; ///< All rows of the attestation.
    std::int64_t
    open_files() const; ///< The limit that was asked for: lower where the engine may not set the usual one.
    const std::string& python() const; ///< "3.11.2"

private:
    struct State;
    explicit Sandbox(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

} // namespace sandbox
