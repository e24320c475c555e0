#include "tests/unit/mcp_talk.h"

using namespace talk;

TEST_CASE("initialize: each legacy version that we speak is answered with itself, any other with our latest "
          "legacy one") {
    const auto answer_to = [](const std::string& asked) {
        Talk talk;
        const Lines sent =
            talk.say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                     asked + R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
        REQUIRE(sent.size() == 1);
        return sent[0];
    };
    for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
        CAPTURE(version);
        CHECK(
            answer_to(version) ==
            R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":")" + std::string(version) +
                R"(","capabilities":{"tools":{},"resources":{}},)"
                R"("serverInfo":{"name":"cordon","title":"Cordon","version":"1"},"instructions":"how to"}})");
    }
    for (const char* version : {"1999-01-01", "2099-01-01", "2026-07-28", ""}) {
        CAPTURE(version);
        CHECK(answer_to(version).find(R"("protocolVersion":"2025-11-25")") != std::string::npos);
    }
}

TEST_CASE("initialize: without a version it is refused and may be tried again") {
    Talk talk;
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params: \"protocolVersion\" must be a string"}})"});
    open_legacy(talk);
}

TEST_CASE(
    "a legacy client is answered before it says initialized, and in whatever order its first lines come") {
    Talk talk;
    const Lines sent = talk.say(
        {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
         R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})",
         R"({"jsonrpc":"2.0","id":"0","method":"ping"})",
         R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"});
    REQUIRE(sent.size() == 3);
    CHECK(sent[1] == R"({"jsonrpc":"2.0","id":"0","result":{}})");
    CHECK(sent[2] ==
          R"({"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","description":"says it again",)"
          R"("inputSchema":{"type":"object"},"_meta":{"a/b":true}}]}})");
}

TEST_CASE("a client whose library puts a mark first, null or [] for nothing, and blanks around is served") {
    Talk talk;
    const std::string mark = "\xEF\xBB\xBF";
    const std::string begin = R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)";
    const Lines opened = talk.say(
        mark + begin +
        R"({"protocolVersion":"2025-03-26","capabilities":[],"clientInfo":{"name":"t"},"_meta":[]}})" + " ");
    REQUIRE(opened.size() == 1);
    CHECK(opened[0].starts_with(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26")"));
    for (const char* id : {"", R"("id":null,)"})
        for (const char* params : {"null", "[]", "{}"})
            CHECK(talk.say(R"({"jsonrpc":"2.0",)" + std::string(id) +
                           R"("method":"notifications/initialized","params":)" + params + "}")
                      .empty());
    for (const char* params : {"null", "[]", "{}"}) {
        const std::string end = R"(,"params":)" + std::string(params) + "} ";
        CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"method":"ping")" + end) ==
              Lines{R"({"jsonrpc":"2.0","id":1,"result":{}})"});
        CHECK(talk.say(mark + R"({"jsonrpc":"2.0","id":2,"method":"tools/list")" + end)[0].starts_with(
            R"({"jsonrpc":"2.0","id":2,"result":{"tools":[)"));
    }
    const std::string ping = R"({"jsonrpc":"2.0","id":3,"method":"ping","params":null})";
    CHECK(talk.say(mark + "[" + ping + ",{}]") == // what is refused is so at once
          Lines{R"([{"jsonrpc":"2.0","error":{"code":-32600,"message":)"
                R"("not a JSON-RPC 2.0 message: \"jsonrpc\" must be \"2.0\""}},)"
                R"({"jsonrpc":"2.0","id":3,"result":{}}])"});
    CHECK(talk.logged.size() == 1); // the element that says nothing
}

TEST_CASE("before initialize: ping is answered, an unknown method refused at once, another request told what "
          "is missing") {
    Talk talk;
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})") ==
          Lines{R"({"jsonrpc":"2.0","id":1,"result":{}})"});
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: logging/setLevel"}})"});
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})") ==
          Lines{R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"params._meta: missing )"
                R"(\"io.modelcontextprotocol/protocolVersion\", and no \"initialize\" came before"}})"});
    open_legacy(talk);
}

TEST_CASE("legacy answers carry nothing that only modern ones have") {
    Talk talk;
    open_legacy(talk);
    CHECK(
        talk.say(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}]}})"});
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"res://c1","name":"one","mimeType":"text/plain","size":3}]}})"});
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":3,"method":"resources/templates/list"})") ==
          Lines{R"({"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":[]}})"});
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"res://c1"}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"res://c1","mimeType":"text/plain","text":"abc"}]}})"});
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"res://bytes"}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"res://bytes","mimeType":"image/png","blob":"AAECAw=="}]}})"});
}

TEST_CASE("legacy: methods of modern versions are unknown, and so are features that are not declared") {
    Talk talk;
    open_legacy(talk);
    for (const char* method : {"subscriptions/listen", "prompts/list", "completion/complete",
                               "resources/subscribe", "tasks/list", "nonsense"}) {
        CAPTURE(method);
        CHECK(talk.say(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}") ==
              Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: )" +
                    std::string(method) + "\"}}"});
    }
}

TEST_CASE("a resource that is not there is -32002 with its uri for a legacy client") {
    Talk talk;
    open_legacy(talk);
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"res://none"}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found: res://none","data":{"uri":"res://none"}}})"});
}

TEST_CASE("2025-03-26: a batch is answered as one array, initialize may not be in it, notifications in it "
          "have no answer") {
    Talk talk;
    CHECK(
        talk.say(
            R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}])") ==
        Lines{
            R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"\"initialize\" must not be part of a batch"}}])"});
    open_legacy(talk, "2025-03-26");
    CHECK(
        talk.say(
            R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},)"
            R"({"jsonrpc":"2.0","id":2,"method":"no"},7])") ==
        Lines{
            R"([{"jsonrpc":"2.0","error":{"code":-32600,"message":"not a JSON-RPC 2.0 message: it must be an object"}},)"
            R"({"jsonrpc":"2.0","id":1,"result":{}},)"
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: no"}}])"});
    CHECK(talk.say(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])").empty());
    CHECK(talk.say("[]") == Lines{R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"an empty batch"}})"});
}

TEST_CASE("a batch whose answers together are too long for one message comes as several arrays") {
    mcp::Server::Options options;
    options.most_line_bytes = 8192;
    Talk talk(std::move(options));
    talk.service.big_bytes = 5000;
    open_legacy(talk, "2025-03-26");
    const Lines sent = talk.say(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}},)"
                                R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"big"}}])");
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].starts_with(R"([{"jsonrpc":"2.0","id":1,)"));
    CHECK(sent[1].starts_with(R"([{"jsonrpc":"2.0","id":2,)"));
}

TEST_CASE("a task parameter is ignored and the call runs as always") {
    Talk talk;
    open_legacy(talk);
    CHECK(
        talk.say(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","task":{"ttl":60000}}})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}})"});
}
