#pragma once

namespace base {

/// From now on the loop's thread does not free what is large itself. The kernel takes back page by page,
/// which for a message of 60 MiB is some ten milliseconds of the loop's time; and a destructor can run
/// anywhere, so this is done where all blocks pass by: in operator delete, which large_blocks.cc replaces.
/// What a turn of the loop (base/turns) lets go of is freed by a thread of its own instead, at once. May be
/// called twice.
void free_large_blocks_elsewhere();

} // namespace base
