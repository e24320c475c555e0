#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "src/policy/decide.h"
#include "src/policy/rules.h"
#include "src/policy/usage.h"

namespace policy {

/// The policy in force: the rules of the flags, then those of a file, which is read anew when it has changed.
/// On the loop's thread; a file as people write it takes a few milliseconds to read.
class Store {
public:
    struct Options {
        std::string file{};         ///< Absolute. Empty: there is none.
        bool must_be_there = false; ///< The user named it.
        std::string home{};
        std::string deny{}, ask{}, allow{}; ///< As rules_of_flags takes them.
        /// Hears why a changed file is not used, and that a changed one is. May be empty.
        std::function<void(bool is_error, const std::string& line)> say{};
    };

    /// Throws std::runtime_error (FileErrors among them) if the file cannot be used: its text, its size, a
    /// named file that is not there, or a file that others could have changed, with the command that mends
    /// that.
    explicit Store(Options options);

    /// What holds from now on. Looks at most once a second whether the file has changed (time, size, inode).
    /// One that cannot be used, or is gone, leaves the last good one in force, which is said once.
    std::shared_ptr<const Rules>
    current(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

    /// The calls of the last minute, of all runs.
    Minute& minute() { return minute_; }

    /// Writes the rule that allows a tool into the file, as with_allowing_rule, for runs that begin from now
    /// on. Throws std::runtime_error where it cannot.
    void add_allowing(const Rule* asking, const Target& target);
    const std::string& file() const { return options_.file; } ///< "" where there is none.

    /// Why the file as it is now is not what is in force; "" while it is.
    const std::string& trouble() const { return trouble_; }

private:
    struct Stamp {
        bool there = false;
        std::int64_t seconds = 0, nanoseconds = 0, size = 0;
        std::uint64_t inode = 0;
        bool operator==(const Stamp&) const = default;
    };
    Stamp stamp() const;
    std::shared_ptr<const Rules> read() const;
    void read_anew(const Stamp& seen);

    Options options_;
    Stamp stamp_{};
    std::shared_ptr<const Rules> rules_;
    Minute minute_{};
    std::string trouble_{};
    std::chrono::steady_clock::time_point looked_{};
};

/// Where the policy lies if nobody names it: ~/.config/cordon/policy.toml; "" without a home. `home` is an
/// absolute path or "".
std::string usual_policy_file(const std::string& home);

} // namespace policy
