#include "runtime_api/docker_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime_api/container_spec.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/error.h"
#include "runtime_api/inspect_json.h"
#include "src/base/json.h"

namespace runtime_api::docker {
namespace {

/// The versions of the API that we know: all are 1.x.
constexpr int oldest_known = 41; // Docker 20.10, the first with a private cgroup namespace
constexpr int usual = 44;        // nothing that we need came later
constexpr int newest_known = 56; // by Docker's own list of changes, none of which touches what is asked here

/// 44 of "1.44".
int minor_version(const std::string& version) {
    int minor = 0;
    const char* end = version.data() + version.size();
    if (!version.starts_with("1."))
        throw Error(Errc::protocol, "the Docker API version " + one_line(version, 20) + " is not known");
    const auto [stop, error] = std::from_chars(version.data() + 2, end, minor);
    if (error != std::errc() || stop != end || minor < 0)
        throw Error(Errc::protocol, "the Docker API version " + one_line(version, 20) + " is not one");
    return minor;
}

std::string version(int minor) { return "1." + std::to_string(minor); }

/// Docker honours uid= and gid=. /tmp and /dev/shm are everybody's as everywhere; all else is the user's own.
/// With mode=1777 on a tmpfs that is the working directory too, runc before 1.1.9 makes it root's.
std::string tmpfs_options(const TmpfsMount& mount, const UserIds& user) {
    std::string out = "rw,noexec,nosuid,nodev,size=" + std::to_string(mount.size_bytes);
    if (mount.at == "/tmp" || mount.at == "/dev/shm") return out + ",mode=1777";
    return out + ",mode=0700,uid=" + std::to_string(user.uid) + ",gid=" + std::to_string(user.gid);
}

void write_limits(json::Writer& out, const ContainerSpec& spec) {
    out.field("Memory", spec.memory_bytes).field("MemorySwap", spec.memory_bytes); // memory and swap together
    out.field("PidsLimit", spec.pids);
    if (spec.cpus) out.field("NanoCpus", std::llround(*spec.cpus * 1e9));
    out.key("Ulimits").array();
    for (const Rlimit& limit : spec.rlimits)
        out.object().field("Name", limit.name).field("Soft", limit.value).field("Hard", limit.value).end();
    out.end();
}

void write_tmpfs(json::Writer& out, const ContainerSpec& spec,
                 const std::vector<std::string>& image_volumes) {
    const UserIds user = parse_user(spec.user);
    out.key("Tmpfs").object();
    for (const TmpfsMount& mount : spec.tmpfs) out.field(mount.at, tmpfs_options(mount, user));
    out.end();
    out.key("Mounts").array();
    for (const std::string& at : image_volumes) {
        const auto own = [&](const TmpfsMount& mount) { return mount.at == at; };
        if (std::any_of(spec.tmpfs.begin(), spec.tmpfs.end(), own)) continue;
        out.object().field("Type", "tmpfs").field("Target", at).field("ReadOnly", true);
        out.key("TmpfsOptions").object().field("SizeBytes", 4096).field("Mode", 0555).end().end();
    }
    out.end();
}

void write_host_config(json::Writer& out, const ContainerSpec& spec,
                       const std::vector<std::string>& image_volumes) {
    out.key("HostConfig").object();
    out.field("NetworkMode", "none").field("ReadonlyRootfs", true).field("Privileged", false);
    out.key("CapDrop").array().value("ALL").end();
    out.key("SecurityOpt")
        .array()
        .value("no-new-privileges:true")
        .end(); // seccomp: the default profile, if unsaid
    out.field("IpcMode", "private")
        .field("CgroupnsMode", "private"); // the other namespaces have no word for private: unsaid
    write_tmpfs(out, spec, image_volumes);
    // Else the host's resolv.conf is copied into the container.
    out.key("Dns").array().value("127.0.0.1").end();
    out.key("DnsSearch").array().value(".").end();
    out.key("DnsOptions").array().end();
    write_limits(out, spec);
    out.key("LogConfig").object().field("Type", "none").end();
    out.field("Init", false).field("AutoRemove", true); // the command is to be PID 1
    out.key("RestartPolicy").object().field("Name", "no").end();
    if (!spec.oci_runtime.empty()) out.field("Runtime", spec.oci_runtime);
    out.end();
}

std::string slash_stripped(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

void read_host_config(const json::Reader& in, ContainerState& out) {
    read_shared_host_config(in, out);
    in.read_optional("Runtime", out.oci_runtime);
    for (const std::string& option : out.security_opt)
        out.seccomp_unconfined |= option == "seccomp=unconfined" || option == "seccomp:unconfined";
}

void read_process_state(const json::Reader& in, ContainerState& out) {
    in.read("Status", out.status);
    in.read_optional("Running", out.running);
    in.read_optional("OOMKilled", out.oom_killed);
    in.read_optional("Error", out.error);
    if (out.status == "exited" || out.status == "dead") in.read_optional("ExitCode", out.exit_code);
}

/// "name=seccomp,profile=default", "name=rootless", "name=apparmor"
void read_security(const std::vector<std::string>& options, EngineInfo& out) {
    out.rootless = false;
    out.seccomp = false;
    for (const std::string& option : options) {
        if (option.starts_with("name=seccomp"))
            out.seccomp = option.find("profile=unconfined") == std::string::npos;
        if (option.starts_with("name=apparmor")) out.apparmor = true;
        if (option.starts_with("name=selinux")) out.selinux = true;
        if (option.starts_with("name=rootless")) out.rootless = true;
    }
}

} // namespace

std::string negotiate(const std::string& oldest, const std::string& newest) {
    const int low = minor_version(oldest);
    const int high = minor_version(newest);
    if (high < oldest_known)
        throw Error(Errc::protocol, "this Docker is too old: its API is " + newest + ", needed is " +
                                        version(oldest_known) + " (Docker 20.10) or newer");
    if (low > newest_known)
        throw Error(Errc::protocol, "this Docker no longer speaks the API versions known here: it asks for " +
                                        oldest + " or newer, known are " + version(oldest_known) + " to " +
                                        version(newest_known));
    return version(std::max(low, std::min(high, usual)));
}

VersionRange read_version(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("version");
    VersionRange out;
    in.read("ApiVersion", out.newest);
    if (!in.read_optional("MinAPIVersion", out.oldest)) out.oldest = version(oldest_known);
    return out;
}

ImageDefaults read_image_defaults(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("image");
    ImageDefaults out;
    if (!in.has("Config")) return out;
    const json::Reader config = in.at("Config");
    if (config.has("Volumes")) out.volumes = config.at("Volumes").keys();
    config.read_optional("Env", out.variables);
    for (std::string& each : out.variables) each.resize(std::min(each.size(), each.find('=')));
    return out;
}

std::string create_body(const ContainerSpec& spec, const ImageDefaults& image) {
    check_spec(spec);
    json::Writer out;
    out.object();
    out.field("Image", spec.image).field("Cmd", spec.command);
    out.key("Entrypoint").array().end(); // the image's would be put before the command
    out.key("Env").array();
    for (const auto& [name, value] : spec.env) out.value(name + '=' + value);
    for (const std::string& name : image.variables)
        if (!name.empty() && !spec.env.contains(name)) out.value(name);
    out.end();
    out.field("Labels", spec.labels).field("User", spec.user);
    out.field("WorkingDir", spec.working_dir).field("Hostname", spec.hostname);
    out.field("NetworkDisabled", true).field("StopTimeout", 1);
    out.field("OpenStdin", true).field("StdinOnce", true).field("Tty", false);
    out.field("AttachStdin", true).field("AttachStdout", true).field("AttachStderr", true);
    out.key("Healthcheck").object().key("Test").array().value("NONE").end().end();
    write_host_config(out, spec, image.volumes);
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
    out.name = slash_stripped(out.name);
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
    for (std::size_t i = 0; i < in.size(); ++i) {
        ContainerSummary& each = out.emplace_back();
        std::vector<std::string> names;
        in[i].read("Id", each.id);
        in[i].read_optional("Names", names);
        if (!names.empty()) each.name = slash_stripped(names.front());
        in[i].read_optional("State", each.state);
        in[i].read_optional("Labels", each.labels);
    }
    return out;
}

EngineInfo read_info(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("info");
    EngineInfo out;
    out.dialect = Dialect::docker;
    in.read("ServerVersion", out.version);
    in.read_optional("CgroupDriver", out.cgroup_driver);
    std::string cgroup_version;
    in.read_optional("CgroupVersion", cgroup_version);
    out.cgroup_version = cgroup_version == "1" ? 1 : cgroup_version == "2" ? 2 : 0;
    in.read_optional("MemoryLimit", out.memory_limit);
    in.read_optional("SwapLimit", out.swap_limit);
    in.read_optional("PidsLimit", out.pids_limit);
    in.read_optional("CpuCfsQuota", out.cpu_limit);
    in.read_optional("Driver", out.storage_driver);
    in.read_optional("DockerRootDir", out.storage_folder);
    in.read_optional("DefaultRuntime", out.oci_runtime);
    if (in.has("Runtimes")) out.oci_runtimes = in.at("Runtimes").keys();
    in.read_optional("OperatingSystem", out.operating_system);
    in.read_optional("KernelVersion", out.kernel);
    in.read_optional("Architecture", out.architecture);
    in.read_optional("Name", out.name);
    in.read_optional("NCPU", out.cpus);
    in.read_optional("MemTotal", out.memory_bytes);
    std::vector<std::string> security;
    if (in.read_optional("SecurityOptions", security)) read_security(security, out);
    return out;
}

int read_exit_code(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    int out = 0;
    document.root("answer").read("StatusCode", out);
    return out;
}

} // namespace runtime_api::docker
