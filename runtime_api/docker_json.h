#pragma once
#include <string>
#include <vector>

#include "runtime_api/engine.h"

/// What Docker's Engine API says, in our terms, and ours in its. Pure. All that read throw json::Error.
namespace runtime_api::docker {

/// The API version to speak with a daemon that serves `oldest` to `newest` ("1.24" to "1.44"): 1.44 if it has
/// that, else the nearest that it has. Throws Error(protocol) if there is none that both know, and says which
/// side is too old.
std::string negotiate(const std::string& oldest, const std::string& newest);

/// Versions served, as GET /version says.
struct VersionRange {
    std::string oldest;
    std::string newest;
};
VersionRange read_version(const std::string& body);

/// What Docker would add of the image's own, as GET images/NAME/json says.
struct ImageDefaults {
    std::vector<std::string> volumes{};   ///< Where it wants volumes.
    std::vector<std::string> variables{}; ///< Names of its environment.
};
ImageDefaults read_image_defaults(const std::string& body);

/// The body of POST containers/create; the name goes into the query. Each of the image's volumes is covered
/// with an empty read-only tmpfs, unless the spec has one of its own there: else Docker makes a volume on
/// disk there, writable, without a limit and with exec, and has no word for leaving it out. Its variables are
/// taken out, by a name without a value. Throws Error(rejected) for a spec that check_spec refuses.
std::string create_body(const ContainerSpec& spec, const ImageDefaults& image);

/// The answer to it.
Created read_created(const std::string& body);

/// The answer to GET containers/NAME/json.
ContainerState read_state(const std::string& body);

/// The answer to GET containers/json.
std::vector<ContainerSummary> read_list(const std::string& body);

/// The answer to GET info.
EngineInfo read_info(const std::string& body);

/// The answer to POST containers/NAME/wait.
int read_exit_code(const std::string& body);

} // namespace runtime_api::docker
