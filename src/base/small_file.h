#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace base {

/// A file that could not be read. what() begins with its path.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline constexpr std::size_t most_small_file = std::size_t{4} << 20; ///< Bytes.

/// The whole of a file that a person or another program wrote; nullopt where there is none. Throws FileError
/// if it cannot be read, is no file, or is larger than `most` bytes. A FIFO does not hold it up; /dev/null is
/// an empty file.
std::optional<std::string> read_small_file(const std::string& path, std::size_t most = most_small_file);

} // namespace base
