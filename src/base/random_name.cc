#include "src/base/random_name.h"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace base {

std::string random_name() {
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("no random numbers");
    std::string out;
    for (const unsigned char byte : bytes) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

} // namespace base
