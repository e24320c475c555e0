#include "src/cli/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "src/base/fd.h"
#include "src/base/json.h"

namespace cli {
namespace {

constexpr std::size_t most_name_bytes = 100;
constexpr std::size_t most_ending_bytes = 16;

using Environment = std::map<std::string, std::string>;

bool write_all(int fd, const std::string& data) {
    std::size_t done = 0;
    while (done < data.size()) {
        const ssize_t n = ::write(fd, data.data() + done, data.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

struct Name {
    const std::string& stem;
    const std::string& ending;
    bool numbered; ///< From the first one on.

    std::string at(int number) const {
        return stem + (numbered || number > 1 ? '-' + std::to_string(number) : "") + ending;
    }
};

// A new file in the folder; nullopt where none can be made there (errno says why).
std::optional<std::string> write_in(const std::filesystem::path& folder, const Name& name,
                                    const std::string& data) {
    constexpr int most_names = 10'000;
    for (int number = 1; number <= most_names; ++number) {
        const std::string path = folder / name.at(number);
        const base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file.get() < 0 && errno == EEXIST) continue;
        if (file.get() < 0) return std::nullopt;
        if (write_all(file.get(), data)) return path;
        const int why = errno;
        ::unlink(path.c_str());
        errno = why;
        return std::nullopt;
    }
    return std::nullopt;
}

std::string write_file(const Name& name, const std::string& data, const Environment& environment) {
    std::error_code gone;
    const std::filesystem::path here = std::filesystem::current_path(gone);
    std::optional<std::string> path;
    if (!gone) path = write_in(here, name, data);
    if (path) return *path;
    const auto found = environment.find("TMPDIR");
    const bool has_temporary = found != environment.end() && !found->second.empty();
    path = write_in(has_temporary ? found->second : "/tmp", name, data);
    if (!path)
        throw std::runtime_error(name.at(1) +
                                 " could not be written: " + std::system_category().message(errno));
    return *path;
}

// At most `bytes` of it, on a character's border.
std::string cut(const std::string& text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
    return text.substr(0, bytes);
}

} // namespace

std::string write_new_file(const std::string& stem, const std::string& ending, const std::string& data,
                           const Environment& environment) {
    return write_file(Name{stem, ending, false}, data, environment);
}

std::string write_numbered_file(const std::string& stem, const std::string& ending, const std::string& data,
                                const Environment& environment) {
    return write_file(Name{stem, ending, true}, data, environment);
}

std::pair<std::string, std::string> safe_name(const std::string& name) {
    std::string plain = json::valid_utf8(name);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const auto c = static_cast<unsigned char>(plain[i]);
        const bool is_c1 = c == 0xC2 && static_cast<unsigned char>(plain[i + 1]) < 0xA0; // U+0080 to U+009F
        if (c == '/') plain[i] = '-';
        const bool fine = std::isalnum(c) || c >= 0x80 ||
                          std::string_view(" ._-+=,@").find(plain[i]) != std::string_view::npos;
        if (!fine) plain[i] = '_'; // no control character, and nothing that a shell would take as its own
        if (is_c1) plain.replace(i, 2, "_");
    }
    const std::size_t dot = plain.rfind('.');
    const bool has_ending = dot != std::string::npos && dot > 0 && plain.size() - dot <= most_ending_bytes;
    const std::string ending = has_ending ? plain.substr(dot) : "";
    const std::string stem = "cordon-" + plain.substr(0, plain.size() - ending.size());
    return {cut(stem, most_name_bytes - ending.size()), ending};
}

} // namespace cli
