#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "fake_server.h"
#include "run.h"
#include "runtime_api/curl_http.h"
#include "runtime_api/engine.h"
#include "runtime_api/error.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime_api::CurlHttp;
using runtime_api::Errc;
using runtime_api::Error;
using runtime_api::HttpRequest;
using runtime_api::HttpResponse;

namespace {

struct Fixture {
    asio::io_context loop{1};
    FakeServer server;
    CurlHttp http;

    explicit Fixture(FakeServer::Plan plan)
        : server(loop, std::move(plan)), http(loop.get_executor(), server.endpoint(), 5s) {}

    HttpResponse send(HttpRequest request) { return run(loop, http.send(std::move(request))); }

    Errc failure(HttpRequest request) {
        try {
            send(std::move(request));
        } catch (const Error& e) {
            words = e.what();
            return e.code();
        }
        FAIL("no error");
        return Errc::cancelled;
    }

    std::string words;
};

FakeServer::Plan answering(std::vector<std::string> pieces, bool hold = false) {
    FakeServer::Plan plan;
    plan.pieces = std::move(pieces);
    plan.hold = hold;
    return plan;
}

HttpRequest get(const std::string& target = "/x") {
    HttpRequest request;
    request.target = target;
    return request;
}

HttpRequest post(const std::string& target = "/x") {
    HttpRequest request = get(target);
    request.method = "POST";
    return request;
}

std::string ok(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Lets the loop run until holds() or for a while.
template <class Holds> bool eventually(asio::io_context& loop, Holds holds) {
    loop.restart();
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!holds() && std::chrono::steady_clock::now() < end) loop.run_one_for(100ms);
    return holds();
}

} // namespace

TEST_CASE("CurlHttp: one request, one answer, whatever its status") {
    Fixture f(answering({"HTTP/1.1 302 Found\r\nLocation: http://localhost/else\r\nX-Thing:  a:b "
                         "\r\nContent-Length: 3\r\n\r\nabc"}));
    const HttpResponse answer = f.send(get("/a%2Fb?c=1"));
    CHECK(answer.status == 302); // not followed
    CHECK(answer.body == "abc");
    CHECK(answer.headers.at("x-thing") == "a:b");
    REQUIRE(f.server.seen().requests.size() == 1);
    const std::string& request = f.server.seen().requests[0];
    CHECK(request.starts_with("GET /a%2Fb?c=1 HTTP/1.1\r\nHost: localhost\r\n"));
}

TEST_CASE("CurlHttp: a body is sent as JSON, at once however large") {
    Fixture f(answering({}, true));
    HttpRequest request;
    request.method = "POST";
    request.target = "/create";
    request.body = std::string(3 << 20, 'x');
    request.headers = {"X-Registry-Auth: abc"};
    request.limit = 0ms;
    request.silence = 500ms;
    CHECK(f.failure(request) == Errc::timed_out); // it never answers
    const std::string& head = f.server.seen().requests.at(0);
    CHECK(head.find("Content-Type: application/json\r\n") != std::string::npos);
    CHECK(head.find("X-Registry-Auth: abc\r\n") != std::string::npos);
    CHECK(head.find("Content-Length: 3145728\r\n") != std::string::npos);
    CHECK(head.find("Expect:") == std::string::npos);
    const std::size_t early = head.size() - head.find("\r\n\r\n") - 4;
    CHECK(eventually(f.loop, [&] { return early + f.server.seen().after.size() == request.body.size(); }));
}

TEST_CASE("CurlHttp: a proxy in the environment is not for the engine") {
    asio::io_context loop(1);
    FakeServer server(loop, answering({ok("x")}));
    ::setenv("http_proxy", "http://127.0.0.1:9", 1);
    ::setenv("ALL_PROXY", "http://127.0.0.1:9", 1);
    CurlHttp http(loop.get_executor(), server.endpoint(), 5s);
    CHECK(run(loop, http.send(get())).body == "x");
    ::unsetenv("http_proxy");
    ::unsetenv("ALL_PROXY");
}

TEST_CASE("CurlHttp: nobody there is said with the system's reason") {
    asio::io_context loop(1);
    runtime_api::Endpoint endpoint;
    endpoint.path = "/nonexistent/cordon.sock";
    CurlHttp http(loop.get_executor(), endpoint, 5s);
    for (int way = 0; way < 2; ++way) {
        try {
            if (way == 0) run(loop, http.send(get()));
            if (way == 1) run(loop, http.upgrade(get()));
            FAIL("no error");
        } catch (const Error& e) {
            CHECK(e.code() == Errc::unavailable);
            CHECK(std::string(e.what()) ==
                  "connect to unix:///nonexistent/cordon.sock: No such file or directory");
        }
    }
}

TEST_CASE("CurlHttp: what is not HTTP is a protocol error") {
    for (const char* garbage : {"SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\x02", "HTTP/9.9 what\r\n\r\n"}) {
        CAPTURE(garbage);
        Fixture f(answering({garbage}));
        CHECK(f.failure(get()) == Errc::protocol);
    }
}

TEST_CASE("CurlHttp: a connection that breaks is unavailable, at whichever point") {
    for (const char* cut : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
        CAPTURE(cut);
        Fixture f(answering({cut}));
        CHECK(f.failure(get()) == Errc::unavailable);
    }
}

TEST_CASE("CurlHttp: the head of an answer has a bound") {
    const std::string start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
    const auto head_of = [&](std::size_t size) {
        std::string head = start;
        while (head.size() + 1000 < size - 2) head += "X: " + std::string(995, 'x') + "\r\n";
        return head + "Y: " + std::string(size - head.size() - 7, 'y') + "\r\n\r\n";
    };
    REQUIRE(head_of(runtime_api::max_head_bytes).size() == runtime_api::max_head_bytes);
    Fixture fits(answering({head_of(runtime_api::max_head_bytes)}));
    CHECK(fits.send(get()).status == 200);
    Fixture over(answering({head_of(runtime_api::max_head_bytes + 1)}));
    CHECK(over.failure(get()) == Errc::too_large);
    Fixture endless(answering(std::vector<std::string>(2000, "X: " + std::string(995, 'x') + "\r\n"), true));
    CHECK(endless.failure(get()) != Errc::timed_out);
}

TEST_CASE("CurlHttp: the body of an answer has a bound") {
    HttpRequest request = get();
    request.max_body = 1000;
    Fixture fits(answering({ok(std::string(1000, 'x'))}));
    CHECK(fits.send(request).body.size() == 1000);
    Fixture over(answering({ok(std::string(1001, 'x'))}));
    CHECK(over.failure(request) == Errc::too_large);
    Fixture endless(answering(
        std::vector<std::string>(100, "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x')), true));
    CHECK(endless.failure(request) == Errc::too_large);
    CHECK(HttpRequest().max_body == std::size_t{32} << 20);
}

TEST_CASE("CurlHttp: a limit ends a request that gets no answer") {
    HttpRequest request = get();
    request.limit = 500ms;
    Fixture f(answering({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, true));
    CHECK(f.failure(request) == Errc::timed_out);
    CHECK(f.words.find(f.server.endpoint().url()) != std::string::npos);
    CHECK(eventually(f.loop, [&] { return f.server.seen().closed == 1; }));
}

TEST_CASE("CurlHttp: silence ends a long answer, in whose midst it falls") {
    HttpRequest request = get();
    request.limit = 0ms;
    request.silence = 500ms;
    std::string got;
    request.sink = [&](std::string_view piece) { got += piece; };
    Fixture f(answering({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, true));
    CHECK(f.failure(request) == Errc::timed_out);
    CHECK(f.words.find("silent") != std::string::npos);
    CHECK(got == "abc");
}

TEST_CASE("CurlHttp: a sink gets what succeeded, never an error's body, and may refuse") {
    std::string got;
    HttpRequest request = get();
    request.sink = [&](std::string_view piece) { got += piece; };
    Fixture good(answering({ok("abc")}));
    CHECK(good.send(request).body.empty());
    CHECK(got == "abc");
    Fixture bad(answering({"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nwhy"}));
    CHECK(bad.send(request).body == "why");
    CHECK(got == "abc");
    request.sink = [](std::string_view) { throw std::logic_error("enough"); };
    Fixture refusing(answering({ok("abc")}));
    CHECK_THROWS_WITH_AS(refusing.send(request), "enough", std::logic_error);
}

TEST_CASE("CurlHttp: cancelling closes the connection and says so") {
    Fixture f(answering({}, true));
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    const auto done = [&](std::exception_ptr e, const HttpResponse&) { failure = e; };
    asio::co_spawn(f.loop, f.http.send(get()), asio::bind_cancellation_slot(signal.slot(), done));
    REQUIRE(eventually(f.loop, [&] { return f.server.seen().requests.size() == 1; }));
    signal.emit(asio::cancellation_type::terminal);
    REQUIRE(eventually(f.loop, [&] { return failure != nullptr; }));
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        CHECK(e.code() == Errc::cancelled);
    }
    CHECK(eventually(f.loop, [&] { return f.server.seen().closed == 1; }));
}

TEST_CASE("CurlHttp: a connection is used again, and after one that was closed there is a new one") {
    FakeServer::Plan plan = answering({ok("x")});
    plan.requests = plan.answers = 3;
    Fixture f(plan);
    for (int i = 0; i < 4; ++i) CHECK(f.send(i % 2 == 0 ? get() : post()).body == "x");
    CHECK(f.server.seen().requests.size() == 4);
    CHECK(f.server.seen().connections == 2);
}

TEST_CASE("CurlHttp: an answer that ended too early leaves no connection to use again") {
    FakeServer::Plan plan = answering({ok("too long")});
    plan.requests = plan.answers = 3;
    Fixture f(plan);
    HttpRequest request = get();
    request.max_body = 2;
    CHECK(f.failure(request) == Errc::too_large);
    CHECK(f.send(get()).body == "too long");
    CHECK(f.server.seen().connections == 2);
}

TEST_CASE("CurlHttp: what changes something is sent once, also where its used connection dies") {
    FakeServer::Plan plan = answering({ok("x")});
    plan.requests = 2; // the second gets no answer, and the connection's end
    Fixture f(plan);
    CHECK(f.send(get("/first")).body == "x");
    CHECK(f.failure(post("/create")) == Errc::unavailable);
    CHECK(f.words.find("before an answer came") != std::string::npos);
    CHECK(f.server.seen().requests.size() == 2);
    CHECK(f.send(get("/third")).body == "x");
    CHECK(f.send(get("/fourth")).body == "x"); // only asks: a second time, on another connection
    CHECK(f.server.seen().requests.size() == 5);
    CHECK(f.server.seen().requests.back().starts_with("GET /fourth "));
}

TEST_CASE("CurlHttp: many requests at once, each on a connection of its own") {
    Fixture f(answering({ok("x")}));
    int good = 0;
    for (int i = 0; i < 64; ++i) {
        asio::co_spawn(f.loop, f.http.send(get()), [&](std::exception_ptr e, const HttpResponse& answer) {
            good += !e && answer.body == "x";
        });
    }
    CHECK(eventually(f.loop, [&] { return good == 64; }));
    CHECK(f.server.seen().requests.size() == 64);
}

TEST_CASE("CurlHttp: a loop that ends with requests under way takes them along") {
    auto loop = std::make_unique<asio::io_context>(1);
    FakeServer server(*loop, answering({}, true));
    auto http = std::make_unique<CurlHttp>(loop->get_executor(), server.endpoint(), 5s);
    asio::co_spawn(*loop, http->send(get()), [](std::exception_ptr, const HttpResponse&) {});
    asio::co_spawn(*loop, http->upgrade(get()), [](std::exception_ptr, const runtime_api::Upgraded&) {});
    CHECK(eventually(*loop, [&] { return server.seen().requests.size() == 2; }));
    http.reset();
    loop.reset(); // under the address sanitizer: nothing is used after it is gone
}

TEST_CASE("CurlHttp: ssh is not its business, and garbage is not an engine") {
    asio::io_context loop(1);
    const runtime_api::Endpoint far = runtime_api::parse_endpoint("ssh://host/s");
    CHECK_THROWS_WITH_AS(CurlHttp(loop.get_executor(), far, 5s), doctest::Contains("forwarded"), Error);
    FakeServer server(loop, answering({"SSH-2.0-x\r\n"}));
    CHECK_THROWS_AS(run(loop, runtime_api::connect_engine(server.endpoint(), {})), Error);
}
