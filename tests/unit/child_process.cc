#include "src/jsonrpc/child_process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "src/jsonrpc/message.h"
#include "tests/unit/run.h"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using jsonrpc::ChildProcess;
using jsonrpc::Launch;

namespace {

Launch shell(const std::string& script) {
    return Launch{{"sh", "-c", script}, {"PATH=/usr/local/bin:/usr/bin:/bin"}};
}

asio::awaitable<std::string> all_lines(ChildProcess& child) {
    std::string text;
    while (const auto line = co_await child.read()) text += line->text + "\n";
    co_return text;
}

asio::awaitable<std::string> one_line(ChildProcess& child) {
    const auto line = co_await child.read();
    co_return line ? line->text : "(end)";
}

asio::awaitable<int> stopped(ChildProcess& child, std::chrono::milliseconds grace) {
    co_await child.stop(grace);
    co_return 1;
}

// How many processes have this word among their arguments.
int with_argument(const std::string& word) {
    int found = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(each.path() / "cmdline", std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        if (('\0' + text.str()).find('\0' + word + '\0') != std::string::npos) ++found;
    }
    return found;
}

bool comes_to(int wanted, const std::string& word) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (with_argument(word) != wanted && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(5ms);
    return with_argument(word) == wanted;
}

// A sleep of a length that nobody else asks for.
std::string unique_sleep() {
    static int count = 0;
    return std::to_string(100'000 + ::getpid()) + "." + std::to_string(++count);
}

// Leaves a daemon (its own session, its parent gone) and one in its group, and says so.
std::string family(const std::string& length) {
    return "(setsid sh -c 'sleep " + length + " & sleep " + length + "' &) & sleep " + length +
           " & echo up; ";
}

} // namespace

TEST_CASE("ChildProcess: speaks lines, and ends with its status as the reason") {
    asio::io_context loop;
    ChildProcess child(loop.get_executor(), shell("read a; echo \"got $a\"; exit 3"), {});
    child.write("hello");
    CHECK(run(loop, all_lines(child)) == "got hello\n");
    CHECK(child.reason() == "exited with status 3");
    CHECK(run(loop, stopped(child, 5s)) == 1);
    CHECK(child.gone());
}

TEST_CASE("ChildProcess: a signal is named") {
    asio::io_context loop;
    ChildProcess child(loop.get_executor(), shell("kill -SEGV $$"), {});
    CHECK(run(loop, all_lines(child)).empty());
    CHECK(child.reason() == "was killed by signal 11 (Segmentation fault)");
}

TEST_CASE("ChildProcess: a command that cannot be run says why") {
    asio::io_context loop;
    const auto reason = [&](Launch launch) {
        ChildProcess child(loop.get_executor(), std::move(launch), {});
        CHECK(run(loop, all_lines(child)).empty());
        CHECK(child.pid() == 0);
        return child.reason();
    };
    CHECK(reason(Launch{{"no-such-command"}, {"PATH=/usr/bin:/bin"}}) ==
          "no-such-command: not found in PATH=/usr/bin:/bin");
    CHECK(reason(Launch{{"/no/such"}, {}}) == "/no/such: not found");
    CHECK(reason(Launch{{"/etc/passwd"}, {}}) == "cannot start /etc/passwd: Permission denied");
    CHECK(reason(Launch{{"true"}, {"PATH=/bin"}, "/no/such"}) ==
          "cannot start true: cwd /no/such: No such file or directory");
    CHECK(reason(Launch{{""}, {}}) == ": not found in PATH=/bin:/usr/bin");
}

TEST_CASE("ChildProcess: a script without an interpreter line is run by sh, one with a missing interpreter "
          "says so") {
    asio::io_context loop;
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("cordon-child-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    for (const auto& [name, text] :
         {std::pair{"plain", "echo $1\n"}, std::pair{"broken", "#!/no/such/interpreter\n"}}) {
        std::ofstream(folder / name) << text;
        std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    }
    ChildProcess plain(loop.get_executor(), Launch{{"plain", "hi"}, {"PATH=/no:" + folder.string()}}, {});
    CHECK(run(loop, all_lines(plain)) == "hi\n");
    ChildProcess broken(loop.get_executor(), Launch{{"broken"}, {"PATH=" + folder.string()}}, {});
    CHECK(run(loop, all_lines(broken)).empty());
    CHECK(broken.reason() ==
          "cannot start " + (folder / "broken").string() + ": the interpreter that it names is missing");
    std::filesystem::remove_all(folder);
}

TEST_CASE("ChildProcess: gets its environment and folder and nothing of ours but three descriptors") {
    asio::io_context loop;
    ::setenv("CORDON_TEST_SECRET", "x", 1);
    Launch launch{
        {"sh", "-c", "pwd; echo $A; env | grep -c SECRET; ls /proc/self/fd | tr '\\n' ' '; echo; trap"},
        {"A=1 2", "PATH=/usr/bin:/bin"},
        "/usr"};
    ChildProcess child(loop.get_executor(), launch, {});
    CHECK(run(loop, all_lines(child)) == "/usr\n1 2\n0\n0 1 2 3 \n"); // 3 is the folder that ls reads
}

TEST_CASE("ChildProcess: a flood on stderr blocks nothing, and its end is kept") {
    asio::io_context loop;
    ChildProcess child(loop.get_executor(),
                       shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo tail >&2; echo done"), {});
    CHECK(run(loop, all_lines(child)) == "done\n");
    CHECK(run(loop, stopped(child, 5s)) == 1);
    const std::string tail = child.stderr_tail();
    CHECK(tail.size() == 8192);
    CHECK(tail.ends_with("xxtail\n"));
}

TEST_CASE("ChildProcess: stop needs no signal where end of file is enough") {
    asio::io_context loop;
    ChildProcess child(loop.get_executor(), shell("cat >/dev/null; echo bye"), {});
    CHECK(run(loop, stopped(child, 1h)) == 1);
    CHECK(child.gone());
}

TEST_CASE("ChildProcess: stop sends SIGTERM to the group, then kills what ignores it") {
    asio::io_context loop;
    const std::string length = unique_sleep();
    SUBCASE("SIGTERM is enough") {
        ChildProcess child(loop.get_executor(),
                           shell("trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done"), {});
        CHECK(run(loop, one_line(child)) == "up");
        CHECK(run(loop, stopped(child, 100ms)) == 1);
        CHECK(child.gone());
    }
    SUBCASE("it ignores both, and is stopped as well") {
        ChildProcess child(
            loop.get_executor(),
            shell("trap '' TERM; " + family(length) + "while :; do sleep " + length + "; done"), {});
        CHECK(run(loop, one_line(child)) == "up");
        CHECK(run(loop, stopped(child, 50ms)) == 1);
        CHECK(child.gone());
        CHECK(comes_to(0, length));
    }
}

TEST_CASE("ChildProcess: what it leaves when it ends is killed, daemons too") {
    asio::io_context loop;
    const std::string length = unique_sleep();
    ChildProcess child(loop.get_executor(), shell(family(length) + "read x"), {});
    CHECK(run(loop, one_line(child)) == "up");
    CHECK(comes_to(3, length));
    child.write("go");
    CHECK(run(loop, all_lines(child)).empty());
    CHECK(comes_to(0, length));
}

TEST_CASE("ChildProcess: destruction kills at once and leaves no zombie") {
    while (::waitpid(-1, nullptr, 0) > 0) {
    } // keepers of tests whose loop did not run on
    asio::io_context loop;
    const std::string length = unique_sleep();
    {
        ChildProcess child(loop.get_executor(), shell("trap '' TERM; " + family(length) + "sleep " + length),
                           {});
        CHECK(run(loop, one_line(child)) == "up");
    }
    loop.restart();
    loop.run_for(20s); // returns as soon as the keeper has been waited for
    CHECK(comes_to(0, length));
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("ChildProcess: nothing is left when we are killed by SIGKILL") {
    const std::string length = unique_sleep();
    const pid_t us = ::fork();
    REQUIRE(us >= 0);
    if (us == 0) {
        asio::io_context loop;
        ChildProcess child(loop.get_executor(),
                           shell("trap '' TERM HUP; " + family(length) + "sleep " + length), {});
        loop.run();
        ::_exit(0);
    }
    CHECK(comes_to(4, length));
    ::kill(us, SIGKILL);
    ::waitpid(us, nullptr, 0);
    CHECK(comes_to(0, length));
}

TEST_CASE("ChildProcess: closing its stdout is an end, though it lives on") {
    asio::io_context loop;
    ChildProcess child(loop.get_executor(), shell("echo a; exec >&-; cat >/dev/null"), {});
    CHECK(run(loop, all_lines(child)) == "a\n");
    CHECK(run(loop, stopped(child, 5s)) == 1);
    CHECK(child.gone());
}

TEST_CASE("candidates: as execvp searches") {
    CHECK(jsonrpc::candidates("x", {"A=b", "PATH=/a::/c"}) ==
          std::vector<std::string>{"/a/x", "./x", "/c/x"});
    CHECK(jsonrpc::candidates("./x", {"PATH=/a"}) == std::vector<std::string>{"./x"});
    CHECK(jsonrpc::candidates("x", {}) == std::vector<std::string>{"/bin/x", "/usr/bin/x"});
}
