#pragma once
#include "src/base/shown.h"
#include "src/config/settings.h"

namespace cli {

/// The log, and the only way into it: one line an event, to stderr alone, since stdout belongs to the
/// protocol.
void set_up_log(config::LogLevel level);

void log_error(const base::Shown& line);
void log_info(const base::Shown& line);

} // namespace cli
