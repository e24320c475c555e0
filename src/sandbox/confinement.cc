#include "src/sandbox/confinement.h"

#include <algorithm>
#include <cctype>

#include "src/base/text.h"

namespace sandbox {
namespace {

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

// Ours, and what absolute folders the image's has besides.
std::string search_path(std::string_view image_path) {
    std::string path(usual_path);
    while (!image_path.empty()) {
        const std::string_view folder = image_path.substr(0, image_path.find(':'));
        image_path.remove_prefix(std::min(image_path.size(), folder.size() + 1));
        const std::string entry = ":" + std::string(folder) + ":";
        if (folder.starts_with('/') && (":" + path + ":").find(entry) == path.npos)
            path.append(":").append(folder);
    }
    return path;
}

} // namespace

runtime_api::ContainerSpec to_spec(const Confinement& confinement, std::string name,
                                   std::map<std::string, std::string> labels, std::string loader,
                                   std::string_view image_path) {
    runtime_api::ContainerSpec spec;
    spec.name = std::move(name);
    spec.labels = std::move(labels);
    spec.image = confinement.image;
    spec.command = {"python3", "-I", "-u", "-B", "-X", "utf8", "-c", std::move(loader)};
    spec.env = {
        {"PATH", search_path(image_path)},
        {"HOME", "/workspace"},
        {"LANG", "C.UTF-8"},
        {"TMPDIR", "/tmp"},
        {"MPLBACKEND", "agg"},
        {"MPLCONFIGDIR", "/tmp/matplotlib"},
    };
    // An image knows 65534 as "nobody". Of an id that it does not know, getpass and its like would fail.
    if (confinement.user_of_its_own) spec.env.emplace("LOGNAME", "nobody");
    spec.user = confinement.user;
    spec.working_dir = "/workspace";
    spec.hostname = "sandbox";
    spec.tmpfs = {{"/tmp", 64LL << 20}, {"/workspace", 128LL << 20}, {"/dev/shm", 64LL << 20}};
    // nproc is counted per uid over all containers, so it is no limit on one of them (that is pids) and must
    // be large
    if (confinement.low_rlimits)
        spec.rlimits = {
            {"nofile", 512}, {"nproc", 4096}, {"msgqueue", 0}, {"sigpending", 128}, {"memlock", 0}};
    else
        spec.rlimits = {{"nofile", 1024},
                        {"nproc", 32768},
                        {"msgqueue", 64 << 10},
                        {"sigpending", 1024},
                        {"memlock", 64 << 10}};
    spec.rlimits.push_back({"rtprio", 0}); // no real-time priority, and no better one than it begins with
    spec.rlimits.push_back({"nice", 0});
    spec.memory_bytes = confinement.memory_bytes;
    spec.pids = confinement.pids;
    spec.cpus = confinement.cpus;
    spec.oci_runtime = confinement.oci_runtime;
    return spec;
}

bool is_rlimit_failure(const std::string& message) {
    return base::lower(message).find("rlimit") != std::string::npos;
}

} // namespace sandbox
