#include "runtime_api/curl_setup.h"

#include <cstring>

namespace runtime_api {
namespace {

std::string base_url(const Endpoint& endpoint) {
    if (endpoint.kind == Endpoint::Kind::unix_socket) return "http://localhost";
    std::string host = endpoint.host;
    if (host.find(':') != std::string::npos) {
        if (const std::size_t zone = host.find('%'); zone != std::string::npos) host.insert(zone + 1, "25");
        host = '[' + host + ']';
    }
    return (endpoint.kind == Endpoint::Kind::https ? "https://" : "http://") + host + ':' +
           std::to_string(endpoint.port);
}

void set_tls_options(CURL* easy, const Endpoint& endpoint) {
    if (!endpoint.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, endpoint.ca_file.c_str());
    if (!endpoint.cert_file.empty()) curl_easy_setopt(easy, CURLOPT_SSLCERT, endpoint.cert_file.c_str());
    if (!endpoint.key_file.empty()) curl_easy_setopt(easy, CURLOPT_SSLKEY, endpoint.key_file.c_str());
    curl_easy_setopt(easy, CURLOPT_KEYPASSWD, ""); // else OpenSSL asks at the terminal, and waits
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, endpoint.verify ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, endpoint.verify ? 2L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
}

Errc meaning(CURLcode code, bool connected) {
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return connected ? Errc::timed_out : Errc::unavailable;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: // "Received HTTP/0.9 when not allowed"
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
        return Errc::protocol;
    case CURLE_FILESIZE_EXCEEDED:
        return Errc::too_large;
    case CURLE_URL_MALFORMAT:
        return Errc::bad_endpoint;
    default:
        return Errc::unavailable; // refused, no such host, TLS, and connections that broke
    }
}

} // namespace

void init_curl() {
    struct Global {
        Global() { curl_global_init(CURL_GLOBAL_DEFAULT); }
        ~Global() { curl_global_cleanup(); }
        Global(const Global&) = delete;
        Global& operator=(const Global&) = delete;
    };
    static const Global global;
}

void set_common_options(CURL* easy, const Endpoint& endpoint, const std::string& target,
                        std::chrono::milliseconds connect_limit) {
    if (endpoint.kind == Endpoint::Kind::ssh)
        throw Error(Errc::bad_endpoint, endpoint.url() + " must be forwarded to a local socket first");
    curl_easy_setopt(easy, CURLOPT_URL, (base_url(endpoint) + target).c_str());
    if (endpoint.kind == Endpoint::Kind::unix_socket)
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, endpoint.path.c_str());
    if (endpoint.kind == Endpoint::Kind::https) set_tls_options(easy, endpoint);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     static_cast<long>(CURL_HTTP_VERSION_1_1)); // ALPN might choose h2, which has no upgrade
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*"); // http_proxy in the environment is not meant for the engine
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_limit.count()));
    curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 15L);
}

Error curl_error(CURL* easy, CURLcode code, const Endpoint& endpoint, const std::string& text, bool sent) {
    const bool tls = endpoint.kind == Endpoint::Kind::https;
    curl_off_t connect_time = 0; // 0: never connected
    curl_easy_getinfo(easy, tls ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T, &connect_time);
    long os_error = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
    std::string words = text.empty() ? curl_easy_strerror(code) : text;
    if (words.find("SSL_ERROR_SYSCALL") != std::string::npos)
        words = "the connection ended in the midst of the TLS handshake";
    if (words.find("getpeername() failed") != std::string::npos) // it was gone before libcurl looked
        words = "the other side ended the connection";
    if (code == CURLE_COULDNT_CONNECT && os_error != 0) words = std::strerror(static_cast<int>(os_error));
    const bool connected = sent || connect_time > 0;
    const std::string where = (connected ? "talking to " : "connect to ") + endpoint.url();
    return Error(meaning(code, connected), where + ": " + words);
}

} // namespace runtime_api
