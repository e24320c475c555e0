#include "src/jsonrpc/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "src/jsonrpc/message.h"

// Between fork and exec, and all through the keeper's life, only plain system calls and the stack are used:
// another thread (curl's resolver) may have held any lock when we forked.

namespace jsonrpc {
namespace {

// The keeper's descriptors; 0 to 2 are the command's until it runs, then /dev/null.
constexpr int lifeline_fd = 3;
constexpr int status_fd = 4;
constexpr int signal_fd = 5;
constexpr int first_free_fd = 5;

// All that the child needs, made before the fork.
struct Prepared {
    std::vector<std::string> paths;
    std::vector<char*> argv;
    std::vector<char*> shell_argv; // for a script without "#!": sh PATH ARGS…
    std::vector<char*> env;
    const char* cwd;
};

char* mutable_text(const std::string& text) { return const_cast<char*>(text.c_str()); }

Prepared prepare(const Launch& what) {
    static char shell[] = "/bin/sh";
    Prepared p{candidates(what.argv.at(0), what.env),
               {},
               {shell, nullptr},
               {},
               what.cwd.empty() ? nullptr : what.cwd.c_str()};
    for (const std::string& each : what.argv) p.argv.push_back(mutable_text(each));
    for (std::size_t i = 1; i < what.argv.size(); ++i) p.shell_argv.push_back(mutable_text(what.argv[i]));
    for (const std::string& each : what.env) p.env.push_back(mutable_text(each));
    p.argv.push_back(nullptr);
    p.shell_argv.push_back(nullptr);
    p.env.push_back(nullptr);
    return p;
}

void tell(int fd, KeeperReport::Kind kind, std::int32_t value) {
    const KeeperReport report{kind, value};
    while (::write(fd, &report, sizeof report) < 0 && errno == EINTR) {
    }
}

void close_from(int first) {
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
    for (int fd = first; fd < 65536; ++fd) ::close(fd); // before Linux 5.9
}

void set_signals(void (*how)(int)) {
    struct sigaction action {};
    action.sa_handler = how;
    for (int number = 1; number < NSIG; ++number)
        if (number != SIGCHLD || how == SIG_DFL)
            ::sigaction(number, &action, nullptr); // SIGKILL and SIGSTOP refuse
}

// As execvpe does, with the PATH that was prepared. Gives the error worth telling.
int exec_any(Prepared& p) {
    int result = ENOENT;
    for (const std::string& path : p.paths) {
        ::execve(path.c_str(), p.argv.data(), p.env.data());
        if (errno == ENOEXEC) {
            p.shell_argv[1] = mutable_text(path);
            ::execve(p.shell_argv[0], p.shell_argv.data(), p.env.data());
        }
        if (errno == ENOENT || errno == ENOTDIR) continue;
        result = errno;
        if (errno != EACCES) break;
    }
    return result;
}

[[noreturn]] void become_command(Prepared& p, pid_t keeper, int exec_fd) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != keeper) ::_exit(127);
    ::setpgid(0, 0);
    set_signals(SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (p.cwd && ::chdir(p.cwd) != 0) {
        tell(exec_fd, KeeperReport::Kind::no_cwd, errno);
        ::_exit(127);
    }
    tell(exec_fd, KeeperReport::Kind::no_exec, exec_any(p));
    ::_exit(127);
}

// The parent of a process, from /proc/PID/stat; 0 where it is gone.
pid_t parent_of(const char* pid) {
    std::array<char, 64> name{"/proc/"};
    std::memcpy(name.data() + std::strlen(name.data()), pid, ::strnlen(pid, 20));
    std::strcat(name.data(), "/stat");
    const int fd = ::open(name.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    std::array<char, 512> text{};
    const ssize_t size = ::read(fd, text.data(), text.size() - 1);
    ::close(fd);
    const char* after_name =
        size > 0 ? std::strrchr(text.data(), ')') : nullptr; // the name may hold anything
    return after_name && std::strlen(after_name) > 4 ? static_cast<pid_t>(std::atoi(after_name + 4)) : 0;
}

// Kills the keeper's children. Theirs come to us when they are dead, since we are a subreaper, and are then
// killed in turn.
void kill_children() {
    const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return;
    const pid_t self = ::getpid();
    alignas(struct dirent64) std::array<char, 16384> buffer{};
    for (;;) {
        const long size = ::syscall(SYS_getdents64, proc, buffer.data(), buffer.size());
        if (size <= 0) break;
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const struct dirent64*>(buffer.data() + at);
            at += entry->d_reclen;
            const pid_t pid =
                entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? std::atoi(entry->d_name) : 0;
            if (pid > 0 && parent_of(entry->d_name) == self) ::kill(pid, SIGKILL);
        }
    }
    ::close(proc);
}

// Takes every child that has ended; true while there are others. `command` becomes 0 when it is among them.
bool reap(pid_t& command) {
    for (;;) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid < 0) return errno == EINTR || errno != ECHILD;
        if (pid == 0) return true;
        if (pid != command) continue;
        command = 0;
        tell(status_fd, KeeperReport::Kind::exited, status);
    }
}

void wait_for_child(int milliseconds) {
    pollfd signals{signal_fd, POLLIN, 0};
    ::poll(&signals, 1, milliseconds);
    signalfd_siginfo info;
    while (::read(signal_fd, &info, sizeof info) > 0) {
    }
}

// Until none is left, or for half a minute where one cannot be killed (it runs as another user by now).
[[noreturn]] void end(pid_t command) {
    for (int round = 0; round < 3000 && reap(command); ++round) {
        if (command > 0) ::kill(-command, SIGKILL);
        kill_children();
        if (!reap(command)) break;
        wait_for_child(10);
    }
    ::_exit(0);
}

// Waits for the command's end and for orders.
[[noreturn]] void watch(pid_t command) {
    for (;;) {
        std::array<pollfd, 2> fds{{{lifeline_fd, POLLIN, 0}, {signal_fd, POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), -1);
        if (fds[1].revents != 0) wait_for_child(0);
        if (!reap(command) || command == 0) end(command);
        if (fds[0].revents == 0) continue;
        char order = 0;
        const ssize_t size = ::read(lifeline_fd, &order, 1);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0 || order != keeper_terminate) end(command);
        ::kill(-command, SIGTERM);
        ::kill(-command, SIGCONT); // one that is stopped would never see it
    }
}

// Lays the ends of the pipes where they belong, and closes all else.
void lay_descriptors(const std::array<int, 5>& ends) {
    std::array<int, 5> high{};
    for (std::size_t i = 0; i < ends.size(); ++i) high[i] = ::fcntl(ends[i], F_DUPFD, 16);
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (::dup2(high[i], static_cast<int>(i)) < 0) ::_exit(127); // 0 to 2, lifeline_fd, status_fd
    close_from(first_free_fd);
    for (const int fd : {lifeline_fd, status_fd}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// Runs the command, and tells whether it could be.
pid_t start_command(Prepared& p) {
    std::array<int, 2> exec{};
    if (::pipe2(exec.data(), O_CLOEXEC) != 0) ::_exit(127);
    const pid_t self = ::getpid();
    const pid_t command = ::fork();
    if (command == 0) become_command(p, self, exec[1]);
    const int fork_error = errno;
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {0, 1, 2}) // its ends are its own from now on
        if (null < 0 || ::dup2(null, fd) < 0) ::close(fd);
    if (command < 0) {
        tell(status_fd, KeeperReport::Kind::no_fork, fork_error);
        ::_exit(0);
    }
    ::setpgid(command, command); // whoever is first
    ::close(exec[1]);
    KeeperReport failure;
    if (::read(exec[0], &failure, sizeof failure) == static_cast<ssize_t>(sizeof failure))
        tell(status_fd, failure.kind, failure.value);
    else
        tell(status_fd, KeeperReport::Kind::started, command);
    close_from(first_free_fd);
    return command;
}

// Runs in the process between us and the command.
[[noreturn]] void keep(Prepared& p, const std::array<int, 5>& ends) {
    lay_descriptors(ends);
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "cordon-keeper");
    set_signals(SIG_IGN);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); // comes by signal_fd; every other signal is ignored
    ::sigprocmask(SIG_SETMASK, &child, nullptr);
    const pid_t command = start_command(p);
    const int signals = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals != signal_fd) ::dup3(signals, signal_fd, O_CLOEXEC);
    [[maybe_unused]] const int moved = ::chdir("/"); // pin no one's file system
    watch(command);
}

struct Pipe {
    base::UniqueFd read, write;
};

[[noreturn]] void fail(const std::string& command, const char* what) {
    throw Error(code::internal_error, "cannot start " + command + ": " + what + ": " + std::strerror(errno));
}

Pipe make_pipe(const std::string& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(command, "no pipe");
    return Pipe{base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

} // namespace

std::string path_of(const std::vector<std::string>& env) {
    for (const std::string& each : env)
        if (each.starts_with("PATH=")) return each.substr(5);
    return "/bin:/usr/bin";
}

std::vector<std::string> candidates(const std::string& command, const std::vector<std::string>& env) {
    if (command.empty()) return {};
    if (command.find('/') != std::string::npos) return {command};
    std::vector<std::string> found;
    const std::string path = path_of(env);
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string folder = path.substr(at, end - at);
        found.push_back((folder.empty() ? "." : folder) + "/" + command);
        at = end + 1;
    }
    return found;
}

Kept launch(const Launch& what) {
    Prepared prepared = prepare(what);
    const std::string& command = what.argv.at(0);
    Pipe in = make_pipe(command), out = make_pipe(command), err = make_pipe(command);
    Pipe lifeline = make_pipe(command), status = make_pipe(command);
    // a signal for us that comes between fork and set_signals must not run our handlers in the keeper
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t keeper = ::fork();
    if (keeper == 0)
        keep(prepared,
             {in.read.get(), out.write.get(), err.write.get(), lifeline.read.get(), status.write.get()});
    const int fork_error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = fork_error;
    if (keeper < 0) fail(command, "no process");
    return Kept{keeper,
                std::move(lifeline.write),
                std::move(status.read),
                std::move(in.write),
                std::move(out.read),
                std::move(err.read)};
}

} // namespace jsonrpc
