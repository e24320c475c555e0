#pragma once
#include <string>

namespace runtime_api {

/// A folder of mode 0700 for the files of one tunnel, named "cordon-ssh-…" in $XDG_RUNTIME_DIR, $TMPDIR or
/// /tmp, locked as long as this lives. Such folders that nobody holds any more are removed when a new one is
/// made. Throws Error(unavailable).
class SshFolder {
public:
    SshFolder();
    ~SshFolder(); ///< Removes it and what lies there.
    SshFolder(const SshFolder&) = delete;
    SshFolder& operator=(const SshFolder&) = delete;

    /// Short enough for sockets below it, and plain: letters, digits and "/._-+".
    const std::string& path() const { return path_; }

private:
    std::string path_;
    int lock_ = -1;
};

} // namespace runtime_api
