#pragma once
#include <deque>
#include <map>
#include <set>

#include "src/base/event.h"
#include "src/jsonrpc/peer.h"
#include "src/mcp/client/client.h"
#include "src/mcp/client/messages.h"
#include "src/mcp/elicitation.h"
#include "src/mcp/rate_limit.h"

namespace mcp {

/// One connection. Whoever uses it holds it, so that it outlives what is suspended in it.
struct ClientLink {
    ClientLink(const boost::asio::any_io_executor& executor, std::unique_ptr<ClientChannel> way,
               jsonrpc::Peer::Options options, jsonrpc::Peer::RequestHandler on_request,
               jsonrpc::Peer::NotificationHandler on_notification);

    std::unique_ptr<ClientChannel> channel;
    jsonrpc::Peer peer; ///< After the channel, which must outlive it.
};

/// The inside of a Client; coroutines that work for it hold it, so that they may outlive the Client.
struct Client::Life : std::enable_shared_from_this<Client::Life> {
    using TimePoint = std::chrono::steady_clock::time_point;

    Life(boost::asio::any_io_executor e, ClientSpec s, Options o);

    // client_start.cc: from nothing to ready
    boost::asio::awaitable<void> open();
    boost::asio::awaitable<void> handshake(TimePoint until);
    enum class Probe { modern, legacy, silent, ended };
    boost::asio::awaitable<Probe> probe(TimePoint until);
    boost::asio::awaitable<bool> discover(TimePoint until);
    boost::asio::awaitable<void> initialize(TimePoint until);
    void start_unasked();
    boost::asio::awaitable<void> initialize_somehow(bool was_silent, TimePoint until);
    boost::asio::awaitable<void> list_tools(TimePoint until);
    boost::asio::awaitable<void> renew(std::string lost_why);

    struct CallInFlight; // below

    // client.cc: connection, calls, the server's own messages
    void connect(ClientSpec::Transport transport);
    void agree(ServerFacts found);
    boost::asio::awaitable<jsonrpc::Message> request(std::string method, std::string params,
                                                     std::chrono::milliseconds limit);
    boost::asio::awaitable<jsonrpc::Message> call(std::string tool, std::string arguments,
                                                  CallOptions wanted);
    boost::asio::awaitable<jsonrpc::Message> call_legacy(RequestDress dressed, std::string tool,
                                                         std::string arguments,
                                                         std::chrono::milliseconds limit);
    boost::asio::awaitable<jsonrpc::Message> call_modern(RequestDress dressed, std::string tool,
                                                         std::string arguments,
                                                         std::chrono::milliseconds limit,
                                                         CallInFlight* in_flight);
    std::size_t bound_of(std::string_view head) const;
    void refuse_task(const std::string& tool) const;

    // client_questions.cc: what the server asks of a person
    struct CallInFlight { // lives in the frame of call()
        CallInFlight(Life& owner, Asker who);
        ~CallInFlight();
        CallInFlight(const CallInFlight&) = delete;
        CallInFlight& operator=(const CallInFlight&) = delete;

        Life& life;
        Asker asker;
        std::shared_ptr<ClientLink> link;
        std::set<std::string> questions{}; ///< Requests of the server's that are open, by id.
        std::size_t asked = 0;
    };
    static boost::asio::awaitable<std::string> answer(std::weak_ptr<Life> weak, jsonrpc::Message request);
    boost::asio::awaitable<std::string> answer_all(Questions questions, CallInFlight* call);
    boost::asio::awaitable<std::string> put(AskPerson ask, std::string params);
    CallInFlight* call_to_ask() const;

    void notified(jsonrpc::Message message);
    boost::asio::awaitable<void> listen();
    boost::asio::awaitable<void> relist();
    void relist_soon();
    void ended(const std::shared_ptr<ClientLink>& which);
    void fail(const std::string& why);
    void finish(State how);
    void warn(const std::string& what);
    void server_said(const std::string& said);
    void note_mended(const jsonrpc::Message& message);
    void abandoned(const std::string& id);

    RequestDress dress() const;
    bool over_http() const { return transport != ClientSpec::Transport::stdio; }
    /// What is left of the time, at least a moment.
    static std::chrono::milliseconds left(TimePoint until);

    boost::asio::any_io_executor executor;
    ClientSpec spec;
    Options options;
    ClientSpec::Transport transport;
    std::shared_ptr<ClientLink> link;
    State state = State::not_started;
    std::string failure;
    std::string words; ///< The server's own, the last.
    RateLimit words_told{1, 10};
    int failure_code = jsonrpc::code::connection_closed;
    ServerFacts facts;
    std::vector<UpstreamTool> tools;
    std::vector<std::string> warnings;
    std::size_t bad_lines = 0;
    std::vector<CallInFlight*> calls; ///< The newest last.
    ClientSpec::Protocol learned;
    std::string probe_said; ///< Why the server is not taken for a modern one.
    std::map<std::int64_t, std::function<void(double, std::optional<double>, std::string)>>
        progress; ///< By token.
    std::int64_t next_token = 1;
    bool tools_stale = false; ///< The server said that its tools changed since we last listed them.
    bool relisting = false;
    std::chrono::milliseconds relist_wait; ///< Until it is listed again, while they change all the time.
    TimePoint relisted{};                  ///< When that was last over.
    bool renewing = false;                 ///< A lost session is being replaced.
    base::Event changed;
};

/// The error with more said.
jsonrpc::Error with_context(const std::exception_ptr& failure, const std::string& before,
                            const std::string& after);

/// The end of a server's log: its last 2,000 bytes, without blank space around them.
std::string tail_of(const std::string& log);

/// Makes the way to a server by its transport (client_connect.cc). Throws jsonrpc::Error.
std::unique_ptr<ClientChannel> connect_by_transport(const boost::asio::any_io_executor& executor,
                                                    const ClientSpec& spec);

} // namespace mcp
