#pragma once
#include "src/base/shown.h"

namespace cli {

using base::Shown;

/// What Cordon itself says to a person, and the only way to do so: what is not a Shown does not compile
/// (scripts/lint forbids printf and its like elsewhere). What a program prints goes through ProgramOutput.

/// To stdout, at once.
void say(const Shown& text);
void say_line(const Shown& text);

/// A line of its own on stderr, "cordon: …".
void tell(const Shown& text);

/// Draws anew the line of stderr that the cursor is in; an empty text erases it. For terminals.
void draw_line(const Shown& text);

} // namespace cli
