#include "src/sandbox/guest_facts.h"

#include "src/base/json.h"

namespace sandbox {
namespace {

/// A member, or nothing where it is missing, null or not what was expected.
template <class T> void read_fact(const json::Reader& in, std::string_view key, std::optional<T>& out) {
    try {
        T value{};
        if (in.read_optional(key, value)) out = std::move(value);
    } catch (const json::Error&) {
        out.reset(); // an odd fact is no fact
    }
}

bool is_id_map(const GuestFacts::IdMap& map) {
    for (const std::vector<std::int64_t>& range : map)
        if (range.size() != 3) return false;
    return !map.empty();
}

} // namespace

// Found by json::Reader.
void from_json(const json::Reader& in, GuestMount& out) {
    in.read("at", out.at);
    in.read("type", out.type);
    in.read("options", out.options);
    in.read("super_options", out.super_options);
    in.read("source", out.source);
    in.read("root", out.root);
}

void from_json(const json::Reader& in, GuestDevice& out) {
    in.read("name", out.name);
    in.read("kind", out.kind);
    in.read("major", out.major);
    in.read("minor", out.minor);
    if (out.name.starts_with("/dev/")) out.name.erase(0, 5);
}

void from_json(const json::Reader& in, GuestCgroup& out) {
    in.read("version", out.version);
    read_fact(in, "memory_max", out.memory_max);
    read_fact(in, "memory_swap_max", out.memory_swap_max);
    read_fact(in, "memsw_max", out.memsw_max);
    read_fact(in, "pids_max", out.pids_max);
    read_fact(in, "cpu_quota", out.cpu_quota);
    read_fact(in, "cpu_period", out.cpu_period);
}

void from_json(const json::Reader& in, GuestWorker& out) {
    in.read("python", out.python);
    in.read("executed", out.executed);
    in.read("variables", out.variables);
}

void from_json(const json::Reader& in, GuestLandlock& out) {
    in.read("abi", out.abi);
    read_fact(in, "why", out.why);
}

bool GuestMount::has(std::string_view option) const {
    std::string_view rest = options;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        if (rest.substr(0, comma) == option) return true;
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    return false;
}

GuestFacts parse_guest_facts(std::string_view text) {
    const json::Document document(text);
    const json::Reader in = document.root("attestation");
    if (!in.is_object()) in.fail("expected object");
    GuestFacts facts;
    read_fact(in, "pid", facts.pid);
    read_fact(in, "uid", facts.uid);
    read_fact(in, "gid", facts.gid);
    read_fact(in, "groups", facts.groups);
    read_fact(in, "uid_map", facts.uid_map);
    read_fact(in, "gid_map", facts.gid_map);
    if (facts.uid_map && !is_id_map(*facts.uid_map)) facts.uid_map.reset();
    if (facts.gid_map && !is_id_map(*facts.gid_map)) facts.gid_map.reset();
    read_fact(in, "cap_inh", facts.cap_inh);
    read_fact(in, "cap_prm", facts.cap_prm);
    read_fact(in, "cap_eff", facts.cap_eff);
    read_fact(in, "cap_bnd", facts.cap_bnd);
    read_fact(in, "cap_amb", facts.cap_amb);
    read_fact(in, "no_new_privs", facts.no_new_privs);
    read_fact(in, "seccomp", facts.seccomp);
    read_fact(in, "seccomp_filters", facts.seccomp_filters);
    read_fact(in, "own_filter", facts.own_filter);
    read_fact(in, "lsm_label", facts.lsm_label);
    read_fact(in, "landlock", facts.landlock);
    read_fact(in, "dumpable", facts.dumpable);
    read_fact(in, "proc_owner", facts.proc_owner);
    read_fact(in, "mounts", facts.mounts);
    read_fact(in, "interfaces", facts.interfaces);
    read_fact(in, "routes", facts.routes);
    read_fact(in, "cgroup", facts.cgroup);
    read_fact(in, "rlimits", facts.rlimits);
    read_fact(in, "devices", facts.devices);
    read_fact(in, "writable", facts.writable);
    read_fact(in, "secrets", facts.secrets);
    read_fact(in, "environment", facts.environment);
    read_fact(in, "masked", facts.masked);
    read_fact(in, "probed", facts.probed);
    read_fact(in, "cwd", facts.cwd);
    read_fact(in, "hostname", facts.hostname);
    read_fact(in, "arch", facts.arch);
    read_fact(in, "python", facts.python);
    read_fact(in, "worker", facts.worker);
    read_fact(in, "emulated_by", facts.emulated_by);
    read_fact(in, "total_memory", facts.total_memory);
    return facts;
}

} // namespace sandbox
