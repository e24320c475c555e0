#include <algorithm>
#include <array>
#include <charconv>

#include "src/sandbox/attestation_rows.h"

namespace sandbox::rows {
namespace {

bool no_bits(const std::string& hex) { return !hex.empty() && hex.find_first_not_of('0') == hex.npos; }

bool mentions(const std::vector<std::string>& options, std::string_view word) {
    return std::any_of(options.begin(), options.end(),
                       [&](const std::string& each) { return each.find(word) != each.npos; });
}

/// The two numbers of "65534:65534"; -1 where there is none.
std::pair<std::int64_t, std::int64_t> ids_of(const std::string& user) {
    const auto number = [](std::string_view digits) {
        std::int64_t value = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
    };
    const std::size_t colon = user.find(':');
    const std::int64_t uid = number(std::string_view(user).substr(0, colon));
    return {uid, colon == user.npos ? uid : number(std::string_view(user).substr(colon + 1))};
}

/// The range of a map that holds an id, or nullptr.
const std::vector<std::int64_t>* range_of(const GuestFacts::IdMap& map, std::int64_t id) {
    for (const std::vector<std::int64_t>& range : map)
        if (id >= range[0] && id - range[0] < range[2]) return &range;
    return nullptr;
}

bool is_whole_host(const GuestFacts::IdMap& map) {
    return map.size() == 1 && map[0][0] == map[0][1] && map[0][2] >= 0xFFFFFFFE;
}

/// Who our user is outside. A rootless engine gives its own user one id alone, mostly 0, and to all others of
/// its subordinate ids.
void judge_map(const Views& v, std::int64_t uid, Finding& row) {
    const GuestFacts::IdMap& map = *v.facts.uid_map;
    const std::vector<std::int64_t>* range = range_of(map, uid);
    if (range == nullptr) return fall_short(row, "the user is not mapped to any outside");
    const std::int64_t outside = (*range)[1] + (uid - (*range)[0]);
    row.guest += ", outside " + std::to_string(outside);
    if (outside == 0)
        fall_short(row, v.rootless() ? "outside this is the engine's own user" : "outside this is root");
    if (!v.rootless()) return;
    if ((*range)[2] == 1)
        fall_short(row, "outside this is the engine's own user",
                   "give it subordinate ids: usermod --add-subuids 100000-165535 USER");
    if (is_whole_host(map))
        fall_short(row, "the engine says that it is rootless, but the guest is in no user namespace");
}

std::string profile_advice(const Views& v) {
    return v.podman()
               ? "remove seccomp_profile from containers.conf, or give it the profile that podman brings"
               : "remove \"seccomp-profile\" from daemon.json";
}

/// Of what the guest tries (src/guest/supervisor/probe.py), the calls that podman's own profile lets through:
/// the kernel then asks for capabilities, which nothing in there has. Docker's profile refuses them as well.
constexpr std::array<std::string_view, 7> podman_lets_through = {
    "keyctl", "mount", "mount_setattr", "open_tree", "setns", "umount2", "unshare"};

bool is_usual(const Views& v, const std::string& call) {
    return v.podman() && std::find(podman_lets_through.begin(), podman_lets_through.end(), call) !=
                             podman_lets_through.end();
}

std::string all_of(const std::vector<std::string>& calls) {
    std::string text;
    for (const std::string& each : calls) text += (text.empty() ? "" : ", ") + shown(each);
    return text;
}

/// What the filters did, not how many there are: a profile that refuses nothing of what the engine's own one
/// refuses is none. One that lets a part of it through is somebody's choice, and is told.
void judge_profile(const Views& v, const std::string& advice, Finding& row) {
    if (!v.facts.probed || v.facts.probed->empty()) {
        if (v.facts.own_filter == "installed") not_said(row); // else it has a row that falls short
        return;
    }
    std::vector<std::string> usual, others;
    std::size_t refused = 0;
    for (const auto& [name, verdict] : *v.facts.probed) {
        if (verdict != "refused")
            (is_usual(v, name) ? usual : others).push_back(name);
        else if (!is_usual(v, name))
            ++refused;
    }
    if (!usual.empty()) row.guest += "; like podman's own profile it lets through " + all_of(usual);
    if (!others.empty())
        row.guest += "; the engine's own profile would refuse what this one lets through: " + all_of(others);
    if (refused == 0)
        fall_short(row, "the engine's profile allows all that its own one would refuse", advice);
}

} // namespace

Finding capabilities(const Views& v) {
    Finding row{.row = "capabilities", .asked = "none", .engine = "none"};
    if (!v.state.effective_caps.empty() || !v.state.cap_add.empty()) {
        row.engine = listed(v.state.effective_caps.empty() ? v.state.cap_add : v.state.effective_caps);
        fall_short(row, "the engine gives capabilities that were not asked for");
    } else if (v.state.cap_drop.empty()) {
        row.engine = "none dropped";
        fall_short(row, "the engine does not know of the wish to drop them");
    }
    const GuestFacts& f = v.facts;
    if (!f.cap_inh || !f.cap_prm || !f.cap_eff || !f.cap_bnd || (!f.cap_amb && !v.gvisor())) {
        not_said(row);
        return row;
    }
    row.guest = f.cap_amb ? "none" : "none; gVisor does not show ambient ones";
    std::vector<std::string> held;
    const auto look = [&](const char* set, const std::string& hex) {
        if (!no_bits(hex)) held.push_back(std::string(set) + " " + hex);
    };
    look("inheritable", *f.cap_inh);
    look("permitted", *f.cap_prm);
    look("effective", *f.cap_eff);
    look("bounding", *f.cap_bnd);
    if (f.cap_amb) look("ambient", *f.cap_amb);
    if (!held.empty()) {
        row.guest = listed(held);
        fall_short(row, "the engine did not drop them all");
    }
    return row;
}

Finding privileges(const Views& v) {
    Finding row{.row = "privileges", .asked = "no-new-privileges", .engine = "no-new-privileges"};
    if (!v.state.no_new_privileges) {
        row.engine = "new ones allowed";
        fall_short(row, "the engine does not know of the wish");
    }
    if (v.state.privileged) {
        row.engine = "privileged";
        fall_short(row, "the engine made a privileged container");
    }
    for (const char* word : {"apparmor=unconfined", "systempaths=unconfined", "unmask="})
        if (mentions(v.state.security_opt, word))
            fall_short(row, std::string("the engine set ") + word,
                       "take it out of the engine's configuration");
    if (!v.facts.no_new_privs) {
        not_said(row);
        return row;
    }
    row.guest = *v.facts.no_new_privs == 1 ? "no-new-privileges" : "new ones allowed";
    if (*v.facts.no_new_privs != 1) fall_short(row, "the engine did not apply it");
    return row;
}

Finding seccomp(const Views& v) {
    Finding row{.row = "seccomp", .asked = "the engine's default profile"};
    const bool unconfined =
        v.state.seccomp_unconfined || mentions(v.state.security_opt, "seccomp=unconfined");
    row.engine = unconfined ? "unconfined" : v.info.seccomp == false ? "no seccomp" : "in force";
    const char* advice =
        v.podman() ? "remove seccomp_profile = \"unconfined\" (or such an entry in annotations) from "
                     "containers.conf, or use a podman that was built with seccomp"
                   : "remove \"seccomp-profile\": \"unconfined\" from daemon.json, or use a "
                     "daemon that was built with seccomp";
    if (unconfined) fall_short(row, "the engine was told to go without", advice);
    if (v.info.seccomp == false) fall_short(row, "the engine has none", advice);
    if (!v.facts.seccomp) {
        not_said(row);
        return row;
    }
    constexpr std::int64_t filter_mode = 2;
    const bool ours = v.facts.own_filter == "installed";
    const std::int64_t needed = ours ? 2 : 1;
    if (v.gvisor()) {
        row.guest =
            "cannot be seen: gVisor's kernel takes the calls, by the engine's profile only with runsc's "
            "--oci-seccomp, and filters its own";
    } else if (*v.facts.seccomp != filter_mode) {
        row.guest = "none";
        fall_short(row, "no filter is in force", advice);
    } else if (!v.facts.seccomp_filters) {
        row.guest = "in force"; // kernels before 5.9 do not count, and the engine's word must do
    } else {
        const std::int64_t others = *v.facts.seccomp_filters - (ours ? 1 : 0);
        row.guest = others > 0 ? "in force" : "none but our own";
        if (*v.facts.seccomp_filters < needed)
            fall_short(row, "the engine's own filter is not in force", advice);
    }
    if (!v.gvisor() && row.ok) judge_profile(v, profile_advice(v), row);
    return row;
}

Finding guest_filter(const Views& v) {
    Finding row{.row = "guest filter", .asked = "installed"};
    if (!v.facts.own_filter) {
        not_said(row);
        return row;
    }
    row.guest = shown(*v.facts.own_filter);
    if (row.guest == "installed") return row;
    const std::string arch = v.facts.arch.value_or("");
    if (!arch.empty() && arch != "x86_64" && arch != "aarch64")
        fall_short(row, "there is none for " + shown(arch),
                   "use a host that is x86-64 or aarch64, or run with --confinement report");
    else
        fall_short(row, "it could not be installed",
                   "use an image whose Python has ctypes, on a kernel with seccomp filters");
    return row;
}

Finding landlock(const Views& v) {
    Finding row{.row = "landlock", .asked = "where the kernel has it"};
    if (!v.facts.landlock) {
        not_said(row);
        return row;
    }
    const GuestLandlock& seen = *v.facts.landlock;
    const std::string abi = "ABI " + std::to_string(seen.abi);
    if (seen.abi <= 0) {
        row.guest = "not available: " + shown(seen.why.value_or("it is not said why"));
    } else if (seen.why) {
        row.guest = "not in force: " + shown(*seen.why);
        fall_short(row, "the kernel has it (" + abi + "), and it could not be put in force");
    } else {
        constexpr std::int64_t with_signals = 6;
        row.guest = "in force, " + abi + ": writes" + (seen.abi >= with_signals ? ", signals" : "") +
                    " and traces end at what is the code's own";
    }
    return row;
}

// Told, not judged: whether a host has such a module is its owner's choice. An engine that was told to go
// without is in another row.
Finding lsm_label(const Views& v) {
    Finding row{.row = "LSM label", .asked = "the host's, if it has one"};
    if (v.info.apparmor) row.engine = "AppArmor";
    if (v.info.selinux) row.engine += row.engine.empty() ? "SELinux" : ", SELinux";
    if (!v.facts.lsm_label)
        not_said(row);
    else
        row.guest = v.facts.lsm_label->empty() ? "none" : shown(*v.facts.lsm_label);
    return row;
}

Finding user(const Views& v) {
    Finding row{
        .row = "user", .asked = v.spec.user + ", not the host user's own", .engine = shown(v.state.user)};
    if (v.state.user != v.spec.user) fall_short(row, "the engine took another user");
    const GuestFacts& f = v.facts;
    if (!f.uid || !f.gid || !f.groups || !f.uid_map || !f.gid_map) {
        not_said(row);
        return row;
    }
    row.guest = std::to_string(*f.uid) + ":" + std::to_string(*f.gid);
    const auto [uid, gid] = ids_of(v.spec.user);
    if (*f.uid != uid || *f.gid != gid)
        fall_short(row, "the engine did not apply it",
                   "name a user by numbers: CORDON_CONTAINER_USER=65534:65534");
    if (*f.uid == 0 || *f.gid == 0)
        fall_short(row, "code must not be root", "CORDON_CONTAINER_USER=65534:65534");
    if (std::any_of(f.groups->begin(), f.groups->end(), [&](std::int64_t each) { return each != *f.gid; })) {
        row.guest += " and other groups";
        fall_short(row, "the image's /etc/group gives it more groups",
                   "use a user without: CORDON_CONTAINER_USER=65534:65534");
    }
    judge_map(v, *f.uid, row);
    return row;
}

Finding init(const Views& v) {
    Finding row{.row = "init", .asked = "the supervisor is PID 1 and cannot be read"};
    if (v.state.init) {
        row.engine = "an init of its own";
        fall_short(row, "the engine puts its own init before us",
                   v.podman() ? "set init = false in containers.conf" : "set \"init\": false in daemon.json");
    }
    if (!v.facts.pid || !v.facts.dumpable || !v.facts.proc_owner) {
        not_said(row);
        return row;
    }
    row.guest = "PID " + std::to_string(*v.facts.pid) + (*v.facts.dumpable == 0 ? "" : ", dumpable");
    if (*v.facts.pid != 1)
        fall_short(row, "the engine runs something before us, or shares the host's processes");
    if (*v.facts.dumpable != 0)
        fall_short(row, "prctl(PR_SET_DUMPABLE) failed", "use an image whose Python has ctypes");
    else if (*v.facts.proc_owner == v.facts.uid) {
        row.guest += v.gvisor() ? ", its streams open to the code" : ", open to the code";
        fall_short(row,
                   v.gvisor() ? "gVisor lets code read what its supervisor is told, speak in its place, stop "
                                "and end it (its "
                                "memory stays closed), though nobody else's"
                              : "the kernel lets code read the supervisor",
                   "run with --confinement report, and take all of a result as the code's own word");
    }
    return row;
}

} // namespace sandbox::rows
