#pragma once
#include <string>
#include <string_view>

#include "runtime_api/engine.h"
#include "src/sandbox/guest_facts.h"

/// The written lists: what an engine, its OCI runtime or the kernel puts into a container without having been
/// asked. Anything beyond them falls short of the confinement (attestation.h). Pure.
namespace sandbox {

/// A mount that is neither the root nor a tmpfs that we asked for: the kernel's own file systems, masks over
/// parts of them, the usual device files, and the few files that the engine binds from its own directory,
/// read-only.
bool engine_adds_mount(runtime_api::Dialect dialect, const GuestMount& mount);

/// A file below podman's /run/secrets that is no secret of the host's: "rhsm/…", which says where
/// subscriptions are had. All else there came from the host by mounts.conf, a subscription's key for one.
bool is_harmless_secret(std::string_view path);

/// The setting of podman's that put a mount there which is on no list, and how to be rid of it: "take /x out
/// of volumes or mounts under [containers] in containers.conf …".
std::string podman_setting_behind(const GuestMount& mount);

/// A place that an ordinary user may write to although we did not ask for it.
bool engine_adds_writable(std::string_view path);

/// A variable that the engine sets by itself.
bool engine_adds_variable(runtime_api::Dialect dialect, std::string_view name);

/// An interface without an address that the kernel makes in each new network namespace, where a tunnel's
/// module is loaded.
bool kernel_adds_interface(std::string_view name);

/// A device file that is in every container, by name, kind and number.
bool is_usual_device(const GuestDevice& device);

/// Whether this is the name of gVisor's runtime: "runsc", "/usr/bin/runsc", "runsc-kvm".
bool is_gvisor(std::string_view oci_runtime);

/// Under gVisor besides: its own kernel's file systems, cgroups among them, and the engine's files, which its
/// mount table has without saying from where.
bool gvisor_adds_mount(runtime_api::Dialect dialect, const GuestMount& mount);

/// Under gVisor besides: devices of its own kernel.
bool gvisor_adds_device(const GuestDevice& device);

/// A part of /proc or /sys that tells of the host and must not be readable.
bool must_be_hidden(std::string_view path);

/// A warning at create that takes nothing from the confinement.
bool is_harmless_warning(std::string_view warning);

/// A warning at create about memory, processes or CPUs: judged by what the guest sees, and used as the
/// reason.
bool is_limit_warning(std::string_view warning);

} // namespace sandbox
