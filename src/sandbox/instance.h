#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace sandbox {

/// The names of our labels. Hints only: others on a shared engine can write them.
namespace label {
inline constexpr const char* mark = "io.cordon";              ///< "1" on each container of ours
inline constexpr const char* owner = "io.cordon.owner";       ///< machine and user
inline constexpr const char* boot = "io.cordon.boot";         ///< the machine's boot and process namespace
inline constexpr const char* instance = "io.cordon.instance"; ///< one run of Cordon; names its lock file
inline constexpr const char* process = "io.cordon.process";   ///< its process id and start time, "123-456789"
inline constexpr const char* created = "io.cordon.created";   ///< seconds since 1970
inline constexpr const char* deadline =
    "io.cordon.deadline"; ///< seconds since 1970; past it nobody needs the container
} // namespace label

/// What a label set says of the one who made the container.
enum class OwnerState {
    ours,    ///< This very instance.
    alive,   ///< Another instance of this user on this machine, which lives.
    dead,    ///< One that is gone.
    unknown, ///< Another machine, user or namespace: only the deadline counts.
};

/// This run of Cordon, as others can see whether it lives: by process id and start time, and by a file under
/// `state_dir`/instances that is locked as long as the process lives (the kernel lets go, whatever kills it).
/// The first needs no common folder, the second survives a label that was made up. Throws std::runtime_error
/// where the folder cannot be made or written, or where others can write to it (base/private_folder).
class Instance {
public:
    explicit Instance(const std::string& state_dir);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    const std::string& id() const { return id_; }

    /// A new container name: "cordon-", the instance, a random part.
    std::string new_name() const;

    /// The labels of a container that ends itself after `life`.
    std::map<std::string, std::string> labels(std::chrono::seconds life) const;

    /// The time by which deadlines of others are judged: the host's, but never ahead of what it was when this
    /// instance was made and what has passed since (sleep included). A clock that jumps forward ends nobody;
    /// behind one that jumped back, leftovers of unknown owners only wait longer.
    std::chrono::system_clock::time_point now() const;

    OwnerState state_of(const std::map<std::string, std::string>& labels) const;

    /// Removes the lock files of dead instances. Returns how many.
    int tidy() const;

private:
    bool is_locked(const std::string& instance) const;
    bool remove_if_dead(const std::string& path) const;

    std::string folder_;
    std::string id_;
    std::string owner_;
    std::string boot_;
    std::string process_;
    int lock_ = -1;
    std::chrono::system_clock::duration
        ahead_of_boot_; ///< The host's time less that since boot, at the start.
};

/// True where a container is one that an Instance named and labelled: all labels are there and well-formed,
/// and the name is made of its instance. Whatever else carries our mark is somebody's mistake or trap, and is
/// never removed.
bool is_ours(const std::string& name, const std::map<std::string, std::string>& labels);

/// True where the deadline in the labels has passed by `now`, with ten minutes for clocks that differ. Where
/// there is none to read, it has not.
bool past_deadline(const std::map<std::string, std::string>& labels,
                   std::chrono::system_clock::time_point now);

/// Random hexadecimal digits, from the kernel.
std::string random_hex(int digits);

} // namespace sandbox
