#pragma once
#include <optional>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "src/engines/discovery.h"

/// The troubles that everybody has once, recognised by what the engine or the system really says, each with
/// what mends it. Pure.
namespace engines {

struct Advice {
    std::string trouble; ///< What is wrong, in a sentence.
    std::string remedy;  ///< The command or setting that mends it, ready to be copied.
};

/// What the mending depends on.
struct Host {
    bool macos = false;
    bool systemd = false;              ///< It is what booted this host.
    bool user_session = false;         ///< /run/user/UID is there.
    bool podman_unit = false;          ///< systemd knows podman.socket for users.
    bool podman_program = false;       ///< podman is in PATH.
    bool docker_rootless_tool = false; ///< Docker's set-up of a rootless daemon is in PATH.
    unsigned uid = 0;
    std::string runtime_dir{};    ///< Where the rootless socket would be: "/run/user/1000".
    std::string storage_folder{}; ///< The engine's, by its own word; empty: not known.
};

/// Looks at the files that say so.
Host look_at_host(const Surroundings& around);

/// What the words of an error point to: of connecting, create, attach, start, pull, or an engine's warning.
/// Nothing if they are unknown.
std::optional<Advice> advice_on_error(const Host& host, const runtime_api::Endpoint& endpoint,
                                      const std::string& words);

/// The same for a place of the search: knows besides what usually listens there.
std::optional<Advice> advice_on_place(const Host& host, const Candidate& candidate, const std::string& words);

/// What is unsafe about the way to an engine, though it works. Nothing if all is well.
std::optional<Advice> advice_on_endpoint(const runtime_api::Endpoint& endpoint);

/// What the engine cannot enforce, or does badly, by its own description.
std::vector<Advice> advice_on_engine(const runtime_api::EngineInfo& info);

} // namespace engines
