#include "src/mcp/client/web.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <new>

#include "runtime_api/curl_multi.h"
#include "runtime_api/curl_setup.h"
#include "runtime_api/error.h"
#include "src/base/text.h"
#include "src/jsonrpc/message.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
namespace {

constexpr std::size_t most_head = 64 << 10;
constexpr long connect_limit_ms = 15'000;

struct ListFree {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

struct UrlFree {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlFree>;

Url parsed(const std::string& text) {
    Url url(curl_url());
    if (url && curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
    return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (!url || curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
    std::string copy = text;
    curl_free(text);
    return copy;
}

} // namespace

struct WebClient::Shared {
    explicit Shared(asio::any_io_executor e)
        : executor(std::move(e)), multi(std::make_shared<runtime_api::CurlMulti>(executor)) {}
    asio::any_io_executor executor;
    std::shared_ptr<runtime_api::CurlMulti> multi;
};

// Starting it is construction, ending it is destruction.
class WebClient::Exchange {
public:
    Exchange(const Shared& shared, WebRequest request)
        : multi_(shared.multi), request_(std::move(request)), completion_(shared.executor),
          easy_(runtime_api::new_easy()) {
        CURL* easy = easy_.get();
        curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); // a proxy's head is not the server's
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_limit_ms);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.limit.count()));
        // a POST on a reused connection that dies is sent again by libcurl, and a tool would run twice
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Exchange::on_header);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Exchange::on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
        set_request();
        multi_->add(easy, &completion_);
    }
    ~Exchange() { multi_->remove(easy_.get()); }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    asio::awaitable<WebAnswer> answer() {
        try {
            co_await completion_.wait_until(std::chrono::steady_clock::time_point::max());
        } catch (const runtime_api::Error&) { // the only one that it throws
            throw Error(jsonrpc::code::cancelled, "cancelled");
        }
        if (failure_) std::rethrow_exception(failure_);
        if (completion_.code() != CURLE_OK) fail(completion_.code());
        char* redirect = nullptr;
        curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &redirect);
        if (redirect) answer_.redirect = redirect;
        co_return std::move(answer_);
    }

private:
    void set_request() {
        CURL* easy = easy_.get();
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
        for (const std::string& each : request_.headers) add_header(each);
        if (request_.method == "POST") {
            curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.c_str());
            curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                             static_cast<curl_off_t>(request_.body.size()));
            add_header("Expect:"); // no waiting for "100 Continue"
        }
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    }

    void add_header(const std::string& line) {
        // libcurl takes "Name:" for an order to leave the header out; "Name;" sends it empty
        const bool empty = line.ends_with(": ");
        curl_slist* longer = curl_slist_append(
            headers_.get(), empty ? (line.substr(0, line.size() - 2) + ";").c_str() : line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        static_cast<void>(headers_.release()); // longer begins with it
        headers_.reset(longer);
    }

    [[noreturn]] void fail(CURLcode code) const {
        const std::string words = error_text_[0] ? error_text_.data() : curl_easy_strerror(code);
        throw Error(code == CURLE_OPERATION_TIMEDOUT ? jsonrpc::code::timed_out
                                                     : jsonrpc::code::connection_closed,
                    request_.method + " " + shown_url(request_.url) + ": " + words);
    }

    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept {
        return static_cast<Exchange*>(self)->guarded(&Exchange::take_header,
                                                     std::string_view(data, size * count));
    }
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
        return static_cast<Exchange*>(self)->guarded(&Exchange::take_body,
                                                     std::string_view(data, size * count));
    }
    std::size_t guarded(void (Exchange::*take)(std::string_view), std::string_view bytes) noexcept {
        try {
            (this->*take)(bytes);
            return bytes.size();
        } catch (...) { // must not go through libcurl; answer() throws it
            failure_ = std::current_exception();
            return bytes.empty() ? 1 : 0;
        }
    }

    void take_header(std::string_view line) {
        head_bytes_ += line.size();
        if (head_bytes_ > most_head)
            throw Error(jsonrpc::code::too_large, "the head of the answer is larger than 64 KiB");
        if (line.starts_with("HTTP/")) answer_.head = {}; // after "100 Continue" and its like
        const std::size_t colon = line.find(':');
        if (line.starts_with("HTTP/") || colon == std::string_view::npos) return;
        const std::string name = base::lower(std::string(line.substr(0, colon)));
        answer_.head.headers[name] = std::string(base::trimmed(line.substr(colon + 1)));
    }

    void take_body(std::string_view piece) {
        if (!chosen_) {
            chosen_ = true;
            long status = 0;
            curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
            answer_.head.status = static_cast<int>(status);
            if (request_.choose_sink) sink_ = request_.choose_sink(answer_.head);
        }
        if (sink_) return sink_(piece);
        if (piece.size() > request_.most_body - std::min(request_.most_body, answer_.body.size()))
            throw Error(jsonrpc::code::too_large, "an answer of more than " +
                                                      std::to_string(request_.most_body) +
                                                      " bytes is above the bound");
        answer_.body += piece;
    }

    friend class WebClient;
    std::shared_ptr<runtime_api::CurlMulti> multi_;
    WebRequest request_; // libcurl points into its body
    std::unique_ptr<curl_slist, ListFree> headers_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    WebAnswer answer_;
    WebRequest::Sink sink_;
    bool chosen_ = false;
    std::size_t head_bytes_ = 0;
    std::exception_ptr failure_;
    runtime_api::CurlCompletion completion_;
    runtime_api::EasyHandle easy_; // last, since it points into all of the above
};

WebClient::WebClient(asio::any_io_executor executor) {
    runtime_api::init_curl();
    shared_ = std::make_shared<Shared>(std::move(executor));
}
WebClient::~WebClient() = default;

asio::awaitable<WebAnswer> WebClient::send(WebRequest request) {
    const auto shared = shared_;
    Exchange exchange(*shared, std::move(request));
    WebAnswer answer = co_await exchange.answer();
    long status = 0;
    curl_easy_getinfo(exchange.easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.head.status = static_cast<int>(status); // also where there was no body
    co_return answer;
}

std::string shown_url(const std::string& url) {
    const Url u = parsed(url);
    return u ? origin_of(url) + part(u, CURLUPART_PATH) : "(a URL that is none)";
}

std::string origin_of(const std::string& url) {
    const Url u = parsed(url);
    if (part(u, CURLUPART_HOST).empty()) return {};
    return base::lower(part(u, CURLUPART_SCHEME) + "://" + part(u, CURLUPART_HOST) + ":" +
                       part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

std::string resolved_url(const std::string& base, const std::string& reference) {
    const Url u = parsed(base);
    if (!u || curl_url_set(u.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK) return {};
    return part(u, CURLUPART_URL);
}

} // namespace mcp
