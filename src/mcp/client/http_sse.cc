#include "src/mcp/client/http_sse.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <map>

#include "src/mcp/client/inbox.h"
#include "src/mcp/client/outgoing.h"
#include "src/mcp/client/sse_parser.h"
#include "src/mcp/client/web.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
using namespace std::chrono_literals;

struct HttpSseChannel::State : std::enable_shared_from_this<HttpSseChannel::State> {
    State(const asio::any_io_executor& e, const ClientSpec& s)
        : executor(e), spec(s), web(e), inbox(std::make_shared<HttpInbox>(e)), parser(s.most_message) {}

    asio::any_io_executor executor;
    ClientSpec spec;
    WebClient web;
    std::shared_ptr<HttpInbox> inbox;
    SseParser parser;
    std::string endpoint;         // where to post; empty until the server has said it
    std::deque<Outgoing> waiting; // for that
    std::map<std::uint64_t, std::shared_ptr<asio::cancellation_signal>> running;
    std::uint64_t next = 1;
    std::string why;
    std::function<void(const std::string&)> words;

    void spawn(asio::awaitable<void> work) {
        const std::uint64_t number = next++;
        const auto signal = std::make_shared<asio::cancellation_signal>();
        running.emplace(number, signal);
        auto done = [self = shared_from_this(), number, signal](std::exception_ptr) {
            self->running.erase(number);
        };
        asio::co_spawn(executor, std::move(work),
                       asio::bind_cancellation_slot(signal->slot(), std::move(done)));
    }

    void take_event(SseParser::Event event) {
        if (event.oversized || event.data.empty())
            return; // its call runs into its limit: nothing says whose answer it was
        if (event.type == "message") return inbox->put(std::move(event.data));
        if (event.type != "endpoint" || !endpoint.empty()) return;
        const std::string url = resolved_url(spec.url, event.data);
        if (url.empty() || origin_of(url) != origin_of(spec.url))
            throw Error(jsonrpc::code::connection_closed,
                        shown_url(spec.url) + " names an endpoint on another server: " + shown_url(url));
        endpoint = url;
        // not here: libcurl is calling, and takes no new transfer meanwhile
        asio::post(executor, [self = shared_from_this()] { self->send_waiting(); });
    }

    Error refused(const WebAnswer& answer, const std::string& url) const {
        tell_words(answer, words);
        return http_error(answer, url, false);
    }

    void send_waiting() {
        for (; !waiting.empty(); waiting.pop_front()) spawn(post(std::move(waiting.front())));
    }

    // The stream, from its beginning to its end.
    asio::awaitable<void> listen() {
        const auto self = shared_from_this();
        WebRequest request;
        request.method = "GET";
        request.url = spec.url;
        request.headers = spec.headers;
        request.headers.push_back("Accept: text/event-stream");
        request.choose_sink = [self](const WebRequest::Head& head) {
            WebRequest::Sink sink;
            if (head.status < 300 && media_type(head) == "text/event-stream")
                sink = [self](std::string_view bytes) {
                    self->parser.feed(bytes,
                                      [&](SseParser::Event event) { self->take_event(std::move(event)); });
                };
            return sink;
        };
        try {
            const WebAnswer answer = co_await web.send(std::move(request));
            if (answer.head.status >= 300) why = refused(answer, spec.url).what();
            if (answer.head.status < 300 && endpoint.empty())
                why = shown_url(spec.url) + " is no server of HTTP+SSE";
            if (why.empty()) why = "its stream ended";
        } catch (const Error& e) { // the reason that the channel ends with
            why = e.what();
        }
        close();
    }

    asio::awaitable<void> post(Outgoing out) {
        const auto self = shared_from_this();
        WebRequest request;
        request.url = endpoint;
        request.headers = spec.headers;
        request.headers.push_back("Content-Type: application/json");
        request.body = std::move(out.line);
        request.limit = 60s; // the answer comes on the stream; this is only its receipt
        std::optional<Error> failure;
        try {
            const WebAnswer answer = co_await web.send(std::move(request));
            if (answer.head.status >= 300) failure = refused(answer, endpoint);
        } catch (const Error& e) { // told below
            failure = e;
        }
        if (failure && out.asks()) inbox->put(jsonrpc::error_line(out.id, *failure));
    }

    void close() noexcept {
        inbox->close();
        waiting.clear();
        const auto all = running; // a signal may run its handler at once
        for (const auto& [number, signal] : all) signal->emit(asio::cancellation_type::terminal);
    }
};

HttpSseChannel::HttpSseChannel(asio::any_io_executor executor, const ClientSpec& spec)
    : state_(std::make_shared<State>(executor, spec)) {
    state_->spawn(state_->listen());
}
HttpSseChannel::~HttpSseChannel() { state_->close(); }

asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> HttpSseChannel::read() {
    return state_->inbox->read();
}

void HttpSseChannel::write(std::string line) {
    if (state_->inbox->closed()) return;
    Outgoing out = take_outgoing(std::move(line));
    if (state_->endpoint.empty() || !state_->waiting.empty())
        state_->waiting.push_back(std::move(out));
    else
        state_->spawn(state_->post(std::move(out)));
}

void HttpSseChannel::words_to(std::function<void(const std::string&)> sink) {
    state_->words = std::move(sink);
}

void HttpSseChannel::close() noexcept { state_->close(); }
std::string HttpSseChannel::reason() const { return state_->why; }

asio::awaitable<void> HttpSseChannel::stop(std::chrono::milliseconds) {
    state_->close();
    co_return;
}

} // namespace mcp
