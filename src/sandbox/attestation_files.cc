#include <algorithm>
#include <charconv>

#include "src/sandbox/attestation_rows.h"
#include "src/sandbox/engine_additions.h"

namespace sandbox::rows {
namespace {

/// What is in force at a place: the last one mounted there.
const GuestMount* mount_at(const std::vector<GuestMount>& mounts, std::string_view at) {
    const auto found =
        std::find_if(mounts.rbegin(), mounts.rend(), [&](const GuestMount& each) { return each.at == at; });
    return found == mounts.rend() ? nullptr : &*found;
}

/// The mount that a path lies in: the one with the longest way in common.
const GuestMount* mount_of(const std::vector<GuestMount>& mounts, const std::string& path) {
    for (std::string place = path;; place = place.substr(0, place.rfind('/'))) {
        if (const GuestMount* mount = mount_at(mounts, place.empty() ? "/" : place)) return mount;
        if (place.empty()) return nullptr;
    }
}

const runtime_api::TmpfsMount* asked_at(const Views& v, std::string_view at) {
    const auto found = std::find_if(v.spec.tmpfs.begin(), v.spec.tmpfs.end(),
                                    [&](const auto& each) { return each.at == at; });
    return found == v.spec.tmpfs.end() ? nullptr : &*found;
}

/// The bytes of "size=65536k", or -1.
std::int64_t size_of(const GuestMount& mount) {
    const std::string options = "," + mount.super_options;
    const std::size_t at = options.find(",size=");
    if (at == options.npos) return -1;
    const char* first = options.data() + at + 6;
    const char* last = options.data() + options.size();
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc() || value < 0 || value > (1LL << 40)) return -1;
    const char unit = end == last ? ',' : *end;
    if (unit == 'k' || unit == 'K') return value << 10;
    if (unit == 'm' || unit == 'M') return value << 20;
    if (unit == 'g' || unit == 'G') return value << 30;
    return unit == ',' ? value : -1;
}

void judge_tmpfs(const Views& v, const runtime_api::TmpfsMount& asked, Finding& row) {
    const auto wrong = [&](const std::string& what) {
        row.guest += (row.guest.empty() ? "" : ", ") + asked.at + " " + what;
        fall_short(row, "the engine did not make the tmpfs as asked");
    };
    if (std::find(v.state.tmpfs.begin(), v.state.tmpfs.end(), asked.at) == v.state.tmpfs.end())
        fall_short(row, "the engine knows of no tmpfs at " + asked.at);
    const GuestMount* mount = mount_at(*v.facts.mounts, asked.at);
    if (mount == nullptr) return wrong("is not there");
    if (mount->type != "tmpfs") return wrong("is " + shown(mount->type));
    for (const char* option : {"rw", "noexec"})
        if (!mount->has(option)) wrong(std::string("is not ") + option);
    for (const char* option : {"nosuid", "nodev"})
        if (!mount->has(option) && !v.gvisor()) wrong(std::string("is not ") + option);
    const std::int64_t size = size_of(*mount);
    if (size <= 0)
        wrong("has no limit");
    else if (size > asked.size_bytes)
        wrong("has " + size_text(size));
}

/// What of the host's /run/secrets holds besides what is known to be none.
std::vector<std::string> secrets_of(const Views& v) {
    std::vector<std::string> found;
    for (const std::string& each : v.facts.secrets.value_or(std::vector<std::string>()))
        if (!is_harmless_secret(each)) found.push_back("/run/secrets/" + each);
    return found;
}

const GuestMount* strange_mount_at(const Views& v, const std::string& path) {
    const GuestMount* mount = mount_of(*v.facts.mounts, path);
    if (mount == nullptr || mount->at == "/" || asked_at(v, mount->at) != nullptr) return nullptr;
    return engine_adds_mount(v.info.dialect, *mount) ? nullptr : mount;
}

// By its place inside alone: what is mounted there is a path of the host's, and this reaches clients.
std::string describe_mount(const GuestMount& mount) { return mount.at + " (" + mount.type + ")"; }

} // namespace

Finding root_filesystem(const Views& v) {
    Finding row{.row = "root filesystem",
                .asked = "read-only",
                .engine = v.state.read_only_rootfs ? "read-only" : "writable"};
    if (!v.state.read_only_rootfs) fall_short(row, "the engine does not know of the wish");
    const GuestMount* root = v.facts.mounts ? mount_at(*v.facts.mounts, "/") : nullptr;
    if (root == nullptr) {
        not_said(row);
        return row;
    }
    row.guest = root->read_only() ? "read-only" : "writable";
    if (!root->read_only()) fall_short(row, "the engine did not apply it");
    return row;
}

Finding writable(const Views& v) {
    Finding row{.row = "writable", .asked = ""};
    for (const runtime_api::TmpfsMount& each : v.spec.tmpfs)
        row.asked += (row.asked.empty() ? "tmpfs " : ", ") + each.at + " " + size_text(each.size_bytes);
    row.asked += ", noexec,nosuid,nodev, and nothing else";
    if (!v.facts.mounts || !v.facts.writable) {
        not_said(row);
        return row;
    }
    for (const runtime_api::TmpfsMount& each : v.spec.tmpfs) judge_tmpfs(v, each, row);
    std::vector<std::string> others;
    for (const std::string& path : *v.facts.writable) {
        if (asked_at(v, path) != nullptr) continue;
        const GuestMount* mount = mount_of(*v.facts.mounts, path);
        const bool can_run = mount == nullptr || !mount->has("noexec") || !mount->has("nosuid");
        const bool in_ours = mount != nullptr && asked_at(v, mount->at) != nullptr;
        if (!in_ours && (!engine_adds_writable(path) || can_run)) others.push_back(path);
    }
    if (!others.empty()) {
        row.guest += (row.guest.empty() ? "" : ", ") + listed(others);
        const GuestMount* added = strange_mount_at(v, others.front());
        fall_short(row, "more can be written to than was asked for",
                   !v.podman() ? ""
                   : added     ? podman_setting_behind(*added)
                               : "use libpod's own API, not podman's Docker API");
    }
    if (row.guest.empty())
        row.guest = v.gvisor() ? "the same; gVisor does not show nosuid and nodev" : "the same";
    return row;
}

Finding mounts(const Views& v) {
    Finding row{.row = "mounts",
                .asked = "nothing of the host's",
                .engine = v.state.mounts.empty() ? "none" : listed(v.state.mounts)};
    if (!v.state.mounts.empty())
        fall_short(row, "the engine adds mounts of its own",
                   v.podman() ? podman_setting_behind({.at = shown(v.state.mounts.front())})
                              : "use an image without VOLUME");
    if (!v.facts.mounts || v.facts.mounts->empty()) {
        not_said(row);
        return row;
    }
    std::vector<std::string> others;
    const GuestMount* first = nullptr;
    for (const GuestMount& each : *v.facts.mounts) {
        const bool asked =
            each.at == "/" || (asked_at(v, each.at) != nullptr && each.type == "tmpfs" && each.root == "/");
        const bool empty_shm =
            each.at == "/dev/shm" && each.type == "tmpfs" && each.root == "/"; // under ours
        const bool added = engine_adds_mount(v.info.dialect, each) ||
                           (v.gvisor() && gvisor_adds_mount(v.info.dialect, each));
        if (asked || empty_shm || added) continue;
        others.push_back(describe_mount(each));
        if (first == nullptr) first = &each;
    }
    row.guest = others.empty() ? "only what is on the engine's list" : listed(others);
    if (!others.empty())
        fall_short(row, "the engine adds mounts that are on no list",
                   v.podman() ? shown(podman_setting_behind(*first))
                              : "remove hooks and default mounts from the daemon's configuration");
    if (const std::vector<std::string> secrets = secrets_of(v); v.podman() && !secrets.empty()) {
        row.guest = listed(secrets);
        fall_short(row, "the engine copies secrets of its host into every container",
                   podman_setting_behind({.at = "/run/secrets"}));
    }
    return row;
}

Finding devices(const Views& v) {
    Finding row{.row = "devices", .asked = "null, zero, full, random, urandom, tty, pts"};
    if (!v.facts.devices) {
        not_said(row);
        return row;
    }
    std::vector<std::string> others;
    for (const GuestDevice& each : *v.facts.devices)
        if (!is_usual_device(each) && !(v.gvisor() && gvisor_adds_device(each)))
            others.push_back(each.name + " (" + each.kind + " " + std::to_string(each.major) + ":" +
                             std::to_string(each.minor) + ")");
    const std::string first = others.empty() ? "" : others.front().substr(0, others.front().find(' '));
    row.guest = others.empty() ? "only these" : listed(others);
    if (!others.empty())
        fall_short(row, "the engine adds devices",
                   v.podman() ? shown(podman_setting_behind({.at = "/dev/" + first}))
                              : "remove default devices and runtimes' hooks");
    return row;
}

Finding masked_paths(const Views& v) {
    Finding row{.row = "masked paths", .asked = "parts of /proc and /sys hidden or read-only"};
    if (!v.facts.masked || v.facts.masked->empty()) {
        not_said(row);
        return row;
    }
    std::vector<std::string> open;
    for (const auto& [path, state] : *v.facts.masked) {
        const bool hidden = state == "absent" || state == "empty" || state == "denied";
        if (!hidden && (state != "readable" || must_be_hidden(path))) open.push_back(path + " is " + state);
    }
    row.guest = open.empty() ? "the same" : listed(open);
    if (!open.empty())
        fall_short(row, "the engine does not mask them",
                   v.podman() ? "remove unmask from the engine's configuration"
                              : "do not run the daemon with unmasked paths");
    return row;
}

} // namespace sandbox::rows
