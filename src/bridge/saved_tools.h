#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bridge {

/// Functions that code asked to keep for later runs of this user: name and source, in a SQLite file of mode
/// 0600 under the state folder. Nothing in it ever runs on the host. Several Cordons may use one file at
/// once. May be used by several threads; they take turns.
class SavedTools {
public:
    /// A request that cannot be met: what() says why, fit for the code that asked.
    class Error : public std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    struct Tool {
        std::string name;
        std::string source;
    };

    /// The file is opened at first use; a folder that cannot be written gives an Error then.
    explicit SavedTools(std::string path);
    ~SavedTools();
    SavedTools(const SavedTools&) = delete;
    SavedTools& operator=(const SavedTools&) = delete;

    /// True if one of that name was replaced. Throws Error: name not [a-z_][a-z0-9_]{0,63}, or a Python
    /// keyword; source empty or over 64 KiB; over 100 tools.
    bool save(const std::string& name, const std::string& source);
    std::vector<Tool> list() const; ///< By name.
    std::vector<std::string> names() const;
    bool remove(const std::string& name); ///< False where there was none.

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace bridge
