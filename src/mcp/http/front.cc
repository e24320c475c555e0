#include "src/mcp/http/front.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "src/base/json.h"
#include "src/mcp/server/subscriptions.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

using jsonrpc::Error;
using Clock = std::chrono::steady_clock;
using Headers = std::vector<std::pair<std::string, std::string>>;

const char* const session_header = "Mcp-Session-Id";

// A line of ours that answers, rather than asks or tells.
bool is_answer(std::string_view line) { return line.starts_with('[') || !json::member(line, "method"); }

// The error code in a line of ours, or 0.
int error_code(std::string_view line) {
    const auto error = line.starts_with('[') ? std::nullopt : json::member(line, "error");
    return error ? jsonrpc::read_error(*error).code() : 0;
}

HttpRefused busy(const std::string& what) {
    HttpReply reply = error_reply(503, what);
    reply.headers.emplace_back("Retry-After", "1");
    return HttpRefused(std::move(reply));
}

void refuse_unless(HttpClients::Verdict verdict, const std::string& what) {
    if (verdict == HttpClients::Verdict::too_much)
        throw busy("too many " + what + " being worked on for this client");
    if (verdict == HttpClients::Verdict::too_much_of_all)
        throw busy("too many " + what + " being worked on for all clients together");
}

// Without its port, which is the client's own choice.
std::string address_of(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

// Who asks, as HttpClients knows clients.
HttpClients::Names names_of(const HttpMessage& request, const std::shared_ptr<HttpSession>& session) {
    HttpClients::Names names;
    if (session) names.push_back(session->client);
    if (session || request.peer.empty()) return names;
    names.push_back(request.peer);
    names.push_back(address_of(request.peer));
    return names;
}

constexpr std::size_t most_small = 256 << 10;

// What a client tells or answers goes to all that its session runs, read anew for each; what opens a session
// is looked through many times. Neither need be large.
void check_small(const HttpMessage& request, const std::string& what) {
    if (request.body.size() <= most_small) return;
    throw HttpRefused(error_reply(413, what + " may have at most 256 KiB, this has " +
                                           std::to_string(request.body.size()) + " bytes"));
}

// What is a stream by its nature cannot be one JSON text.
void check_single(const HttpRoute& route) {
    if (route.kind != HttpRoute::Kind::modern || route.message->method() != "subscriptions/listen") return;
    const Error error(
        jsonrpc::code::invalid_request,
        "subscriptions/listen is answered as a stream: the Accept header must list text/event-stream");
    throw HttpRefused(error_reply(406, error, route.message->id()));
}

} // namespace

/// One POST on its way.
struct HttpFront::Posted {
    std::shared_ptr<HttpPost> post;
    std::shared_ptr<HttpSession> session;   ///< nullptr in the modern era.
    HttpAnswer answer = HttpAnswer::either; ///< What its client takes.
    bool opens_session = false;
    bool modern() const { return !session; }

    Headers headers(const char* content_type) const {
        Headers out{{"Content-Type", content_type}};
        if (opens_session) out.emplace_back(session_header, session->id);
        return out;
    }
    Headers stream_headers() const {
        Headers out = headers("text/event-stream");
        out.emplace_back("Cache-Control", "no-cache");
        out.emplace_back("X-Accel-Buffering", "no");
        return out;
    }
};

HttpFront::HttpFront(asio::any_io_executor executor, const MethodTable& methods, Service& service,
                     Options options)
    : executor_(executor), methods_(methods), service_(service), options_(std::move(options)),
      gate_(options_.gate), clients_(options_.limits),
      subscriptions_(std::make_shared<Subscriptions>(executor, options_.description.capabilities)),
      sessions_(options_.most_sessions, options_.session_idle,
                [this](const std::string& client) { service_.client_gone(client); }),
      idle_(executor) {}

HttpFront::~HttpFront() { *alive_ = false; }

HttpClients::Names HttpFront::check_head(const HttpMessage& head) {
    gate_.check(head); // first: who has no token must not use up what clients are allowed
    const HttpClients::Names client = names_of(head, sessions_.peek(head.header("mcp-session-id")));
    const HttpClients::Verdict verdict = clients_.ask(client, Clock::now());
    if (verdict == HttpClients::Verdict::fine) return client;
    HttpReply reply = error_reply(429, verdict == HttpClients::Verdict::too_much
                                           ? "this client sends too many requests"
                                           : "too many requests come from all clients together");
    reply.headers.emplace_back("Retry-After", "1");
    throw HttpRefused(std::move(reply));
}

HttpClients::Use HttpFront::room_for(const HttpClients::Names& client, std::size_t bytes) {
    refuse_unless(clients_.allows(client, 0, bytes), "bytes of requests are");
    return clients_.take(client, 0, bytes, Clock::now());
}

asio::awaitable<void> HttpFront::serve(HttpMessage request, HttpOut& out) {
    if (request.method == "DELETE") co_return co_await out.reply(end_session(request));
    co_await serve_post(std::move(request), out);
}

HttpReply HttpFront::end_session(const HttpMessage& request) {
    const std::string id = request.header("mcp-session-id");
    if (id.empty()) return error_reply(400, "the header Mcp-Session-Id is missing");
    if (!sessions_.end(id)) return error_reply(404, "there is no such session");
    return {204};
}

std::shared_ptr<HttpSession> HttpFront::session(const std::string& id) {
    auto found = sessions_.find(id, Clock::now());
    if (!found)
        throw HttpRefused(error_reply(404, "there is no such session; it may have ended: initialize again"));
    return found;
}

asio::awaitable<void> HttpFront::serve_post(HttpMessage request, HttpOut& out) {
    HttpRoute route = co_await read_route(request);
    const bool opens = route.kind == HttpRoute::Kind::opening;
    std::shared_ptr<HttpSession> owner;
    if (opens) check_small(request, "initialize");
    if (opens) owner = std::make_shared<HttpSession>();
    if (opens) owner->address = address_of(request.peer);
    if (!route.session_id.empty()) owner = session(route.session_id);
    if (route.kind == HttpRoute::Kind::delivery) {
        check_small(request, "an answer or a notification of a client");
        owner->deliver(request.body);
    }
    if (route.kind == HttpRoute::Kind::delivery || route.kind == HttpRoute::Kind::ignored) {
        HttpReply accepted;
        accepted.status = 202;
        co_return co_await out.reply(std::move(accepted));
    }
    const HttpAnswer answer = answer_for(request);
    if (answer == HttpAnswer::json) check_single(route);
    const auto posted = begin(std::move(request), std::move(route), owner);
    posted->opens_session = opens;
    posted->answer = answer;
    co_await send(posted, out);
}

// A large body is read on another thread, so that it holds up nobody else.
asio::awaitable<HttpRoute> HttpFront::read_route(const HttpMessage& request) {
    auto job = [&request] { return route_post(request); };
    co_return co_await base::run_if_large(options_.workers, request.body.size(), job);
}

Conversation::Options HttpFront::conversation_options(const std::shared_ptr<HttpSession>& owner) const {
    Conversation::Options options;
    options.info = options_.description.info;
    options.client = owner ? owner->client : std::string();
    options.session = owner ? owner->state : std::make_shared<ServerSession>();
    options.subscriptions = subscriptions_;
    options.modern_only = !owner;
    options.most_line_bytes = options_.most_line_bytes;
    options.log = options_.log;
    options.workers = options_.workers;
    if (owner) options.first_id = std::exchange(owner->next_first_id, owner->next_first_id + 1'000'000);
    return options;
}

// Refuses, or starts the work.
std::shared_ptr<HttpFront::Posted> HttpFront::begin(HttpMessage request, HttpRoute route,
                                                    std::shared_ptr<HttpSession> owner) {
    request.held.reset(); // counted below, for as long as it is worked on
    const std::size_t bytes = request.body.size();
    const bool known = owner && route.kind != HttpRoute::Kind::opening;
    const HttpClients::Names client = names_of(request, known ? owner : nullptr);
    refuse_unless(clients_.allows(client, 1, 0), "requests are");
    refuse_unless(clients_.allows(client, 0, bytes), "bytes of requests are");
    const auto post = std::make_shared<HttpPost>(executor_, methods_, conversation_options(owner));
    try {
        if (route.kind == HttpRoute::Kind::modern) post->conversation().check(*route.message);
    } catch (const Error& e) {
        throw HttpRefused(error_reply(status_of_refusal(e.code()), e, route.message->id()));
    }
    running_.insert(post);
    if (owner) owner->running.insert(post);
    const auto use = std::make_shared<HttpClients::Use>(clients_.take(client, 1, bytes, Clock::now()));
    const auto ended = [this, alive = alive_, post, owner, use] {
        *use = {};
        if (owner) owner->running.erase(post);
        if (owner) owner->last_used = Clock::now();
        if (!*alive) return;
        running_.erase(post);
        idle_.notify();
    };
    if (route.message)
        post->start(std::move(*route.message), ended);
    else
        post->start(std::move(request.body), ended);
    return std::make_shared<Posted>(Posted{post, owner});
}

// A whole answer, where the answer came first and alone.
HttpReply HttpFront::first_reply(Posted& posted, std::string line) {
    if (posted.opens_session && !posted.session->state->initialized())
        posted.opens_session = false; // it was refused
    if (posted.opens_session && !sessions_.add(posted.session, Clock::now()))
        throw busy("there are too many sessions");
    const bool lacks_capability = posted.modern() && error_code(line) == code::missing_client_capability;
    return {lacks_capability ? 400 : 200, posted.headers("application/json"), std::move(line)};
}

asio::awaitable<void> HttpFront::send(std::shared_ptr<Posted> posted, HttpOut& out) {
    const auto post = posted->post;
    struct Attached {
        HttpOut& out;
        std::shared_ptr<HttpPost> post;
        bool cancels; // a modern client that closes the connection has cancelled, a legacy one has not
        ~Attached() {
            out.on_gone({});
            post->detach();
            if (cancels) post->cancel();
        }
    } attached{out, post, posted->modern()};
    out.on_gone([post] { post->wake(); });

    const bool single = posted->answer == HttpAnswer::json;
    if (single) post->ask_nothing();
    std::optional<std::string> held; // an answer that may be all there is
    bool open = false;
    for (;;) {
        auto pause = open ? options_.keep_alive : options_.stream_after;
        // answered at once and never as a stream; or never as a stream, however long it takes
        if (posted->opens_session || single) pause = std::chrono::hours(1);
        HttpPost::Next next = co_await post->next(Clock::now() + pause);
        if (out.gone()) co_return;
        if (next.too_slow) throw boost::system::system_error(asio::error::no_buffer_space);
        if (next.end) break;
        if (next.line && !open && !held && is_answer(*next.line)) {
            held = std::move(next.line);
            continue;
        }
        if (single) continue; // progress and log messages have no place in it
        if (!open) co_await out.open_stream(posted->stream_headers());
        open = true;
        if (held) co_await out.stream(event_text(*held));
        held.reset();
        if (next.line)
            co_await out.stream(event_text(*next.line));
        else
            co_await out.stream(std::string(keep_alive_comment));
    }
    co_await finish(posted, std::move(held), open, out);
}

// `held`: the whole answer, where nothing was sent of it.
asio::awaitable<void> HttpFront::finish(std::shared_ptr<Posted> posted, std::optional<std::string> held,
                                        bool open, HttpOut& out) {
    if (held) {
        HttpReply reply = first_reply(*posted, std::move(*held));
        if (posted->answer != HttpAnswer::stream || reply.status != 200)
            co_return co_await out.reply(std::move(reply));
        co_await out.open_stream(posted->stream_headers());
        co_await out.stream(event_text(reply.body));
        co_return co_await out.end_stream();
    }
    HttpReply nothing;
    nothing.status = 204;
    // cancelled: there is no answer
    if (posted->answer == HttpAnswer::json) co_return co_await out.reply(std::move(nothing));
    if (!open) co_await out.open_stream(posted->stream_headers());
    co_await out.end_stream();
}

void HttpFront::stop() {
    subscriptions_->close_all();
    sessions_.end_all();
    service_.client_gone({});
}

asio::awaitable<bool> HttpFront::drained_within(std::chrono::milliseconds limit) {
    const auto until = Clock::now() + limit;
    while (subscriptions_->size() > 0 && Clock::now() < until)
        co_await asio::post(executor_, asio::use_awaitable);
    co_await asio::post(executor_,
                        asio::use_awaitable); // their answers are on the way: only now is the rest cancelled
    const auto posts = running_;
    for (const auto& each : posts) each->cancel();
    while (!running_.empty() && Clock::now() < until) co_await idle_.wait(until);
    co_return running_.empty();
}

void HttpFront::expire() { sessions_.expire(Clock::now()); }

} // namespace mcp
