#pragma once
#include <string>

namespace base {

/// Makes sure that a folder of ours is there, to keep things in that others must not change.
///
/// One that is missing is made with mode 0700, and so are the folders above it that are missing. One that is
/// there is left as it is, and taken only where it is ours and nobody else can write to it; that others can
/// read it does no harm, since each file of ours has a mode of its own. So a folder like /tmp, named by
/// mistake, is neither used nor changed. A symbolic link is followed.
///
/// Throws std::runtime_error that says what is wrong with the folder and what to do; std::system_error where
/// it cannot be made or looked at.
void make_private_folder(const std::string& path);

} // namespace base
