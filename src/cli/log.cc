#include "src/cli/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace cli {

void set_up_log(config::LogLevel level) {
    spdlog::set_default_logger(spdlog::stderr_logger_st("cordon"));
    spdlog::set_pattern("cordon %H:%M:%S.%e %l %v");
    switch (level) {
    case config::LogLevel::error:
        spdlog::set_level(spdlog::level::err);
        break;
    case config::LogLevel::info:
        spdlog::set_level(spdlog::level::info);
        break;
    case config::LogLevel::debug:
        spdlog::set_level(spdlog::level::debug);
        break;
    }
}

void log_error(const base::Shown& line) { spdlog::error("{}", line.text()); }
void log_info(const base::Shown& line) { spdlog::info("{}", line.text()); }

} // namespace cli
