#pragma once
#include "src/base/json.h"
#include "src/config/servers.h"

namespace config {

/// Reads the members of one entry into `out`, whose name and source are set; what is noted goes to out.notes.
/// Throws json::Error with the place, or config::Error without, for one that cannot be used.
void read_entry(const json::Reader& in, const Surroundings& surroundings, ServerEntry& out);

} // namespace config
