#include "src/jsonrpc/fd_channel.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "tests/unit/run.h"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using base::UniqueFd;
using jsonrpc::FdChannel;

namespace {

struct Ends {
    UniqueFd read, write;
};

Ends make_pipe() {
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    return Ends{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A channel and the other ends of its two pipes.
struct Pair {
    explicit Pair(asio::io_context& loop, FdChannel::Options options = {})
        : channel(loop.get_executor(), std::move(to_us.read), std::move(from_us.write), options) {}
    Ends to_us = make_pipe(), from_us = make_pipe();
    FdChannel channel;

    void say(const std::string& text) {
        REQUIRE(::write(to_us.write.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
};

std::string drain(int fd, std::size_t size) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (text.size() < size) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

asio::awaitable<std::vector<std::string>> lines_of(FdChannel& channel) {
    std::vector<std::string> lines;
    for (;;) {
        const auto line = co_await channel.read();
        if (!line) co_return lines;
        lines.push_back(line->text);
    }
}

} // namespace

TEST_CASE("FdChannel: reads lines to the end of the stream, and the end for ever after") {
    asio::io_context loop;
    Pair pair(loop);
    pair.say("one\r\ntwo\n\nthree");
    pair.to_us.write.reset();
    CHECK(run(loop, lines_of(pair.channel)) == std::vector<std::string>{"one", "two", "three"});
    CHECK(run(loop, lines_of(pair.channel)).empty());
    CHECK(pair.channel.reason().empty());
}

TEST_CASE("FdChannel: writes lines in order, small ones together and large ones whole") {
    asio::io_context loop;
    Pair pair(loop);
    std::string expected;
    for (int i = 0; i < 2000; ++i) {
        const std::string line(i % 100 == 7 ? 20'000 : 1 + static_cast<std::size_t>(i % 40),
                               static_cast<char>('a' + i % 26));
        expected += line + '\n';
        pair.channel.write(line);
    }
    std::string got;
    std::thread reader([&] { got = drain(pair.from_us.read.get(), expected.size()); });
    CHECK(run(loop, pair.channel.flushed(10s)));
    reader.join();
    CHECK(got == expected);
}

TEST_CASE("FdChannel: a line above the bound comes out as oversized, and the next one whole") {
    asio::io_context loop;
    FdChannel::Options options;
    options.most_line = 10;
    Pair pair(loop, options);
    pair.say("0123456789\n0123456789x\nok\n");
    pair.to_us.write.reset();
    std::vector<bool> oversized;
    const auto body = [&]() -> asio::awaitable<int> {
        while (const auto line = co_await pair.channel.read()) oversized.push_back(line->oversized);
        co_return 0;
    };
    run(loop, body());
    CHECK(oversized == std::vector<bool>{false, true, false});
}

TEST_CASE("FdChannel: a peer that does not read closes the channel when the queue passes its bound") {
    asio::io_context loop;
    FdChannel::Options options;
    options.most_queued = 200'000;
    Pair pair(loop, options);
    pair.channel.write(std::string(300'000, 'x')); // alone, a line may be as large as it is
    CHECK(pair.channel.reason().empty());
    pair.channel.write("y");
    CHECK(pair.channel.reason().starts_with("it does not read: "));
    CHECK(run(loop, lines_of(pair.channel)).empty());
}

namespace {

// Where the other side has read to, when it has read so many bytes of these lines and closed its end.
std::optional<std::uint64_t> read_up_to(const std::vector<std::size_t>& lines, std::size_t read) {
    asio::io_context loop;
    Pair pair(loop);
    for (const std::size_t size : lines) pair.channel.write(std::string(size, 'x'));
    loop.poll();
    CHECK(drain(pair.from_us.read.get(), 0).empty());
    std::string got(read, ' ');
    for (std::size_t have = 0; have < read;) {
        const ssize_t size = ::read(pair.from_us.read.get(), got.data(), read - have);
        REQUIRE(size > 0);
        have += static_cast<std::size_t>(size);
        loop.restart();
        loop.poll();
    }
    CHECK_FALSE(pair.channel.read_up_to().has_value()); // it may read more
    pair.from_us.read.reset();
    const auto settled = [](FdChannel& channel) -> asio::awaitable<int> {
        co_await channel.settled();
        co_return 1;
    };
    run(loop, settled(pair.channel));
    CHECK(pair.channel.position() >= pair.channel.read_up_to().value_or(0));
    return pair.channel.read_up_to();
}

} // namespace

TEST_CASE("FdChannel: knows up to where a side that went has read") {
    CHECK(read_up_to({}, 0) == 0);
    CHECK(read_up_to({10}, 0) == 0);
    CHECK(read_up_to({10}, 11) == 11);
    CHECK(read_up_to({10, 20}, 11) == 11);
    CHECK(read_up_to({10, 20}, 12) == 12);
    CHECK(read_up_to({10, 500'000}, 0) == 0); // its pipe is full
    CHECK(read_up_to({10, 500'000}, 11) == 11);
    CHECK(read_up_to({10, 500'000, 10}, 300'000) == 300'000); // while a write is under way
    CHECK(read_up_to({10, 500'000, 10}, 500'023) == 500'023);
}

TEST_CASE("FdChannel: does not know where it closed itself, nor of a socket") {
    asio::io_context loop;
    Pair pair(loop);
    pair.channel.write("line");
    CHECK(pair.channel.position() == 5);
    pair.channel.close();
    loop.poll();
    CHECK_FALSE(pair.channel.read_up_to().has_value());
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    UniqueFd other(ends[1]);
    FdChannel socket(loop.get_executor(), UniqueFd(::dup(ends[0])), UniqueFd(ends[0]), {});
    socket.write("line");
    other.reset();
    loop.restart();
    loop.poll();
    CHECK_FALSE(socket.read_up_to().has_value());
}

TEST_CASE("FdChannel: large lines wait for room, and small ones find it") {
    asio::io_context loop;
    FdChannel::Options options;
    options.most_queued = 1 << 20;
    Pair pair(loop, options);
    const auto soon = [] { return std::chrono::steady_clock::now() + 50ms; };
    CHECK(run(loop, pair.channel.room(5 << 20, soon()))); // nothing waits: it may be as large as it is
    pair.channel.write(std::string(400'000, 'x'));
    CHECK_FALSE(run(loop, pair.channel.room(400'000, soon())));
    pair.channel.write("small");
    CHECK(pair.channel.reason().empty());
    std::thread reader([&] { drain(pair.from_us.read.get(), 400'000); });
    CHECK(run(loop, pair.channel.room(400'000, std::chrono::steady_clock::now() + 10s)));
    reader.join();
    pair.channel.close();
    CHECK(run(loop, pair.channel.room(5 << 20, soon())));
}

TEST_CASE("FdChannel: the bound of a line may depend on how it begins") {
    asio::io_context loop;
    FdChannel::Options options;
    options.bound_of = [](std::string_view head) { return head.starts_with("large") ? 10'000 : 1000; };
    Pair pair(loop, options);
    pair.say("large" + std::string(5000, 'x') + "\nother" + std::string(5000, 'x') + "\nok\n");
    pair.to_us.write.reset();
    std::vector<bool> oversized;
    const auto read = [&]() -> asio::awaitable<int> {
        while (const auto line = co_await pair.channel.read()) oversized.push_back(line->oversized);
        co_return 1;
    };
    run(loop, read());
    CHECK(oversized == std::vector<bool>{false, true, false});
}

TEST_CASE("FdChannel: an end that closes is noticed though nothing is written, for pipes and for sockets") {
    asio::io_context loop;
    const auto closed = [](FdChannel& channel) -> asio::awaitable<int> {
        co_await channel.closed();
        co_return 1;
    };
    SUBCASE("a pipe") {
        Pair pair(loop);
        pair.from_us.read.reset();
        pair.say("last words\n");
        CHECK(run(loop, closed(pair.channel)) == 1);
        pair.to_us.write.reset();
        CHECK(run(loop, lines_of(pair.channel)) == std::vector<std::string>{"last words"});
    }
    SUBCASE("a socket") {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        UniqueFd other(ends[1]);
        FdChannel channel(loop.get_executor(), UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC)),
                          UniqueFd(ends[0]), {});
        other.reset();
        CHECK(run(loop, closed(channel)) == 1);
    }
    SUBCASE("later, while it is waited for") {
        Pair pair(loop);
        std::thread closer([&] { pair.from_us.read.reset(); });
        CHECK(run(loop, closed(pair.channel)) == 1);
        closer.join();
    }
}

TEST_CASE("FdChannel: files and /dev/null serve as well") {
    asio::io_context loop;
    UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    REQUIRE(file);
    UniqueFd other(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
    FdChannel channel(loop.get_executor(), UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
                      std::move(file), {});
    channel.write("kept");
    CHECK(run(loop, channel.flushed(5s)));
    CHECK(run(loop, lines_of(channel)).empty());
    REQUIRE(::lseek(other.get(), 0, SEEK_SET) == 0);
    CHECK(drain(other.get(), 5) == "kept\n");
}

TEST_CASE("FdChannel: leaves O_NONBLOCK as it was") {
    asio::io_context loop;
    Pair pair(loop);
    const UniqueFd same(::dup(pair.to_us.write.get()));
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const UniqueFd shared(::dup(ends[0])), peer(ends[1]);
    {
        FdChannel channel(loop.get_executor(), UniqueFd(ends[0]), UniqueFd(::dup(ends[0])), {});
        channel.write("x");
        CHECK(run(loop, channel.flushed(5s)));
        CHECK((::fcntl(shared.get(), F_GETFL) & O_NONBLOCK) != 0);
    }
    CHECK((::fcntl(shared.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("FdChannel: end_writing closes its end when all is out, and reading goes on") {
    asio::io_context loop;
    Pair pair(loop);
    pair.channel.write("last");
    pair.channel.end_writing();
    pair.channel.write("too late");
    CHECK(run(loop, pair.channel.flushed(5s)));
    CHECK(drain(pair.from_us.read.get(), 1000) == "last\n");
    pair.say("answer\n");
    pair.to_us.write.reset();
    CHECK(run(loop, lines_of(pair.channel)) == std::vector<std::string>{"answer"});
}

TEST_CASE("FdChannel: may be destroyed while it is read from, waited for and written to") {
    asio::io_context loop;
    Ends in = make_pipe(), out = make_pipe();
    auto channel = std::make_unique<FdChannel>(loop.get_executor(), std::move(in.read), std::move(out.write),
                                               FdChannel::Options{});
    int ended = 0;
    const auto count = [&](auto&&...) { ++ended; };
    asio::co_spawn(loop, channel->read(), count);
    asio::co_spawn(loop, channel->closed(), count);
    asio::co_spawn(loop, channel->flushed(1h), count);
    channel->write(std::string(1'000'000, 'x'));
    loop.run_for(10ms);
    CHECK(ended == 0);
    channel.reset();
    loop.restart();
    loop.run_for(5s);
    CHECK(ended == 3);
}
