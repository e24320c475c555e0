#pragma once
#include <curl/curl.h>

#include <chrono>
#include <string>

#include "runtime_api/endpoint.h"
#include "runtime_api/error.h"

namespace runtime_api {

/// A connection that has rested for longer is not used again: podman closes one after twice the time that its
/// service waits for work (10 s where nobody changed it), and what lies between may have forgotten it.
inline constexpr std::chrono::seconds longest_rest_of_connections{3};

/// Initialises libcurl once for the process.
void init_curl();

/// Sets all that every connection to the endpoint has in common: where, how and with which certificates, no
/// proxy, no redirects, HTTP/1.1, no signals. `target` is the path and query. Throws Error(bad_endpoint) for
/// ssh, which must be forwarded to a socket first.
void set_common_options(CURL* easy, const Endpoint& endpoint, const std::string& target,
                        std::chrono::milliseconds connect_limit);

/// What a failed transfer means for the caller, in libcurl's words and the system's: "connect to unix:///x:
/// permission denied". `text` is the error buffer, possibly empty. `sent`: the connection stood, though
/// libcurl, where it was another's before, knows no time of it.
Error curl_error(CURL* easy, CURLcode code, const Endpoint& endpoint, const std::string& text,
                 bool sent = false);

} // namespace runtime_api
