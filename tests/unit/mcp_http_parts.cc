#include <doctest/doctest.h>

#include "src/mcp/http/gate.h"
#include "src/mcp/http/parser.h"
#include "src/mcp/http/route.h"
#include "src/mcp/rate_limit.h"

using namespace mcp;
using namespace std::chrono_literals;

namespace {

HttpMessage post() {
    HttpMessage message;
    message.method = "POST";
    message.target = "/mcp";
    message.headers = {{"host", "127.0.0.1:80"},
                       {"content-type", "application/json"},
                       {"accept", "application/json, text/event-stream"}};
    return message;
}

void set(HttpMessage& message, const std::string& name, const std::string& value) {
    std::erase_if(message.headers, [&](const auto& each) { return each.first == name; });
    if (!value.empty()) message.headers.emplace_back(name, value);
}

// The status that the gate refuses with, or 0.
int refusal(const HttpMessage& message, HttpGate::Options options = {}) {
    try {
        HttpGate(std::move(options)).check(message);
        return 0;
    } catch (const HttpRefused& refused) {
        return refused.reply().status;
    }
}

int with_header(const std::string& name, const std::string& value, HttpGate::Options options = {}) {
    HttpMessage message = post();
    set(message, name, value);
    return refusal(message, std::move(options));
}

// "kind session" of a route, or "status code" of a refusal.
std::string routed(const HttpMessage& message) {
    try {
        const HttpRoute route = route_post(message);
        return std::to_string(static_cast<int>(route.kind)) + ' ' + route.session_id;
    } catch (const HttpRefused& refused) {
        const std::string& body = refused.reply().body;
        return std::to_string(refused.reply().status) + ' ' + body.substr(body.find("\"code\":") + 7, 6);
    }
}

std::string routed(const std::string& body,
                   const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    HttpMessage message = post();
    message.body = body;
    for (const auto& [name, value] : headers) set(message, name, value);
    return routed(message);
}

const std::string meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
std::string modern_call(const std::string& name = "echo") {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + name + R"(",)" + meta +
           "}}";
}
using Headers = std::vector<std::pair<std::string, std::string>>;
Headers modern_headers(const std::string& name = "echo") {
    return {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", name}};
}

} // namespace

TEST_CASE("gate: a Host is a loopback name, an address or one that was allowed; anything else may be a "
          "rebound name") {
    for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080", "[::1]:80",
                             "192.168.1.5:80", "[fe80::1]"})
        CHECK(with_header("host", host) == 0);
    for (const char* host : {"evil.example",
                             "localhost.evil.example:80",
                             "127.0.0.1.evil.example",
                             "localhost@evil",
                             "a:b:c",
                             "[::1",
                             "[]:1",
                             "localhost:1@evil.example",
                             "127.0.0.1:80@evil.example:80",
                             "[::1]:1@evil.example",
                             "evil.example@localhost",
                             "localhost:x",
                             "localhost:123456",
                             "localhost.",
                             "127.0.0.1.",
                             "localhost/evil.example",
                             "localhost\\@evil.example",
                             "localhost#@evil.example",
                             "localhost?evil.example",
                             "local%68ost",
                             "[localhost]",
                             "[127.0.0.1]",
                             "[::1]x",
                             "[::1]:1:2",
                             "::1",
                             "::1:80",
                             "localhost,evil.example",
                             "localhost evil.example",
                             ":80",
                             "lоcalhost"})
        CHECK(with_header("host", host) == 403);
    CHECK(with_header("host", "") == 400);
    HttpGate::Options options;
    options.hosts = {"box.example"};
    CHECK(with_header("host", "box.example:443", options) == 0);
    HttpMessage twice = post();
    twice.headers.emplace_back("host", "evil.example");
    CHECK(refusal(twice) == 400);
}

TEST_CASE("gate: an Origin, where there is one, is a loopback name or one that was allowed") {
    for (const char* origin :
         {"http://localhost", "https://localhost:5173", "http://127.0.0.1:1", "http://[::1]:80"})
        CHECK(with_header("origin", origin) == 0);
    CHECK(with_header("origin", "http://LOCALHOST:8080") == 0);
    for (const char* origin :
         {"http://localhost:1@evil.example", "http://127.0.0.1:80@evil.example",
          "http://[::1]:1@evil.example", "http://localhost@evil.example", "http://localhost.",
          "http://localhost:1/path", "http://localhost\\@evil.example", "http://localhost:1#",
          "http://localhost http://evil.example", "http://", "http://:80"})
        CHECK(with_header("origin", origin) == 403);
    for (const char* origin : {"null", "http://evil.example", "http://localhost.evil.example", "file://",
                               "http://192.168.1.5", "localhost", "chrome-extension://localhost"})
        CHECK(with_header("origin", origin) == 403);
    HttpGate::Options options;
    options.origins = {"https://app.example"};
    CHECK(with_header("origin", "https://app.example", options) == 0);
    CHECK(with_header("origin", "https://app.example.evil", options) == 403);
}

TEST_CASE("gate: the token is asked for before anything is told, and must be the whole of it") {
    HttpGate::Options options;
    options.token = "s3cret";
    CHECK(with_header("authorization", "Bearer s3cret", options) == 0);
    CHECK(with_header("authorization", "bearer  s3cret ", options) == 0);
    for (const char* value : {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Bearer S3CRET",
                              "Basic s3cret", "s3cret"})
        CHECK(with_header("authorization", value, options) == 401);
    HttpMessage other = post();
    other.target = "/secret-path";
    CHECK(refusal(other, options) == 401);
    CHECK(refusal(other) == 404);
}

TEST_CASE("gate: only POST and DELETE, only JSON, only clients that take one of our kinds of answer") {
    HttpMessage message = post();
    for (const char* method : {"GET", "PUT", "OPTIONS", "HEAD"}) {
        message.method = method;
        CHECK(refusal(message) == 405);
    }
    message.method = "DELETE";
    CHECK(refusal(message) == 0);
    for (const char* type : {"application/json", "Application/JSON; charset=utf-8"})
        CHECK(with_header("content-type", type) == 0);
    for (const char* type : {"", "text/plain", "application/jsonx", "application/x-www-form-urlencoded"})
        CHECK(with_header("content-type", type) == 415);
    for (const char* accept :
         {"", "*/*", "application/json", "text/event-stream", "application/*,text/event-stream"})
        CHECK(with_header("accept", accept) == 0);
    for (const char* accept : {"text/html", "application/json;q=0", "image/*, text/plain",
                               "text/event-stream;q=0, application/json;q=0.0, */*"})
        CHECK(with_header("accept", accept) == 406);
    CHECK(with_header("transfer-encoding", "Chunked") == 0);
    for (const char* coding : {"gzip, chunked", "chunked, chunked", "identity"})
        CHECK(with_header("transfer-encoding", coding) == 501);
    CHECK(with_header("content-encoding", "identity") == 0);
    for (const char* coding : {"gzip", "br", "identity, gzip"})
        CHECK(with_header("content-encoding", coding) == 415);
}

TEST_CASE("gate: who names no stream gets JSON alone") {
    const auto answer = [](const std::string& accept) {
        HttpMessage message = post();
        set(message, "accept", accept);
        return answer_for(message);
    };
    for (const char* accept : {"", "*/*", "application/json", "Application/JSON; charset=utf-8",
                               "application/*", "application/json, text/plain, */*",
                               "application/json, text/event-stream;q=0", "text/event-stream;q=0, */*"}) {
        CAPTURE(accept);
        CHECK(answer(accept) == HttpAnswer::json);
    }
    for (const char* accept : {"application/json, text/event-stream", "text/event-stream, */*",
                               "text/event-stream;q=0.5 , application/json", "application/*,text/*"}) {
        CAPTURE(accept);
        CHECK(answer(accept) == HttpAnswer::either);
    }
    for (const char* accept : {"text/event-stream", "text/*", "text/event-stream, application/json;q=0",
                               "*/*, application/json;q=0"}) {
        CAPTURE(accept);
        CHECK(answer(accept) == HttpAnswer::stream);
    }
    CHECK(answer("text/html") == HttpAnswer::none);
    HttpMessage two = post(); // as two headers
    set(two, "accept", "application/json");
    two.headers.emplace_back("accept", "text/event-stream");
    CHECK(answer_for(two) == HttpAnswer::either);
}

TEST_CASE(
    "gate: a slash at the path's end, and a target in absolute form, whose host must be known as well") {
    const auto of = [](const std::string& target, const std::string& host = "localhost") {
        HttpMessage message = post();
        message.target = target;
        set(message, "host", host);
        return refusal(message);
    };
    for (const char* target :
         {"/mcp", "/mcp/", "/mcp?a", "/mcp/?a=/", "http://localhost/mcp", "HTTP://127.0.0.1:80/mcp/",
          "https://[::1]:8080/mcp?x", "http://LOCALHOST:1/mcp"}) {
        CAPTURE(target);
        CHECK(of(target) == 0);
    }
    for (const char* target :
         {"/", "//", "/mcp//", "/mcp/x", "/mcpx", "http://localhost", "http://localhost?/mcp",
          "http://localhost/", "*", "localhost:80", "", "ftp://localhost/mcp"}) {
        CAPTURE(target);
        CHECK(of(target) == 404);
    }
    for (const char* target :
         {"http://evil.example/mcp", "http://localhost.evil.example:80/mcp", "http:///mcp",
          "http://localhost@evil.example/mcp", "http://user@localhost/mcp",
          "http://evil.example?http://localhost/mcp", "http://[::1/mcp"}) {
        CAPTURE(target);
        CHECK(of(target) == 403);
    }
    CHECK(of("http://localhost/mcp", "evil.example") == 403); // both, whichever a server ought to look at
    CHECK(of("http://localhost/mcp", "") == 400);
}

TEST_CASE("route: a modern request is one that says so, and its headers must say the same as its body") {
    CHECK(routed(modern_call(), modern_headers()) == "0 ");
    CHECK(routed(modern_call(" caf\xC3\xA9 "), modern_headers("=?base64?IGNhZsOpIA==?=")) == "0 ");
    CHECK(routed(modern_call("=?base64?x?="), modern_headers("=?base64?PT9iYXNlNjQ/eD89?=")) == "0 ");
    CHECK(routed(modern_call("=?BASE64?eA==?="), modern_headers("=?BASE64?eA==?=")) ==
          "0 "); // the marker is in lower case only
    for (const char* name : {"other", "Echo", "=?base64?ZWNobw?=", "=?base64?!!!!?=", "caf\xC3\xA9"})
        CHECK(routed(modern_call(), modern_headers(name)) == "400 -32020");
    for (const char* missing : {"mcp-protocol-version", "mcp-method", "mcp-name"}) {
        Headers headers = modern_headers();
        for (auto& [name, value] : headers)
            if (name == missing) value.clear();
        CHECK(routed(modern_call(), headers) == "400 -32020");
    }
    Headers headers = modern_headers();
    headers[1].second = "TOOLS/CALL";
    CHECK(routed(modern_call(), headers) == "400 -32020");
    headers = modern_headers();
    headers[0].second = "2025-11-25";
    CHECK(routed(modern_call(), headers) == "400 -32020");
}

TEST_CASE("route: a version that we do not speak is 400 with what we do speak") {
    const std::string body =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}})";
    CHECK(routed(body, {{"mcp-protocol-version", "2099-01-01"}, {"mcp-method", "tools/list"}}) ==
          "400 -32022");
    CHECK(routed(R"({"jsonrpc":"2.0","id":1,"method":"ping"})",
                 {{"mcp-protocol-version", "2099-01-01"}, {"mcp-session-id", "s"}}) == "400 -32022");
}

TEST_CASE("route: legacy messages belong to a session, but for the one that opens it") {
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    const std::string told = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
    CHECK(routed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") == "1 ");
    CHECK(routed(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":null})", {{"mcp-session-id", "s"}}) ==
          "2 s");
    CHECK(routed(R"({"jsonrpc":"2.0","method":"notifications/x","params":null})",
                 {{"mcp-session-id", "s"}}) == "3 s");
    CHECK(routed(R"({"jsonrpc":"2.0","id":null,"method":"notifications/x"})", {{"mcp-session-id", "s"}}) ==
          "3 s");
    CHECK(routed(ping, {{"mcp-session-id", "s"}}) == "2 s");
    CHECK(routed(ping, {{"mcp-session-id", "s"}, {"mcp-protocol-version", "2025-06-18"}}) == "2 s");
    CHECK(routed(ping) == "400 -32600");
    CHECK(routed(told, {{"mcp-session-id", "s"}}) == "3 s");
    CHECK(routed(R"({"jsonrpc":"2.0","id":1,"result":{}})", {{"mcp-session-id", "s"}}) == "3 s");
    CHECK(routed("[" + told + "," + ping + "]", {{"mcp-session-id", "s"}}) == "2 s");
    CHECK(routed("[" + told + "]", {{"mcp-session-id", "s"}}) == "3 s");
    CHECK(routed("[" + ping + "]", {{"mcp-protocol-version", "2026-07-28"}}) == "400 -32600");
    CHECK(routed(told, {{"mcp-protocol-version", "2026-07-28"}}) == "4 ");
    CHECK(routed(R"({"jsonrpc":"2.0","id":1,"result":{}})", {{"mcp-protocol-version", "2026-07-28"}}) ==
          "400 -32600");
}

TEST_CASE("route: what is no message is 400") {
    for (const char* body : {"", "{", "nonsense", "[{]"})
        CHECK(routed(body, {{"mcp-session-id", "s"}}) == "400 -32700");
    for (const char* body : {"7", "{}", R"({"jsonrpc":"1.0","id":1,"method":"ping"})"})
        CHECK(routed(body, {{"mcp-session-id", "s"}}) == "400 -32600");
}

TEST_CASE("parser: a byte order mark is no part of the body") {
    HttpParser parser(1024, 1024);
    std::string wire = "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n\xEF\xBB\xBF{}";
    parser.feed(wire);
    REQUIRE(parser.done());
    CHECK(parser.take().body == "{}");
}

TEST_CASE("parser: the same request in any split is the same request, and what follows it is left") {
    const std::string wire =
        "POST /mcp?x HTTP/1.1\r\nHost: a\r\nX-Y:  v \r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n\r\n";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        HttpParser parser(1024, 1024);
        std::string inbox;
        for (std::size_t i = 0; i < wire.size(); i += step) {
            inbox += wire.substr(i, step);
            if (!parser.done()) inbox.erase(0, parser.feed(inbox));
        }
        REQUIRE(parser.done());
        const HttpMessage message = parser.take();
        CHECK(message.method == "POST");
        CHECK(message.target == "/mcp?x");
        CHECK(message.header("x-y") == "v");
        CHECK(message.body == "hello");
        CHECK(message.keep_alive);
        CHECK(inbox == "GET / HTTP/1.1\r\n\r\n");
    }
}

TEST_CASE("parser: chunks are joined; head and body are bounded; two lengths are no request") {
    HttpParser chunked(1024, 1024);
    chunked.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    REQUIRE(chunked.done());
    CHECK(chunked.take().body == "abcde");

    for (const char* end : {"0\r\n\r\n", "0\r\nA: b\r\n\r\n"}) { // byte for byte, the last chunk's as well
        const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        HttpParser slow(1024, 1024);
        std::string inbox;
        for (const char byte : head + "1\r\na\r\n4\r\nbcde\r\n" + end) {
            CHECK(!slow.done());
            inbox += byte;
            inbox.erase(0, slow.feed(inbox));
        }
        REQUIRE(slow.done());
        CHECK(slow.take().body == "abcde");
        CHECK(inbox.empty());
    }
    const auto refused = [](const std::string& wire) {
        try {
            HttpParser(256, 10).feed(wire);
            return 0;
        } catch (const HttpRefused& e) {
            return e.reply().status;
        }
    };
    CHECK(refused("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789") == 0);
    CHECK(refused("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n") == 413);
    CHECK(refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n") ==
          413);
    CHECK(refused("POST / HTTP/1.1\r\nX: " + std::string(300, 'x') + "\r\n\r\n") == 431);
    CHECK(refused("POST / HTTP/1.1\r\nX: " + std::string(300, 'x')) == 431);
    CHECK(refused("nonsense\r\n\r\n") == 400);
    CHECK(refused("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") == 400);
    CHECK(refused("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") ==
          400);
}

TEST_CASE("rate: a burst, then so many a second") {
    RateLimit limit(10, 3);
    auto now = RateLimit::Clock::time_point() + 1h;
    for (int i = 0; i < 3; ++i) CHECK(limit.take(now));
    CHECK_FALSE(limit.take(now));
    CHECK(limit.take(now + 150ms));
    CHECK_FALSE(limit.take(now + 150ms));
    for (int i = 0; i < 3; ++i) CHECK(limit.take(now + 1h));
    CHECK_FALSE(limit.take(now + 1h));
}

TEST_CASE("parser: a head has the same bound wherever it is cut") {
    const auto takes = [](const std::string& request, std::size_t step) {
        HttpParser parser(100, 100);
        std::string inbox;
        try {
            for (std::size_t at = 0; at < request.size(); at += step) {
                inbox += request.substr(at, step);
                inbox.erase(0, parser.feed(inbox));
            }
        } catch (const HttpRefused& refused) {
            CHECK(refused.reply().status == 431);
            return false;
        }
        return parser.done();
    };
    const std::string frame = "POST / HTTP/1.1\r\nContent-Length: 90\r\nA: \r\n\r\n", body(90, 'b');
    for (const std::size_t head : {99, 100, 101, 102, 150, 199, 200, 300}) {
        std::string request = frame;
        request.insert(request.size() - 4, std::string(head - frame.size(), 'a'));
        for (const std::size_t step : {1, 7, 64, 1000}) {
            CAPTURE(head);
            CAPTURE(step);
            CHECK(takes(request + body, step) == (head <= 100));
        }
    }
}

TEST_CASE("replies: length, close, chunks and events as HTTP wants them") {
    CHECK(reply_bytes({202}, true) == "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    CHECK(reply_bytes({204}, false) == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    CHECK(stream_head({{"A", "b"}}, true) == "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n");
    CHECK(chunk(std::string(26, 'x')) == "1a\r\n" + std::string(26, 'x') + "\r\n");
    CHECK(event_text("{}") == "event: message\ndata: {}\n\n");
}
