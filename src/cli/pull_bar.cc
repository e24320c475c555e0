#include "src/cli/pull_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "src/cli/say.h"

namespace cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds redraw_every{100};
constexpr std::size_t bar_cells = 24;

std::size_t terminal_columns() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

} // namespace

Shown bar_line(const std::string& image, const runtime_api::PullProgress& progress, std::size_t columns) {
    std::string line = sandbox::describe_pull(image, progress);
    if (line.size() + bar_cells + 4 > columns)
        line = sandbox::describe_pull(image.substr(image.rfind('/') + 1), progress);
    if (progress.total && *progress.total > 0) {
        const auto full = static_cast<std::size_t>(sandbox::pulled_part(progress) * bar_cells);
        const std::string bar = " [" + std::string(full, '#') + std::string(bar_cells - full, '.') + ']';
        if (line.size() + bar.size() < columns) line += bar;
    }
    constexpr std::size_t mark = 3; // bytes of what stands for what was cut off
    const std::size_t room = columns > 1 ? columns - 1 : 1;
    Shown shown = Shown::line(line, room);
    if (shown.size() > room) shown = room > mark ? Shown::line(line, room - mark) : Shown();
    return shown;
}

struct PullBar::Line {
    Clock::time_point drawn{};
    bool shown = false;

    void draw(const std::string& image, const runtime_api::PullProgress& progress) {
        const Clock::time_point now = Clock::now();
        if (shown && now - drawn < redraw_every) return;
        drawn = now;
        shown = true;
        draw_line(bar_line(image, progress, terminal_columns()));
    }

    void erase() {
        if (!shown) return;
        shown = false;
        draw_line("");
    }

    ~Line() { erase(); }
};

PullBar::PullBar(sandbox::PullAudience& pulls) {
    if (::isatty(STDERR_FILENO) != 1) return;
    line_ = std::make_shared<Line>();
    watching_ =
        pulls.join([line = line_](const std::string& image, const runtime_api::PullProgress* progress) {
            progress ? line->draw(image, *progress) : line->erase();
        });
}

} // namespace cli
