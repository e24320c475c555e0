#pragma once
#include <string>
#include <vector>

#include "src/bridge/run_report.h"

namespace bridge {

/// What would have helped a run that failed, a line for each: the setting or the command for a person at a
/// terminal (RunReport::at_terminal), for a model what it can do itself. Known are a time that is over,
/// memory that is full, a module that the image does not have, and a name that cannot be looked up without a
/// network.
std::vector<std::string> remedies(const RunReport& report);

} // namespace bridge
