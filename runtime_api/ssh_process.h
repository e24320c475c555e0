#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace runtime_api {

/// A child process that can ask nobody anything: no stdin, a session of its own and so no terminal, and no
/// askpass program. It is killed with this object, and by the kernel (Linux) if we die without a word. What
/// it says goes to unlinked files, so that it never waits for us to read; beyond a mebibyte of it the kernel
/// ends it.
class SshProcess {
public:
    /// Starts argv[0], looked for in PATH. `folder` is where the files may be made. Throws
    /// Error(unavailable): no such program, no process to be had.
    SshProcess(const std::vector<std::string>& argv, const std::string& folder);
    ~SshProcess(); ///< Kills it and all of its process group, and waits for it.
    SshProcess(const SshProcess&) = delete;
    SshProcess& operator=(const SshProcess&) = delete;

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
