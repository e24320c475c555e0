#include "runtime_api/quiet_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime_api/error.h"

extern char** environ;

namespace runtime_api {
namespace {

constexpr rlim_t most_said = 1U << 20U;

[[noreturn]] void fail(const std::string& what, int error) {
    throw Error(Errc::unavailable, what + ": " + std::strerror(error));
}

/// The program's full path; throws where PATH has none.
std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* const path = std::getenv("PATH");
    for (std::string_view rest = path ? path : "/usr/bin:/bin"; !rest.empty();) {
        const std::size_t colon = rest.find(':');
        std::string full = std::string(rest.substr(0, colon)) + '/' + name;
        if (full.front() == '/' && ::access(full.c_str(), X_OK) == 0) return full;
        rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    }
    throw Error(Errc::unavailable, name + ": not found in PATH");
}

/// Ours, less what could make ssh ask a person.
std::vector<std::string> quiet_environment() {
    std::vector<std::string> out{"SSH_ASKPASS_REQUIRE=never"};
    for (char** each = environ; each && *each; ++each)
        if (!std::string_view(*each).starts_with("SSH_ASKPASS")) out.emplace_back(*each);
    return out;
}

/// Terminated, as exec wants it; valid while strings is.
std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> out;
    out.reserve(strings.size() + 1);
    for (std::string& each : strings) out.push_back(each.data());
    out.push_back(nullptr);
    return out;
}

int unlinked_file(const std::string& folder) {
    std::string name = folder + "/said-XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC | O_APPEND);
    if (fd < 0) fail("make a file in " + folder, errno);
    ::unlink(name.c_str());
    return fd;
}

/// Its whole content, from the start, whatever the file's position is.
std::string content(int fd) {
    std::string out;
    std::array<char, 4096> piece{};
    for (;;) {
        const ssize_t n = ::pread(fd, piece.data(), piece.size(), static_cast<off_t>(out.size()));
        if (n <= 0 || out.size() > most_said) return out;
        out.append(piece.data(), static_cast<std::size_t>(n));
    }
}

/// Nothing of ours may be inherited: libcurl's sockets are not all close-on-exec. `kept` is.
void close_all_but(int kept) {
#ifdef SYS_close_range
    const bool below = kept <= 3 || ::syscall(SYS_close_range, 3U, static_cast<unsigned>(kept) - 1, 0U) == 0;
    if (below && ::syscall(SYS_close_range, static_cast<unsigned>(kept) + 1, ~0U, 0U) == 0) return;
#endif
    for (int fd = 3; fd < 4096; ++fd)
        if (fd != kept) ::close(fd);
}

/// A file to be read from its start; "" is /dev/null.
int input_file(const std::string& folder, const std::string& text) {
    if (text.empty()) return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int fd = unlinked_file(folder);
    const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (whole && ::lseek(fd, 0, SEEK_SET) == 0) return fd;
    const int error = errno;
    ::close(fd);
    fail("write a file in " + folder, error);
}

struct Start {
    const char* program;
    char** argv;
    char** env;
    int in, out, err;
    int report; ///< Close-on-exec; gets errno if exec fails.
    pid_t parent;
};

/// Between fork and exec: calls nothing that is not async-signal-safe.
[[noreturn]] void become(const Start& start) {
    const auto give_up = [&] {
        const int error = errno;
        [[maybe_unused]] const ssize_t ignored = ::write(start.report, &error, sizeof error);
        ::_exit(127);
    };
    ::setsid();
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != start.parent) ::_exit(127); // it died before it could be watched
#endif
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGXFSZ})
        ::sigaction(signal, &usual, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::dup2(start.in, 0) < 0 || ::dup2(start.out, 1) < 0 || ::dup2(start.err, 2) < 0) give_up();
    close_all_but(start.report);
    const rlimit limit{most_said, most_said};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::execve(start.program, start.argv, start.env);
    give_up();
    ::_exit(127); // not reached
}

} // namespace

QuietProcess::QuietProcess(const std::vector<std::string>& argv, const std::string& folder,
                           const std::string& input) {
    const std::string program = find_program(argv.at(0));
    std::vector<std::string> arguments = argv;
    std::vector<std::string> environment = quiet_environment();
    std::vector<char*> argument_list = pointers(arguments);
    std::vector<char*> environment_list = pointers(environment);
    std::array<int, 2> report{};
    int in = -1;
    if (::pipe2(report.data(), O_CLOEXEC) != 0) fail("make a pipe", errno);
    const auto close_all = [&] {
        for (const int fd : {report[0], report[1], in, out_, err_})
            if (fd >= 0) ::close(fd);
    };
    int error = 0;
    try {
        in = input_file(folder, input);
        out_ = unlinked_file(folder);
        err_ = unlinked_file(folder);
        const Start start{
            program.c_str(), argument_list.data(), environment_list.data(), in, out_, err_, report[1],
            ::getpid()};
        pid_ = ::fork();
        if (pid_ == 0) become(start);
        if (pid_ < 0) fail("start " + program, errno);
    } catch (const Error&) {
        close_all();
        throw;
    }
    ::close(report[1]);
    ::close(in);
    report[1] = in = -1;
    ssize_t n = 0; // returns when exec has closed the other end, or has failed
    while ((n = ::read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (n == 0) {
        ::close(report[0]);
        return;
    }
    ::waitpid(pid_, nullptr, 0);
    close_all();
    fail("start " + program, error);
}

QuietProcess::~QuietProcess() {
    if (running()) {
        ::kill(-pid_, SIGKILL); // its ProxyCommand too
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
    }
    ::close(out_);
    ::close(err_);
}

bool QuietProcess::running() {
    if (ended_) return false;
    const pid_t found = ::waitpid(pid_, &status_, WNOHANG);
    ended_ = found == pid_ || (found < 0 && errno == ECHILD);
    if (ended_) ::kill(-pid_, SIGKILL); // what is left of its group, such as a ProxyCommand
    return !ended_;
}

std::string QuietProcess::ending() const {
    if (!ended_) return "";
    if (WIFSIGNALED(status_)) return "was killed by signal " + std::to_string(WTERMSIG(status_));
    return "exited with status " + std::to_string(WEXITSTATUS(status_));
}

std::string QuietProcess::output() const { return content(out_); }
std::string QuietProcess::errors() const { return content(err_); }

} // namespace runtime_api
