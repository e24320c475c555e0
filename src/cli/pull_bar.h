#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "src/base/shown.h"
#include "src/sandbox/pull_audience.h"

namespace cli {

/// One line of a terminal, `columns` wide at most, that shows how far a pull is. Pure.
base::Shown bar_line(const std::string& image, const runtime_api::PullProgress& progress,
                     std::size_t columns);

/// Shows pulls on stderr, where that is a terminal, in one line that goes away with the pull; elsewhere does
/// nothing.
class PullBar {
public:
    explicit PullBar(sandbox::PullAudience& pulls);

private:
    struct Line;
    std::shared_ptr<Line> line_;
    std::shared_ptr<void> watching_;
};

} // namespace cli
