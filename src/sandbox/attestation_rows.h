#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/sandbox/attestation.h"
#include "src/sandbox/engine_additions.h"
#include "src/sandbox/guest_facts.h"

/// The rows of the attestation, one function each. Pure; used by attestation.cc alone.
namespace sandbox::rows {

/// All that a row may look at.
struct Views {
    const runtime_api::ContainerSpec& spec;
    const runtime_api::EngineInfo& info;
    const runtime_api::ContainerState& state;
    const std::vector<std::string>& warnings;
    const GuestFacts& facts;

    bool podman() const { return info.dialect == runtime_api::Dialect::libpod; }
    bool rootless() const { return info.rootless.value_or(false); }
    /// Whether gVisor's own kernel answers, whose /proc and mounts show less than Linux's: by the engine's
    /// word and the guest's.
    bool gvisor() const { return is_gvisor(state.oci_runtime) && facts.emulated_by == "gVisor"; }
};

// attestation_process.cc: who the code is, and what it may do
Finding capabilities(const Views& v);
Finding privileges(const Views& v);
Finding seccomp(const Views& v);
Finding guest_filter(const Views& v);
Finding landlock(const Views& v);
Finding lsm_label(const Views& v);
Finding user(const Views& v);
Finding init(const Views& v);

// attestation_surroundings.cc: what it is given beside files
Finding network(const Views& v);
Finding working_directory(const Views& v);
Finding hostname(const Views& v);
Finding environment(const Views& v);
Finding python(const Views& v);
Finding oci_runtime(const Views& v);
Finding warnings(const Views& v);

// attestation_files.cc: what it sees of file systems
Finding root_filesystem(const Views& v);
Finding writable(const Views& v);
Finding mounts(const Views& v);
Finding devices(const Views& v);
Finding masked_paths(const Views& v);

// attestation_limits.cc: how much it may use
Finding memory(const Views& v);
Finding processes(const Views& v);
Finding cpus(const Views& v);
Finding rlimits(const Views& v);
Finding other_rlimits(const Views& v);

/// Marks a row as falling short. Reasons add up; the first advice stays.
void fall_short(Finding& row, const std::string& why, const std::string& advice = "");

/// A row about facts that are missing.
void not_said(Finding& row);

/// A peer's words as a base::Shown, in a text: one line, at most 200 bytes.
std::string shown(std::string_view text);

/// "a, b, c and 4 more", each shown().
std::string listed(const std::vector<std::string>& items);

/// "512 MiB", "1.5 KiB".
std::string size_text(std::int64_t bytes);

} // namespace sandbox::rows
