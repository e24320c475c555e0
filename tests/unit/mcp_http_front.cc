#include "src/mcp/http/front.h"
#include "src/mcp/server/subscriptions.h"
#include "tests/unit/mcp_talk.h"

using namespace mcp;
using namespace std::chrono_literals;
using talk::Lines;

namespace {

/// Keeps what is sent, and goes when told.
class FakeOut : public HttpOut {
public:
    boost::asio::awaitable<void> reply(HttpReply reply) override {
        status = reply.status;
        headers = reply.headers;
        sent += reply.body;
        co_return;
    }
    boost::asio::awaitable<void> open_stream(std::vector<std::pair<std::string, std::string>> all) override {
        status = 200;
        headers = std::move(all);
        opened = true;
        co_return;
    }
    boost::asio::awaitable<void> stream(std::string piece) override {
        sent += piece;
        co_return;
    }
    boost::asio::awaitable<void> end_stream() override {
        ended = true;
        co_return;
    }
    bool gone() const override { return gone_; }
    void on_gone(std::function<void()> told) override { told_ = std::move(told); }

    void go() {
        gone_ = true;
        if (told_) told_();
    }
    std::string header(const std::string& name) const {
        for (const auto& [key, value] : headers)
            if (key == name) return value;
        return {};
    }

    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string sent;
    bool opened = false;
    bool ended = false;
    bool served = false;

private:
    bool gone_ = false;
    std::function<void()> told_;
};

struct House {
    explicit House(HttpFront::Options options = {}, bool threads = false) : service(loop) {
        if (threads) workers = std::make_unique<base::Workers>(loop.get_executor(), 1, 8);
        options.workers = workers.get();
        options.description.info = {"cordon", "Cordon", "1"};
        options.stream_after = 24h; // streams begin when something is said, not by the clock
        add_core_methods(methods, service, options.description);
        front.emplace(loop.get_executor(), methods, service, std::move(options));
    }
    ~House() {
        front->stop();
        service.open_gate();
        settle();
        CHECK(front->running() == 0);
    }

    void settle() {
        loop.restart();
        loop.poll();
    }

    std::shared_ptr<FakeOut> send(HttpMessage message) {
        const auto out = std::make_shared<FakeOut>();
        message.headers.emplace_back("host", "localhost");
        message.headers.emplace_back("content-type", "application/json");
        if (!accept.empty()) message.headers.emplace_back("accept", accept);
        const auto work = [](HttpFront& to, HttpMessage request,
                             std::shared_ptr<FakeOut> answer) -> boost::asio::awaitable<void> {
            std::optional<HttpReply> refusal;
            try {
                to.check_head(request);
                co_await to.serve(std::move(request), *answer);
            } catch (const HttpRefused& refused) {
                refusal = refused.reply();
            }
            if (refusal) co_await answer->reply(std::move(*refusal));
            answer->served = true;
        };
        boost::asio::co_spawn(loop, work(*front, std::move(message), out),
                              [](std::exception_ptr failure) { CHECK_FALSE(failure); });
        settle();
        return out;
    }

    std::shared_ptr<FakeOut> legacy(const std::string& body, const std::string& session = {},
                                    const std::string& method = "POST") {
        HttpMessage message;
        message.method = method;
        message.target = "/mcp";
        message.body = body;
        if (!session.empty()) message.headers.emplace_back("mcp-session-id", session);
        return send(std::move(message));
    }

    std::shared_ptr<FakeOut> modern(const std::string& method, const std::string& params,
                                    const std::string& name = {}, const std::string& token = {}) {
        HttpMessage message;
        message.method = "POST";
        message.target = "/mcp";
        message.body = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                       (params.empty() ? "" : ",") + talk::modern_meta() + "}}";
        message.headers = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", method}};
        if (!name.empty()) message.headers.emplace_back("mcp-name", name);
        if (!token.empty()) message.headers.emplace_back("authorization", "Bearer " + token);
        return send(std::move(message));
    }

    std::string open(const std::string& capabilities = "{}") {
        const auto out = legacy(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":)" +
            capabilities + "}}");
        REQUIRE(out->status == 200);
        return out->header("Mcp-Session-Id");
    }

    std::string accept = "application/json, text/event-stream"; ///< Of all that is sent.
    boost::asio::io_context loop;
    std::unique_ptr<base::Workers> workers;
    talk::FakeService service;
    MethodTable methods;
    std::optional<HttpFront> front;
};

const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

std::string wait_call(const std::string& id, const std::string& more = {}) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":"wait")" + more +
           "}}";
}

} // namespace

TEST_CASE(
    "a session begins with initialize, is named in its answer, and ends with DELETE; after that it is 404") {
    House house;
    const std::string id = house.open();
    CHECK(id.size() == 32);
    const auto told = house.legacy(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", id);
    CHECK(told->status == 202);
    CHECK(told->sent.empty());
    const auto pong = house.legacy(ping, id);
    CHECK(pong->status == 200);
    CHECK(pong->header("Content-Type") == "application/json");
    CHECK(pong->sent == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    CHECK(house.legacy("", "", "DELETE")->status == 400);
    CHECK(house.legacy("", "nobody", "DELETE")->status == 404);
    CHECK(house.legacy("", id, "DELETE")->status == 204);
    CHECK(house.service.gone.size() == 1);
    CHECK(house.service.gone[0] != "http-" + id); // what is told of a client does not give its session away
    CHECK(house.legacy(ping, id)->status == 404);
    CHECK(house.legacy(ping)->status == 400);
}

TEST_CASE("an initialize that is refused opens no session") {
    House house;
    const auto out = house.legacy(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
    CHECK(out->sent.find("-32602") != std::string::npos);
    CHECK(out->header("Mcp-Session-Id").empty());
    CHECK(house.front->sessions() == 0);
}

TEST_CASE("a call that reports progress is answered as a stream, which ends with the answer") {
    House house;
    const std::string id = house.open();
    const auto out = house.legacy(wait_call("5", R"(,"_meta":{"progressToken":1})"), id);
    CHECK(out->opened);
    CHECK(out->header("Content-Type") == "text/event-stream");
    CHECK(out->header("X-Accel-Buffering") == "no");
    CHECK_FALSE(out->ended);
    house.service.open_gate();
    house.settle();
    CHECK(out->ended);
    CHECK(out->sent ==
          "event: message\ndata: "
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"
          "\"progress\":1,\"total\":2,\"message\":\"started\"}}\n\n"
          "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[]}}\n\n");
}

TEST_CASE("who takes no streams gets one JSON text, without progress; who takes nothing else gets a stream") {
    House house;
    for (const char* accept : {"application/json", "*/*", ""}) {
        CAPTURE(accept);
        house.accept = accept;
        const std::string id = house.open();
        CHECK(id.size() == 32);
        CHECK(house.legacy(ping, id)->header("Content-Type") == "application/json");
        const auto call = house.legacy(wait_call("5", R"(,"_meta":{"progressToken":1})"), id);
        CHECK_FALSE(call->opened);
        house.service.open_gate();
        house.settle();
        CHECK(call->header("Content-Type") == "application/json");
        CHECK(call->sent == R"({"jsonrpc":"2.0","id":5,"result":{"content":[]}})");
        const auto cancelled = house.legacy(wait_call("6"), id);
        house.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}})", id);
        CHECK(cancelled->status == 204);
        const auto listed = house.modern("tools/list", "");
        CHECK(listed->header("Content-Type") == "application/json");
        const auto refused = house.modern("subscriptions/listen", R"("notifications":{})");
        CHECK(refused->status == 406);
        CHECK(refused->sent.find("text/event-stream") != std::string::npos);
    }
    house.accept = "text/event-stream";
    const auto opened = house.legacy(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})");
    CHECK(opened->header("Content-Type") == "text/event-stream");
    CHECK(opened->ended);
    const std::string id = opened->header("Mcp-Session-Id");
    const auto pong = house.legacy(ping, id);
    CHECK(pong->header("Content-Type") == "text/event-stream");
    CHECK(pong->sent == "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    const auto bad = house.legacy(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
    CHECK(bad->header("Mcp-Session-Id").empty());
}

TEST_CASE("a question on a call whose client takes no streams is answered at once, with nothing") {
    House house;
    const std::string id = house.open(R"({"elicitation":{"form":{}}})");
    house.accept = "application/json";
    const auto asked =
        house.legacy(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}})", id);
    CHECK(asked->served);
    CHECK(asked->status == 200);
    CHECK(asked->sent.find("elicitation/create") == std::string::npos);
    CHECK(house.front->running() == 0);
}

TEST_CASE("legacy: cancelling comes by another POST, and going away is no cancelling") {
    House house;
    const std::string id = house.open();
    const auto cancelled = house.legacy(wait_call("5"), id);
    CHECK(
        house.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})", id)
            ->status == 202);
    CHECK(house.service.cancelled == 1);
    CHECK(cancelled->ended);
    CHECK(cancelled->sent.empty());

    const auto gone = house.legacy(wait_call("6"), id);
    gone->go();
    house.settle();
    CHECK(gone->served);
    CHECK(house.service.cancelled == 1);
    CHECK(house.front->running() == 1); // goes on
    house.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}})", id);
    CHECK(house.service.cancelled == 2);
    CHECK(house.front->running() == 0);
}

TEST_CASE("legacy: one session cannot cancel what another runs, nor read what is the other's") {
    House house;
    const std::string one = house.open(), other = house.open();
    CHECK(one != other);
    house.legacy(wait_call("5"), one);
    house.legacy(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})", other);
    CHECK(house.service.cancelled == 0);
    const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})";
    CHECK(house.legacy(list, one)->sent != house.legacy(list, other)->sent);
}

TEST_CASE("legacy: a call asks on its own stream, is answered by another POST, and by nobody once its client "
          "has gone") {
    House house;
    const std::string one = house.open(R"({"elicitation":{"form":{}}})"), other = house.open();
    const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}})";
    const auto asked = house.legacy(call, one);
    const std::string begin = "event: message\ndata: ";
    REQUIRE(asked->sent.starts_with(begin));
    const auto question = jsonrpc::Message::parse(asked->sent.substr(begin.size()));
    CHECK(question.method() == "elicitation/create");
    const std::string accept = jsonrpc::result_line(question.id(), R"({"action":"accept","content":{}})");
    CHECK(house.legacy(accept, other)->status == 202); // another's answer is none
    CHECK_FALSE(asked->ended);
    CHECK(house.legacy(accept, one)->status == 202);
    CHECK(asked->ended);
    CHECK(asked->sent.find("accept") != std::string::npos);

    const auto left = house.legacy(call, one);
    CHECK(house.front->running() == 1);
    left->go();
    house.settle();
    CHECK(house.front->running() == 0); // its question failed, and nothing waits for it
}

TEST_CASE("modern: closing the connection cancels") {
    House house;
    const auto out = house.modern("tools/call", R"("name":"wait")", "wait");
    CHECK(house.front->running() == 1);
    out->go();
    house.settle();
    CHECK(house.service.cancelled == 1);
    CHECK(house.front->running() == 0);
}

TEST_CASE("modern: each request stands alone, and refusals have their HTTP status") {
    House house;
    const auto listed = house.modern("tools/list", "");
    CHECK(listed->status == 200);
    CHECK(listed->sent.find("\"resultType\":\"complete\"") != std::string::npos);
    CHECK(listed->header("Mcp-Session-Id").empty());
    CHECK(house.modern("ping", "")->status == 404);
    CHECK(house.modern("no/such", "")->status == 404);
    const auto unknown = house.modern("tools/call", R"("name":"none")", "none");
    CHECK(unknown->status == 200); // an answer of the method itself
    CHECK(unknown->sent.find("-32602") != std::string::npos);
    HttpMessage bare;
    bare.method = "POST";
    bare.target = "/mcp";
    bare.body = R"({"jsonrpc":"2.0","id":9,"method":"tools/list","params":{}})";
    bare.headers = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/list"}};
    const auto refused = house.send(bare);
    CHECK(refused->status == 400);
    CHECK(refused->sent.starts_with(R"({"jsonrpc":"2.0","id":9,"error":{"code":-32602,)"));
}

TEST_CASE("modern: a subscription is a stream that lasts until the client goes or the server stops") {
    House house;
    const auto left = house.modern("subscriptions/listen", R"("notifications":{})");
    CHECK(left->sent.find("notifications/subscriptions/acknowledged") != std::string::npos);
    left->go();
    house.settle();
    CHECK(house.front->running() == 0);
    const auto kept = house.modern("subscriptions/listen", R"("notifications":{})");
    house.front->stop();
    house.settle();
    CHECK(kept->ended);
    CHECK(kept->sent.find(R"("result":{"resultType":"complete")") != std::string::npos);
}

TEST_CASE("2025-03-26: a batch has one answer, an array") {
    House house;
    const std::string id = house.open();
    const auto out = house.legacy("[" + ping + R"(,{"jsonrpc":"2.0","id":2,"method":"ping"}])", id);
    CHECK(out->header("Content-Type") == "application/json");
    CHECK(out->sent == R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])");
    CHECK(house.legacy(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])", id)->status == 202);
}

TEST_CASE("bounds: requests at work, their bytes, sessions and rate have each an end, and each is told") {
    HttpFront::Options options;
    options.limits.most_posts = 2;
    options.most_sessions = 2;
    House house(std::move(options));
    const std::string id = house.open();
    house.legacy(wait_call("1"), id);
    house.legacy(wait_call("2"), id);
    CHECK(house.legacy(wait_call("3"), id)->status == 503);
    CHECK(house.legacy(wait_call("3"), id)->header("Retry-After") == "1");
    house.service.open_gate();
    house.settle();
    CHECK(house.legacy(ping, id)->status == 200);
    house.open();
    CHECK(
        house
            .legacy(
                R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})")
            ->status == 503);

    HttpFront::Options slow;
    slow.limits.requests_per_second = 0.0001;
    slow.limits.request_burst = 2;
    slow.limits.most_body_bytes = 100;
    House limited(std::move(slow));
    CHECK(limited.modern("tools/list", "")->status == 503);
    CHECK(limited.modern("tools/list", "")->status == 503);
    CHECK(limited.modern("tools/list", "")->status == 429);
}

TEST_CASE("bounds: a session that floods is refused by itself, and the other is served") {
    HttpFront::Options options;
    options.limits.requests_per_second = 0.0001;
    options.limits.request_burst = 40;
    House house(std::move(options));
    const std::string a = house.open(), b = house.open();
    int served = 0;
    for (int i = 0; i < 60; ++i) served += house.legacy(ping, a)->status == 200 ? 1 : 0;
    CHECK(served == 20);
    const auto refused = house.legacy(ping, a);
    CHECK(refused->status == 429);
    CHECK(refused->sent.find("this client") != std::string::npos);
    for (int i = 0; i < 10; ++i) CHECK(house.legacy(ping, b)->status == 200);
}

TEST_CASE("a large body is read on another thread, once, and answered as any other") {
    House house({}, true);
    const auto served = [&](std::shared_ptr<FakeOut> out) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        while (!out->served && std::chrono::steady_clock::now() < until) house.settle();
        return out;
    };
    const std::string id = house.open();
    const std::string padding(400 << 10, 'x');
    const auto pong = served(house.legacy(
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":")" + padding + "\"}}}", id));
    CHECK(pong->sent == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    const auto told = served(house.legacy(
        R"({"jsonrpc":"2.0","method":"notifications/x","params":{"x":")" + padding + "\"}}", id));
    CHECK(told->status == 413); // it would be read anew for each request that runs
    const auto batch = served(house.legacy(
        "[" + ping + R"(,{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":")" + padding + "\"}}]", id));
    CHECK(batch->sent == R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])");
    const auto broken = served(house.legacy("{" + padding, id));
    CHECK(broken->status == 400);
}

TEST_CASE("bounds: who has no token uses up nothing of what clients are allowed") {
    HttpFront::Options options;
    options.limits.requests_per_second = 0.0001;
    options.limits.request_burst = 1;
    options.gate.token = "secret";
    House house(std::move(options));
    for (int i = 0; i < 5; ++i) CHECK(house.modern("tools/list", "")->status == 401);
    CHECK(house.modern("tools/list", "", "", "secret")->status == 200);
    CHECK(house.modern("tools/list", "", "", "secret")->status == 429);
}

TEST_CASE("HttpSessions: the idle end by themselves, the idlest makes room, and one that works stays") {
    Lines gone;
    HttpSessions sessions(2, 10min, [&](const std::string& client) { gone.push_back(client); });
    const auto now = HttpSessions::Clock::now();
    const auto one = std::make_shared<HttpSession>(), two = std::make_shared<HttpSession>(),
               three = std::make_shared<HttpSession>();
    REQUIRE(sessions.add(one, now));
    REQUIRE(sessions.add(two, now + 1s));
    CHECK_FALSE(sessions.add(three, now + 2min)); // nobody was idle for long
    CHECK(sessions.find(one->id, now + 3min) == one);
    CHECK(sessions.add(three, now + 7min)); // in place of two
    CHECK(gone == Lines{two->client});
    one->running.insert(nullptr);
    sessions.expire(now + 1h);
    CHECK(gone == Lines{two->client, three->client});
    CHECK(sessions.find(one->id, now + 1h) == one);
    one->running.clear();
    sessions.end_all();
    CHECK(sessions.size() == 0);
}
