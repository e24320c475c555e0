#include "src/cli/http_token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/fd.h"
#include "src/base/private_file.h"
#include "src/base/random_name.h"

namespace cli {
namespace {

constexpr std::size_t token_size = 64;

// What the file holds, where only we could have put it there; else "".
std::string kept_in(const std::string& file) {
    const base::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat about {};
    if (fd.get() < 0 || ::fstat(fd.get(), &about) != 0) return {};
    const bool ours = S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0;
    char text[token_size + 1] = {};
    if (!ours || ::read(fd.get(), text, sizeof text - 1) != static_cast<ssize_t>(token_size)) return {};
    const std::string token(text, token_size);
    return token.find_first_not_of("0123456789abcdef") == std::string::npos ? token : std::string();
}

} // namespace

HttpToken http_token(const std::string& folder) {
    HttpToken token;
    token.file = folder + "/http-token";
    token.text = kept_in(token.file);
    if (!token.text.empty()) return token;
    token.text = base::random_name() + base::random_name();
    token.fresh = true;
    base::write_private_file(token.file, token.text + "\n");
    return token;
}

} // namespace cli
