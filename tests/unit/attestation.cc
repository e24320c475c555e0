#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "src/base/json.h"
#include "src/sandbox/attestation.h"
#include "src/sandbox/confinement.h"
#include "tests/unit/attestation_case.h"

namespace {

using namespace attestation_case;
using runtime_api::Dialect;
using sandbox::Finding;

/// On cgroup v1, as it really is: the engine ignores the limits and says so.
Case rootless() {
    Case c = podman();
    c.info.rootless = true;
    c.state.memory_bytes = c.state.memory_swap_bytes = c.state.pids = 0;
    c.warnings = {"Resource limits are not supported and ignored on cgroups V1 rootless systems"};
    c.facts = recorded::podman_rootless;
    return c;
}

/// The same engine on cgroup v2, as podman 5.4 describes itself.
Case rootless_v2() {
    Case c = rootless();
    c.info.version = "5.4.2";
    c.info.cgroup_version = 2;
    c.info.cgroup_driver = "systemd";
    c.warnings.clear();
    c.state.memory_bytes = c.state.memory_swap_bytes = 512LL << 20;
    c.state.pids = 128;
    return c.say("\"version\": 1", "\"version\": 2")
        .say("\"pids_max\": null", "\"pids_max\": 128")
        .say("\"memory_max\": -1", "\"memory_max\": 536870912")
        .say("\"memory_swap_max\": null", "\"memory_swap_max\": 0")
        .say("\"memsw_max\": -1", "\"memsw_max\": null")
        .say(R"({"at": "/sys/fs/cgroup", "type": "tmpfs", "options": "rw,)",
             R"({"at": "/sys/fs/cgroup", "type": "cgroup2", "options": "ro,)");
}

} // namespace

TEST_CASE("judge: real containers that are as asked fall short in nothing") {
    for (const Case& c : {podman(), docker(), rootless_v2()}) {
        CHECK(sandbox::describe(c.bad()) == "");
        CHECK(c.judge().size() == 25);
        for (const Finding& each : c.judge()) {
            CAPTURE(each.row);
            CHECK_FALSE(each.asked.empty());
            CHECK(each.why.empty());
            CHECK(each.advice.empty());
        }
    }
    CHECK(names(podman().judge()) == names(docker().judge()));
}

TEST_CASE("judge: rootless podman on cgroup v1 has no limits, and the reason and the cure are said") {
    const Case c = rootless();
    CHECK(names(c.bad()) == Names{"memory", "processes"});
    CHECK(sandbox::describe({c.row("memory")}) ==
          "memory: asked 512 MiB, the engine says no limit, the guest sees no limit: rootless podman on "
          "cgroup v1 ignores limits; boot the host with "
          "cgroup v2 (systemd.unified_cgroup_hierarchy=1 on the kernel's command line), or run with "
          "--confinement report");
}

TEST_CASE("judge: rootless Docker echoes limits that do not exist, and is not believed") {
    Case c = docker();
    c.info.rootless = true;
    c.info.cgroup_driver = "none";
    c.say("\"memory_max\": 536870912", "\"memory_max\": -1")
        .say("\"memsw_max\": 536870912", "\"memsw_max\": -1")
        .say("\"pids_max\": 128", "\"pids_max\": null");
    c.say("[[0, 0, 4294967295]]", "[[0, 1001, 1], [1, 100000, 65536]]");
    CHECK(names(c.bad()) == Names{"memory", "processes"});
    CHECK(c.row("memory").engine == "512 MiB");
    CHECK(c.row("memory").guest == "no limit");
    CHECK(c.row("memory").why.find("echo") != std::string::npos);
}

TEST_CASE("judge: text that is no object is an error, and an object without facts falls short in every row "
          "that needs them") {
    Case c = podman();
    for (const char* bad : {"", "[]", "7", "{", "null", "{\"a\":1,\"a\":2}"}) {
        c.facts = bad;
        CHECK_THROWS_AS(c.judge(), json::Error);
    }
    for (
        const char* nothing :
        {"{}",
         R"({"pid":"1","uid":null,"mounts":[{"at":1}],"cgroup":[],"seccomp":"2","uid_map":[[0,0]],"devices":{},"masked":[],"environment":7})"}) {
        c.facts = nothing;
        const Names all = names(c.judge());
        Names silent = names(c.bad());
        for (const char* engine_only : {"cpus", "OCI runtime", "warnings"})
            silent.insert(std::find(silent.begin(), silent.end(), "x"), engine_only);
        CHECK(silent.size() == all.size());
        CHECK(c.row("memory").guest == "the guest does not say");
    }
    CHECK(sandbox::describe({c.row("hostname")}).find("hostname: asked sandbox, the guest does not say: ") ==
          0);
}

TEST_CASE("judge: each fact alone makes its row fall short") {
    struct Spoilt {
        const char* row;
        const char* from;
        const char* to;
    };
    for (const Spoilt& each : {
             Spoilt{"network", R"(["lo"])", R"(["lo", "eth0"])"},
             Spoilt{"network", R"(["lo"])", R"([])"},
             Spoilt{"network", R"("routes": [])", R"("routes": ["eth0 00000000 0100A8C0"])"},
             Spoilt{"root filesystem", R"("at": "/", "type": "overlay", "options": "ro)",
                    R"("at": "/", "type": "overlay", "options": "rw)"},
             Spoilt{"capabilities", R"("cap_eff": "0000000000000000")", R"("cap_eff": "0000000000000400")"},
             Spoilt{"capabilities", R"("cap_bnd": "0000000000000000")", R"("cap_bnd": "00000000a80425fb")"},
             Spoilt{"capabilities", R"("cap_amb": "0000000000000000")", R"("cap_amb": "")"},
             Spoilt{"privileges", R"("no_new_privs": 1)", R"("no_new_privs": 0)"},
             Spoilt{"seccomp", R"("seccomp": 2)", R"("seccomp": 0)"},
             Spoilt{"seccomp", R"("seccomp_filters": 2)", R"("seccomp_filters": 1)"},
             Spoilt{"guest filter", R"("own_filter": "installed")",
                    R"("own_filter": "no filter for riscv64")"},
             Spoilt{"user", R"("uid": 65534)", R"("uid": 1000)"},
             Spoilt{"user", R"("gid": 65534)", R"("gid": 0)"},
             Spoilt{"user", R"("groups": [65534])", R"("groups": [65534, 27])"},
             Spoilt{"user", R"("uid_map": [[0, 0, 4294967295]])", R"("uid_map": [[0, 0, 1000]])"},
             Spoilt{"user", R"("uid_map": [[0, 0, 4294967295]])", R"("uid_map": [[65534, 0, 1]])"},
             Spoilt{"writable", R"("at": "/tmp", "type": "tmpfs", "options": "rw,nosuid,nodev,noexec)",
                    R"("at": "/tmp", "type": "tmpfs", "options": "rw,nosuid,nodev)"},
             Spoilt{"writable",
                    R"("options": "rw,nosuid,nodev,noexec,relatime", "super_options": "rw,size=131072k)",
                    R"("options": "rw,nosuid,nodev,noexec,relatime", "super_options": "rw,size=131076k)"},
             Spoilt{"writable", R"(rw,size=131072k)", R"(rw)"},
             Spoilt{"writable", R"("writable": [)", R"("writable": ["/var/tmp", )"},
             Spoilt{"writable",
                    R"("at": "/dev/mqueue", "type": "mqueue", "options": "rw,nosuid,nodev,noexec)",
                    R"("at": "/dev/mqueue", "type": "mqueue", "options": "rw,nosuid,nodev)"},
             Spoilt{"devices", R"({"name": "/dev/zero")", R"({"name": "/dev/kmsg")"},
             Spoilt{"devices", R"({"name": "/dev/zero", "kind": "char")",
                    R"({"name": "/dev/zero", "kind": "block")"},
             Spoilt{"devices", R"("major": 1, "minor": 5)", R"("major": 1, "minor": 1)"},
             Spoilt{"masked paths", R"("/proc/kcore": "absent")", R"("/proc/kcore": "readable")"},
             Spoilt{"masked paths", R"("/proc/irq": "readable")", R"("/proc/irq": "writable")"},
             Spoilt{"memory", R"("memory_max": 536870912)", R"("memory_max": -1)"},
             Spoilt{"memory", R"("memory_max": 536870912)", R"("memory_max": 536875008)"},
             Spoilt{"memory", R"("memsw_max": 536870912)", R"("memsw_max": 1073741824)"},
             Spoilt{"memory", R"("memsw_max": 536870912)", R"("memsw_max": null)"},
             Spoilt{"processes", R"("pids_max": 128)", R"("pids_max": -1)"},
             Spoilt{"processes", R"("pids_max": 128)", R"("pids_max": 129)"},
             Spoilt{"processes", R"("pids_max": 128)", R"("pids_max": null)"},
             Spoilt{"rlimits", R"("nofile": [1024, 1024])", R"("nofile": [1024, 1048576])"},
             Spoilt{"rlimits", R"("core": [1, 1])", R"("core": [-1, -1])"},
             Spoilt{"rlimits", R"("core": [1, 1])", R"("cpu": [0, 0])"},
             Spoilt{"rlimits", R"("msgqueue": [65536, 65536])", R"("msgqueue": [65536, 819200])"},
             Spoilt{"rlimits", R"("sigpending": [1024, 1024])", R"("sigpending": [31000, 31000])"},
             Spoilt{"rlimits", R"("memlock": [65536, 65536])", R"("memlock": [-1, -1])"},
             Spoilt{"rlimits", R"("rtprio": [0, 0])", R"("rtprio": [0, 99])"},
             Spoilt{"rlimits", R"("nice": [0, 0])", R"("nice": [20, 20])"},
             Spoilt{"rlimits", R"("nice": [0, 0])", R"("cpu": [0, 0])"},
             Spoilt{"environment", R"("HOME": "/workspace")", R"("HOME": "/root")"},
             Spoilt{"environment", R"("TMPDIR": "/tmp",)", ""},
             Spoilt{"environment", R"("HOSTNAME")", R"("AWS_SECRET_ACCESS_KEY")"},
             Spoilt{"init", R"("pid": 1)", R"("pid": 2)"},
             Spoilt{"init", R"("dumpable": 0)", R"("dumpable": 1)"},
             Spoilt{"init", R"("proc_owner": 0)", R"("proc_owner": 65534)"},
             Spoilt{"init", R"("proc_owner": 0)", R"("proc_owner": null)"},
             Spoilt{"working directory", R"("cwd": "/workspace")", R"("cwd": "/")"},
             Spoilt{"hostname", R"("hostname": "sandbox")", R"("hostname": "build-7")"},
         }) {
        CAPTURE(each.row);
        CAPTURE(each.to);
        for (Case c : {podman(), docker()}) {
            c.say(each.from, each.to);
            CHECK(names(c.bad()) == Names{each.row});
            CHECK_FALSE(c.row(each.row).why.empty());
        }
    }
}

TEST_CASE("judge: the engine's own word alone makes its row fall short") {
    const auto spoilt = [](auto change) {
        Case c = podman();
        change(c);
        const std::vector<Finding> bad = c.bad();
        REQUIRE(bad.size() == 1);
        return bad[0].row;
    };
    CHECK(spoilt([](Case& c) { c.state.network_mode = "bridge"; }) == "network");
    CHECK(spoilt([](Case& c) { c.state.read_only_rootfs = false; }) == "root filesystem");
    CHECK(spoilt([](Case& c) { c.state.effective_caps = {"CAP_CHOWN"}; }) == "capabilities");
    CHECK(spoilt([](Case& c) { c.state.cap_add = {"CAP_NET_ADMIN"}; }) == "capabilities");
    CHECK(spoilt([](Case& c) { c.state.cap_drop.clear(); }) == "capabilities");
    CHECK(spoilt([](Case& c) { c.state.privileged = true; }) == "privileges");
    CHECK(spoilt([](Case& c) { c.state.no_new_privileges = false; }) == "privileges");
    CHECK(spoilt([](Case& c) { c.state.security_opt.push_back("apparmor=unconfined"); }) == "privileges");
    CHECK(spoilt([](Case& c) { c.state.security_opt.push_back("seccomp=unconfined"); }) == "seccomp");
    CHECK(spoilt([](Case& c) { c.state.seccomp_unconfined = true; }) == "seccomp");
    CHECK(spoilt([](Case& c) { c.info.seccomp = false; }) == "seccomp");
    CHECK(spoilt([](Case& c) { c.state.user = "0"; }) == "user");
    CHECK(spoilt([](Case& c) { c.state.tmpfs.pop_back(); }) == "writable");
    CHECK(spoilt([](Case& c) { c.state.mounts = {"/data"}; }) == "mounts");
    CHECK(spoilt([](Case& c) { c.state.memory_bytes = 0; }) == "memory");
    CHECK(spoilt([](Case& c) { c.state.memory_swap_bytes = -1; }) == "memory");
    CHECK(spoilt([](Case& c) { c.state.pids = 0; }) == "processes");
    CHECK(spoilt([](Case& c) { c.state.init = true; }) == "init");
    CHECK(spoilt([](Case& c) { c.warnings = {"something was discarded"}; }) == "warnings");
}

TEST_CASE("judge: mounts are taken only from the written list, place, kind and origin all being right") {
    const auto mounts_ok = [](Case c, const std::string& json) { return c.mount(json).row("mounts").ok; };
    const auto bind = [](const std::string& at, const std::string& root, const std::string& options) {
        return R"({"at": ")" + at + R"(", "type": "ext4", "options": ")" + options +
               R"(", "super_options": "rw", "source": "/dev/vda", "root": ")" + root + "\"}";
    };
    CHECK(mounts_ok(
        podman(), bind("/etc/resolv.conf", "/run/overlay-containers/ab/userdata/resolv.conf", "ro,nosuid")));
    CHECK(mounts_ok(docker(), bind("/etc/resolv.conf", "/var/lib/docker/containers/ab/resolv.conf", "ro")));
    CHECK_FALSE(mounts_ok(
        podman(), bind("/etc/resolv.conf", "/run/overlay-containers/ab/userdata/resolv.conf", "rw,nosuid")));
    CHECK_FALSE(mounts_ok(podman(), bind("/etc/resolv.conf", "/etc/resolv.conf", "ro")));
    CHECK_FALSE(mounts_ok(
        docker(), bind("/run/.containerenv", "/run/overlay-containers/ab/userdata/.containerenv", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/data", "/home/user", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/run/podman/podman.sock", "/podman/podman.sock", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/dev/null", "/etc/shadow", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/proc/cpuinfo", "/proc/cpuinfo", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/tmp", "/home/user", "rw,noexec,nosuid,nodev")));
    CHECK(mounts_ok(
        podman(),
        R"({"at": "/proc/scsi", "type": "tmpfs", "options": "ro,relatime", "super_options": "ro", "source": "tmpfs", "root": "/"})"));
    CHECK(mounts_ok(podman(), bind("/sys/firmware", "/run/crun/.empty-directory", "ro")));
    CHECK_FALSE(mounts_ok(podman(), bind("/sys/firmware", "/run/crun/.empty-directory", "rw")));
    CHECK_FALSE(mounts_ok(podman(), bind("/data", "/run/crun/.empty-directory", "ro")));
    CHECK_FALSE(mounts_ok(
        podman(),
        R"({"at": "/sys/fs/cgroup/x", "type": "cgroup", "options": "rw", "super_options": "rw", "source": "cgroup", "root": "/"})"));
    CHECK_FALSE(mounts_ok(
        podman(),
        R"({"at": "/proc/sys", "type": "proc", "options": "rw", "super_options": "rw", "source": "proc", "root": "/sys"})"));
    CHECK(podman().mount(bind("/data", "/home/user", "ro")).row("mounts").guest ==
          "/data (ext4)"); // not from where
}

TEST_CASE("judge: an empty read-only tmpfs over an image's volume is Docker's way to leave it out") {
    const std::string cover =
        R"({"at": "/data", "type": "tmpfs", "options": "OPTIONS,nosuid", "super_options": "rw,size=4k", "source": "tmpfs", "root": "/"})";
    const auto with = [&](std::string options) {
        return std::string(cover).replace(cover.find("OPTIONS"), 7, options);
    };
    CHECK(docker().mount(with("ro")).bad().empty());
    CHECK_FALSE(docker().mount(with("rw")).row("mounts").ok);
    CHECK_FALSE(podman().mount(with("ro")).row("mounts").ok);
}

TEST_CASE("judge: a tmpfs hidden under another mount does not count") {
    Case c = podman();
    c.mount(
        R"({"at": "/tmp", "type": "ext4", "options": "rw,relatime", "super_options": "rw", "source": "/dev/vda", "root": "/var/tmp"})");
    CHECK(names(c.bad()) == Names{"writable", "mounts"});
    CHECK(c.row("writable").guest.find("/tmp is ext4") == 0);
}

TEST_CASE("judge: interfaces that the kernel makes in every namespace are no way out, and a look-alike is") {
    CHECK(podman().say(R"(["lo"])", R"(["lo", "tunl0", "ip6tnl0"])").row("network").ok);
    CHECK_FALSE(podman().say(R"(["lo"])", R"(["lo", "tunl1"])").row("network").ok);
}

TEST_CASE("judge: the user must not be the engine's own outside") {
    // podman's keep-id: our uid is the host user, who is 0 in the namespace above
    CHECK_FALSE(
        rootless_v2()
            .say("[[0, 1001, 1], [1, 100000, 65536]]", "[[0, 1, 65534], [65534, 0, 1], [65535, 65535, 2]]")
            .row("user")
            .ok);
    CHECK_FALSE(rootless_v2().say("[[0, 1001, 1], [1, 100000, 65536]]", "[[65534, 1001, 1]]").row("user").ok);
    CHECK_FALSE(
        rootless_v2().say("[[0, 1001, 1], [1, 100000, 65536]]", "[[0, 0, 4294967295]]").row("user").ok);
    CHECK(rootless_v2().row("user").guest == "65534:65534, outside 165533");
    Case root = podman();
    root.spec.user = root.state.user = "0:0";
    root.say("65534", "0");
    CHECK_FALSE(root.row("user").ok);
}

TEST_CASE("judge: an environment tells names and never values, and proxies have a reason of their own") {
    Case c = podman();
    c.say(R"("HOSTNAME": "sandbox")", R"("https_proxy": "http://user:secret@proxy")");
    CHECK(c.row("environment").guest == "https_proxy");
    CHECK(c.row("environment").why.find("prox") != std::string::npos);
    CHECK(sandbox::describe(c.bad()).find("secret") == std::string::npos);
    CHECK_FALSE(docker().say(R"("HOSTNAME")", R"("PYTHON_VERSION")").row("environment").ok);
    CHECK_FALSE(podman().say(R"("HOSTNAME")", R"("PYTHON_VERSION")").row("environment").ok);
    CHECK(podman().say(R"("HOSTNAME": "sandbox")", R"("container": "podman")").row("environment").ok);
}

TEST_CASE("judge: swap counts with memory on cgroup v2, where it is a limit of its own") {
    CHECK_FALSE(
        rootless_v2().say("\"memory_swap_max\": 0", "\"memory_swap_max\": 536870912").row("memory").ok);
    CHECK_FALSE(rootless_v2().say("\"memory_swap_max\": 0", "\"memory_swap_max\": -1").row("memory").ok);
    CHECK_FALSE(rootless_v2().say("\"memory_swap_max\": 0", "\"memory_swap_max\": null").row("memory").ok);
    CHECK_FALSE(rootless_v2()
                    .say("\"memory_swap_max\": 0", "\"memory_swap_max\": 9223372036854775807")
                    .row("memory")
                    .ok);
}

TEST_CASE("judge: a controller that is not delegated is named, with what delegates it") {
    Case c = rootless_v2();
    c.info.cgroup_controllers = {"memory", "pids"};
    CHECK(c.bad().empty());
    c.spec.cpus = 0.5;
    CHECK(names(c.bad()) == Names{"cpus"});
    CHECK(c.row("cpus").asked == "0.5");
    CHECK(c.row("cpus").why == "the cpu controller is not delegated to the engine's user");
    CHECK(c.row("cpus").advice.find("Delegate=") != std::string::npos);
    c.say("\"cpu_quota\": -1", "\"cpu_quota\": 50000");
    CHECK(c.row("cpus").ok);
    c.say("\"cpu_quota\": 50000", "\"cpu_quota\": 60000");
    CHECK_FALSE(c.row("cpus").ok);
}

TEST_CASE("judge: limits below what was asked are stricter, and fine") {
    Case c = podman();
    c.say("\"nofile\": [1024, 1024]", "\"nofile\": [256, 512]")
        .say("size=131072k", "size=65536k")
        .say("\"pids_max\": 128", "\"pids_max\": 64");
    CHECK(c.bad().empty());
    CHECK(
        c.row("rlimits").guest ==
        "nofile 512, nproc 32768, msgqueue 65536, sigpending 1024, memlock 65536, rtprio 0, nice 0, core 1");
}

TEST_CASE("judge: where the engine may not set the usual limits, lower ones are fine, and said") {
    Case c = podman();
    CHECK(c.row("rlimits").engine.empty());
    c.spec.rlimits = sandbox::to_spec({.image = "image", .low_rlimits = true}, "name", {}, "loader").rlimits;
    c.say("\"nofile\": [1024, 1024]", "\"nofile\": [512, 512]").say("[32768, 32768]", "[4096, 4096]");
    c.say("\"msgqueue\": [65536, 65536]", "\"msgqueue\": [0, 0]").say("[65536, 65536]", "[0, 0]");
    CHECK_FALSE(c.bad().empty()); // more signals than were asked for
    c.say("\"sigpending\": [1024, 1024]", "\"sigpending\": [128, 128]");
    CHECK(c.bad().empty());
    CHECK(c.row("rlimits").engine == "less than usual: it may not set more");
}

TEST_CASE("judge: without a count of filters the engine's word must do, and without our own filter one is "
          "enough for its row") {
    CHECK(podman().say("\"seccomp_filters\": 2", "\"seccomp_filters\": null").bad().empty());
    Case c = podman();
    c.say(R"("own_filter": "installed")", R"("own_filter": "prctl: Invalid argument")")
        .say("\"seccomp_filters\": 2", "\"seccomp_filters\": 1");
    CHECK(names(c.bad()) == Names{"guest filter"});
}

TEST_CASE("judge: a profile that refuses nothing of what the engine's own one would is none; what gets "
          "through one is told, all of it") {
    const char* both[] = {"add_key",     "clock_settime", "migrate_pages", "move_pages",  "perf_event_open",
                          "personality", "quotactl",      "request_key",   "settimeofday"};
    CHECK(podman().row("seccomp").guest ==
          "in force; like podman's own profile it lets through keyctl, mount, "
          "mount_setattr, open_tree, setns, umount2, unshare");
    CHECK(docker().row("seccomp").guest == "in force");
    for (const Case& engine : {podman(), docker()}) {
        Case part = engine;
        part.say(R"("quotactl": "refused")", R"("quotactl": "allowed")");
        CHECK(part.bad().empty());
        CHECK(part.row("seccomp").guest.ends_with(
            "; the engine's own profile would refuse what this one lets through: quotactl"));
        Case all = engine;
        for (const char* name : both)
            all.say("\"" + std::string(name) + R"(": "refused")",
                    "\"" + std::string(name) + R"(": "allowed")");
        if (engine.info.dialect == runtime_api::Dialect::docker) {
            CHECK(all.bad().empty());
            for (const char* name :
                 {"keyctl", "mount", "mount_setattr", "open_tree", "setns", "umount2", "unshare"})
                all.say("\"" + std::string(name) + R"(": "refused")",
                        "\"" + std::string(name) + R"(": "allowed")");
        }
        CHECK(names(all.bad()) == Names{"seccomp"});
        CHECK(all.row("seccomp").why.find("allows all") != std::string::npos);
        CHECK(all.row("seccomp").advice.find("seccomp") != std::string::npos);
        Case none = engine;
        none.facts.replace(none.facts.find("\"probed\": {"), std::string("\"probed\": {").size(),
                           "\"probed\": {}, \"x\": {");
        CHECK(names(none.bad()) == Names{"seccomp"});
    }
}

TEST_CASE("judge: Landlock is told, and falls short only where the kernel has it and it is not in force") {
    CHECK(podman().row("landlock").guest ==
          "in force, ABI 7: writes, signals and traces end at what is the code's own");
    Case older = podman();
    older.say(R"("abi": 7)", R"("abi": 4)");
    CHECK(older.row("landlock").guest == "in force, ABI 4: writes and traces end at what is the code's own");
    Case none = podman();
    none.say(R"({"abi": 7, "why": null})", R"({"abi": 0, "why": "this kernel has none"})");
    CHECK(none.bad().empty());
    CHECK(none.row("landlock").guest == "not available: this kernel has none");
    Case failed = podman();
    failed.say(R"("why": null)", R"("why": "Argument list too long")");
    CHECK(names(failed.bad()) == Names{"landlock"});
    CHECK(failed.row("landlock").guest == "not in force: Argument list too long");
    Case silent = podman();
    silent.say(R"("landlock")", R"("x")");
    CHECK(names(silent.bad()) == Names{"landlock"});
}

TEST_CASE("judge: the label of AppArmor or SELinux and the limits that nobody asked for are told") {
    CHECK(podman().row("LSM label").guest == "none");
    Case labelled = podman();
    labelled.info.apparmor = true;
    labelled.say(R"("lsm_label": "")", R"("lsm_label": "containers-default-0.50 (enforce)\u001b")");
    CHECK(labelled.row("LSM label").guest == "containers-default-0.50 (enforce)\\x1b");
    CHECK(labelled.row("LSM label").engine == "AppArmor");
    CHECK(labelled.bad().empty());
    Case more = podman();
    more.say(R"("rlimits": {)", R"("rlimits": {"stack": [8388608, -1], "cpu": [-1, -1], "data": [-1, -1], )");
    CHECK(more.row("other rlimits").guest == "stack 8388608 (hard no limit); no limit: cpu, data");
    CHECK(more.bad().empty());
}

TEST_CASE("judge: warnings about other things than confinement are no shortfall") {
    Case c = docker();
    c.warnings = {"IPv4 forwarding is disabled. Networking will not work.",
                  "The requested image's platform (linux/arm64) does not match the detected host platform"};
    CHECK(c.bad().empty());
}

TEST_CASE("describe: a guest's words are one printable line of bounded length") {
    Case c = podman();
    c.say(R"("hostname": "sandbox")", R"("hostname": "a\nb\u001b[31m)" + std::string(5000, 'x') + "\"");
    const std::string text = sandbox::describe(c.bad());
    CHECK(text.size() < 400);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(sandbox::describe({}) == "");
}

TEST_CASE("judge: the image's own python and variables are told as what they are, and are no shortfall") {
    CHECK(podman().row("python").guest == "/usr/bin/python3 3.11.2");
    const std::string usual =
        R"("worker": {"python": "/usr/bin/python3", "executed": false, "variables": []})";
    Case own = podman().say(
        usual,
        R"("worker": {"python": "/opt/venv/bin/python3", "executed": true, "variables": ["PATH", "X"]})");
    CHECK(own.bad().empty());
    CHECK(own.row("python").guest ==
          "/opt/venv/bin/python3 3.11.2, apart from the supervisor's, with PATH, X");
    CHECK(names(podman().say(usual, R"("worker": {"python": 1})").bad()) == Names{"python"});
}
