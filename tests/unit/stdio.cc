#include "src/jsonrpc/stdio.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/unit/run.h"

namespace asio = boost::asio;
using base::UniqueFd;

namespace {

// Runs body in a process whose stdin holds `input`; gives what it wrote to stdout.
std::string in_process(const std::string& input, const std::function<void()>& body) {
    std::array<int, 2> in{}, out{};
    REQUIRE(::pipe(in.data()) == 0);
    REQUIRE(::pipe(out.data()) == 0);
    REQUIRE(::write(in[1], input.data(), input.size()) == static_cast<ssize_t>(input.size()));
    std::fflush(stdout);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        const int null = ::open("/dev/null", O_WRONLY);
        ::dup2(null, 2);
        for (const int fd : {in[0], in[1], out[0], out[1], null}) ::close(fd);
        body();
        ::_exit(0);
    }
    ::close(in[0]);
    ::close(in[1]);
    ::close(out[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t size; (size = ::read(out[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(size));
    ::close(out[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    return text;
}

asio::awaitable<int> echo(jsonrpc::FdChannel& channel) {
    while (const auto line = co_await channel.read()) channel.write("<" + line->text + ">");
    co_await channel.flushed(std::chrono::seconds(5));
    co_return 0;
}

} // namespace

TEST_CASE("take_stdio: only the channel reaches the peer, whatever is printed or read elsewhere") {
    const std::string text = in_process("a\nb", [] {
        asio::io_context loop;
        const auto channel = jsonrpc::take_stdio(loop.get_executor(), {});
        std::puts("a library speaks");
        std::fflush(stdout);
        if (std::system("echo a child speaks; cat") != 0) ::_exit(1);
        if (std::getchar() != EOF) ::_exit(2);
        run(loop, echo(*channel));
    });
    CHECK(text == "<a>\n<b>\n");
}

TEST_CASE("fill_standard_descriptors: what is missing becomes /dev/null, what is there stays") {
    const std::string text = in_process("", [] {
        ::close(0);
        ::close(2);
        jsonrpc::fill_standard_descriptors();
        char c = 0;
        if (::read(0, &c, 1) != 0 || ::write(2, "x", 1) != 1) ::_exit(1);
        const UniqueFd next(::open("/", O_RDONLY));
        if (next.get() < 3) ::_exit(2);
        [[maybe_unused]] const ssize_t written = ::write(1, "still here", 10);
    });
    CHECK(text == "still here");
}
