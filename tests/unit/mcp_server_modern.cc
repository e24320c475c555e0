#include "src/mcp/server/subscriptions.h"
#include "tests/unit/mcp_talk.h"

using namespace talk;

namespace {

std::string request(const std::string& id, const std::string& method, const std::string& params = {}) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params +
           (params.empty() ? "" : ",") + modern_meta() + "}}";
}

} // namespace

TEST_CASE("server/discover: names versions, capabilities, instructions and who we are, before anything else "
          "was said") {
    Talk talk;
    CHECK(talk.say(request("\"discover-1\"", "server/discover")) ==
          Lines{R"({"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],)"
                R"("capabilities":{"tools":{},"resources":{}},"instructions":"how to",)" +
                cacheable_tail + "}}"});
}

TEST_CASE("modern results say that they are complete, and for how long lists may be kept") {
    Talk talk;
    CHECK(talk.say(request("0", "tools/list")) ==
          Lines{R"({"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"echo","description":"says it again",)"
                R"("inputSchema":{"type":"object"},"_meta":{"a/b":true}}],)" +
                cacheable_tail + "}}"});
    CHECK(talk.say(request("1", "tools/call", R"("name":"echo")")) ==
          Lines{R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],)" +
                modern_tail + "}}"});
    for (const char* method : {"resources/list", "resources/templates/list"})
        CHECK(talk.say(request("2", method))[0].find(cacheable_tail) != std::string::npos);
    CHECK(talk.say(request("3", "resources/read", R"("uri":"res://c1")"))[0].find(cacheable_tail) !=
          std::string::npos);
}

TEST_CASE("a modern request that lacks a field of _meta is refused by that field's name") {
    Talk talk;
    CHECK(
        talk.say(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params._meta: missing \"io.modelcontextprotocol/clientCapabilities\""}})"});
    CHECK(
        talk.say(
            R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"params._meta: missing \"io.modelcontextprotocol/protocolVersion\""}})"});
    CHECK(
        talk.say(R"({"jsonrpc":"2.0","id":3,"method":"server/discover"})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"params._meta: missing \"io.modelcontextprotocol/protocolVersion\""}})"});
    CHECK(
        talk.say(
            R"({"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}})") ==
        Lines{
            R"({"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"params._meta: \"io.modelcontextprotocol/protocolVersion\" must be a string"}})"});
}

TEST_CASE("a version that we do not speak that way is -32022, with what we do speak") {
    Talk talk;
    for (const std::string version : {"2099-01-01", "2025-11-25", "DRAFT"}) {
        CAPTURE(version);
        CHECK(
            talk.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" +
                     modern_meta("", version) + "}}") ==
            Lines{
                R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version",)"
                R"("data":{"supported":["2026-07-28"],"requested":")" +
                version + R"("}}})"});
    }
}

TEST_CASE("modern: what was removed is unknown") {
    Talk talk;
    for (const std::string method : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
        CAPTURE(method);
        CHECK(talk.say(request("1", method)) ==
              Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: )" +
                    method + "\"}}"});
    }
}

TEST_CASE("a resource that is not there is -32602 for a modern client") {
    Talk talk;
    CHECK(
        talk.say(request("1", "resources/read", R"("uri":"res://none")")) ==
        Lines{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Resource not found: res://none","data":{"uri":"res://none"}}})"});
}

TEST_CASE("both eras are served in one conversation, each request by what it says") {
    Talk talk;
    CHECK(talk.say(request("1", "server/discover")).size() == 1);
    open_legacy(talk);
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}})") ==
          Lines{R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}]}})"});
    CHECK(talk.say(request("3", "tools/call", R"("name":"echo")"))[0].find("resultType") !=
          std::string::npos);
    CHECK(talk.say(R"({"jsonrpc":"2.0","id":4,"method":"ping"})") ==
          Lines{R"({"jsonrpc":"2.0","id":4,"result":{}})"});
}

TEST_CASE("subscriptions/listen: is acknowledged with what is honoured, stays open, and ends silently when "
          "cancelled") {
    Talk talk;
    const std::string listen =
        request("\"s\"", "subscriptions/listen",
                R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["res://c1"]})");
    CHECK(talk.say(listen) ==
          Lines{R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
                R"({"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{}}})"});
    talk.server->subscriptions().publish("notifications/tools/list_changed"); // not declared, so not honoured
    CHECK(talk.settle().empty());
    CHECK(talk.server->subscriptions().size() == 1);
    CHECK(talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})")
              .empty());
    CHECK(talk.server->subscriptions().size() == 0);
    CHECK(
        talk.say(request("1", "subscriptions/listen", R"("notifications":[])")) ==
        Lines{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params: \"notifications\" must be an object"}})"});
    CHECK(
        talk.say(request("2", "subscriptions/listen", R"("notifications":{"toolsListChanged":"yes"})")) ==
        Lines{
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"params.notifications.toolsListChanged: expected true or false"}})"});
}

TEST_CASE("subscriptions/listen: a server that declares changes sends those asked for, tagged with the "
          "request's id") {
    mcp::Server::Options options;
    options.description.capabilities = R"({"tools":{"listChanged":true},"resources":{"subscribe":true}})";
    Talk talk(std::move(options));
    CHECK(
        talk.say(request("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})")) ==
        Lines{
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
            R"({"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true}}})"});
    CHECK(talk.say(request("2", "subscriptions/listen",
                           R"("notifications":{"resourceSubscriptions":["a://b"]})"))
              .size() == 1);
    talk.server->subscriptions().publish("notifications/tools/list_changed");
    talk.server->subscriptions().publish("notifications/resources/updated", "a://b");
    talk.server->subscriptions().publish("notifications/resources/updated", "a://c");
    CHECK(
        talk.settle() ==
        Lines{
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})",
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"a://b"}})"});
}

TEST_CASE("stop: subscriptions end with their answer, calls without one, and the channel closes") {
    Talk talk;
    CHECK(talk.say(request("7", "subscriptions/listen", R"("notifications":{})")).size() == 1);
    CHECK(talk.say(request("8", "tools/call", R"("name":"wait")")).empty());
    talk.server->stop();
    talk.server->stop();
    CHECK(
        talk.settle() ==
        Lines{
            R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7,)"
            R"("io.modelcontextprotocol/serverInfo":{"name":"cordon","title":"Cordon","version":"1"}}}})"});
    CHECK(talk.service.cancelled == 1);
    CHECK(talk.channel.closed);
    CHECK(talk.over);
}
