// What one guest may cost its host: bytes by message and in flight, CPU time by run, memory in all.
#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "src/base/event.h"
#include "src/bridge/host_memory.h"
#include "src/bridge/run_budget.h"
#include "src/sandbox/guest_channel.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

std::string head_of(const std::string& method) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{"x":")";
}

// An attach stream that gives what it was told to, and counts how often it was read.
class ScriptedStream : public runtime_api::AttachStream {
public:
    explicit ScriptedStream(asio::any_io_executor executor) : changed_(executor) {}

    asio::awaitable<Piece> read() override {
        while (pieces.empty() && !ended) co_await changed_.wait(std::chrono::steady_clock::time_point::max());
        Piece piece;
        if (pieces.empty()) co_return piece;
        piece.data = std::move(pieces.front());
        pieces.pop_front();
        ++reads;
        co_return piece;
    }
    asio::awaitable<void> write(std::string data) override {
        while (blocked) co_await changed_.wait(std::chrono::steady_clock::time_point::max());
        written += data.size();
    }
    void close() noexcept override {
        ended = true;
        changed_.notify();
    }
    void unblock() {
        blocked = false;
        changed_.notify();
    }

    std::deque<std::string> pieces;
    int reads = 0;
    std::size_t written = 0;
    bool blocked = false;
    bool ended = false;

private:
    base::Event changed_;
};

struct Guest {
    asio::io_context loop{1};
    base::Budget whole{loop.get_executor(), 1 << 30};
    ScriptedStream* stream = nullptr;
    std::unique_ptr<sandbox::GuestChannel> channel;
    std::vector<jsonrpc::LineSplitter::Line> lines;
    bool ended = false;

    Guest() {
        auto made = std::make_unique<ScriptedStream>(loop.get_executor());
        stream = made.get();
        channel = std::make_unique<sandbox::GuestChannel>(loop.get_executor(), std::move(made), &whole);
    }
    void read_on() {
        auto work = [this]() -> asio::awaitable<void> {
            for (;;) {
                auto line = co_await channel->read();
                if (!line) break;
                lines.push_back(std::move(*line));
            }
            ended = true;
        };
        read_ = work;
        asio::co_spawn(loop, read_, asio::detached);
    }
    void settle() {
        loop.restart();
        loop.run_for(30ms);
    }

private:
    std::function<asio::awaitable<void>()> read_;
};

} // namespace

TEST_CASE("guest_line_bound: 64 KiB for all that has no reason to be large") {
    using sandbox::guest_line_bound;
    for (const char* method :
         {"servers", "list_tools", "query_tool_docs", "search_tool_docs", "saved_tools", "delete_tool",
          "capability_summary", "progress", "tick", "cancel", "unheard_of"})
        CHECK(guest_line_bound(head_of(method)) == 64 << 10);
    CHECK(guest_line_bound(head_of("call_tool")) > 64 << 20);
    CHECK(guest_line_bound(head_of("save_tool")) > 6 * (64 << 10));
    CHECK(guest_line_bound(head_of("artifact")) > (8 << 20) / 3 * 4);
    CHECK(guest_line_bound(R"({"jsonrpc":"2.0","id":1,"result":{"method":"servers"})") == 96 << 20);
    CHECK(guest_line_bound(R"({"jsonrpc":"2.0","method":"output","params":{"method":"call_tool"})") ==
          2 << 20);
}

TEST_CASE("GuestChannel: a request beyond its method's bound is not held, whatever its length") {
    Guest guest;
    guest.stream->pieces.push_back(head_of("search_tool_docs"));
    for (int i = 0; i < 200; ++i) guest.stream->pieces.push_back(std::string(256 << 10, 'x'));
    guest.read_on();
    guest.settle();
    CHECK(guest.stream->pieces.empty());
    CHECK(guest.channel->in_flight() <= 4096);
    guest.stream->pieces.push_back("\"}}\n" + head_of("servers") + "\"}}\n");
    guest.channel->write("{}"); // wakes nothing
    auto poke = [&]() -> asio::awaitable<void> { co_return; };
    asio::co_spawn(guest.loop, poke, asio::detached);
    guest.stream->unblock();
    guest.settle();
    REQUIRE(guest.lines.size() == 2);
    CHECK(guest.lines[0].oversized);
    CHECK_FALSE(guest.lines[1].oversized);
}

TEST_CASE("GuestChannel: past its budget a guest is not read, until what it sent is done with") {
    Guest guest;
    const std::string line = head_of("call_tool") + std::string(1 << 20, 'x') + "\"}}\n";
    for (int i = 0; i < 100; ++i) guest.stream->pieces.push_back(line);
    guest.read_on();
    guest.settle();
    CHECK(guest.lines.size() >= 15);
    CHECK(guest.lines.size() <= 18);
    CHECK(guest.whole.used() == guest.channel->in_flight());
    CHECK(guest.channel->in_flight() < 20 << 20);
    const int reads = guest.stream->reads;
    guest.settle();
    CHECK(guest.stream->reads == reads); // still not
    guest.lines.clear();
    guest.settle();
    CHECK(guest.stream->reads > reads);
    guest.lines.clear();
    guest.channel->close();
    guest.settle();
    CHECK(guest.ended);
}

TEST_CASE(
    "GuestChannel: a guest that does not read its answers is not read either, and closing ends the wait") {
    Guest guest;
    guest.stream->blocked = true;
    for (int i = 0; i < 20; ++i) guest.channel->write(std::string(1 << 20, 'a'));
    for (int i = 0; i < 20; ++i) guest.stream->pieces.push_back(head_of("servers") + "\"}}\n");
    bool writable = false;
    auto wait = [&]() -> asio::awaitable<void> {
        co_await guest.channel->writable();
        writable = true;
    };
    asio::co_spawn(guest.loop, wait, asio::detached);
    guest.read_on();
    guest.settle();
    CHECK(guest.stream->reads == 0);
    CHECK_FALSE(writable);
    guest.stream->unblock();
    guest.settle();
    CHECK(guest.lines.size() == 20);
    CHECK(writable);

    Guest closed;
    closed.stream->blocked = true;
    for (int i = 0; i < 20; ++i) closed.channel->write(std::string(1 << 20, 'a'));
    closed.read_on();
    closed.settle();
    closed.channel->close();
    closed.settle();
    CHECK(closed.ended);
}

TEST_CASE("RunBudget: a run that costs the host too much CPU time ends once, and its limit has a name") {
    std::vector<std::string> ends;
    bridge::RunBudget budget(30s, [&](const char* limit, std::string why) {
        ends.push_back(limit);
        CHECK(why.find("15 s") != std::string::npos);
    });
    budget.spend(15s);
    CHECK(ends.empty());
    budget.spend(1ns);
    budget.spend(10s);
    CHECK(ends == std::vector<std::string>{"host_cpu"});
    bridge::RunBudget quick(1s, [&](const char* limit, std::string) { ends.push_back(limit); });
    quick.spend(5s); // what each run may have
    CHECK(ends.size() == 1);
}

TEST_CASE("HostMemory: past the ceiling the greediest run ends, and nobody else") {
    asio::io_context loop(1);
    std::vector<std::string> ended, log;
    bridge::HostMemory memory(loop.get_executor(), 256 << 20,
                              [&](const std::string& line) { log.push_back(line); });
    memory.look(300 << 20); // nobody to blame
    auto run = [&](const std::string& name, std::size_t bytes) {
        return memory.watch(
            {[bytes] { return bytes; },
             [&ended, name](const char* limit, std::string) { ended.push_back(name + " " + limit); }});
    };
    const auto a = run("small", 1 << 20);
    {
        const auto b = run("greedy", 90 << 20);
        const auto c = run("middle", 20 << 20);
        memory.look(256 << 20);
        CHECK(ended.empty());
        memory.look((256 << 20) + 1);
        CHECK(ended == std::vector<std::string>{"greedy host_memory"});
        REQUIRE(log.size() == 1);
        CHECK(log[0].find("90 MiB") != std::string::npos);
    }
    memory.look(300 << 20);
    CHECK(ended.back() == "small host_memory");
}

TEST_CASE("resident_memory: is what the kernel says") {
    CHECK(bridge::resident_memory() > 1 << 20);
    CHECK(bridge::resident_memory() < std::size_t{1} << 40);
}
