#include "runtime_api/socket_listener.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace runtime_api {

bool own_user_listens(const std::string& path) {
#ifdef SO_PEERCRED
    constexpr uid_t nobody_s = 65534; // what the kernel shows of users that have no number here
    const uid_t own = ::geteuid();
    sockaddr_un address{};
    if (own == 0 || own == nobody_s || path.size() >= sizeof address.sun_path) return false;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                       ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    ::close(fd);
    return known && peer.uid == own;
#else
    static_cast<void>(path);
    return false;
#endif
}

} // namespace runtime_api
