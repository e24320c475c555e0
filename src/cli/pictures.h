#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "src/bridge/run_report.h"

namespace cli {

/// How a terminal shows images. none: it cannot, or this is no terminal; unknown: it can be asked whether it
/// knows sixel (src/cli/terminal.h).
enum class PictureProtocol { none, kitty, iterm2, sixel, unknown };

/// By what the terminal says of itself (TERM, TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID). Within tmux and
/// screen: unknown, since they swallow the first two.
PictureProtocol picture_protocol(const std::map<std::string, std::string>& environment, bool is_terminal);

/// What is written to the terminal for one picture; empty where the protocol does not know its type, or the
/// picture is broken.
std::string escape_sequence(PictureProtocol protocol, const bridge::Picture& picture);

/// Writes that to stdout; false where there is nothing to write.
bool show_picture(PictureProtocol protocol, const bridge::Picture& picture);

/// Writes it to a new file in the current directory, or in TMPDIR where that cannot be, and gives the
/// absolute path. Never writes over anything. Throws std::runtime_error that says what went wrong.
std::string write_picture(const bridge::Picture& picture,
                          const std::map<std::string, std::string>& environment);
std::string write_svg(const std::string& svg, const std::map<std::string, std::string>& environment);

} // namespace cli
