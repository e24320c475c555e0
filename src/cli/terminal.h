#pragma once

namespace cli {

/// Asks the terminal on this descriptor what it is (primary device attributes) and gives whether it says that
/// it knows sixel graphics. Waits half a second at most; what is typed meanwhile is lost. false where it
/// cannot be asked: no terminal, or we are in its background.
bool terminal_knows_sixel(int fd);

} // namespace cli
