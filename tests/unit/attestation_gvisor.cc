#include "src/sandbox/engine_additions.h"
#include "tests/unit/attestation_case.h"
#include "tests/unit/attestation_gvisor_facts.h"

namespace {

using namespace attestation_case;

Case under_gvisor(Case c, const char* facts) {
    c.facts = facts;
    c.spec.oci_runtime = c.state.oci_runtime = "runsc";
    return c;
}

std::vector<Case> both() {
    return {under_gvisor(podman(), recorded::podman_gvisor), under_gvisor(docker(), recorded::docker_gvisor)};
}

} // namespace

TEST_CASE("judge: under gVisor all is in force but that its code can use PID 1's streams, and what cannot be "
          "seen is said") {
    for (const Case& c : both()) {
        CHECK(names(c.bad()) == Names{"init"});
        CHECK(c.row("init").guest == "PID 1, its streams open to the code");
        CHECK(c.row("init").why.find("gVisor lets code") == 0);
        CHECK(c.row("OCI runtime").guest == "gVisor");
        for (const char* row : {"seccomp", "processes"})
            CHECK(c.row(row).guest.find("cannot be seen: gVisor") == 0);
        for (const char* row : {"capabilities", "writable", "memory"})
            CHECK(c.row(row).guest.find("gVisor does not show") != std::string::npos);
    }
}

TEST_CASE("judge: gVisor is believed to be there only when the engine and the guest both say so") {
    for (Case c : both()) {
        c.say("\"emulated_by\": \"gVisor\"", "\"emulated_by\": \"\"");
        CHECK(c.row("OCI runtime").guest == "Linux");
        CHECK(c.row("OCI runtime").why == "no gVisor answers inside");
        for (const char* row :
             {"capabilities", "writable", "mounts", "devices", "memory", "processes", "OCI runtime"})
            CHECK_FALSE(c.row(row).ok);
    }
    for (Case c : both()) {
        c.spec.oci_runtime.clear();
        c.state.oci_runtime = "runc";
        for (const char* row : {"mounts", "memory", "OCI runtime"}) CHECK_FALSE(c.row(row).ok);
    }
}

TEST_CASE("judge: gVisor's words of itself are enough for nothing else") {
    struct Spoilt {
        std::string row, from, to;
    };
    for (const Spoilt& each : {
             Spoilt{"capabilities", R"("cap_bnd": "0000000000000000")", R"("cap_bnd": "00000000a80405fb")"},
             Spoilt{"privileges", R"("no_new_privs": 1)", R"("no_new_privs": 0)"},
             Spoilt{"writable", R"("rw,noexec", "super_options": "rw,)", R"("rw", "super_options": "rw,)"},
             Spoilt{"writable", "size=67108864", "size=67108865"},
             Spoilt{"mounts", "/etc/hostname", "/etc/shadow"},
             Spoilt{"devices", R"("major": 10, "minor": 229)", R"("major": 10, "minor": 232)"},
             Spoilt{"memory", R"("total_memory": 536870912)", R"("total_memory": 25276510208)"},
             Spoilt{"processes", R"("total_memory": 536870912)", R"("total_memory": null)"},
         }) {
        CAPTURE(each.row);
        for (Case c : both()) CHECK_FALSE(c.say(each.from, each.to).row(each.row).ok);
    }
}

TEST_CASE("judge: under gVisor a limit on CPUs is believed beside that of memory") {
    for (Case c : both()) {
        c.spec.cpus = 0.5;
        CHECK(c.row("cpus").ok);
        CHECK(c.row("cpus").guest.find("cannot be seen") == 0);
        c.say("\"total_memory\": 536870912", "\"total_memory\": null");
        CHECK_FALSE(c.row("cpus").ok);
    }
}

TEST_CASE("judge: a runtime that was asked for must be the one that the engine took") {
    for (Case c : {podman(), docker()}) {
        c.state.oci_runtime = "runc";
        CHECK(c.row("OCI runtime").ok);
        for (const char* same : {"runc", "/usr/sbin/runc"}) {
            c.spec.oci_runtime = same;
            CHECK(c.row("OCI runtime").ok);
        }
        c.spec.oci_runtime = "/usr/bin/crun";
        CHECK(names(c.bad()) == Names{"OCI runtime"});
        CHECK(c.row("OCI runtime").why == "the engine took another");
        CHECK(c.row("OCI runtime").engine == "runc");
        c.spec.oci_runtime = "runsc";
        CHECK(c.row("OCI runtime").why == "the engine took another, and no gVisor answers inside");
    }
    Case c = podman();
    c.spec.oci_runtime = "runsc";
    CHECK(c.row("OCI runtime").advice.find("runtime = \"runsc\" under [engine] in containers.conf") !=
          std::string::npos);
}

TEST_CASE("is_gvisor: by the names that people give to its runtime") {
    for (const char* name : {"runsc", "/usr/bin/runsc", "runsc-kvm", "gvisor"})
        CHECK(sandbox::is_gvisor(name));
    for (const char* name : {"", "runc", "crun", "/usr/bin/crun", "kata"})
        CHECK_FALSE(sandbox::is_gvisor(name));
}
