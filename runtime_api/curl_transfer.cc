#include "runtime_api/curl_transfer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "runtime_api/curl_setup.h"
#include "runtime_api/error.h"

namespace runtime_api {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

CurlTransfer::CurlTransfer(std::shared_ptr<CurlMulti> multi, const asio::any_io_executor& executor,
                           Endpoint endpoint, HttpRequest request, std::chrono::milliseconds connect_limit)
    : multi_(std::move(multi)), endpoint_(std::move(endpoint)), request_(std::move(request)),
      last_byte_(Clock::now()), completion_(executor), easy_(new_easy()) {
    CURL* easy = easy_.get();
    set_common_options(easy, endpoint_, request_.target, connect_limit);
    set_body_options();
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.limit.count()));
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(longest_rest_of_connections.count()));
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlTransfer::on_send);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
    multi_->add(easy, &completion_);
}

void CurlTransfer::set_body_options() {
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    for (const std::string& line : request_.headers) add_header(line);
    if (!request_.body_file.empty()) {
        send_file();
    } else if (request_.method == "POST" || request_.method == "PUT") {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.c_str());
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    }
    if (request_.method == "POST" || request_.method == "PUT") {
        add_header("Content-Type: " + request_.content_type);
        add_header("Expect:"); // no waiting for "100 Continue"
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void CurlTransfer::send_file() {
    file_.reset(std::fopen(request_.body_file.c_str(), "rbe"));
    std::error_code ec;
    const std::uintmax_t size = std::filesystem::file_size(request_.body_file, ec);
    if (!file_ || ec)
        throw Error(Errc::rejected,
                    "cannot read " + request_.body_file + ": " + (ec ? ec.message() : std::strerror(errno)));
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L); // libcurl reads by fread
    curl_easy_setopt(easy, CURLOPT_READDATA, file_.get());
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(size));
}

void CurlTransfer::add_header(const std::string& line) {
    curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(headers_.release()); // longer begins with it
    headers_.reset(longer);
}

int CurlTransfer::on_send(void* self, char*, char*, int, int) noexcept {
    auto* transfer = static_cast<CurlTransfer*>(self);
    const bool again = std::exchange(transfer->sent_, true);
    transfer->died_ = again && transfer->request_.method != "GET";
    return transfer->died_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto* transfer = static_cast<CurlTransfer*>(self);
    try {
        transfer->take_header(std::string_view(data, size * count));
        return size * count;
    } catch (...) {
        transfer->failure_ = std::current_exception();
        return 0;
    }
}

std::size_t CurlTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto* transfer = static_cast<CurlTransfer*>(self);
    try {
        transfer->take_body(std::string_view(data, size * count));
        return size * count;
    } catch (...) {
        transfer->failure_ = std::current_exception();
        return CURL_WRITEFUNC_ERROR;
    }
}

void CurlTransfer::take_header(std::string_view line) {
    last_byte_ = Clock::now();
    head_bytes_ += line.size();
    if (head_bytes_ > max_head_bytes)
        throw Error(Errc::too_large,
                    "the answer's head is larger than " + std::to_string(max_head_bytes) + " bytes");
    head_complete_ = line == "\r\n" || line == "\n";
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/") || colon == std::string_view::npos) return;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' '))
        value.remove_suffix(1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    answer_.headers[name] = std::string(value);
}

void CurlTransfer::take_body(std::string_view piece) {
    last_byte_ = Clock::now();
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (request_.sink && status >= 200 && status < 300) {
        request_.sink(piece);
        return;
    }
    if (piece.size() > request_.max_body - std::min(request_.max_body, answer_.body.size()))
        throw Error(Errc::too_large,
                    "the answer is larger than " + std::to_string(request_.max_body) + " bytes");
    answer_.body += piece;
}

Clock::time_point CurlTransfer::next_look() const {
    return request_.silence.count() > 0 ? last_byte_ + request_.silence : Clock::time_point::max();
}

asio::awaitable<HttpResponse> CurlTransfer::result() {
    while (!completion_.done()) {
        co_await completion_.wait_until(next_look());
        if (!completion_.done() && Clock::now() >= next_look())
            throw Error(Errc::timed_out,
                        "the engine was silent for " + std::to_string(request_.silence.count()) + " ms");
    }
    if (failure_) std::rethrow_exception(failure_);
    if (died_)
        throw Error(Errc::unavailable,
                    "talking to " + endpoint_.url() + ": the connection ended before an answer came");
    if (completion_.code() != CURLE_OK)
        throw curl_error(easy_.get(), completion_.code(), endpoint_, error_text_.data(), sent_);
    if (!head_complete_) // which is no error to libcurl
        throw Error(Errc::unavailable,
                    "talking to " + endpoint_.url() + ": the answer ended within its head");
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
    co_return std::move(answer_);
}

} // namespace runtime_api
