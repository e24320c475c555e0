#include "tests/unit/mcp_talk.h"

using namespace talk;

namespace {

std::string call(const std::string& id, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)" + params + "}}";
}

std::string failure(const std::string& id, const std::string& code, const std::string& message) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + code + R"(,"message":")" + message +
           "\"}}";
}

} // namespace

TEST_CASE("tools/call: arguments may be missing or null, but are an object; the name is a string; the tool "
          "is known") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say(call("1", R"("name":"echo")")).size() == 1);
    CHECK(talk.say(call("2", R"("name":"echo","arguments":null)")).size() == 1);
    CHECK(talk.say(call("2", R"("name":"echo","arguments":[])")).size() == 1); // PHP's empty object
    CHECK(talk.service.calls == Lines{"echo {}", "echo {}", "echo {}"});
    for (const char* arguments : {"[1]", "\"{}\"", "7", "true"})
        CHECK(talk.say(call("3", R"("name":"echo","arguments":)" + std::string(arguments))) ==
              Lines{failure("3", "-32602", R"(params: \"arguments\" must be an object)")});
    CHECK(talk.say(call("4", R"("arguments":{})")) ==
          Lines{failure("4", "-32602", R"(params: \"name\" must be a string)")});
    CHECK(talk.say(call("5", R"("name":7)")) ==
          Lines{failure("5", "-32602", R"(params: \"name\" must be a string)")});
    CHECK(talk.say(call("6", R"("name":"none")")) == Lines{failure("6", "-32602", "Unknown tool: none")});
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":["echo"]})") ==
          Lines{failure("7", "-32602", "params must be an object")});
    CHECK(talk.service.calls.size() == 4);
}

TEST_CASE("ids: numbers and strings come back as they were, and 1 is not \"1\"") {
    Talk talk;
    open_legacy(talk);
    for (const char* id : {"0", "-1", "9007199254740993", "\"0\"", "\"\"", R"("\u00e9\n")"}) {
        CAPTURE(id);
        CHECK(talk.say(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})") ==
              Lines{R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{}})"});
    }
    CHECK(talk.say({call("1", R"("name":"wait")"), call("\"1\"", R"("name":"echo")")}) ==
          Lines{R"({"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"{}"}]}})"});
    CHECK(talk.say(call("1", R"("name":"echo")")) ==
          Lines{failure("1", "-32600", "a request with this id is still running")});
    for (const char* id : {"null", "1.5", "true", "{}"})
        CHECK(talk.say(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})")[0].find(
                  "-32600") != std::string::npos);
}

TEST_CASE("calls run side by side and are answered as they end") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say({call("1", R"("name":"wait")"), call("2", R"("name":"wait")"),
                    call("3", R"("name":"echo")")})
              .size() == 1);
    talk.service.open_gate();
    CHECK(talk.settle() == Lines{R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})",
                                 R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})"});
}

TEST_CASE("notifications/cancelled: stops the call, which is not answered, and sends no progress any more") {
    Talk talk;
    open_legacy(talk);
    const std::string cancel =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"Request timed out"}})";
    CHECK(talk.say(call("5", R"("name":"wait","_meta":{"progressToken":0})")).size() == 1);
    CHECK(talk.say(cancel).empty());
    CHECK(talk.service.cancelled == 1);
    talk.service.progress(2, std::nullopt, "cleaning up");
    CHECK(talk.settle().empty());
    CHECK(talk.say({cancel, cancel}).empty()); // finished already
}

TEST_CASE("notifications/cancelled: together with its request in one read stops that too") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say({call("5", R"("name":"wait")"),
                    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})",
                    R"({"jsonrpc":"2.0","id":6,"method":"ping"})"}) ==
          Lines{R"({"jsonrpc":"2.0","id":6,"result":{}})"});
}

TEST_CASE("notifications/cancelled: unknown, malformed and of the wrong kind, it is passed over in silence") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say(call("1", R"("name":"wait")")).empty());
    for (const char* params : {R"({"requestId":99})", R"({"requestId":"1"})", R"({"requestId":null})",
                               R"({"requestId":{"a":[]}})", "{}", "[]", "[1]"})
        CHECK(talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" +
                       std::string(params) + "}")
                  .empty());
    CHECK(talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})").empty());
    CHECK(talk.say(R"({"jsonrpc":"2.0","method":"notifications/whatever","params":{}})").empty());
    CHECK(talk.service.cancelled == 0);
}

TEST_CASE("progress: goes out under the client's token while the call runs, and never after its end") {
    Talk talk;
    open_legacy(talk);
    CHECK(
        talk.say(call("1", R"("name":"wait","_meta":{"progressToken":"abc"})")) ==
        Lines{
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"abc","progress":1,"total":2,"message":"started"}})"});
    talk.service.open_gate();
    CHECK(talk.settle() == Lines{R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})"});
    talk.service.progress(2, 2.0, "late");
    CHECK(talk.settle().empty());
    CHECK(talk.say(call("2", R"("name":"wait")")).empty()); // no token, no progress
    talk.service.progress(1, std::nullopt, "unasked");
    CHECK(talk.settle().empty());
}

TEST_CASE("a client that shows forms can be asked during a call, and is told when nobody waits any more") {
    Talk talk;
    open_legacy(talk, "2025-06-18", R"({"elicitation":{}})");
    const Lines asked{
        R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}})"};
    CHECK(talk.say(call("5", R"("name":"ask")")) == asked);
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline"}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"{\"action\":\"decline\"}"}]}})"});
    CHECK(talk.say(call("6", R"("name":"ask")")).size() == 1);
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no dialogs here"}})") ==
        Lines{R"({"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"no dialogs here"}]}})"});
    CHECK(talk.say(call("7", R"("name":"ask")")).size() == 1);
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})") ==
        Lines{
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"the caller gave up"}})"});
}

TEST_CASE("who declares no forms, is too old for them, or is of the modern era is not asked") {
    const std::string nobody =
        R"({"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"nobody"}]}})";
    Talk plain, url, old, modern;
    open_legacy(plain);
    CHECK(plain.say(call("5", R"("name":"ask")")) == Lines{nobody});
    open_legacy(url, "2025-11-25", R"({"elicitation":{"url":{}}})");
    CHECK(url.say(call("5", R"("name":"ask")")) == Lines{nobody});
    open_legacy(old, "2025-03-26", R"({"elicitation":{}})");
    CHECK(old.say(call("5", R"("name":"ask")")) == Lines{nobody});
    const Lines told = modern.say(call("5", R"("name":"ask",)" + modern_meta()));
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("nobody") != std::string::npos);
}

TEST_CASE("a result that is too long for one message becomes an error, and the conversation goes on") {
    mcp::Server::Options options;
    options.most_line_bytes = 100'000;
    Talk talk(std::move(options));
    open_legacy(talk);
    talk.service.big_bytes = 100'001;
    CHECK(talk.say(call("1", R"("name":"big")"))[0] ==
          failure("1", "-32603",
                  "the result has 100040 bytes, more than the 100000 that one message may have"));
    talk.service.big_bytes = 97'000;
    CHECK(talk.say(call("2", R"("name":"big")"))[0].size() > 97'000);
}

TEST_CASE("a service that throws is an internal error with its words; codes that mean something only to us "
          "do not get out") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say(call("1", R"("name":"broken")")) == Lines{failure("1", "-32603", "the engine is gone")});
    CHECK(talk.say(call("2", R"("name":"local")")) ==
          Lines{failure("2", "-32603", "upstream took too long")});
}

TEST_CASE("cursors: we give none, so none is known") {
    Talk talk;
    open_legacy(talk);
    for (const char* method : {"tools/list", "resources/list", "resources/templates/list"})
        for (const char* cursor : {"\"x\"", "\"\"", "7"})
            CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                           R"(","params":{"cursor":)" + cursor + "}}") ==
                  Lines{failure("1", "-32602", R"(params: unknown \"cursor\")")});
}

TEST_CASE("what is no message is told so, and the conversation goes on") {
    Talk talk;
    const auto refused = [&](const std::string& line, const std::string& code, const std::string& id) {
        CAPTURE(line);
        const Lines sent = talk.say(line);
        REQUIRE(sent.size() == 1);
        CHECK(sent[0].starts_with(R"({"jsonrpc":"2.0",)" + id + R"("error":{"code":)" + code + ","));
    };
    refused("{", "-32700", "");
    refused("Server started on port 80", "-32700", "");
    refused("\"x\"", "-32600", "");
    refused("{}", "-32600", "");
    refused(R"({"id":3,"method":"ping"})", "-32600", R"("id":3,)");
    refused(R"({"jsonrpc":"1.0","id":"x","method":"ping"})", "-32600", R"("id":"x",)");
    refused(R"({"jsonrpc":"2.0","id":4,"method":7})", "-32600", R"("id":4,)");
    refused(R"({"jsonrpc":"2.0","id":5,"method":"ping","params":"x"})", "-32600", R"("id":5,)");
    refused(R"({"jsonrpc":"2.0","id":6,"method":"ping","method":"ping"})", "-32700", "");
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"result":{}})").empty()); // an answer to nothing
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"method":"ping"})") ==
          Lines{R"({"jsonrpc":"2.0","id":1,"result":{}})"});
    CHECK_FALSE(talk.logged.empty());
}

TEST_CASE("a message above the bound is refused under its own id, where that can be seen") {
    Talk talk;
    const auto answer = [&](const std::string& head, const std::string& tail) {
        jsonrpc::LineSplitter::Line line{head, true, 17 << 20, tail};
        talk.channel.push(std::move(line));
        const Lines sent = talk.settle();
        REQUIRE(sent.size() == 1);
        return sent[0];
    };
    const std::string error =
        R"("error":{"code":-32600,"message":"a message of 17825792 bytes is above the bound"}})";
    CHECK(answer(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"code":"xx)",
                 R"(xx","id":9}}})") == R"({"jsonrpc":"2.0","id":7,)" + error);
    CHECK(answer(R"({"method":"tools/call","params":{"id":8,"code":"xx)",
                 R"(xx"}},"jsonrpc":"2.0","id":"7"})") == R"({"jsonrpc":"2.0","id":"7",)" + error);
    CHECK(answer(R"({"method":"tools/call","params":{"id":8,"code":"xx)",
                 R"(xx"},"id":9},"jsonrpc":"2.0"})") == R"({"jsonrpc":"2.0",)" + error);
}

TEST_CASE("the end of input cancels what runs, lets the client's things go, and ends the server") {
    Talk talk;
    open_legacy(talk);
    CHECK(talk.say({call("1", R"("name":"wait")"), call("2", R"("name":"wait")")}).empty());
    talk.channel.end();
    CHECK(talk.settle().empty());
    CHECK(talk.service.cancelled == 2);
    CHECK(talk.service.gone == Lines{"c1"});
    CHECK(talk.over);
}

TEST_CASE("requests that are large together are refused while the first of them run") {
    Talk talk;
    open_legacy(talk);
    const std::string padding = R"(,"arguments":{"code":")" + std::string(15 << 20, 'x') + "\"}";
    Lines calls;
    for (int i = 1; i <= 5; ++i) calls.push_back(call(std::to_string(i), R"("name":"wait")" + padding));
    const Lines sent = talk.say(calls);
    REQUIRE(sent.size() == 1);
    CHECK(sent[0] ==
          failure("5", "-32603", "too many bytes of requests are being worked on; try again later"));
}
