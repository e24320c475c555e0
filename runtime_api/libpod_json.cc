#include "runtime_api/libpod_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime_api/container_spec.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/error.h"
#include "runtime_api/inspect_json.h"
#include "src/base/json.h"

namespace runtime_api::libpod {
namespace {

void write_namespaces(json::Writer& out) {
    for (const char* kind : {"ipcns", "pidns", "utsns", "cgroupns"})
        out.key(kind).object().field("nsmode", "private").end();
    out.key("netns").object().field("nsmode", "none").end();
}

/// What podman would otherwise bring in from the host or from the image.
void refuse_the_rest(json::Writer& out) {
    out.field("unsetenvall", true).field("env_host", false).field("httpproxy", false);
    out.field("image_volume_mode", "ignore");
    out.field("read_write_tmpfs", false); // podman's own /run, /tmp and /var/tmp, which have no size
    // Without these podman copies the host's /etc/hosts and resolv.conf into the container.
    out.field("use_image_hosts", true).field("use_image_resolve_conf", true);
    out.field("systemd", "false").field("sdnotifyMode", "ignore");
    out.key("log_configuration").object().field("driver", "none").end();
    out.key("healthconfig").object().key("Test").array().value("NONE").end().end();
}

/// podman takes no uid= and gid=, and copies what the image has at that place unless told not to.
void write_tmpfs(json::Writer& out, const ContainerSpec& spec) {
    out.key("mounts").array();
    for (const TmpfsMount& mount : spec.tmpfs) {
        out.object().field("destination", mount.at).field("type", "tmpfs").field("source", "tmpfs");
        out.key("options").array();
        for (const char* option : {"rw", "noexec", "nosuid", "nodev", "mode=1777", "notmpcopyup"})
            out.value(option);
        out.value("size=" + std::to_string(mount.size_bytes)).end().end();
    }
    out.end();
}

void write_limits(json::Writer& out, const ContainerSpec& spec) {
    out.key("resource_limits").object();
    // Both, always: with `limit` alone as much swap again is allowed.
    out.key("memory").object().field("limit", spec.memory_bytes).field("swap", spec.memory_bytes).end();
    out.key("pids").object().field("limit", spec.pids).end();
    if (spec.cpus) {
        constexpr int period_us = 100'000;
        out.key("cpu")
            .object()
            .field("quota", std::llround(*spec.cpus * period_us))
            .field("period", period_us)
            .end();
    }
    out.end();
    out.key("r_limits").array();
    for (const Rlimit& limit : spec.rlimits) // podman puts RLIMIT_ before the name itself
        out.object().field("type", limit.name).field("soft", limit.value).field("hard", limit.value).end();
    out.end();
}

void read_host_config(const json::Reader& in, ContainerState& out) {
    read_shared_host_config(in, out);
    for (const std::string& option : out.security_opt)
        out.seccomp_unconfined |= option == "seccomp=unconfined";
}

void read_process_state(const json::Reader& in, ContainerState& out) {
    in.read("Status", out.status);
    in.read_optional("Running", out.running);
    in.read_optional("OOMKilled", out.oom_killed);
    in.read_optional("Error", out.error);
    // "stopped" comes before "exited", and has the exit code already.
    if (out.status == "exited" || out.status == "stopped") in.read_optional("ExitCode", out.exit_code);
}

/// Rootful podman says null.
void read_uids(const json::Reader& in, EngineInfo& out) {
    const auto maps = in.find("idMappings");
    const auto list = maps && maps->is_object() ? maps->find("uidmap") : std::nullopt;
    if (!list || !list->is_array()) return;
    out.uids = 0;
    for (std::size_t i = 0; i < list->size(); ++i) {
        std::int64_t size = 0;
        (*list)[i].read("size", size);
        *out.uids += std::clamp<std::int64_t>(size, 0, std::int64_t{1} << 32);
    }
}

void read_host(const json::Reader& in, EngineInfo& out) {
    in.read_optional("arch", out.architecture);
    in.read_optional("hostname", out.name);
    in.read_optional("kernel", out.kernel);
    in.read_optional("cpus", out.cpus);
    in.read_optional("memTotal", out.memory_bytes);
    in.read_optional("cgroupManager", out.cgroup_driver);
    in.read_optional("cgroupControllers", out.cgroup_controllers);
    std::string version;
    in.read_optional("cgroupVersion", version);
    out.cgroup_version = version == "v1" ? 1 : version == "v2" ? 2 : 0;
    if (const auto runtime = in.find("ociRuntime")) runtime->read_optional("name", out.oci_runtime);
    if (!out.oci_runtime.empty()) out.oci_runtimes.push_back(out.oci_runtime); // it does not list the others
    if (const auto system = in.find("distribution")) {
        std::string release;
        system->read_optional("distribution", out.operating_system);
        if (system->read_optional("version", release)) out.operating_system += ' ' + release;
    }
    read_uids(in, out);
    if (const auto security = in.find("security")) {
        security->read_optional("rootless", out.rootless);
        security->read_optional("seccompEnabled", out.seccomp);
        security->read_optional("apparmorEnabled", out.apparmor);
        security->read_optional("selinuxEnabled", out.selinux);
    }
}

/// 4 and 3 of "4.3.1"; nothing if it is no version.
std::optional<std::pair<int, int>> major_and_minor(const std::string& version) {
    std::pair<int, int> out;
    const char* const end = version.data() + version.size();
    const auto [dot, error] = std::from_chars(version.data(), end, out.first);
    if (error != std::errc() || dot == end || *dot != '.') return std::nullopt;
    if (std::from_chars(dot + 1, end, out.second).ec != std::errc()) return std::nullopt;
    return out;
}

} // namespace

std::string create_body(const ContainerSpec& spec) {
    check_spec(spec);
    json::Writer out;
    out.object();
    out.field("name", spec.name).field("image", spec.image).field("command", spec.command);
    out.key("entrypoint").array().end(); // the image's would be put before the command
    out.field("env", spec.env).field("labels", spec.labels);
    out.field("user", spec.user).field("work_dir", spec.working_dir).field("hostname", spec.hostname);
    out.field("stdin", true).field("terminal", false);
    out.field("privileged", false).field("read_only_filesystem", true).field("no_new_privileges", true);
    out.key("cap_drop").array().value("ALL").end();
    write_namespaces(out);
    refuse_the_rest(out);
    write_tmpfs(out, spec);
    write_limits(out, spec);
    out.field("init", false); // the command is to be PID 1
    out.field("remove", true).field("volatile", true).field("restart_policy", "no").field("stop_timeout", 1);
    if (!spec.oci_runtime.empty()) out.field("oci_runtime", spec.oci_runtime);
    return out.end().take();
}

Created read_created(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    Created out;
    document.root("answer").read("Id", out.id);
    document.root("answer").read_optional("Warnings", out.warnings);
    return out;
}

ContainerState read_state(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("container");
    ContainerState out;
    in.read("Id", out.id);
    in.read("Name", out.name);
    in.read_optional("Image", out.image_id);
    in.read_optional("OCIRuntime", out.oci_runtime);
    in.read_optional("EffectiveCaps", out.effective_caps);
    read_process_state(in.at("State"), out);
    in.at("Config").read_optional("User", out.user);
    read_host_config(in.at("HostConfig"), out);
    if (in.has("Mounts")) read_mounts(in.at("Mounts"), out.mounts);
    return out;
}

std::vector<ContainerSummary> read_list(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("containers");
    std::vector<ContainerSummary> out;
    if (in.is_null()) return out; // no containers, in some versions
    for (std::size_t i = 0; i < in.size(); ++i) {
        ContainerSummary& each = out.emplace_back();
        std::vector<std::string> names;
        in[i].read("Id", each.id);
        in[i].read_optional("Names", names);
        if (!names.empty()) each.name = names.front();
        in[i].read_optional("State", each.state);
        in[i].read_optional("Labels", each.labels);
    }
    return out;
}

EngineInfo read_info(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("info");
    EngineInfo out;
    out.dialect = Dialect::libpod;
    in.at("version").read("Version", out.version);
    read_host(in.at("host"), out);
    if (const auto store = in.find("store")) {
        store->read_optional("graphDriverName", out.storage_driver);
        store->read_optional("graphRoot", out.storage_folder);
    }
    return out;
}

int read_exit_code(const std::string& body) {
    int value = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
    if (error != std::errc() || end == body.data()) throw json::Error("expected an exit code");
    return value;
}

void check_version(const std::string& version) {
    const auto known = major_and_minor(version);
    if (known && known->first < 4)
        throw Error(Errc::protocol, "this podman is too old: its API is " + one_line(version, 20) +
                                        ", needed is 4.0.0 (podman 4) or newer");
}

bool counts_pulled_bytes(const std::string& version) {
    const auto known = major_and_minor(version);
    return known && *known >= std::pair(4, 8);
}

} // namespace runtime_api::libpod
