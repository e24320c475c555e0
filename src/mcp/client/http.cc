#include "src/mcp/client/http.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <map>

#include "src/mcp/client/headers.h"
#include "src/mcp/client/inbox.h"
#include "src/mcp/client/outgoing.h"
#include "src/mcp/client/sse_parser.h"
#include "src/mcp/client/web.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
using namespace std::chrono_literals;
namespace {

constexpr std::chrono::milliseconds side_limit =
    30s; // for what is not a call: notifications, answers, DELETE
constexpr std::chrono::milliseconds default_retry = 1s;
constexpr std::chrono::milliseconds most_retry = 300s;
constexpr std::chrono::milliseconds after_abandon = 5s;
constexpr int most_redirects = 3;
constexpr std::size_t most_other = std::size_t{8} << 20; // bytes of what is no answer to a call of a tool
constexpr int most_resumes = 20;                         // without anything heard in between
constexpr int most_listen_failures = 5;

} // namespace

struct HttpChannel::State : std::enable_shared_from_this<HttpChannel::State> {
    State(const asio::any_io_executor& e, const ClientSpec& s)
        : executor(e), spec(s), url(s.url), web(e), inbox(std::make_shared<HttpInbox>(e)), changed(e) {}

    asio::any_io_executor executor;
    ClientSpec spec;
    std::string url; // after redirects
    WebClient web;
    std::shared_ptr<HttpInbox> inbox;
    base::Event changed;
    std::function<void(const std::string&)> words;
    Era era = Era::legacy;
    std::string version;
    std::string session;
    bool lost = false;
    bool opening = false; // `notifications/initialized` is on its way: what follows must not overtake it
    std::uint64_t listening = 0; // the run that listens to the session's own stream
    std::map<std::string, std::vector<HeaderParam>> header_params; // by tool
    std::map<std::uint64_t, std::shared_ptr<asio::cancellation_signal>> running;
    std::map<std::string, std::uint64_t> by_id;
    std::uint64_t next = 1;

    // Runs a coroutine that can be ended by stop_run or close.
    std::uint64_t spawn(asio::awaitable<void> work) {
        const std::uint64_t number = next++;
        const auto signal = std::make_shared<asio::cancellation_signal>();
        running.emplace(number, signal);
        auto done = [self = shared_from_this(), number, signal](std::exception_ptr) {
            self->running.erase(number);
        };
        asio::co_spawn(executor, std::move(work),
                       asio::bind_cancellation_slot(signal->slot(), std::move(done)));
        return number;
    }
    void stop_run(std::uint64_t number) {
        const auto it = running.find(number);
        if (it == running.end()) return;
        const auto signal = it->second;
        signal->emit(asio::cancellation_type::terminal);
    }

    std::vector<std::string> headers_for(const Outgoing& out) const {
        std::vector<std::string> headers = spec.headers;
        headers.push_back("Content-Type: application/json");
        headers.push_back("Accept: application/json, text/event-stream");
        add_state(headers);
        if (era != Era::modern || out.method.empty()) return headers;
        headers.push_back("Mcp-Method: " + out.method);
        if (!out.name.empty()) headers.push_back("Mcp-Name: " + header_value(out.name));
        const auto params = out.method == "tools/call" ? header_params.find(out.name) : header_params.end();
        if (params != header_params.end())
            for (std::string& each : param_headers(params->second, arguments_in(out)))
                headers.push_back(std::move(each));
        return headers;
    }
    void add_state(std::vector<std::string>& headers) const {
        if (version >= "2025-06-18")
            headers.push_back("MCP-Protocol-Version: " + version); // older ones know no such header
        if (!session.empty()) headers.push_back("Mcp-Session-Id: " + session);
    }

    void fail(const std::string& id, const Error& error) {
        if (!id.empty()) inbox->put(jsonrpc::error_line(id, error));
    }

    // A stream of events that belongs to one request, or to none.
    struct Stream {
        explicit Stream(std::size_t bound) : most(bound), parser(bound) {}
        std::size_t most;
        SseParser parser;
        bool is_stream = false;
        bool answered = false;
        bool heard = false; // something came since the last look
    };

    WebRequest::Sink take_events(const std::shared_ptr<Stream>& stream, const std::string& id) {
        stream->is_stream = true;
        return [self = shared_from_this(), stream, id](std::string_view bytes) {
            stream->heard = true;
            stream->parser.feed(
                bytes, [&](SseParser::Event event) { self->take_event(std::move(event), *stream, id); });
        };
    }
    void take_event(SseParser::Event event, Stream& stream, const std::string& id) {
        if (event.oversized) {
            stream.answered = true;
            return fail(id, Error(jsonrpc::code::too_large, "a message of more than " +
                                                                std::to_string(stream.most) +
                                                                " bytes is above the bound"));
        }
        if (event.type != "message") return;
        stream.answered = stream.answered || (!id.empty() && answers(event.data, id));
        inbox->put(std::move(event.data), id);
    }

    void note_session(const WebRequest::Head& head, const Outgoing& out) {
        const auto it = head.headers.find("mcp-session-id");
        if (out.method != "initialize" || head.status >= 300 || it == head.headers.end()) return;
        const bool visible =
            std::all_of(it->second.begin(), it->second.end(), [](char c) { return c > 0x20 && c < 0x7f; });
        if (visible && it->second.size() <= 4096) session = it->second;
    }

    // One message of ours, to the end of what the server says to it.
    asio::awaitable<void> post(Outgoing out) {
        const auto self = shared_from_this();
        const bool opens = out.method == "notifications/initialized";
        const auto until = base::after(side_limit);
        while (opening && !opens && std::chrono::steady_clock::now() < until) co_await changed.wait(until);
        std::optional<Error> failure;
        try {
            co_await exchange(out);
        } catch (const Error& e) { // told below
            failure = e;
        }
        if (opens) {
            opening = false;
            changed.notify();
        }
        const bool wanted = by_id.erase(out.id) > 0; // not given up meanwhile
        if (failure && wanted) fail(out.id, *failure);
    }

    // Only the answer to a call of a tool has a reason to be large.
    std::size_t bound_of(const Outgoing& out) const {
        return out.method == "tools/call" ? spec.most_message : std::min(spec.most_message, most_other);
    }

    asio::awaitable<void> exchange(const Outgoing& out) {
        const auto stream = std::make_shared<Stream>(bound_of(out));
        const std::string of = session;
        const bool had_session = !of.empty() || lost; // one that is being replaced counts
        WebAnswer answer;
        for (int redirects = 0;; ++redirects) {
            WebRequest request;
            request.url = url;
            request.headers = headers_for(out);
            request.body = out.line;
            request.limit = out.asks() ? 0ms : side_limit;
            request.most_body = stream->most;
            request.choose_sink = [self = shared_from_this(), stream, &out](const WebRequest::Head& head) {
                self->note_session(head, out);
                const bool events = head.status < 300 && media_type(head) == "text/event-stream";
                return events ? self->take_events(stream, out.asks() ? out.id : "") : WebRequest::Sink();
            };
            answer = co_await web.send(std::move(request));
            if (answer.redirect.empty() || redirects == most_redirects) break;
            if (origin_of(answer.redirect) != origin_of(url)) break; // our headers are meant for this server
            url = answer.redirect;
        }
        note_session(answer.head, out);
        if (answer.head.status >= 300) {
            tell_words(answer, words);
            Error error = http_error(answer, url, had_session);
            if (says_session_lost(error) && session == of) { // else it has been replaced already
                lost = true;
                session.clear();
            }
            throw error;
        }
        if (!stream->is_stream) {
            if (out.asks() && answer.body.empty())
                throw Error(jsonrpc::code::internal_error, shown_url(url) + " answered without a body");
            inbox->put(std::move(answer.body), out.asks() ? out.id : "", out.asks());
        } else if (out.asks() && !stream->answered) {
            co_await resume(out.id, stream);
        }
    }

    // The stream broke off before the answer: the old era may go on where it was.
    asio::awaitable<void> resume(std::string id, std::shared_ptr<Stream> stream) {
        for (int silent = 0; silent < most_resumes && era == Era::legacy && !stream->parser.last_id().empty();
             ++silent) {
            const auto until =
                base::after(std::min(stream->parser.retry().value_or(default_retry), most_retry));
            while (std::chrono::steady_clock::now() < until) co_await changed.wait(until);
            stream->heard = false;
            const int status = co_await get(id, stream);
            if (stream->answered) co_return;
            if (status >= 400 && status < 500) break;
            if (stream->heard) silent = 0;
        }
        throw Error(jsonrpc::code::connection_closed,
                    shown_url(url) + " ended its answer before it was complete");
    }

    // One GET stream, to its end. Gives its status, 0 where there was no connection.
    asio::awaitable<int> get(std::string id, std::shared_ptr<Stream> stream) {
        WebRequest request;
        request.method = "GET";
        request.url = url;
        request.headers = spec.headers;
        request.headers.push_back("Accept: text/event-stream");
        add_state(request.headers);
        if (!stream->parser.last_id().empty())
            request.headers.push_back("Last-Event-ID: " + stream->parser.last_id());
        request.choose_sink = [self = shared_from_this(), stream, id](const WebRequest::Head& head) {
            return head.status < 300 && media_type(head) == "text/event-stream"
                       ? self->take_events(stream, id)
                       : WebRequest::Sink();
        };
        try {
            const WebAnswer answer = co_await web.send(std::move(request));
            co_return answer.head.status;
        } catch (const Error& e) { // a stream that broke is looked for again
            if (e.code() == jsonrpc::code::cancelled) throw;
        }
        co_return 0;
    }

    // The stream on which a server of the old era speaks by itself; it may have none.
    asio::awaitable<void> listen() {
        const auto self = shared_from_this();
        const std::string of = session;
        const auto stream = std::make_shared<Stream>(std::min(spec.most_message, most_other));
        for (int failures = 0; failures < most_listen_failures && !inbox->closed() && session == of;) {
            stream->heard = false;
            const int status = co_await get("", stream);
            if (status >= 400 && status < 500) break;
            failures = stream->heard ? 0 : failures + 1;
            const auto wait = std::min<std::chrono::milliseconds>(
                                  stream->parser.retry().value_or(default_retry), most_retry) *
                              (1 + failures);
            const auto until = base::after(wait);
            while (!inbox->closed() && std::chrono::steady_clock::now() < until) co_await changed.wait(until);
        }
    }

    // The server has been told by a notification; what it still says to that request nobody waits for.
    asio::awaitable<void> drop_later(std::uint64_t number) {
        const auto self = shared_from_this();
        const auto until = base::after(after_abandon);
        while (!inbox->closed() && std::chrono::steady_clock::now() < until) co_await changed.wait(until);
        stop_run(number);
    }

    asio::awaitable<void> end_session(std::chrono::milliseconds limit) {
        WebRequest request;
        request.method = "DELETE";
        request.url = url;
        request.headers = spec.headers;
        add_state(request.headers);
        request.limit = limit;
        session.clear();
        try {
            co_await web.send(std::move(request));
        } catch (const Error&) { // it may not do this, or be gone: there is nothing to end then
        }
    }

    void close() noexcept {
        inbox->close();
        const auto all = running; // a signal may run its handler at once
        for (const auto& [number, signal] : all) signal->emit(asio::cancellation_type::terminal);
        changed.notify();
    }
};

HttpChannel::HttpChannel(asio::any_io_executor executor, const ClientSpec& spec)
    : state_(std::make_shared<State>(executor, spec)) {}
HttpChannel::~HttpChannel() { state_->close(); }

asio::awaitable<std::optional<jsonrpc::LineSplitter::Line>> HttpChannel::read() {
    return state_->inbox->read();
}

void HttpChannel::write(std::string line) {
    if (state_->inbox->closed()) return;
    Outgoing out = take_outgoing(std::move(line));
    if (out.method == "notifications/initialized") state_->opening = true;
    if (out.asks()) state_->by_id[out.id] = state_->next;
    state_->spawn(state_->post(std::move(out)));
}

void HttpChannel::close() noexcept { state_->close(); }

void HttpChannel::agreed(Era era, const std::string& version) {
    state_->era = era;
    state_->version = version;
    state_->lost = false;
}

void HttpChannel::set_tools(const std::vector<UpstreamTool>& tools) {
    state_->header_params.clear();
    for (const UpstreamTool& each : tools)
        if (!each.header_params.empty()) state_->header_params[each.name] = each.header_params;
}

bool HttpChannel::abandon(const std::string& id) {
    const auto it = state_->by_id.find(id);
    const bool modern = state_->era == Era::modern;
    if (it == state_->by_id.end()) return modern;
    const std::uint64_t number = it->second;
    state_->by_id.erase(it);
    if (modern)
        state_->stop_run(number); // to close the stream is to cancel
    else
        state_->spawn(state_->drop_later(number));
    return modern;
}

void HttpChannel::words_to(std::function<void(const std::string&)> sink) { state_->words = std::move(sink); }

bool HttpChannel::session_lost() const { return state_->lost; }

void HttpChannel::session_began() {
    if (state_->era == Era::modern || state_->inbox->closed()) return;
    state_->stop_run(state_->listening); // that of a session before
    state_->listening = state_->spawn(state_->listen());
}

asio::awaitable<void> HttpChannel::stop(std::chrono::milliseconds grace) {
    const auto state = state_;
    if (!state->session.empty()) co_await state->end_session(grace);
    state->close();
}

} // namespace mcp
