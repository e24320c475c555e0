#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/base/event.h"
#include "src/jsonrpc/channel.h"
#include "src/mcp/server/conversation.h"

namespace mcp {

/// One POST that is being answered: a conversation of its own, whose lines wait here to be sent. It may
/// outlive the connection that it came by, since a legacy client that disconnects has not cancelled. On the
/// loop's thread.
class HttpPost : public std::enable_shared_from_this<HttpPost> {
public:
    /// What is to be sent next.
    struct Next {
        std::optional<std::string> line{};
        bool end = false;      ///< Nothing comes any more.
        bool too_slow = false; ///< More was said than a client that reads so slowly can be kept for.
        // None of these: `until` has passed, or wake() was called.
    };

    HttpPost(boost::asio::any_io_executor executor, const MethodTable& methods,
             Conversation::Options options);

    /// Begins to answer a request, or a body that is to be read first, a batch for one; `ended` is called
    /// once, when all is answered or has ended.
    void start(jsonrpc::Message request, std::function<void()> ended);
    void start(std::string body, std::function<void()> ended);

    boost::asio::awaitable<Next> next(std::chrono::steady_clock::time_point until);
    void wake() { changed_.notify(); }

    /// The client no longer reads: lines are dropped from now on, and what it was asked is not answered.
    void detach();
    /// The client gets one answer and nothing before it: from now on whatever it is asked fails.
    void ask_nothing() { conversation_.end_questions(); }
    /// Stops what runs, without an answer.
    void cancel();
    /// A line of the same session that may be for what runs here.
    void deliver(std::string line) { conversation_.receive(std::move(line)); }

    const Conversation& conversation() const { return conversation_; }

private:
    // Only written to: the body is handed to the conversation.
    struct Lines : jsonrpc::Channel {
        explicit Lines(HttpPost& o) : owner(o) {}
        boost::asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> read() override;
        void write(std::string line) override { owner.take(std::move(line)); }
        void close() noexcept override {}
        HttpPost& owner;
    };

    void take(std::string line);
    void spawn(boost::asio::awaitable<void> work, std::function<void()> ended);

    // A client that reads slower than its request talks: it is cut off, not waited for.
    static constexpr std::size_t most_queued = std::size_t{32} << 20;

    boost::asio::any_io_executor executor_;
    Lines lines_;
    base::Event changed_;
    Conversation conversation_;
    std::deque<std::string> queue_{};
    std::size_t queued_ = 0;
    bool ended_ = false;
    bool detached_ = false;
    bool too_slow_ = false;
};

} // namespace mcp
