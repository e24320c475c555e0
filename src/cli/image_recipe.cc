#include "src/cli/image_recipe.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "src/base/private_folder.h"
#include "src/base/shell_word.h"

namespace cli {
namespace {

// Prints the suite, the tarball and its contents, a line each. Its words are of our own making: quoted once,
// here.
constexpr const char* script = R"bash(set -euo pipefail
. "$0"
suite=${2:-$(debian_release)}
tar=$(image_tar "$1" "$suite")
printf '%s\n%s\n%s\n' "$suite" "$tar" "$(image_contents "$tar")")bash";

void unpack(const std::filesystem::path& folder) {
    base::make_private_folder(folder.string()); // what is unpacked is run
    for (const EmbeddedFile& each : image_recipe()) {
        const std::filesystem::path path = folder / each.name;
        base::make_private_folder(path.parent_path().string());
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << each.text;
        file.close();
        if (!file) throw std::runtime_error("cannot write " + path.string());
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
}

// What a command of the shell prints; throws where it fails.
std::vector<std::string> lines_of(const std::string& command) {
    std::FILE* const pipe = ::popen(command.c_str(), "re");
    if (!pipe) throw std::runtime_error("cannot start a shell");
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe))
        text.append(piece.data(), n);
    if (::pclose(pipe) != 0) throw std::runtime_error("the image could not be built (see above)");
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

BuiltTar build_tar(const std::string& folder, const std::string& flavour, const std::string& suite) {
    if (std::system("command -v mmdebstrap >/dev/null") != 0)
        throw std::runtime_error(
            "image build: needs mmdebstrap (sudo apt install mmdebstrap); elsewhere than on "
            "Debian and its kin see images/README.md");
    unpack(folder);
    const std::string command = "exec bash -c " + base::shell_word(script) + ' ' +
                                base::shell_word(folder + "/scripts/lib.sh") + ' ' +
                                base::shell_word(flavour) + ' ' + base::shell_word(suite);
    const std::vector<std::string> lines = lines_of(command);
    if (lines.size() != 3) throw std::runtime_error("the image could not be built");
    return BuiltTar{lines[1], lines[2], lines[0]};
}

} // namespace cli
