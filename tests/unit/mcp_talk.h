#pragma once
#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "src/base/json.h"
#include "src/jsonrpc/channel.h"
#include "src/mcp/server/server.h"
#include "src/mcp/server/service.h"

namespace doctest {
template <> struct StringMaker<std::vector<std::string>> {
    static String convert(const std::vector<std::string>& lines) {
        std::string all;
        for (const std::string& line : lines) all += "\n    " + line.substr(0, 1000);
        return all.c_str();
    }
};
} // namespace doctest

namespace talk {

using Lines = std::vector<std::string>;

/// A channel without a pipe: lines are pushed in and what is written is kept.
class MemoryChannel : public jsonrpc::Channel {
public:
    explicit MemoryChannel(boost::asio::io_context& loop)
        : signal_(loop, boost::asio::steady_timer::time_point::max()) {}

    void push(jsonrpc::LineSplitter::Line line) {
        ready_.push_back(std::move(line));
        signal_.cancel();
    }
    void end() {
        ended_ = true;
        signal_.cancel();
    }

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override {
        boost::system::error_code ignored;
        while (ready_.empty() && !ended_)
            co_await signal_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        if (ready_.empty()) co_return std::nullopt;
        jsonrpc::LineSplitter::Line line = std::move(ready_.front());
        ready_.pop_front();
        co_return line;
    }
    void write(std::string line) override {
        if (!closed) sent.push_back(std::move(line));
    }
    void close() noexcept override {
        closed = true;
        end();
    }

    Lines sent;
    bool closed = false;

private:
    std::deque<jsonrpc::LineSplitter::Line> ready_;
    bool ended_ = false;
    boost::asio::steady_timer signal_;
};

/// A service whose calls end when the test says so.
class FakeService : public mcp::Service {
public:
    explicit FakeService(boost::asio::io_context& loop)
        : gate_(loop, boost::asio::steady_timer::time_point::max()) {}

    std::string instructions() override { return "how to"; }

    std::vector<mcp::Tool> tools() override {
        mcp::Tool echo;
        echo.name = "echo";
        echo.description = "says it again";
        echo.input_schema = R"({"type":"object"})";
        echo.meta = R"({"a/b":true})";
        return {echo};
    }

    boost::asio::awaitable<std::string> call_tool(mcp::CallContext context, std::string name,
                                                  std::string arguments) override {
        calls.push_back(name + ' ' + arguments);
        if (name == "echo")
            co_return R"({"content":[{"type":"text","text":)" + json::quote(arguments) + "}]}";
        if (name == "big")
            co_return R"({"content":[{"type":"text","text":")" + std::string(big_bytes, 'x') + "\"}]}";
        if (name == "wait") co_return co_await wait(std::move(context));
        if (name == "ask") co_return co_await ask(std::move(context));
        if (name == "broken") throw std::runtime_error("the engine is gone");
        if (name == "local") throw jsonrpc::Error(jsonrpc::code::timed_out, "upstream took too long");
        throw jsonrpc::Error(jsonrpc::code::invalid_params, "Unknown tool: " + name);
    }

    std::vector<mcp::Resource> resources(const std::string& client) override {
        mcp::Resource one;
        one.uri = "res://" + client;
        one.name = "one";
        one.mime_type = "text/plain";
        one.size_bytes = 3;
        return {one};
    }

    boost::asio::awaitable<std::optional<mcp::ResourceContent>> read_resource(std::string client,
                                                                              std::string uri) override {
        if (uri == "res://bytes")
            co_return mcp::ResourceContent{uri, "image/png", true, std::string("\0\1\2\3", 4)};
        if (uri == "res://" + client) co_return mcp::ResourceContent{uri, "text/plain", false, "abc"};
        co_return std::nullopt;
    }

    void client_gone(const std::string& client) override { gone.push_back(client); }

    void open_gate() { gate_.cancel(); }

    Lines calls, gone;
    int cancelled = 0;
    std::size_t big_bytes = 9 << 20;
    std::function<void(double, std::optional<double>, std::string)> progress;

private:
    // Gives what the person said, or that there is none to ask.
    boost::asio::awaitable<std::string> ask(mcp::CallContext context) {
        std::string said = "nobody";
        const std::string form = R"({"message":"m","requestedSchema":{}})";
        try {
            if (context.ask) said = co_await context.ask(form);
        } catch (const jsonrpc::Error& e) {
            said = e.what();
        }
        co_return R"({"content":[{"type":"text","text":)" + json::quote(said) + "}]}";
    }

    // Ends when the gate opens or the call is cancelled; says progress even after that, as a clean-up might.
    boost::asio::awaitable<std::string> wait(mcp::CallContext context) {
        progress = context.progress;
        if (context.wants_progress) context.progress(1, 2.0, "started");
        boost::system::error_code ignored;
        co_await gate_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        const auto state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) ++cancelled;
        co_return R"({"content":[]})";
    }

    boost::asio::steady_timer gate_;
};

/// One server and the client's side of its conversation. `say` gives what the server sends in answer.
struct Talk {
    explicit Talk(mcp::Server::Options options = {}) : channel(loop), service(loop) {
        options.description.info = {"cordon", "Cordon", "1"};
        options.client = "c1";
        options.log = [this](const std::string& what) { logged.push_back(what); };
        server.emplace(loop.get_executor(), channel, service, std::move(options));
        boost::asio::co_spawn(loop, server->run(), [this](std::exception_ptr failure) {
            CHECK_FALSE(failure);
            over = true;
        });
    }
    ~Talk() {
        channel.end();
        service.open_gate();
        settle();
        CHECK(over);
    }

    Lines say(const Lines& lines) {
        for (const std::string& line : lines) channel.push({line, false, line.size(), {}});
        return settle();
    }
    Lines say(const std::string& line) { return say(Lines{line}); }

    /// Runs what is ready; nothing here waits for time to pass.
    Lines settle() {
        loop.restart();
        loop.poll();
        return std::exchange(channel.sent, {});
    }

    boost::asio::io_context loop;
    MemoryChannel channel;
    FakeService service;
    std::optional<mcp::Server> server;
    Lines logged;
    bool over = false;
};

/// `initialize` and what follows it, answered and done with.
inline void open_legacy(Talk& talk, const std::string& version = "2025-11-25",
                        const std::string& capabilities = "{}") {
    const Lines sent = talk.say(
        {R"({"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":")" + version +
             R"(","capabilities":)" + capabilities + R"(,"clientInfo":{"name":"t","version":"1"}}})",
         R"({"jsonrpc":"2.0","method":"notifications/initialized"})"});
    REQUIRE(sent.size() == 1);
}

/// The `_meta` of a modern request, as a member.
inline std::string modern_meta(const std::string& more = {}, const std::string& version = "2026-07-28") {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
           R"(","io.modelcontextprotocol/clientCapabilities":{})" + more + "}";
}

inline const std::string modern_tail =
    R"("resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"cordon","title":"Cordon","version":"1"}})";
inline const std::string cacheable_tail =
    R"("resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"cordon","title":"Cordon","version":"1"}})";

} // namespace talk
