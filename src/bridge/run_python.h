#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "src/bridge/artifacts.h"
#include "src/bridge/call_questions.h"
#include "src/bridge/guest_methods.h"
#include "src/bridge/host_memory.h"
#include "src/bridge/run_report.h"
#include "src/bridge/run_request.h"
#include "src/bridge/sessions.h"
#include "src/policy/store.h"
#include "src/sandbox/pool.h"
#include "src/sandbox/pull_audience.h"

namespace bridge {

/// What a run is made with. All outlive the runs.
struct RunPythonParts {
    boost::asio::any_io_executor executor;
    sandbox::Pool& pool;
    Sessions& sessions;
    Shelf& shelf;
    Artifacts& artifacts;
    std::int64_t max_output = 30'000;
    std::int64_t memory_bytes = 0; ///< For messages that name the limit.
    std::int64_t pids = 0;
    bool servers_listed_only = false;
    policy::Store* policy = nullptr; ///< The user's rules; null: there are none.
    Grants* grants = nullptr;        ///< What was allowed for a session; null: what must be asked is refused.
    std::chrono::seconds ask_timeout{120}; ///< For a person's answer.
    /// What to do about an error of the engine, to be put behind its words; may be empty.
    std::function<std::string(const std::string& words)> advice_on{};
    HostMemory* memory = nullptr;  ///< The ceiling over all runs; null: none is kept.
    sandbox::PullAudience pulls{}; ///< A call that waits for an image shows its client how far it is.
};

/// Where a run stands, for progress: kept up to date by the run.
struct RunState {
    base::Shown last_line; ///< Of its output so far.
    /// Cancelled when the run is over, so that nothing waits for a run that is no more.
    std::shared_ptr<boost::asio::steady_timer> timer{};
    ~RunState() {
        if (timer) timer->cancel();
    }
};

/// Runs one request from its checks to its report. Throws BadArguments (an unknown server: no container was
/// touched), jsonrpc::Error(cancelled); everything else that goes wrong is in the report. Cancellable
/// (terminal).
boost::asio::awaitable<RunReport> run_python(RunPythonParts parts, RunRequest request,
                                             std::shared_ptr<RunState> state);

} // namespace bridge
