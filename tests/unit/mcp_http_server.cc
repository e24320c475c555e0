#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "src/mcp/http/server.h"
#include "tests/unit/mcp_talk.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;
using namespace mcp;
using namespace std::chrono_literals;
using asio::ip::tcp;

namespace {

/// A server on loopback and clients of it, all on one loop.
struct Site {
    explicit Site(HttpServer::Options options = {}) : service(loop) {
        server.emplace(loop.get_executor(), service, std::move(options));
        port = server->listen();
        asio::co_spawn(loop, server->run(), [this](std::exception_ptr failure) {
            CHECK_FALSE(failure);
            over = true;
        });
    }
    ~Site() {
        server->stop();
        run_until([this] { return over; });
        CHECK(over);
    }

    template <class Done> void run_until(Done done) {
        loop.restart();
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!done() && std::chrono::steady_clock::now() < end && loop.run_one_until(end) > 0) {
        }
    }

    tcp::socket connect() {
        tcp::socket socket(loop);
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
        return socket;
    }

    /// Sends, then reads to the end of the connection.
    std::string exchange(tcp::socket& socket, std::string bytes) {
        const auto work = [](tcp::socket* way, std::string text) -> asio::awaitable<std::string> {
            std::string all;
            boost::system::error_code ignored;
            const auto out = asio::buffer(text);
            co_await asio::async_write(*way, out, asio::redirect_error(asio::use_awaitable, ignored));
            auto in = asio::dynamic_buffer(all);
            co_await asio::async_read(*way, in, asio::redirect_error(asio::use_awaitable, ignored));
            co_return all;
        };
        return run(loop, work(&socket, std::move(bytes)));
    }
    std::string exchange(std::string bytes) {
        tcp::socket socket = connect();
        return exchange(socket, std::move(bytes));
    }

    asio::io_context loop;
    talk::FakeService service;
    std::optional<HttpServer> server;
    std::uint16_t port = 0;
    bool over = false;
};

std::string request(const std::string& method, const std::string& params, const std::string& more = {}) {
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                             (params.empty() ? "" : ",") + talk::modern_meta() + "}}";
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
           "application/json, text/event-stream\r\n"
           "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
           method + "\r\n" + more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("connection: several requests one after another, also sent at once, until the client says that it "
          "is the last") {
    Site site;
    const std::string all = site.exchange(request("tools/list", "") + request("server/discover", "") +
                                          request("tools/list", "", "Connection: close\r\n"));
    CHECK(count(all, "HTTP/1.1 200 OK\r\n") == 3);
    CHECK(count(all, "Connection: close\r\n") == 1);
    CHECK(count(all, "\"supportedVersions\"") == 1);
}

TEST_CASE("connection: a client that waits to be told to go on is told") {
    Site site;
    const std::string all =
        site.exchange(request("tools/list", "", "Expect: 100-continue\r\nConnection: close\r\n").substr(0));
    CHECK(count(all, "HTTP/1.1 200 OK\r\n") == 1);
    const std::string text = request("tools/list", "", "Expect: 100-continue\r\nConnection: close\r\n");
    const auto body = text.find("\r\n\r\n") + 4;
    const auto work = [](tcp::socket socket, std::string head,
                         std::string rest) -> asio::awaitable<std::string> {
        std::string told(25, ' '), rest_of_it;
        const auto head_out = asio::buffer(head), rest_out = asio::buffer(rest);
        const auto told_in = asio::buffer(told);
        co_await asio::async_write(socket, head_out, asio::use_awaitable);
        co_await asio::async_read(socket, told_in, asio::use_awaitable);
        co_await asio::async_write(socket, rest_out, asio::use_awaitable);
        boost::system::error_code ignored;
        auto in = asio::dynamic_buffer(rest_of_it);
        co_await asio::async_read(socket, in, asio::redirect_error(asio::use_awaitable, ignored));
        co_return told + rest_of_it;
    };
    const std::string both = run(site.loop, work(site.connect(), text.substr(0, body), text.substr(body)));
    CHECK(both.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST_CASE("connection: what is refused on its head is told so, and its body is not waited for") {
    HttpServer::Options options;
    options.front.gate.token = "t";
    Site site(std::move(options));
    const std::string head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n";
    CHECK(site.exchange(head + "\r\n").starts_with("HTTP/1.1 401 "));
    CHECK(site.exchange("POST /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 403 "));
    CHECK(site.exchange("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n")
              .starts_with("HTTP/1.1 405 "));
    CHECK(site.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    CHECK(site.exchange("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n")
              .starts_with("HTTP/1.1 431 "));
    CHECK(site.exchange("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777217\r\n\r\n")
              .starts_with("HTTP/1.1 413 "));
}

TEST_CASE("connection: a line between two chunks that never ends is refused, not waited for") {
    Site site;
    const std::string whole = request("tools/list", "");
    std::string text = whole.substr(0, whole.find("Content-Length")) + "Transfer-Encoding: chunked\r\n\r\n";
    CHECK(
        site.exchange(text + "5;x=" + std::string(200'000, 'y')).starts_with("HTTP/1.1 400 Bad Request\r\n"));
    CHECK(site.exchange(text + "0\r\nX: " + std::string(200'000, 'y'))
              .starts_with("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_CASE("connection: a request that does not come to its end in time is given up") {
    HttpServer::Options options;
    options.limits.head = 30ms;
    options.limits.body = 30ms;
    options.limits.idle = 30ms;
    Site site(std::move(options));
    CHECK(site.exchange("POST /mcp HT").starts_with("HTTP/1.1 408 "));
    const std::string whole = request("tools/list", "");
    CHECK(site.exchange(whole.substr(0, whole.size() - 1)).starts_with("HTTP/1.1 408 "));
    CHECK(site.exchange("").empty());
}

TEST_CASE("connection: closing it cancels what a modern client asked for") {
    Site site;
    tcp::socket socket = site.connect();
    asio::write(socket, asio::buffer(request("tools/call", R"("name":"wait")", "Mcp-Name: wait\r\n")));
    site.run_until([&] { return !site.service.calls.empty(); });
    socket.close();
    site.run_until([&] { return site.service.cancelled == 1; });
    CHECK(site.service.cancelled == 1);
}

TEST_CASE("connection: a client that asks and does not read is cut off") {
    HttpServer::Options options;
    options.limits.reader = 50ms;
    options.limits.slowest_reader = 1 << 30;
    options.front.most_line_bytes = 64 << 20; // more than the kernel holds for it
    Site site(std::move(options));
    site.service.big_bytes = 30 << 20;
    tcp::socket socket = site.connect();
    asio::write(socket, asio::buffer(request("tools/call", R"("name":"big")", "Mcp-Name: big\r\n")));
    boost::system::error_code error;
    site.run_until([&] { return socket.available(error) > 0; });
    bool late = false;
    asio::steady_timer timer(site.loop, 500ms); // long after its time is over
    timer.async_wait([&](boost::system::error_code) { late = true; });
    site.run_until([&] { return late; });
    std::string all;
    asio::read(socket, asio::dynamic_buffer(all), error);
    CHECK(all.size() < site.service.big_bytes);
}

TEST_CASE("server: more connections than are allowed are closed at once, and clients' go on") {
    HttpServer::Options options;
    options.most_connections = 1;
    Site site(std::move(options));
    tcp::socket first = site.connect();
    asio::write(first, asio::buffer(request("tools/list", "")));
    site.run_until([&] {
        boost::system::error_code error;
        return first.available(error) > 0;
    });
    CHECK(site.exchange(request("tools/list", "")).empty());
    const std::string answers = site.exchange(first, request("tools/list", "", "Connection: close\r\n"));
    CHECK(count(answers, "HTTP/1.1 200 OK") == 2);
}

TEST_CASE(
    "server: the client with most connections loses the one that was idle longest, a client with one none") {
    HttpServer::Options options;
    options.most_connections = 8;
    Site site(std::move(options));
    const auto answered = [&](tcp::socket& socket, const std::string& text) {
        asio::write(socket, asio::buffer(text));
        boost::system::error_code error;
        site.run_until([&] { return socket.available(error) > 0; });
        std::string answer(socket.available(error), ' ');
        asio::read(socket, asio::buffer(answer), error);
        return answer;
    };
    const auto legacy = [](const std::string& body, const std::string& session) {
        return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
               "application/json\r\n" +
               (session.empty() ? "" : "Mcp-Session-Id: " + session + "\r\n") +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    const auto open_session = [&](tcp::socket& socket) {
        const std::string answer = answered(
            socket,
            legacy(
                R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                R"("capabilities":{},"clientInfo":{"name":"x","version":"1"}}})",
                ""));
        const auto at = answer.find("Mcp-Session-Id: ");
        REQUIRE(at != answer.npos);
        return answer.substr(at + 16, 32);
    };
    tcp::socket innocent = site.connect();
    const std::string mine = open_session(innocent);
    CHECK(answered(innocent, legacy(ping, mine)).starts_with("HTTP/1.1 200"));
    std::vector<tcp::socket> greedy;
    greedy.push_back(site.connect());
    const std::string theirs = open_session(greedy.front());
    CHECK(answered(greedy.front(), legacy(ping, theirs)).starts_with("HTTP/1.1 200"));
    for (int i = 0; i < 10; ++i) { // beyond what is allowed
        greedy.push_back(site.connect());
        CHECK(answered(greedy.back(), legacy(ping, theirs)).starts_with("HTTP/1.1 200"));
    }
    char byte = 0;
    boost::system::error_code error;
    CHECK(greedy[0].read_some(asio::buffer(&byte, 1), error) == 0);
    CHECK(answered(innocent, legacy(ping, mine)).starts_with("HTTP/1.1 200"));
    CHECK(answered(greedy.back(), legacy(ping, theirs)).starts_with("HTTP/1.1 200"));
    tcp::socket just_come = site.connect();
    site.loop.restart();
    site.loop.poll();
    tcp::socket further = site.connect(); // not in the place of the one that has only just come
    CHECK(answered(further, legacy(ping, theirs)).starts_with("HTTP/1.1 200"));
    CHECK(answered(just_come, legacy(ping, mine)).starts_with("HTTP/1.1 200"));
}

TEST_CASE("server: connections that say nothing, or nothing that is let in, keep no client out") {
    HttpServer::Options options;
    options.most_connections = 2;
    options.front.gate.token = "secret";
    Site site(std::move(options));
    tcp::socket mute = site.connect();
    tcp::socket stranger = site.connect();
    asio::write(stranger, asio::buffer(std::string("POST /mcp HTTP/1.1\r\n")));
    site.loop.restart();
    site.loop.poll();
    for (int i = 0; i < 3; ++i) {
        const std::string answer =
            site.exchange(request("tools/list", "", "Authorization: Bearer secret\r\nConnection: close\r\n"));
        CHECK(answer.starts_with("HTTP/1.1 200 OK"));
    }
    char byte = 0;
    boost::system::error_code error;
    CHECK(mute.read_some(asio::buffer(&byte, 1), error) == 0); // it was the oldest, and had to go
}

TEST_CASE("server: stop ends subscriptions with their answer and calls without one") {
    Site site;
    tcp::socket listener = site.connect(), caller = site.connect();
    asio::write(listener, asio::buffer(request("subscriptions/listen", R"("notifications":{})")));
    asio::write(caller, asio::buffer(request("tools/call", R"("name":"wait")", "Mcp-Name: wait\r\n")));
    boost::system::error_code error;
    site.run_until([&] { return listener.available(error) > 0 && !site.service.calls.empty(); });
    site.server->stop();
    site.run_until([&] { return site.over; });
    CHECK(site.over);
    CHECK(site.service.cancelled == 1);
    std::string heard, answered;
    asio::read(listener, asio::dynamic_buffer(heard), error);
    asio::read(caller, asio::dynamic_buffer(answered), error);
    CHECK(count(heard, "\"subscriptionId\":1") + count(heard, "subscriptionId\":1") >= 2);
    CHECK(heard.find("\"resultType\":\"complete\"") != std::string::npos);
    CHECK(answered.find("\"result\"") == std::string::npos);
}

TEST_CASE("server: a port that is taken, and files that are no certificate, are said by name") {
    Site site;
    talk::FakeService service(site.loop);
    HttpServer::Options options;
    options.port = site.port;
    CHECK_THROWS_WITH_AS(
        HttpServer(site.loop.get_executor(), service, options).listen(),
        ("listen on 127.0.0.1 port " + std::to_string(site.port) + ": Address already in use").c_str(),
        std::runtime_error);
    options.certificate_file = "/nonexistent/cert.pem";
    CHECK_THROWS_AS(HttpServer(site.loop.get_executor(), service, options).listen(), std::runtime_error);
}
