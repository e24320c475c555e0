#pragma once
#include <string>

namespace runtime_api {

/// True where who listens at the Unix socket is known to have been this process's own user, and not root,
/// when it began to: an engine there is not root's, unless it lies behind a program of that user's that
/// forwards to one. False where nothing is known (macOS), nobody listens, or the user has no number of its
/// own here (another user namespace). Connects and closes, without waiting.
bool own_user_listens(const std::string& path);

} // namespace runtime_api
