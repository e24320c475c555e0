#include "src/jsonrpc/stdio.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace jsonrpc {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

base::UniqueFd copy_of(int fd) {
    base::UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
    if (!copy) fail("take standard input and output");
    return copy;
}

} // namespace

void fill_standard_descriptors() {
    for (;;) {
        const int fd = ::open("/dev/null", O_RDWR); // takes the lowest number that is free
        if (fd > 2) ::close(fd);
        if (fd < 0 || fd > 2) return;
    }
}

std::unique_ptr<FdChannel> take_stdio(boost::asio::any_io_executor executor, FdChannel::Options options) {
    base::UniqueFd in = copy_of(0);
    base::UniqueFd out = copy_of(1);
    auto channel = std::make_unique<FdChannel>(std::move(executor), std::move(in), std::move(out), options);
    const base::UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null) fail("open /dev/null");
    if (::dup2(null.get(), 0) < 0 || ::dup2(2, 1) < 0) fail("set standard input and output aside");
    return channel;
}

} // namespace jsonrpc
