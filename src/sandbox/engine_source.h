#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/base/single_flight.h"
#include "src/engines/discovery.h"
#include "src/sandbox/engine_description.h"
#include "src/sandbox/pull_audience.h"
#include "src/sandbox/sandbox.h"

namespace sandbox {

/// The engine, found on first use, with the image made sure of once; and what a container is made with. After
/// a failure the next call tries anew. Also its janitor: leftovers of dead instances are swept soon after the
/// engine is found, and every minute. On the loop's thread.
class EngineSource {
public:
    struct Options {
        engines::SearchOptions search{};
        Confinement confinement{};
        std::string state_dir;
        std::function<void(const std::string&)> log; ///< A line for a person, now and then.
        /// Modules that containers import while they wait; most_bytes and file are filled in. Empty: none.
        std::optional<EarlyModules::Options> early_modules{};
        base::Workers* workers = nullptr; ///< As in Workshop.
        base::Budget* whole = nullptr;    ///< As in Workshop.
    };

    EngineSource(boost::asio::any_io_executor executor, Options options);
    ~EngineSource();
    EngineSource(const EngineSource&) = delete;
    EngineSource& operator=(const EngineSource&) = delete;

    /// Throws engines::NoEngine, runtime_api::Error (the image is not there and cannot be pulled),
    /// std::system_error (the state folder).
    boost::asio::awaitable<Workshop> workshop();

    /// The engine alone, described, without looking at the image.
    boost::asio::awaitable<std::shared_ptr<const engines::Found>> found();

    /// Whether containers can be made without asking anybody for anything: the engine is at a local socket
    /// (ssh might want a password), runs, and has the image. Looks for the engine, pulls nothing. Throws as
    /// workshop().
    boost::asio::awaitable<bool> ready_unasked();

    /// How many warm containers the engine's host has memory for, as far as it has said how much it has.
    int most_warm() const;

    /// Called when a container could not be made since the image had gone: the next workshop() looks for it
    /// again.
    void forget_image();
    /// Called when the engine did not answer: the next workshop() searches anew.
    void forget_engine();

    /// " → trouble: remedy" for the words of an error that the engine in use gave, where they are known and
    /// do not have that already; else "".
    std::string advice_on(const std::string& words) const;

    /// Called before the first workshop() where one container is all that will be made of it.
    void expect_one_container() { lessons_->for_others = false; }

    /// What the image's label says is in it; empty before it was looked at, and where it says nothing.
    const std::string& image_contents() const { return image_contents_; }

    /// What containers of this image import while they wait; empty before it was looked at, and where
    /// nothing.
    std::shared_ptr<const EarlyModules> early_modules() const { return lessons_->early_modules; }

    /// What names the very image that is used: "name@sha256:…"; empty before it was looked at.
    const std::string& image_pin() const { return image_pin_; }

    /// Who is shown how far a pull is.
    PullAudience& pulls() { return pulls_; }

    Remover& remover() { return *remover_; }
    /// Made on first use. Throws std::system_error.
    const Instance& instance();

    void close(); ///< Ends the janitor's round, and a pull that is under way.

private:
    using InUse = std::shared_ptr<EngineDescription>;
    boost::asio::awaitable<InUse> in_use();
    boost::asio::awaitable<InUse> search();
    boost::asio::awaitable<bool> ensure_image(InUse engine);
    void know_early_modules(const std::string& image_id);
    void start_janitor();
    void end_janitor();

    boost::asio::any_io_executor executor_;
    Options options_;
    std::shared_ptr<Remover> remover_;
    std::unique_ptr<Instance> instance_;
    bool hasty_ = true; ///< Until one had to be given up, maybe since its own description forbade it.
    InUse in_use_;      ///< Empty: none was found yet, or the last one was given up.
    InUse given_up_;    ///< The one before it, for advice.
    bool image_there_ = false;
    std::string image_contents_;
    std::string image_name_; ///< As create() is given it.
    std::string image_pin_;
    std::map<std::string, std::string> image_environment_;
    std::shared_ptr<Lessons> lessons_ = std::make_shared<Lessons>();
    std::shared_ptr<ContainerUsers> users_ = std::make_shared<ContainerUsers>();
    base::SingleFlight<InUse> searching_;
    PullAudience pulls_;
    base::SingleFlight<bool> pulling_;
    struct Janitor;
    std::shared_ptr<Janitor> janitor_; ///< Of the engine in use.
};

} // namespace sandbox
