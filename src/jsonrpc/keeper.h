#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/fd.h"

namespace jsonrpc {

/// A command to run as a child, with all that it gets from us.
struct Launch {
    std::vector<std::string>
        argv; ///< The command (a name is looked up in the PATH of `env`) and its arguments.
    std::vector<std::string> env; ///< "NAME=value"; all of the child's environment.
    std::string cwd{};            ///< Empty: ours.
};

/// What the keeper tells, one after another on the status pipe; its end means that the keeper, and so every
/// descendant, is gone.
struct KeeperReport {
    enum class Kind : std::int32_t { started = 1, no_cwd, no_exec, no_fork, exited };
    Kind kind{};
    std::int32_t value = 0; ///< started: the process id; no_*: errno; exited: as wait() gives it.
};

/// Our ends of a command and its keeper.
struct Kept {
    pid_t keeper = -1;
    base::UniqueFd lifeline; ///< Closing it (we die, whichever way) kills all. `keeper_terminate` written to
                             ///< it sends SIGTERM to the group.
    base::UniqueFd status;   ///< KeeperReports come here.
    base::UniqueFd in;       ///< Its stdin, to write.
    base::UniqueFd out;      ///< Its stdout, to read.
    base::UniqueFd err;      ///< Its stderr, to read.
};

inline constexpr char keeper_terminate = 'T';

/// Starts a command under a keeper: a process of ours that does nothing but see to it that no descendant of
/// the command outlives the command or us. It is our child and must be waited for. Throws
/// Error(internal_error) where no pipe or process can be had.
Kept launch(const Launch& what);

/// Where the command is looked for: the name itself if it has a slash, else in each part of the PATH in env.
std::vector<std::string> candidates(const std::string& command, const std::vector<std::string>& env);

/// The PATH in env; what execvp takes where there is none.
std::string path_of(const std::vector<std::string>& env);

} // namespace jsonrpc
