#include "src/cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "src/base/fd.h"

namespace cli {
namespace {

constexpr auto patience = std::chrono::milliseconds(500);
constexpr std::size_t most_answer = 256;

// Neither echo nor waiting for the end of a line, for as long as this lives.
class Unbuffered {
public:
    explicit Unbuffered(int fd) : fd_(fd) {
        if (::tcgetattr(fd, &before_) != 0) return;
        termios now = before_;
        now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        changed_ = ::tcsetattr(fd, TCSANOW, &now) == 0;
    }
    ~Unbuffered() {
        if (changed_) ::tcsetattr(fd_, TCSANOW, &before_);
    }
    Unbuffered(const Unbuffered&) = delete;
    Unbuffered& operator=(const Unbuffered&) = delete;
    bool changed() const { return changed_; }

private:
    int fd_;
    termios before_{};
    bool changed_ = false;
};

// "\033[?64;1;4;22c" without its ends: whether 4 is among the numbers.
bool has_four(std::string_view numbers) {
    while (!numbers.empty()) {
        const std::size_t end = std::min(numbers.find(';'), numbers.size());
        if (numbers.substr(0, end) == "4") return true;
        numbers.remove_prefix(std::min(end + 1, numbers.size()));
    }
    return false;
}

// What the terminal says until its answer is whole, or its time is over.
std::string heard(int fd) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::string answer;
    while (answer.size() < most_answer && (answer.find("\033[?") == answer.npos || answer.back() != 'c')) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd ready{fd, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
        std::array<char, 64> piece{};
        const ssize_t n = ::read(fd, piece.data(), piece.size());
        if (n <= 0) break;
        answer.append(piece.data(), static_cast<std::size_t>(n));
    }
    return answer;
}

} // namespace

bool terminal_knows_sixel(int fd) {
    std::array<char, 256> name{};
    if (::ttyname_r(fd, name.data(), name.size()) != 0) return false;
    const base::UniqueFd terminal(::open(name.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (terminal.get() < 0) return false;
    const pid_t front = ::tcgetpgrp(terminal.get()); // fails where it is not the one that controls us
    if (front >= 0 && front != ::getpgrp()) return false;
    const Unbuffered unbuffered(terminal.get());
    constexpr std::string_view question = "\033[c";
    if (!unbuffered.changed() || ::write(terminal.get(), question.data(), question.size()) != 3) return false;
    const std::string answer = heard(terminal.get());
    const std::size_t begin = answer.find("\033[?");
    const std::size_t end = answer.find('c', begin == answer.npos ? 0 : begin);
    if (begin == answer.npos || end == answer.npos) return false;
    return has_four(std::string_view(answer).substr(begin + 3, end - begin - 3));
}

} // namespace cli
