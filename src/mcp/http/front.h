#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "src/base/workers.h"
#include "src/mcp/http/clients.h"
#include "src/mcp/http/gate.h"
#include "src/mcp/http/out.h"
#include "src/mcp/http/route.h"
#include "src/mcp/http/sessions.h"
#include "src/mcp/server/core_methods.h"

namespace mcp {

/// Streamable HTTP without the connections: what is answered to each request. Legacy clients have sessions,
/// modern ones none. On the loop's thread.
class HttpFront {
public:
    struct Options {
        HttpGate::Options gate{};
        ServerDescription description{};
        std::size_t most_line_bytes = 8 << 20;
        std::size_t most_sessions = 256;
        std::chrono::milliseconds session_idle = std::chrono::hours(8);
        /// POSTs that are being answered, the bytes of their bodies, and the rate of them: more get 503, or
        /// 429.
        HttpClients::Limits limits{};
        base::Workers* workers = nullptr; ///< Reads large bodies; outlives the front. Null: the loop does.
        std::chrono::milliseconds stream_after{2000}; ///< An answer that takes longer comes as a stream.
        std::chrono::milliseconds keep_alive{15'000}; ///< Between the comments in a stream that says nothing.
        std::function<void(const std::string&)> log{};
    };

    /// methods and service must outlive this and all that it answers.
    HttpFront(boost::asio::any_io_executor executor, const MethodTable& methods, Service& service,
              Options options);
    ~HttpFront();

    /// Throws HttpRefused for a request whose body is not worth reading. Returns who asks, as HttpClients
    /// knows clients: the session, else the connection and its address.
    HttpClients::Names check_head(const HttpMessage& head);

    /// Room for so many bytes of a body that comes in. Throws HttpRefused where there is none.
    HttpClients::Use room_for(const HttpClients::Names& client, std::size_t bytes);

    /// Answers one request, which has passed check_head. `out` must live until this has returned. Throws
    /// HttpRefused, or what out throws.
    boost::asio::awaitable<void> serve(HttpMessage request, HttpOut& out);

    /// Ends subscriptions with their answers, and all sessions.
    void stop();
    /// Waits for what runs, after stop; false where something does even after `limit`.
    boost::asio::awaitable<bool> drained_within(std::chrono::milliseconds limit);
    /// Ends sessions that nobody uses; to be called now and then.
    void expire();

    Subscriptions& subscriptions() { return *subscriptions_; }
    std::size_t running() const { return running_.size(); }
    std::size_t sessions() const { return sessions_.size(); }

private:
    struct Posted;
    boost::asio::awaitable<void> serve_post(HttpMessage request, HttpOut& out);
    boost::asio::awaitable<void> send(std::shared_ptr<Posted> posted, HttpOut& out);
    boost::asio::awaitable<void> finish(std::shared_ptr<Posted> posted, std::optional<std::string> held,
                                        bool open, HttpOut& out);
    boost::asio::awaitable<HttpRoute> read_route(const HttpMessage& request);
    HttpReply end_session(const HttpMessage& request);
    std::shared_ptr<HttpSession> session(const std::string& id);
    std::shared_ptr<Posted> begin(HttpMessage request, HttpRoute route, std::shared_ptr<HttpSession> session);
    Conversation::Options conversation_options(const std::shared_ptr<HttpSession>& owner) const;
    HttpReply first_reply(Posted& posted, std::string line);

    boost::asio::any_io_executor executor_;
    const MethodTable& methods_;
    Service& service_;
    Options options_;
    HttpGate gate_;
    HttpClients clients_;
    std::shared_ptr<Subscriptions> subscriptions_;
    HttpSessions sessions_;
    std::set<std::shared_ptr<HttpPost>> running_{};
    base::Event idle_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace mcp
