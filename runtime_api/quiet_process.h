#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace runtime_api {

/// A child process (ssh, a credential helper) that can ask nobody anything: its stdin is a text or empty, a
/// session of its own and so no terminal, and no askpass program. It is killed with this object, and by the
/// kernel (Linux) if we die without a word. What it says goes to unlinked files, so that it never waits for
/// us to read; beyond a mebibyte of it the kernel ends it.
class QuietProcess {
public:
    /// Starts argv[0], looked for in PATH. `folder` is where the files may be made, `input` what its stdin
    /// holds. Throws
    /// Error(unavailable): no such program, no process to be had.
    QuietProcess(const std::vector<std::string>& argv, const std::string& folder,
                 const std::string& input = "");
    ~QuietProcess(); ///< Kills it and all of its process group, and waits for it.
    QuietProcess(const QuietProcess&) = delete;
    QuietProcess& operator=(const QuietProcess&) = delete;

    /// Asks the kernel, which takes a microsecond.
    bool running();

    /// "exited with status 255", "was killed by signal 9"; "" while it runs.
    std::string ending() const;

    /// Everything that it wrote so far, up to a mebibyte.
    std::string output() const;
    std::string errors() const;

    pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
    bool ended_ = false;
    int status_ = 0;
    int out_ = -1;
    int err_ = -1;
};

} // namespace runtime_api
