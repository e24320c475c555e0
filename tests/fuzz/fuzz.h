#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// What libFuzzer calls. Each target's main idea: whatever comes in, no crash, no hang, and what the part
/// promises still holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
    return std::string_view(reinterpret_cast<const char*>(data), size);
}

/// A promise that did not hold is a crash.
inline void promise(bool held) {
    if (!held) std::abort();
}

/// Calls feed with the input cut into pieces whose sizes the input itself chooses.
template <class Feed> void in_pieces(std::string_view text, Feed&& feed) {
    std::size_t step = 1;
    while (!text.empty()) {
        const std::size_t n = std::min(text.size(), step);
        feed(text.substr(0, n));
        step = 1 + static_cast<unsigned char>(text[n - 1]) % 61;
        text.remove_prefix(n);
    }
}

} // namespace fuzz
