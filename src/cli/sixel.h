#pragma once
#include <string>

#include "src/cli/png.h"

namespace cli {

/// A bitmap as sixel graphics, the form of DEC's terminals that many of today's know; with a newline behind.
/// At most 232 colours: each of red, green and blue in six steps, and sixteen more grays.
std::string to_sixel(const Bitmap& bitmap);

} // namespace cli
