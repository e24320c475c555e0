#pragma once
#include <cstdint>
#include <memory>
#include <optional>
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
    /// Of the run that saves: a function carries them to whoever loads it.
    struct Rights {
        std::optional<std::vector<std::string>> servers{}; ///< That it might use; nothing: all.
        std::string origin{};                              ///< Who saved it, for people: "claude-code".
    };
    struct Tool {
        std::string name;
        std::string source;
        Rights rights{};
        std::int64_t saved_at = 0; ///< Seconds since 1970; 0: before this was kept.
    };

    /// The file is opened at first use; a folder that cannot be written gives an Error then.
    explicit SavedTools(std::string path);
    ~SavedTools();
    SavedTools(const SavedTools&) = delete;
    SavedTools& operator=(const SavedTools&) = delete;

    /// What it replaced, if there was one of that name. Throws Error: name not [a-z_][a-z0-9_]{0,63}, or a
    /// Python keyword; source empty or over 64 KiB; over 100 tools.
    std::optional<Tool> save(const std::string& name, const std::string& source, const Rights& rights);
    std::vector<Tool> list() const; ///< By name.
    std::vector<std::string> names() const;
    bool remove(const std::string& name); ///< False where there was none.

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace bridge
