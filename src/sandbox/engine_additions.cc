#include "src/sandbox/engine_additions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include "src/base/text.h"

namespace sandbox {
namespace {

using runtime_api::Dialect;

constexpr std::array hidden_paths{
    std::string_view("/proc/kcore"),         std::string_view("/proc/keys"),
    std::string_view("/proc/latency_stats"), std::string_view("/proc/timer_list"),
    std::string_view("/proc/timer_stats"),   std::string_view("/proc/sched_debug"),
    std::string_view("/proc/acpi"),          std::string_view("/proc/scsi"),
    std::string_view("/proc/kmsg"),          std::string_view("/sys/firmware"),
    std::string_view("/sys/kernel/debug"),   std::string_view("/sys/kernel/security"),
    std::string_view("/sys/kernel/tracing"),
};

/// A bind from the engine's own directory for this container, which the mount's root names.
struct Bind {
    std::string_view at;
    std::string_view from; ///< How the root must end.
};

constexpr std::array podman_binds{
    Bind{"/etc/hosts", "/userdata/hosts"},
    Bind{"/etc/resolv.conf", "/userdata/resolv.conf"},
    Bind{"/etc/hostname", "/userdata/hostname"},
    Bind{"/etc/passwd", "/userdata/passwd"}, // where the image has no entry for our user
    Bind{"/etc/group", "/userdata/group"},
    Bind{"/run/.containerenv", "/userdata/.containerenv"},
    Bind{"/run/secrets",
         "/userdata/run/secrets"}, // Fedora and its kin: an empty directory but for subscriptions
    Bind{"/etc/machine-id", "/userdata/machine-id"},
};

constexpr std::array docker_binds{
    Bind{"/etc/hosts", "/hosts"},
    Bind{"/etc/resolv.conf", "/resolv.conf"},
    Bind{"/etc/hostname", "/hostname"},
};

constexpr std::array podman_variables{std::string_view("HOSTNAME"), std::string_view("container")};

constexpr std::array docker_variables{std::string_view("HOSTNAME")};

constexpr std::array tunnels{
    std::string_view("tunl0"),   std::string_view("gre0"),    std::string_view("gretap0"),
    std::string_view("erspan0"), std::string_view("ip_vti0"), std::string_view("ip6_vti0"),
    std::string_view("sit0"),    std::string_view("ip6tnl0"), std::string_view("ip6gre0"),
};

struct UsualDevice {
    std::string_view name;
    std::int64_t major;
    std::int64_t minor;
};

constexpr std::array usual_devices{
    UsualDevice{"null", 1, 3},   UsualDevice{"zero", 1, 5},     UsualDevice{"full", 1, 7},
    UsualDevice{"random", 1, 8}, UsualDevice{"urandom", 1, 9},  UsualDevice{"tty", 5, 0},
    UsualDevice{"ptmx", 5, 2},   UsualDevice{"pts/ptmx", 5, 2},
};

constexpr std::array gvisor_devices{UsualDevice{"net/tun", 10, 200}, UsualDevice{"fuse", 10, 229}};

bool contains(std::span<const std::string_view> list, std::string_view item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

bool is_character(const GuestDevice& device) { return device.kind == "char" || device.kind == "c"; }

bool is_among(std::span<const UsualDevice> list, const GuestDevice& device) {
    return is_character(device) && std::any_of(list.begin(), list.end(), [&](const UsualDevice& each) {
               return each.name == device.name && each.major == device.major && each.minor == device.minor;
           });
}

bool is_bind_of(std::span<const Bind> binds, std::string_view home, const GuestMount& mount) {
    if (!mount.read_only() || mount.root.find(home) == mount.root.npos) return false;
    return std::any_of(binds.begin(), binds.end(), [&](const Bind& bind) {
        return mount.at == bind.at && mount.root.ends_with(bind.from);
    });
}

/// A time zone (`tz`), copied to the engine's folder. Where an image's /etc/localtime is a link, the mount is
/// where that leads.
bool is_time_zone(const GuestMount& mount) {
    const bool there = mount.at == "/etc/localtime" || mount.at.starts_with("/usr/share/zoneinfo/");
    return there && mount.read_only() && mount.root.find("-containers/") != mount.root.npos &&
           mount.root.ends_with("/userdata/localtime");
}

/// On a host in FIPS mode: the image's own policies for that, over its usual ones.
bool is_fips_policy(const GuestMount& mount) {
    return mount.at == "/etc/crypto-policies/back-ends" && mount.type.find("overlay") != mount.type.npos &&
           mount.root == "/usr/share/crypto-policies/back-ends/FIPS";
}

/// The kernel's own file systems, where every runtime mounts them.
bool is_kernel_mount(const GuestMount& mount) {
    const std::string_view at = mount.at;
    if (mount.root != "/") return at == "/sys/fs/cgroup" && mount.type == "cgroup2" && mount.read_only();
    if (at == "/proc") return mount.type == "proc";
    if (at == "/sys") return mount.type == "sysfs" && mount.read_only();
    if (at == "/dev") return mount.type == "tmpfs";
    if (at == "/dev/pts") return mount.type == "devpts";
    if (at == "/dev/mqueue") return mount.type == "mqueue";
    if (at == "/sys/fs/cgroup")
        return mount.type == "tmpfs" || (mount.type == "cgroup2" && mount.read_only());
    return false;
}

bool is_cgroup_v1(const GuestMount& mount) {
    return mount.at.starts_with("/sys/fs/cgroup/") && (mount.type == "cgroup" || mount.type == "cgroup2") &&
           mount.read_only();
}

/// What takes away from /proc and /sys: an empty read-only tmpfs or folder, the null device, or the part
/// itself once more, read-only.
bool is_mask(const GuestMount& mount) {
    if (!mount.at.starts_with("/proc/") && !mount.at.starts_with("/sys/")) return false;
    const bool on_dev = mount.type == "tmpfs" || mount.type == "devtmpfs";
    if (on_dev && (mount.root == "/null" || mount.root == "/dev/null")) return true;
    if (!mount.read_only()) return false;
    if (mount.root.ends_with("/crun/.empty-directory")) return true; // in the folder of crun, since 1.24
    if (mount.type == "tmpfs") return mount.root == "/";
    return (mount.type == "proc" && mount.at.starts_with("/proc/")) ||
           (mount.type == "sysfs" && mount.at.starts_with("/sys/"));
}

/// Rootless engines may not make device files, and bind the host's.
bool is_device_bind(const GuestMount& mount) {
    if (!mount.at.starts_with("/dev/")) return false;
    const std::string_view name = std::string_view(mount.at).substr(5);
    const bool known = std::any_of(usual_devices.begin(), usual_devices.end(),
                                   [&](const UsualDevice& each) { return each.name == name; });
    return known && (mount.type == "devtmpfs" || mount.type == "tmpfs") &&
           mount.root.ends_with("/" + std::string(name));
}

template <std::size_t N> bool mentions(std::string_view text, const std::array<std::string_view, N>& words) {
    const std::string lower = base::lower(std::string(text));
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

} // namespace

bool engine_adds_mount(Dialect dialect, const GuestMount& mount) {
    if (is_kernel_mount(mount) || is_cgroup_v1(mount) || is_mask(mount) || is_device_bind(mount)) return true;
    if (dialect == Dialect::libpod)
        return is_bind_of(podman_binds, "-containers/", mount) || // "overlay-containers", "vfs-…"
               is_time_zone(mount) || is_fips_policy(mount);
    // how an image's volumes are covered, since Docker cannot leave them out
    if (mount.type == "tmpfs" && mount.root == "/" && mount.read_only()) return true;
    return is_bind_of(docker_binds, "/containers/", mount);
}

bool is_harmless_secret(std::string_view path) { return path.starts_with("rhsm/") || path == "system-fips"; }

std::string podman_setting_behind(const GuestMount& mount) {
    if (mount.at.starts_with("/run/secrets") || mount.root.find("/userdata/") != mount.root.npos)
        return "leave " + mount.at +
               " out of mounts.conf: an empty /etc/containers/mounts.conf (rootless: "
               "~/.config/containers/mounts.conf) goes before the one in /usr/share/containers";
    const std::string_view setting = mount.at.starts_with("/dev/") ? "devices" : "volumes or mounts";
    return "take " + mount.at + " out of " + std::string(setting) +
           " under [containers] in containers.conf (a hook of hooks_dir can add it, too), then restart the "
           "engine";
}

bool is_gvisor(std::string_view oci_runtime) {
    return oci_runtime.find("runsc") != oci_runtime.npos || oci_runtime.find("gvisor") != oci_runtime.npos;
}

bool gvisor_adds_mount(Dialect dialect, const GuestMount& mount) {
    if (mount.at.starts_with("/sys/fs/cgroup/")) return mount.type == "cgroup";
    if (mount.type != "9p" || !mount.read_only()) return false;
    const std::span<const Bind> binds =
        dialect == Dialect::libpod ? std::span<const Bind>(podman_binds) : docker_binds;
    return std::any_of(binds.begin(), binds.end(), [&](const Bind& bind) { return mount.at == bind.at; });
}

bool engine_adds_writable(std::string_view path) {
    return path ==
           "/dev/mqueue"; // of mode 1777 in each IPC namespace; bounded by its own rlimit and by memory
}

bool engine_adds_variable(Dialect dialect, std::string_view name) {
    return dialect == Dialect::libpod ? contains(podman_variables, name) : contains(docker_variables, name);
}

bool kernel_adds_interface(std::string_view name) { return contains(tunnels, name); }

bool is_usual_device(const GuestDevice& device) {
    if (is_character(device) && device.name.starts_with("pts/") && device.major >= 136 && device.major <= 143)
        return true; // our own terminals
    return is_among(usual_devices, device);
}

bool gvisor_adds_device(const GuestDevice& device) { return is_among(gvisor_devices, device); }

bool must_be_hidden(std::string_view path) { return contains(hidden_paths, path); }

bool is_harmless_warning(std::string_view warning) {
    static constexpr std::array words{std::string_view("platform"), std::string_view("ip forwarding"),
                                      std::string_view("ipv4 forwarding"), std::string_view("deprecated")};
    return mentions(warning, words);
}

bool is_limit_warning(std::string_view warning) {
    static constexpr std::array words{
        std::string_view("resource limit"), std::string_view("memory"), std::string_view("swap"),
        std::string_view("pids"),           std::string_view("cpu"),    std::string_view("cgroup")};
    return mentions(warning, words);
}

} // namespace sandbox
