#pragma once
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "src/bridge/run_python.h"
#include "src/bridge/service.h"
#include "src/config/settings.h"
#include "src/policy/store.h"
#include "src/sandbox/engine_source.h"
#include "src/sandbox/pool.h"

namespace cli {

/// All parts of a running Cordon, wired. Nothing here touches an engine or an upstream server before it is
/// used. The loop outlives it.
class App {
public:
    /// Throws config::Error for a settings' file that cannot be used at all; single bad servers are entries
    /// with a reason.
    App(boost::asio::io_context& loop, const config::Settings& settings,
        const std::map<std::string, std::string>& environment);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Throws config::Error if the policy cannot be used: no code runs then.
    bridge::RunPythonParts parts();
    /// Which calls are allowed. Throws as parts() does.
    policy::Store& policy();
    const std::string& policy_trouble() const { return policy_trouble_; } ///< "" while it can be used.
    bridge::ServiceOptions service_options();
    bridge::Catalogue& catalogue() { return *catalogue_; }
    sandbox::EngineSource& engine() { return *engine_; }
    const bridge::SavedTools* saved_tools() const { return saved_.get(); }
    base::Workers* workers() { return workers_.get(); }
    const config::Settings& settings() const { return settings_; }
    boost::asio::any_io_executor executor() { return loop_.get_executor(); }

    /// Logs what is wrong with the servers' files and entries, and which servers could change what Cordon
    /// takes commands from, as errors; what is only noted, as info.
    void log_configuration() const;
    /// As log_configuration, but for files and that reach alone.
    void log_file_problems() const;
    /// Logs rules for servers that are not configured. Throws as parts() does.
    void log_policy();

    /// Ends containers, sessions and upstream servers, and waits for it, within a few seconds. Idempotent.
    boost::asio::awaitable<void> shut_down();

    /// At once, without waiting: no container of ours runs user code after the loop's next turn. For signals.
    void stop_code();

private:
    void log_reach() const;
    void prewarm();

    boost::asio::io_context& loop_;
    config::Settings settings_;
    schema::Check schemas_;
    search::ToolIndex index_;
    std::unique_ptr<bridge::SavedTools> saved_;
    std::unique_ptr<const bridge::Secrets> secrets_;
    std::unique_ptr<bridge::Shelf> shelf_;
    std::unique_ptr<base::Workers> workers_; ///< After what its jobs refer to.
    base::Budget in_flight_;                 ///< Of all guests.
    bridge::HostMemory memory_;
    std::unique_ptr<sandbox::EngineSource> engine_;
    std::unique_ptr<sandbox::Pool> pool_;
    std::unique_ptr<bridge::Sessions> sessions_;
    std::unique_ptr<bridge::Catalogue> catalogue_;
    std::unique_ptr<policy::Store> policy_; ///< Null: see policy_trouble_.
    std::string policy_trouble_{};
    bridge::Grants grants_;
    bridge::Artifacts artifacts_;
    bool prewarmed_ = false; ///< Or nothing is to be.
};

/// The folder for our state: the setting, $XDG_STATE_HOME/cordon or ~/.local/state/cordon. Where there is no
/// home, one under $TMPDIR or /tmp, made for its owner alone; throws config::Error where it is another's.
std::string state_folder(const config::Settings& settings,
                         const std::map<std::string, std::string>& environment);

/// This process's environment.
std::map<std::string, std::string> own_environment();

} // namespace cli
