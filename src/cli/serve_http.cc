#include <boost/asio/io_context.hpp>
#include <charconv>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/http_token.h"
#include "src/cli/log.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/mcp/http/gate.h"
#include "src/mcp/http/server.h"

namespace cli {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct Place {
    std::string host;
    std::uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:0"
Place place_of(const std::string& text) {
    const auto colon = text.rfind(':');
    const std::string digits = colon == std::string::npos ? "" : text.substr(colon + 1);
    Place place;
    place.host = mcp::host_of(text);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
    if (place.host.empty() || digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        throw UsageError("--http is \"" + text +
                         "\"; it must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:0");
    return place;
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || (host.starts_with("127.") && mcp::is_address(host));
}

mcp::HttpServer::Options server_options(const Options& options, const Place& place) {
    mcp::HttpServer::Options out;
    out.host = place.host;
    out.port = place.port;
    out.certificate_file = options.tls_cert;
    out.key_file = options.tls_key;
    out.drain_limit = 2s;
    out.front.gate.hosts = {place.host};
    out.front.log = [](const std::string& line) { log_info("client: " + Shown::line(line)); };
    return out;
}

// What a user must know to connect; the token itself only when it is new.
void announce(const Place& place, std::uint16_t port, bool tls, const HttpToken& token) {
    const std::string host = place.host.find(':') == std::string::npos ? place.host : "[" + place.host + "]";
    tell("serving " + (tls ? Shown("https://") : Shown("http://")) + Shown::line(host) + ":" +
         Shown::number(port) + "/mcp");
    if (token.fresh) tell("a token was made; it is not shown again: " + Shown::line(token.text));
    if (!token.file.empty())
        tell("clients must send \"Authorization: Bearer TOKEN\"; it is kept in " + Shown::line(token.file));
}

asio::awaitable<int> serve_until_stopped(App* app, mcp::HttpServer* server) {
    co_await server->run();
    app->stop_code();
    co_await app->shut_down();
    co_return 0;
}

} // namespace

int serve_http(const Options& options) {
    const Place place = place_of(options.http);
    const bool tls = !options.tls_cert.empty();
    if (options.http_no_token && !is_loopback(place.host))
        throw UsageError("--http-no-token is for loopback only: whoever reaches " + place.host +
                         " could run code here");
    if (!tls && !is_loopback(place.host) && !options.settings.allow_plain_http)
        throw UsageError(place.host +
                         " is not loopback, and without TLS the token and the code would travel in the "
                         "clear: give --tls-cert FILE and --tls-key FILE, or serve on 127.0.0.1 "
                         "behind a proxy or an ssh tunnel; --allow-plain-http takes it as it is");
    if (!tls && !is_loopback(place.host))
        tell(Shown::line(place.host) +
             " is not loopback, and without --tls-cert the token and the code travel in the clear");
    asio::io_context loop(1); // first, so that it is destroyed last
    const auto environment = own_environment();
    config::Settings settings = options.settings;
    if (settings.container_user.empty())
        settings.container_user = "auto"; // clients must not share one's pools
    App app(loop, settings, environment);
    app.log_configuration();
    app.log_policy();
    bridge::Service service(app.parts(), app.service_options());
    mcp::HttpServer::Options made = server_options(options, place);
    HttpToken token;
    if (!options.http_no_token) token = http_token(state_folder(options.settings, environment));
    made.front.gate.token = token.text;
    made.front.workers = app.workers();
    mcp::HttpServer server(loop.get_executor(), service, std::move(made));
    const auto stop = [&](const char* why) {
        log_info("stopping: " + Shown::line(why));
        server.stop();
        app.stop_code();
    };
    StopWatch watch(loop, stop, false); // before anybody can know that we are here
    announce(place, server.listen(), tls, token);
    return run_to_end(loop, serve_until_stopped(&app, &server), &watch);
}

} // namespace cli
