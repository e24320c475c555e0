#include "tests/unit/attestation_case.h"

using namespace attestation_case;

namespace {

std::string bind_mount(const std::string& at, const std::string& root, const std::string& options) {
    return R"({"at": ")" + at + R"(", "type": "ext4", "options": ")" + options +
           R"(", "super_options": "rw", "source": "/dev/vda", "root": ")" + root + "\"}";
}

} // namespace

TEST_CASE("judge: what containers.conf adds is on the list where it is harmless; else the advice names the "
          "setting") {
    const std::string userdata = "/s/overlay-containers/ab/userdata";
    for (const char* at : {"/etc/localtime", "/usr/share/zoneinfo/Etc/UTC"}) { // tz
        CHECK(podman().mount(bind_mount(at, userdata + "/localtime", "ro")).bad().empty());
        CHECK(names(podman().mount(bind_mount(at, "/usr/share/zoneinfo/Europe/Berlin", "ro")).bad()) ==
              Names{"mounts"});
        CHECK_FALSE(docker().mount(bind_mount(at, userdata + "/localtime", "ro")).row("mounts").ok);
    }
    CHECK_FALSE(podman().mount(bind_mount("/etc/localtime", userdata + "/localtime", "rw")).row("mounts").ok);
    CHECK_FALSE(podman().mount(bind_mount("/etc/shadow", userdata + "/localtime", "ro")).row("mounts").ok);
    const auto advice = [](const char* at, const std::string& from) {
        return podman().mount(bind_mount(at, from, "ro")).row("mounts").advice;
    };
    CHECK(advice("/hostvar", "/var/tmp").find("take /hostvar out of volumes or mounts") == 0);
    CHECK(advice("/dev/fuse", "/fuse").find("take /dev/fuse out of devices") == 0);
    CHECK(advice("/opt/keys", userdata + "/opt/keys").find("leave /opt/keys out of mounts.conf") == 0);
}

TEST_CASE("judge: a host's secrets that podman copies into /run/secrets are told, its empty folder is not") {
    const auto with = [](const std::string& files) {
        return podman()
            .mount(bind_mount("/run/secrets", "/s/overlay-containers/ab/userdata/run/secrets", "ro"))
            .say("\"interfaces\"", "\"secrets\": " + files + ", \"interfaces\"");
    };
    CHECK(with("[]").bad().empty());
    CHECK(with(R"(["rhsm/rhsm.conf", "rhsm/ca/redhat-uep.pem", "system-fips"])").bad().empty());
    const auto row = with(R"(["etc-pki-entitlement/1-key.pem"])").row("mounts");
    CHECK_FALSE(row.ok);
    CHECK(row.guest == "/run/secrets/etc-pki-entitlement/1-key.pem");
    CHECK(row.advice.find("leave /run/secrets out of mounts.conf") == 0);
}
