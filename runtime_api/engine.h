#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime_api/attach_stream.h"
#include "runtime_api/endpoint.h"

namespace runtime_api {

/// A tmpfs inside the container; always rw,noexec,nosuid,nodev.
struct TmpfsMount {
    std::string at;              ///< "/tmp"
    std::int64_t size_bytes = 0; ///< Hard limit.
};

/// A limit of setrlimit, soft and hard alike. Names are the engine's: "nofile", "nproc", "core".
struct Rlimit {
    std::string name;
    std::int64_t value = 0;
};

/// What to run and how it is confined. There is deliberately no way to ask for a mount of the host, a
/// network, a capability or a privilege: this library makes hardened containers only.
struct ContainerSpec {
    std::string name;  ///< Chosen by the caller before create, so that a lost answer leaks nothing.
    std::string image; ///< Must be there already.
    std::vector<std::string> command{}; ///< argv.
    std::map<std::string, std::string>
        env{}; ///< The whole environment; nothing of the image's or the host's is added by us.
    std::map<std::string, std::string> labels{};
    std::string user = "65534:65534"; ///< "uid:gid"
    std::string working_dir = "/workspace";
    std::string hostname = "sandbox";
    std::vector<TmpfsMount> tmpfs{};
    std::vector<Rlimit> rlimits{};
    std::int64_t memory_bytes = 512LL << 20; ///< RAM and swap together: no swap beyond it.
    std::int64_t pids = 128;
    std::optional<double> cpus{}; ///< Whole CPUs; 0.5 is half of one. Nothing: the host's.
    std::string oci_runtime{};    ///< The engine's name of one ("crun", "runsc"); empty: its default.
};

/// Why and how an engine answered a create.
struct Created {
    std::string id;
    std::vector<std::string>
        warnings{}; ///< The engine's words; a limit that it ignores is said here, by some.
};

/// The engine's own view of a container.
struct ContainerState {
    std::string id;
    std::string name;
    std::string status; ///< "created", "running", "exited", … (podman also: "initialized", "stopped")
    bool running = false;
    std::optional<int> exit_code{};
    bool oom_killed = false; ///< podman 4.2 to 4.9 never set it.
    std::string error{};
    std::string image_id{}; ///< Of the image that it was made from, in the engine's spelling.
    // Confinement as the engine understood it:
    std::string user{};
    std::string network_mode{};
    bool read_only_rootfs = false;
    bool privileged = false;
    std::vector<std::string> cap_add{};
    std::vector<std::string> cap_drop{};       ///< Upper case, "ALL" or each.
    std::vector<std::string> effective_caps{}; ///< podman's EffectiveCaps; empty for Docker.
    bool no_new_privileges = false;
    bool seccomp_unconfined = false;
    std::vector<std::string> security_opt{};
    std::int64_t memory_bytes = 0;
    std::int64_t memory_swap_bytes = 0;
    std::int64_t pids = 0;
    std::vector<std::string>
        mounts{}; ///< Destinations of binds and volumes that the engine knows (tmpfs left out).
    std::vector<std::string> tmpfs{}; ///< Destinations of tmpfs.
    std::string oci_runtime{};
    bool init = false;
};

/// One line of a list.
struct ContainerSummary {
    std::string id;
    std::string name;
    std::string state;
    std::map<std::string, std::string> labels{};
};

enum class Dialect { libpod, docker };

/// Who the engine is and what it can enforce, in its own words.
struct EngineInfo {
    Dialect dialect = Dialect::libpod;
    std::string version;                           ///< "4.3.1"
    std::string api_version;                       ///< What we speak to it: "4.0.0", "1.41".
    std::optional<bool> rootless{};                ///< Nothing: it does not say.
    int cgroup_version = 0;                        ///< 1 or 2; 0: it does not say.
    std::vector<std::string> cgroup_controllers{}; ///< "cpu", "memory", "pids", …, as delegated to it.
    std::string cgroup_driver{};                   ///< "systemd", "cgroupfs", "none"
    std::optional<bool> memory_limit{};            ///< Docker says so outright.
    std::optional<bool> swap_limit{};
    std::optional<bool> pids_limit{};
    std::optional<bool> cpu_limit{};
    std::optional<bool> seccomp{}; ///< A default profile is in force.
    bool apparmor = false;
    bool selinux = false;
    std::string storage_driver{};
    std::string storage_folder{}; ///< Where on its host it keeps images.
    std::string oci_runtime{};
    std::vector<std::string> oci_runtimes{};
    /// Of a rootless podman's user namespace: uids that it has, with the user's own as 0.
    std::optional<std::int64_t> uids{};
    std::string operating_system{}; ///< "Docker Desktop", "Debian GNU/Linux 12"
    std::string kernel{};
    std::string architecture{};
    std::string name{}; ///< The host's name as the engine says it.
    int cpus = 0;
    std::int64_t memory_bytes = 0;
};

/// Progress of a pull. `done` and `total` are bytes where the engine says them.
struct PullProgress {
    std::string status; ///< A short line fit for a person, one line, printable.
    std::optional<std::int64_t> done{};
    std::optional<std::int64_t> total{};
};

/// Called on the loop's thread as the engine reports; must not throw.
using PullSink = std::function<void(const PullProgress&)>;

/// Credentials for one registry, as X-Registry-Auth carries them. Empty: none.
struct RegistryAuth {
    std::string username{};
    std::string password{};
    std::string identity_token{};
    std::string server{};
};

/// An image that an engine has.
struct ImageInfo {
    std::string id;
    std::vector<std::string> names{};   ///< "localhost/cordon-python:bookworm"; none where a tag moved away.
    std::vector<std::string> digests{}; ///< "docker.io/library/python@sha256:…": what registries call it.
    std::map<std::string, std::string> labels{};
    std::int64_t size_bytes = 0;
    std::map<std::string, std::string> environment{}; ///< What it sets; in the answer to image() alone.
};

/// A file system that is to become an image of one layer.
struct ImageImport {
    std::string tar_file; ///< On this host; it is streamed to the engine.
    std::string name;     ///< "localhost/cordon-python:bookworm"; an image of that name loses it.
    std::vector<std::string> command{};
    std::map<std::string, std::string> labels{};
};

/// A container engine over its REST API. One method is one request (on Docker create is two). Call it on the
/// loop's thread. All throw runtime_api::Error, whose message says what was attempted and the engine's own
/// words. Every method is bounded in time (see Timeouts) and can be cancelled (terminal), which closes its
/// connection.
class Engine {
public:
    virtual ~Engine() = default;

    virtual Dialect dialect() const = 0;

    /// Version and abilities. Asked anew each time.
    virtual boost::asio::awaitable<EngineInfo> info() = 0;

    /// nullopt: it has no such image.
    virtual boost::asio::awaitable<std::optional<ImageInfo>> image(std::string reference) = 0;

    /// All images that have not lost their names.
    virtual boost::asio::awaitable<std::vector<ImageInfo>> images() = 0;

    /// Pulls an image, also one that is there (its tag may have moved); sink may be empty. not_found /
    /// rejected / engine_fault carry the registry's words. The wait is bounded by silence
    /// (Timeouts::pull_silence), not by the whole. The first login is for the registry of the reference, and
    /// may be empty; podman alone is told the others, for it alone knows where a short name leads.
    virtual boost::asio::awaitable<void> pull(std::string reference, PullSink sink,
                                              std::vector<RegistryAuth> logins) = 0;

    /// Makes an image; takes as long as the engine needs to read it (Timeouts::import).
    virtual boost::asio::awaitable<void> import_image(ImageImport what) = 0;

    /// Takes a name from an image, and deletes the image with its last one. not_found: there is none;
    /// conflict: a container uses it.
    virtual boost::asio::awaitable<void> remove_image(std::string reference) = 0;

    /// not_found: no such image. conflict: the name is taken. Never makes a container that is less confined
    /// than asked for without a warning in the answer, as far as the engine says so.
    virtual boost::asio::awaitable<Created> create(ContainerSpec spec) = 0;

    /// Attaches to a *created* container; returns when the answer's head is there, so that output from the
    /// first byte on is seen and stdin may be written. On podman this is what sets the container up.
    virtual boost::asio::awaitable<std::unique_ptr<AttachStream>> attach(std::string name) = 0;

    virtual boost::asio::awaitable<void> start(std::string name) = 0;

    /// Waits until it has stopped; returns its exit code.
    virtual boost::asio::awaitable<int> wait(std::string name, std::chrono::milliseconds limit) = 0;

    /// Sends SIGKILL. One that is dead or gone already is not an error.
    virtual boost::asio::awaitable<void> kill(std::string name) = 0;

    /// Freezes all processes of a running container, and lets them go on. One that is frozen (goes on)
    /// already is not an error. rejected, unsupported or engine_fault: this engine cannot, for example podman
    /// as an ordinary user on cgroup v1. A frozen container is frozen until somebody thaws or removes it,
    /// whoever dies.
    virtual boost::asio::awaitable<void> freeze(std::string name) = 0;
    virtual boost::asio::awaitable<void> thaw(std::string name) = 0;

    /// nullopt: no such container.
    virtual boost::asio::awaitable<std::optional<ContainerState>> inspect(std::string name) = 0;

    /// Kills and deletes. One that is gone already is not an error. May be called any number of times.
    virtual boost::asio::awaitable<void> remove(std::string name) = 0;

    /// All containers, running or not, that carry the label `key=value` (or `key` with any value).
    virtual boost::asio::awaitable<std::vector<ContainerSummary>> list(std::string label) = 0;
};

/// How long each kind of request may take.
struct Timeouts {
    std::chrono::milliseconds connect{5'000};
    std::chrono::milliseconds quick{
        30'000}; ///< ping, info, inspect, list: podman's info takes seconds on a busy host
    std::chrono::milliseconds create{30'000};
    std::chrono::milliseconds start{30'000}; ///< attach and start
    std::chrono::milliseconds remove{15'000};
    std::chrono::milliseconds pull_silence{60'000};
    std::chrono::milliseconds pull_retries{
        150'000}; ///< podman's from 4.8 on: it asks a registry that limits pulls for 125 s before it says so.
    std::chrono::milliseconds pull_blind{
        900'000}; ///< The same where the engine says nothing while it loads a layer (podman before 4.8).
    std::chrono::milliseconds import{900'000};
};

/// Connects to an endpoint and asks which dialect it speaks. unavailable: nobody answers there (the message
/// says why). The engine keeps what it needs of the loop's executor, which must outlive it.
boost::asio::awaitable<std::unique_ptr<Engine>> connect_engine(Endpoint endpoint, Timeouts timeouts);

} // namespace runtime_api
