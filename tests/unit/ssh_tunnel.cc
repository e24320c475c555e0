#include "runtime_api/ssh_tunnel.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "runtime_api/error.h"
#include "runtime_api/quiet_process.h"
#include "tests/unit/discovery_machine.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;
using runtime_api::Endpoint;
using runtime_api::Errc;
using runtime_api::Error;
using runtime_api::QuietProcess;
using runtime_api::SshOptions;
using runtime_api::SshTunnel;
using namespace std::chrono_literals;

namespace {

/// Stands for OpenSSH's client: writes down its arguments, a line for each login and each question, and does
/// what the host's name says.
constexpr const char* fake_ssh = R"py(#!/usr/bin/env python3
import os, socket, sys, time
args = sys.argv[1:]
host = args[args.index("--") + 1]
control = args[args.index("-S") + 1]
mine = os.path.dirname(__file__)
with open(os.path.join(mine, "logins" if "-M" in args else "questions"), "a") as log:
    log.write(" ".join(args) + "\n")
if args[-2:] == ["id", "-u"]:
    if host == "late" and not os.path.exists(path := os.path.join(mine, "asked")):
        open(path, "w").close()
        time.sleep(1000)
    if host == "restricted":
        print("PTY allocation request failed\r", file=sys.stderr)
        sys.exit(1)
    print("Welcome to 2 mails\n1234")
    sys.exit(0)
if "-O" in args:
    if host == "forwards-nothing":
        print("mux_client_forward: forwarding request failed\r", file=sys.stderr)
        sys.exit(255)
    path = args[args.index("-L") + 1].split(":")[0]
    socket.socket(socket.AF_UNIX).bind(path)
    sys.exit(0)
if host == "refuses":
    print("Host key verification failed.\r", file=sys.stderr)
    sys.exit(255)
if host == "hangs":
    print("connecting", file=sys.stderr, flush=True)
    time.sleep(1000)
open(control, "w").close()
time.sleep(1000)
)py";

class Bench {
public:
    Bench() {
        options.program = machine.file("/ssh", fake_ssh);
        ::chmod(options.program.c_str(), 0700);
        options.first_back_off = 1ms;
    }

    std::vector<std::string> logins() const { return lines("/logins"); }
    std::vector<std::string> questions() const { return lines("/questions"); }

    std::vector<std::string> lines(const std::string& path) const {
        std::vector<std::string> out;
        std::ifstream file(machine.at(path));
        for (std::string line; std::getline(file, line);) out.push_back(line);
        return out;
    }

    std::string failure(SshTunnel& tunnel) {
        try {
            ready(tunnel);
        } catch (const Error& e) {
            return e.what();
        }
        return "it is ready";
    }

    void ready(SshTunnel& tunnel) { run(loop, wait(tunnel)); }

    static asio::awaitable<bool> wait(SshTunnel& tunnel) {
        co_await tunnel.ready();
        co_return true;
    }

    Machine machine;
    SshOptions options;
    asio::io_context loop;
};

std::string folder_of(const SshTunnel& tunnel) {
    return std::filesystem::path(tunnel.local_path()).parent_path().string();
}

/// Waits for a child of this process, as far as the test's patience goes.
bool gone(pid_t pid) {
    for (int i = 0; i < 1000; ++i) {
        if (::waitpid(pid, nullptr, WNOHANG) != 0) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

std::string output_of(QuietProcess& process) {
    for (int i = 0; i < 1000 && process.running(); ++i) std::this_thread::sleep_for(10ms);
    return process.output();
}

} // namespace

TEST_CASE("SshTunnel: starts ssh at first use, once for all, with nothing that could ask") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://me@good:2222/run/podman.sock"), bench.options);
    CHECK(bench.logins().empty());
    for (int i = 0; i < 3; ++i)
        asio::co_spawn(bench.loop, Bench::wait(tunnel), [](std::exception_ptr e, bool) { CHECK_FALSE(e); });
    bench.ready(tunnel);
    const pid_t pid = tunnel.pid();
    bench.ready(tunnel);
    CHECK(tunnel.pid() == pid);
    REQUIRE(bench.logins().size() == 1);
    const std::string line = bench.logins()[0];
    for (const char* part : {"-N ", "-T ", "-M ", "-o ClearAllForwardings=yes", "-o StreamLocalBindMask=0177",
                             "-l me", "-p 2222", "-- good"}) {
        CAPTURE(part);
        CHECK(line.find(part) != std::string::npos);
    }
    CHECK(line.find(" -i ") == std::string::npos);
    REQUIRE(bench.questions().size() == 1);
    CHECK(bench.questions()[0].find("-F /dev/null -S " + folder_of(tunnel) + "/c ") == 0);
    CHECK(bench.questions()[0].find("-O forward -L " + tunnel.local_path() + ":/run/podman.sock -- good") !=
          std::string::npos);
}

TEST_CASE("SshTunnel: ssh's configuration is ours, and then the user's") {
    Bench bench;
    bench.options.config = {"~/.ssh/config", "/a b"};
    const SshTunnel tunnel(runtime_api::parse_endpoint("ssh://good/run/podman.sock"), bench.options);
    std::ifstream file(folder_of(tunnel) + "/config");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const char* part : {"\nBatchMode yes\n", "\nStrictHostKeyChecking yes\n",
                             "\nServerAliveInterval 7\n", "\nControlPath none\n", "\nControlPersist no\n",
                             "\nConnectTimeout 20\nInclude \"~/.ssh/config\"\nInclude \"/a b\"\n"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.ends_with("\"/a b\"\n"));
}

TEST_CASE("SshTunnel: an identity file is used, and it alone") {
    Bench bench;
    Endpoint endpoint = runtime_api::parse_endpoint("ssh://good/run/podman.sock");
    endpoint.key_file = "/keys/k";
    SshTunnel tunnel(endpoint, bench.options);
    bench.ready(tunnel);
    CHECK(bench.logins().at(0).find("-i /keys/k -o IdentitiesOnly=yes") != std::string::npos);
}

TEST_CASE("SshTunnel: its socket lies in a folder of mode 0700, and all is gone with it") {
    Bench bench;
    std::string folder;
    pid_t pid = 0;
    {
        SshTunnel tunnel(runtime_api::parse_endpoint("ssh://good/run/podman.sock"), bench.options);
        bench.ready(tunnel);
        folder = folder_of(tunnel);
        pid = tunnel.pid();
        struct stat about {};
        REQUIRE(::stat(folder.c_str(), &about) == 0);
        CHECK((about.st_mode & 0777U) == 0700);
        CHECK(pid > 0);
    }
    CHECK_FALSE(std::filesystem::exists(folder));
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("SshTunnel: an ssh that died is started again at the next use, at the same place") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://good/run/podman.sock"), bench.options);
    bench.ready(tunnel);
    const std::string path = tunnel.local_path();
    const pid_t first = tunnel.pid();
    ::kill(first, SIGKILL);
    bench.ready(tunnel); // even if the kernel has not told us yet, or has
    while (tunnel.pid() == first || tunnel.pid() == 0) bench.ready(tunnel);
    CHECK(tunnel.local_path() == path);
    CHECK(tunnel.pid() != first);
    CHECK(bench.logins().size() == 2);
}

TEST_CASE("SshTunnel: a failure has ssh's own words, and the next use tries again") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://me@refuses/run/podman.sock"), bench.options);
    CHECK(bench.failure(tunnel) == "connect to ssh://me@refuses/run/podman.sock: ssh exited with status 255: "
                                   "Host key verification failed.");
    bench.failure(tunnel);
    CHECK(bench.logins().size() == 2);
}

TEST_CASE(
    "SshTunnel: those who waited for a start that failed get its failure, and start none of their own") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://refuses/run/podman.sock"), bench.options);
    int failed = 0;
    for (int i = 0; i < 5; ++i)
        asio::co_spawn(bench.loop, Bench::wait(tunnel),
                       [&](std::exception_ptr e, bool) { failed += e ? 1 : 0; });
    bench.loop.run_for(30s);
    CHECK(failed == 5);
    CHECK(bench.logins().size() == 1);
}

TEST_CASE("SshTunnel: an ssh that hangs is given up, with what it said") {
    Bench bench;
    bench.options.start_limit = 3000ms; // in which even a busy machine starts a Python
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://hangs/run/podman.sock"), bench.options);
    CHECK(bench.failure(tunnel) ==
          "connect to ssh://hangs/run/podman.sock: ssh did not set up the tunnel within 3 s: connecting");
    CHECK(tunnel.pid() == 0);
}

TEST_CASE("SshTunnel: without a path the uid there is asked for, once, over the same login") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://good"), bench.options);
    bench.ready(tunnel);
    ::kill(tunnel.pid(), SIGKILL);
    while (tunnel.pid() == 0 || bench.logins().size() == 1) bench.ready(tunnel);
    REQUIRE(bench.questions().size() == 3);
    CHECK(bench.questions()[0].ends_with("-- good id -u"));
    for (const int i : {1, 2})
        CHECK(bench.questions()[i].find(":/run/user/1234/podman/podman.sock -- good") != std::string::npos);
}

TEST_CASE("SshTunnel: what the one that is logged in is asked and does not do is an error with its words") {
    Bench bench;
    SshTunnel restricted(runtime_api::parse_endpoint("ssh://restricted"), bench.options);
    const std::string failure = bench.failure(restricted);
    CHECK(failure.find(
              "asking for the user's uid there, ssh exited with status 1: PTY allocation request failed") !=
          std::string::npos);
    SshTunnel none(runtime_api::parse_endpoint("ssh://forwards-nothing/x"), bench.options);
    CHECK(bench.failure(none) ==
          "connect to ssh://forwards-nothing/x: told to forward /x, ssh exited with status "
          "255: mux_client_forward: forwarding request failed");
    CHECK(none.pid() == 0);
}

TEST_CASE("SshTunnel: who gave up while the uid was asked for leaves nothing that the next one trips over") {
    Bench bench;
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://late"), bench.options);
    asio::cancellation_signal signal;
    bool cancelled = false;
    asio::co_spawn(bench.loop, Bench::wait(tunnel),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr e, bool) { cancelled = e != nullptr; }));
    for (int i = 0; i < 3000 && bench.questions().empty(); ++i) bench.loop.run_for(10ms);
    signal.emit(asio::cancellation_type::terminal);
    bench.loop.restart();
    bench.loop.run_for(30s);
    CHECK(cancelled);
    CHECK(bench.failure(tunnel) == "it is ready");
    CHECK(bench.logins().size() == 1);
    CHECK(bench.questions().size() == 3); // asked, asked again, and the socket
}

TEST_CASE("SshTunnel: without an ssh the message says what is missing") {
    Bench bench;
    bench.options.program = "no-such-ssh";
    SshTunnel tunnel(runtime_api::parse_endpoint("ssh://good/s"), bench.options);
    CHECK(bench.failure(tunnel).find("no-such-ssh: not found in PATH (ssh:// needs") != std::string::npos);
    bench.options.program = bench.machine.file("/not-executable", "");
    SshTunnel other(runtime_api::parse_endpoint("ssh://good/s"), bench.options);
    CHECK(bench.failure(other).find("Permission denied") != std::string::npos);
}

TEST_CASE("SshTunnel: refuses what is no ssh URL, and paths that ssh would split or expand") {
    for (const char* path : {"/a:b", "/a%h", "/${HOME}", "/a b", "/a\\b", "/a'b"}) {
        CAPTURE(path);
        Endpoint endpoint = runtime_api::parse_endpoint("ssh://good/x");
        endpoint.path = path;
        CHECK_THROWS_AS(SshTunnel(endpoint, SshOptions()), Error);
    }
    CHECK_THROWS_AS(SshTunnel(runtime_api::parse_endpoint("unix:///x"), SshOptions()), Error);
    Endpoint option = runtime_api::parse_endpoint("ssh://good/x");
    option.host = "-oProxyCommand=id";
    CHECK_THROWS_AS(SshTunnel(option, SshOptions()), Error);
}

TEST_CASE("SshTunnel: a folder left by one that was killed is removed by the next, one that is held is not") {
    Bench bench;
    SshTunnel held(runtime_api::parse_endpoint("ssh://good/x"), bench.options);
    const std::string left =
        std::filesystem::path(folder_of(held)).parent_path().string() + "/cordon-ssh-left0";
    for (const int i : {0, 1}) std::filesystem::create_directory(left + std::to_string(i));
    for (const char* name : {"0/lock", "0/config", "1/c"})
        std::ofstream(left + name) << ""; // killed at any moment
    SshTunnel next(runtime_api::parse_endpoint("ssh://good/x"), bench.options);
    for (const int i : {0, 1}) CHECK_FALSE(std::filesystem::exists(left + std::to_string(i)));
    CHECK(std::filesystem::exists(folder_of(held)));
}

TEST_CASE(
    "QuietProcess: has a session of its own, an empty stdin, no askpass and nothing that we have open") {
    Machine machine;
    ::setenv("SSH_ASKPASS", "/bin/true", 1);
    const int inherited = ::open("/dev/null", O_RDONLY); // not close-on-exec
    QuietProcess process({"sh", "-c", "cat; env | grep SSH_ASKPASS; ls /proc/$$/fd; sleep 1000"},
                         machine.at(""));
    ::close(inherited);
    ::unsetenv("SSH_ASKPASS");
    CHECK(::getsid(process.pid()) == process.pid());
    std::string said;
    for (int i = 0; i < 1000 && said.find("2\n") == std::string::npos; ++i) {
        std::this_thread::sleep_for(10ms);
        said = process.output();
    }
    CHECK(said == "SSH_ASKPASS_REQUIRE=never\n0\n1\n2\n");
    CHECK(process.running());
}

TEST_CASE("QuietProcess: how it ended is known, and what it wrote is kept") {
    Machine machine;
    QuietProcess process({"sh", "-c", "echo out; echo err >&2; exit 7"}, machine.at(""));
    CHECK(output_of(process) == "out\n");
    CHECK(process.errors() == "err\n");
    CHECK(process.ending() == "exited with status 7");
}

TEST_CASE("QuietProcess: more than a mebibyte of words ends it instead of filling the disk") {
    Machine machine;
    QuietProcess process({"sh", "-c", "exec cat /dev/zero"}, machine.at(""));
    CHECK(output_of(process).size() == 1U << 20U);
    CHECK_FALSE(process.running());
}

TEST_CASE("QuietProcess: dies with us, even if we are killed without a word") {
    Machine machine;
    REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // what the killed one leaves comes to us
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t middle = ::fork();
    if (middle == 0) {
        const QuietProcess process({"sleep", "1000"}, machine.at(""));
        const pid_t pid = process.pid();
        if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
        ::pause();
    }
    pid_t pid = 0;
    CHECK(::read(ends[0], &pid, sizeof pid) == sizeof pid);
    ::kill(middle, SIGKILL);
    CHECK(gone(middle));
    CHECK(gone(pid));
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::close(ends[0]);
    ::close(ends[1]);
}
