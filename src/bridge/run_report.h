#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/shown.h"
#include "src/sandbox/attestation.h"
#include "src/sandbox/execution.h"

namespace bridge {

/// An image that display() or matplotlib produced. Data is base64, as it came.
struct Picture {
    std::string mime_type;
    std::string base64;
};

/// A call of the code's that waited for its answer when the run ended.
struct WaitingCall {
    std::string server{}; ///< Empty: all that are configured, for a search.
    std::string tool{};   ///< Empty: the server was still being started.
    double seconds = 0;
};

/// All that is known of a run when it has ended: what results are rendered from.
struct RunReport {
    sandbox::Outcome outcome{};
    bool cancelled = false;
    std::string refused{}; ///< No code ran, and why; else empty.
    std::int64_t timeout_seconds = 0;
    std::int64_t max_timeout_seconds = 0; ///< The most that a call may ask for; 0: not known.
    bool at_terminal = false;      ///< A person started it, who can change settings: remedies name these.
    std::int64_t memory_bytes = 0; ///< The limits in force, for messages that name them.
    std::int64_t pids = 0;
    std::int64_t open_files = 1024;
    std::vector<std::string> servers{}; ///< Those that were called.
    std::vector<WaitingCall> waiting{}; ///< Those that waited longest, where the code did not end by itself.
    std::size_t waiting_in_all = 0;
    std::vector<Picture> pictures{};
    std::vector<std::string> displayed{};   ///< SVG that display() showed: text for a model.
    std::vector<std::string> saved_tools{}; ///< What became of saved functions: "saved plus", "loaded minus".
    std::vector<base::Shown> artifacts{};   ///< Lines: "artifacts/a.csv: resource://…"
    std::vector<std::string> files{};       ///< Paths on this host where `exec` saved pictures and artifacts.
    std::string session{}; ///< What a client that nothing tells from others must call its session next time.
    std::vector<base::Shown> notes{};
    std::vector<sandbox::Finding> not_enforced{};
};

} // namespace bridge
