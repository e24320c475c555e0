#pragma once
#include <string>

namespace runtime_api {

/// A folder of mode 0700 for one socket, named "cordon-ssh-…" in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, locked as
/// long as this lives. Such folders that nobody holds any more are removed when a new one is made. Throws
/// Error(unavailable).
class SshFolder {
public:
    SshFolder();
    ~SshFolder(); ///< Removes it and what we put there.
    SshFolder(const SshFolder&) = delete;
    SshFolder& operator=(const SshFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string socket() const { return path_ + "/s"; }

private:
    std::string path_;
    int lock_ = -1;
};

} // namespace runtime_api
