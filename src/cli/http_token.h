#pragma once
#include <string>

namespace cli {

/// The bearer token of `serve --http`, and the file that keeps it between runs.
struct HttpToken {
    std::string text;
    std::string file;
    bool fresh = false; ///< Made just now: the one time to show it.
};

/// The token in `folder`, or a new one (256 random bits), kept there in a file of mode 0600. A file that
/// others could have read or written, or that holds no token of ours, is replaced. Throws std::runtime_error
/// that names the file.
HttpToken http_token(const std::string& folder);

} // namespace cli
