#pragma once

#include <string_view>

/// The Python that runs inside the container, joined at build time by bundle.py. Constant data; any thread
/// may read it.
namespace guest {

/// The program for `python3 -I -u -B -X utf8 -c`: it reads the blob from its stdin and executes it. Under 500
/// bytes.
extern const std::string_view loader;

/// What the guest reads first, opaque to the host; then comes one part more, ten ASCII digits that hold its
/// length and what a guest of the same image sent as `compiled`, or nothing.
extern const std::string_view blob;

} // namespace guest
