#include "src/base/event.h"

namespace base {
namespace asio = boost::asio;

void Event::notify() {
    for (asio::steady_timer* each : *waiting_) each->cancel();
}

std::chrono::steady_clock::time_point after(std::chrono::milliseconds limit) {
    const auto now = std::chrono::steady_clock::now();
    const auto most = std::chrono::steady_clock::time_point::max() - now;
    return limit >= most ? std::chrono::steady_clock::time_point::max() : now + limit;
}

} // namespace base
