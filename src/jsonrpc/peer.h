#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "src/base/workers.h"
#include "src/jsonrpc/channel.h"
#include "src/jsonrpc/message.h"

namespace jsonrpc {

/// connection_closed, where the other side is known to have read not a byte of the request: whoever can reach
/// another one may ask that.
class NotReceived : public Error {
public:
    explicit NotReceived(const std::string& message) : Error(code::connection_closed, message) {}
};

/// One end of a JSON-RPC conversation: requests both ways by id, notifications, cancellation, bounds. The
/// same class speaks with the MCP client, the guest and each upstream server; what differs is the channel and
/// the handlers. On the loop's thread.
class Peer {
public:
    /// Answers a request with the JSON text of its result; a jsonrpc::Error, a json::Error (invalid_params)
    /// or any other exception (internal_error) becomes the error answer. Cancelled when the request is; then
    /// nothing is sent.
    using RequestHandler = std::function<boost::asio::awaitable<std::string>(Message)>;
    /// Must not throw.
    using NotificationHandler = std::function<void(Message)>;

    struct Options {
        std::size_t most_in_flight = 1024; ///< Requests of the other side that run at once; more are refused.
        std::size_t most_pending = 4096;   ///< Calls of ours that wait for an answer.
        bool batches = false;              ///< Arrays are taken and answered as arrays (2025-03-26).
        std::size_t most_batch_bytes =
            8 << 20; ///< An array of answers that would be longer is sent as several.
        std::int64_t first_id =
            1; ///< Of our calls; for several peers that share the ids of one conversation.
        std::string name = "peer"; ///< For messages: "the MCP client".
        /// A call of ours was given up (time or cancellation) while the other side may still work on it.
        std::function<void(std::string id)> on_abandoned{};
        /// A line that is no message, or too large, for diagnostics; such lines are otherwise skipped.
        /// `answer` is true where the other side was told (servers do that; clients skip what a server
        /// prints).
        std::function<void(const std::string& what)> on_bad_line{};
        /// Answer a line that begins as a request of one of our own peers does,
        /// `{"jsonrpc":"2.0","id":N,"method":`, and cannot be read: the guest's supervisor vouches for no
        /// more than that of what code in the container sends.
        bool answer_bad_requests = false;
        bool answer_bad_lines =
            false; ///< Tell the other side (parse_error, invalid_request) as a server must.
        /// Take what ordinary parsers take (Message::parse_leniently); a call of ours whose answer cannot be
        /// read at all fails at once, and says why.
        bool lenient = false;
        /// A message was taken only by lenience. Must not throw.
        std::function<void(const Message&)> on_mended{};
        /// Large lines are read on its threads, so that they hold up nobody else; the next line waits. Null:
        /// all is read on the loop's thread.
        base::Workers* workers = nullptr;
        /// Told of the CPU time that a line of the other side has cost so far: reading it, and what its
        /// handler did before it first waited. Empty: not measured. Must not throw.
        std::function<void(std::chrono::nanoseconds)> on_spent{};
    };

    /// The channel must outlive the peer. Handlers may be called until the peer is destroyed.
    Peer(boost::asio::any_io_executor executor, Channel& channel, Options options, RequestHandler on_request,
         NotificationHandler on_notification);
    ~Peer(); ///< Cancels what runs; its handlers must have ended (see drained) or hold nothing of the
             ///< caller's.
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Reads and dispatches until the channel ends; then all calls of ours fail with connection_closed.
    /// Requests of the other side go on.
    boost::asio::awaitable<void> run();

    /// Takes in one line that came by another way than the channel, which is then only written to.
    void receive(std::string line);
    /// The same for a message that has been read already.
    void receive(Message message);
    /// The same for a line that may be large: then it is read on one of the workers.
    boost::asio::awaitable<void> read(std::string line);

    /// Calls the other side and waits for its result. Throws jsonrpc::Error: what the other side answered,
    /// timed_out, connection_closed (NotReceived, where that is known) or too_large. `params`: JSON text.
    /// Cancellable (terminal).
    boost::asio::awaitable<Message> call(std::string method, std::string params,
                                         std::chrono::milliseconds limit);

    void notify(std::string_view method, std::string_view params);

    /// Nobody answers calls of ours any more: those that wait fail with connection_closed, and so do later
    /// ones.
    void end_calls();

    /// Stops a request of the other side (its id as JSON text) and answers nothing. False where no such runs.
    bool cancel(const std::string& id);
    /// The same, but the other side is answered: with what the handler made of it, or that it was cancelled.
    bool give_up(const std::string& id);
    void cancel_all();

    /// Waits until no request of the other side runs any more (after cancel_all, or to let them finish).
    boost::asio::awaitable<void> drained();
    /// The same, for at most `limit`; false where something still runs then.
    boost::asio::awaitable<bool> drained_within(std::chrono::milliseconds limit);

    std::size_t in_flight() const;
    std::size_t pending() const;
    bool closed() const; ///< The channel has ended.

private:
    struct State;
    static boost::asio::awaitable<void> take_large(std::shared_ptr<State> state, LineSplitter::Line line);
    std::shared_ptr<State> state_;
};

} // namespace jsonrpc
