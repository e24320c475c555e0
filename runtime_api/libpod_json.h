#pragma once
#include <string>
#include <vector>

#include "runtime_api/engine.h"

/// What libpod's REST API (/v4.0.0/libpod) says, in our terms, and ours in its. Pure. All that read throw
/// json::Error.
namespace runtime_api::libpod {

/// The body of POST containers/create. Throws Error(rejected) for a spec that check_spec refuses.
std::string create_body(const ContainerSpec& spec);

/// The answer to it.
Created read_created(const std::string& body);

/// The answer to GET containers/NAME/json.
ContainerState read_state(const std::string& body);

/// The answer to GET containers/json.
std::vector<ContainerSummary> read_list(const std::string& body);

/// The answer to GET info.
EngineInfo read_info(const std::string& body);

/// The answer to POST containers/NAME/wait: a number as text.
int read_exit_code(const std::string& body);

/// Throws Error(protocol) for a podman before 4: it leaves parts of create_body out and says nothing.
void check_version(const std::string& version);

/// podman of this version ("4.3.1") can tell a pull with bytes, in Docker's words, if asked: 4.8 and later.
bool counts_pulled_bytes(const std::string& version);

} // namespace runtime_api::libpod
