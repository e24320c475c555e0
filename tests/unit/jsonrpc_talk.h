#pragma once
#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/event.h"
#include "src/base/json.h"
#include "src/jsonrpc/peer.h"

/// A channel in memory: the test gives what is read, and sees what was written.
class MemoryChannel : public jsonrpc::Channel {
public:
    explicit MemoryChannel(boost::asio::io_context& loop) : changed_(loop.get_executor()) {}

    boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override {
        const auto never = std::chrono::steady_clock::time_point::max();
        while (incoming_.empty() && !closed) co_await changed_.wait(never);
        if (incoming_.empty()) co_return std::nullopt;
        jsonrpc::LineSplitter::Line line = std::move(incoming_.front());
        incoming_.pop_front();
        co_return line;
    }
    void write(std::string line) override { written.push_back(std::move(line)); }
    void close() noexcept override { closed = true; }
    std::string reason() const override { return why; }
    std::uint64_t position() const override {
        std::uint64_t bytes = 0;
        for (const std::string& line : written) bytes += line.size() + 1;
        return bytes;
    }
    std::optional<std::uint64_t> read_up_to() const override { return read_to; }

    void give(jsonrpc::LineSplitter::Line line) {
        incoming_.push_back(std::move(line));
        changed_.notify();
    }
    void end(std::string reason) {
        why = std::move(reason);
        closed = true;
        changed_.notify();
    }

    std::vector<std::string> written;
    std::string why;
    std::optional<std::uint64_t> read_to{};
    bool closed = false;

private:
    base::Event changed_;
    std::deque<jsonrpc::LineSplitter::Line> incoming_;
};

/// What became of a call of ours.
struct Called {
    std::optional<std::string> result{};
    std::optional<jsonrpc::Error> error{};
    bool not_received = false;
    boost::asio::cancellation_signal cancel{};
};

/// A peer on a channel in memory, whose other side is the test. Requests it knows: "echo" answers its params,
/// "wait" answers when its params' gate is opened, "error", "json_error" and "other_error" throw.
struct PeerTalk {
    explicit PeerTalk(jsonrpc::Peer::Options options = {}) {
        options.on_abandoned = [this](std::string id) { abandoned.push_back(std::move(id)); };
        options.on_bad_line = [this](const std::string& what) { bad_lines.push_back(what); };
        peer = std::make_unique<jsonrpc::Peer>(
            loop.get_executor(), channel, std::move(options),
            [this](jsonrpc::Message m) { return answer(this, std::move(m)); },
            [this](jsonrpc::Message m) { notifications.push_back(m.method() + std::string(m.params())); });
        boost::asio::co_spawn(loop, peer->run(), [this](std::exception_ptr failure) { ended = !failure; });
        settle();
    }
    ~PeerTalk() {
        channel.end("");
        peer->cancel_all();
        settle();
    }

    /// Runs all that can run without waiting.
    void settle() {
        loop.restart();
        loop.poll();
    }
    void give(const std::string& text) {
        channel.give({.text = text, .size = text.size()});
        settle();
    }
    /// What was written since the last time.
    std::vector<std::string> take() { return std::exchange(channel.written, {}); }
    std::string take_one() {
        const auto lines = take();
        REQUIRE(lines.size() == 1);
        return lines.front();
    }
    void open(const std::string& gate) {
        gates.insert_or_assign(gate, true);
        gate_opened.notify();
        settle();
    }

    std::shared_ptr<Called> call(const std::string& method,
                                 std::chrono::milliseconds limit = std::chrono::hours(1)) {
        auto called = std::make_shared<Called>();
        auto done = [called](std::exception_ptr failure, jsonrpc::Message message) {
            if (!failure) called->result = std::string(message.result());
            try {
                if (failure) std::rethrow_exception(failure);
            } catch (const jsonrpc::Error& error) {
                called->error = error;
                called->not_received = dynamic_cast<const jsonrpc::NotReceived*>(&error) != nullptr;
            }
        };
        boost::asio::co_spawn(loop, peer->call(method, "{}", limit),
                              boost::asio::bind_cancellation_slot(called->cancel.slot(), done));
        settle();
        return called;
    }

    static boost::asio::awaitable<std::string> answer(PeerTalk* talk, jsonrpc::Message message) {
        if (message.method() == "error") throw jsonrpc::Error(42, "no", R"({"why":1})");
        if (message.method() == "json_error") throw json::Error("arguments.a: expected string");
        if (message.method() == "other_error") throw std::runtime_error("broken");
        const std::string params(message.params());
        if (message.method() == "wait") {
            const std::string gate = params;
            struct Count {
                int& unwound;
                ~Count() { ++unwound; }
            } count{talk->unwound};
            const auto never = std::chrono::steady_clock::time_point::max();
            while (!talk->gates.contains(gate)) co_await talk->gate_opened.wait(never);
        }
        co_return params;
    }

    boost::asio::io_context loop;
    MemoryChannel channel{loop};
    base::Event gate_opened{loop.get_executor()};
    std::map<std::string, bool> gates;
    std::vector<std::string> abandoned, bad_lines, notifications;
    int unwound = 0; ///< "wait" requests that have ended, however.
    bool ended = false;
    std::unique_ptr<jsonrpc::Peer> peer;
};

/// A request as the other side writes it.
inline std::string request(const std::string& id, const std::string& method,
                           const std::string& params = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}
inline std::string result(const std::string& id, const std::string& value) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + value + "}";
}
