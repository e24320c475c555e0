#include "src/mcp/cancelled.h"
#include "src/mcp/client/messages.h"

#include <doctest/doctest.h>

#include "src/base/json.h"
#include "src/mcp/client/headers.h"
#include "src/mcp/client/outgoing.h"
#include "src/mcp/client/web.h"

using jsonrpc::Error;

TEST_CASE("client messages: requests are dressed as their era asks") {
    mcp::RequestDress legacy, modern;
    CHECK(mcp::call_params(legacy, "t", R"({"a":1})") == R"({"name":"t","arguments":{"a":1}})");
    legacy.progress_token = 7;
    CHECK(mcp::call_params(legacy, "t", "{}") ==
          R"({"name":"t","arguments":{},"_meta":{"progressToken":7}})");
    modern.modern_version = "2026-07-28";
    const std::string params = mcp::list_params(modern, "");
    CHECK(json::member(params, "cursor") == "\"\""); // an empty cursor is one
    const std::string meta(json::member(params, "_meta").value_or(""));
    CHECK(json::member(meta, "io.modelcontextprotocol/protocolVersion") == "\"2026-07-28\"");
    CHECK(json::member(meta, "io.modelcontextprotocol/clientCapabilities") == "{}");
    CHECK(mcp::list_params(mcp::RequestDress(), std::nullopt) == "{}");
    CHECK(mcp::cancelled_params("3") == R"({"requestId":3,"reason":"the caller gave up"})");
}

TEST_CASE("read_initialize: takes the versions that we speak and no other") {
    for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
        const mcp::ServerFacts facts = mcp::read_initialize(std::string(R"({"protocolVersion":")") + version +
                                                            R"(","capabilities":{}})");
        CHECK(facts.version == version);
        CHECK_FALSE(facts.tools);
    }
    const mcp::ServerFacts facts = mcp::read_initialize(
        R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"n","version":"v"},"instructions":"i"})");
    CHECK(facts.tools);
    CHECK(facts.tools_change);
    CHECK(facts.name == "n");
    CHECK(facts.server_version == "v");
    CHECK(facts.instructions == "i");
    for (const char* bad :
         {"[]", "{}", R"({"protocolVersion":20251125})", R"({"protocolVersion":"2026-07-28"})"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(mcp::read_initialize(bad), Error);
    }
}

TEST_CASE("read_discover: chooses ours among theirs") {
    CHECK(
        mcp::read_discover(R"({"supportedVersions":["2027-01-01","2026-07-28"],"capabilities":{"tools":{}}})")
            .version == "2026-07-28");
    CHECK(mcp::read_discover(R"({"supportedVersions":["2025-06-18"]})").era == mcp::Era::legacy);
    CHECK_THROWS_AS(mcp::read_discover(R"({"supportedVersions":["2027-01-01"]})"), Error);
    for (const char* none : {"{}", R"({"supportedVersions":{}})"}) {
        try {
            mcp::read_discover(none);
            FAIL("it must not be taken");
        } catch (const Error& e) { // no version is named, so this is not the error of a modern server
            CHECK(e.code() != mcp::code::unsupported_version);
        }
    }
    CHECK_THROWS_AS(mcp::read_discover("7"), Error);
    CHECK(mcp::read_unsupported(Error(-32022, "x", R"({"supported":["2025-11-25"]})")).era ==
          mcp::Era::legacy);
    CHECK_THROWS_AS(mcp::read_unsupported(Error(-32022, "x", R"({"supported":[]})")), Error);
}

TEST_CASE("read_tools: a bad tool is dropped with its reason, and the others stay") {
    const std::string big(1 << 20, 'x');
    const mcp::ToolPage page = mcp::read_tools(
        R"({"tools":[{"name":"good","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{"a":1},"annotations":{"readOnlyHint":true}},
          7,{"name":"none"},{"name":"array","inputSchema":[]},{"name":"string","inputSchema":{"type":"string"}},{"inputSchema":{}},{"name":5,"inputSchema":{}},
          {"name":"big","description":")" +
            big + R"(","inputSchema":{}},{"name":"loose","inputSchema":{}},
          {"name":"task","inputSchema":{},"execution":{"taskSupport":"required"}}],"nextCursor":""})",
        false);
    REQUIRE(page.tools.size() == 5);
    CHECK(page.tools[0].title == "T");
    CHECK(page.tools[0].output_schema == R"({"a":1})");
    CHECK(page.tools[0].annotations == R"({"readOnlyHint":true})");
    CHECK(page.tools[1].name == "none");
    CHECK(page.tools[3].name == "loose");
    CHECK(page.tools[4].needs_task);
    CHECK(page.dropped.size() == 7);
    CHECK(page.next_cursor == "");
    CHECK_FALSE(mcp::read_tools(R"({"tools":[],"nextCursor":null})", false).next_cursor.has_value());
    CHECK_THROWS_AS(mcp::read_tools("{}", false), Error);
    CHECK_THROWS_AS(mcp::read_tools("[]", false), Error);
}

TEST_CASE("read_tools: a tool whose inputSchema says nothing takes anything, and is noted") {
    for (const char* schema : {"null", "true", "[]", "\"\"", "7", "false"}) {
        const mcp::ToolPage page =
            mcp::read_tools(std::string(R"({"tools":[{"name":"t","inputSchema":)") + schema + "}]}", true);
        REQUIRE_MESSAGE(page.tools.size() == 1, schema);
        CHECK(page.tools[0].input_schema == "{}");
        REQUIRE(page.dropped.size() == 1);
        CHECK(page.dropped[0] == std::string("tool \"t\": its inputSchema is ") + schema +
                                     ", so it is taken as one that takes anything");
    }
    CHECK(mcp::read_tools(R"({"tools":[{"name":"t"}]})", false).dropped.front() ==
          "tool \"t\": it has no inputSchema, so it is taken as one that takes anything");
    for (const char* type : {"null", R"("object")", R"(["object","null"])"}) {
        const mcp::ToolPage page = mcp::read_tools(
            std::string(R"({"tools":[{"name":"t","inputSchema":{"type":)") + type + "}}]}", false);
        CHECK_MESSAGE(page.tools.size() == 1, type);
        CHECK(page.dropped.empty());
    }
    for (const char* type : {"\"string\"", R"(["null"])", "7"})
        CHECK(mcp::read_tools(std::string(R"({"tools":[{"name":"t","inputSchema":{"type":)") + type + "}}]}",
                              false)
                  .tools.empty());
}

TEST_CASE("check_result: a result is an object, and a modern one is complete") {
    CHECK_NOTHROW(mcp::check_result(R"({"resultType":"input_required"})", false));
    CHECK_NOTHROW(mcp::check_result("{}", true));
    CHECK_NOTHROW(mcp::check_result(R"({"resultType":"complete"})", true));
    CHECK_THROWS_AS(mcp::check_result(R"({"resultType":"input_required"})", true), Error);
    CHECK_THROWS_AS(mcp::check_result(R"({"resultType":7})", true), Error);
    CHECK_THROWS_AS(mcp::check_result("[]", false), Error);
}

TEST_CASE("next_round: tells what a server asks a person, and gives its state back as it was") {
    CHECK_FALSE(mcp::next_round(R"({"content":[]})").has_value());
    CHECK_FALSE(mcp::next_round(R"({"resultType":"complete","requestState":"s"})").has_value());
    auto round = mcp::next_round(
        R"({"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"m":1}}},"requestState":"\u0041 b"})");
    REQUIRE(round.has_value());
    CHECK(round->questions == mcp::Questions{{"a", R"({"m":1})"}});
    round->responses = R"({"a":{"action":"cancel"}})";
    CHECK(round->state == R"("\u0041 b")");
    CHECK(
        mcp::call_params(mcp::RequestDress(), "t", "{}", *round) ==
        R"({"name":"t","arguments":{},"inputResponses":{"a":{"action":"cancel"}},"requestState":"\u0041 b"})");
    CHECK_THROWS_AS(mcp::next_round(R"({"resultType":"input_required"})"), Error);
    CHECK_THROWS_AS(
        mcp::next_round(R"({"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}})"),
        Error);
}

TEST_CASE("read_progress: takes what can be told and no more") {
    const auto report = mcp::read_progress(R"({"progressToken":3,"progress":0.5,"total":2,"message":"m"})");
    REQUIRE(report.has_value());
    CHECK(report->token == 3);
    CHECK(report->done == 0.5);
    CHECK(report->total == 2.0);
    CHECK(report->message == "m");
    for (const char* bad :
         {"{}", "[]", R"({"progressToken":"3","progress":1})", R"({"progressToken":3,"progress":"1"})"})
        CHECK_FALSE(mcp::read_progress(bad).has_value());
}

TEST_CASE("header_value: plain where it can be, wrapped where not") {
    CHECK(mcp::header_value("") == "");
    CHECK(mcp::header_value("us west-1") == "us west-1");
    CHECK(mcp::header_value(" x") == "=?base64?IHg=?=");
    CHECK(mcp::header_value("a\r\nb: c") == "=?base64?YQ0KYjogYw==?=");
    CHECK(mcp::header_value("é") == "=?base64?w6k=?=");
    CHECK(mcp::header_value("=?base64?eA==?=") == "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
}

TEST_CASE("x-mcp-header: is taken from properties at any depth, and refused everywhere else") {
    std::vector<mcp::HeaderParam> params;
    const std::string schema =
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
        "options":{"type":"object","properties":{"limit":{"type":"integer","x-mcp-header":"Limit"},"dry":{"type":"boolean","x-mcp-header":"Dry"}}}}})";
    CHECK(mcp::read_header_params(schema, params) == "");
    CHECK(mcp::param_headers(params, R"({"region":"eu","options":{"limit":3,"dry":null}})") ==
          std::vector<std::string>{"Mcp-Param-Region: eu", "Mcp-Param-Limit: 3"});
    CHECK(mcp::param_headers(params, R"({"region":["eu"],"options":7})").empty());
    CHECK(mcp::param_headers(params, "null").empty());
    for (
        const char* bad :
        {R"({"x-mcp-header":"A","type":"string"})",
         R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
         R"({"properties":{"a":{"x-mcp-header":"A"}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":"A B"}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})",
         R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
         R"({"oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
         R"({"$defs":{"d":{"type":"string","x-mcp-header":"A"}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}})"}) {
        CAPTURE(bad);
        std::vector<mcp::HeaderParam> none;
        CHECK(mcp::read_header_params(bad, none) != "");
    }
    std::vector<mcp::HeaderParam> named;
    CHECK(mcp::read_header_params(
              R"({"properties":{"x-mcp-header":{"type":"string"}},"default":{"x-mcp-header":1}})", named) ==
          "");
    CHECK(named.empty());
}

TEST_CASE("outgoing messages: what HTTP wants to know of them") {
    const mcp::Outgoing call = mcp::take_outgoing(
        R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t","arguments":{"a":1}}})");
    CHECK(call.asks());
    CHECK(call.id == "4");
    CHECK(call.name == "t");
    CHECK(mcp::arguments_in(call) == R"({"a":1})");
    CHECK_FALSE(mcp::take_outgoing(R"({"jsonrpc":"2.0","method":"n"})").asks());
    CHECK_FALSE(mcp::take_outgoing(R"({"jsonrpc":"2.0","id":4,"result":{}})").asks());
    CHECK(mcp::answers(R"({"id":4,"result":{}})", "4"));
    CHECK(mcp::answers(R"({"id":"4","result":{}})", "4")); // some write every id as text
    CHECK(mcp::answers(R"({"id":4.0,"result":{}})", "4"));
    CHECK_FALSE(mcp::answers(R"({"id":5,"result":{}})", "4"));
    CHECK_FALSE(mcp::answers(R"({"id":4,"method":"ping"})", "4"));
    CHECK(mcp::answers("{", "4")); // unreadable, it is the answer, and fails its call at once
    CHECK_FALSE(mcp::answers(R"({"method":"ping")", "4"));
}

TEST_CASE("http_error: the status for those who decide by it; a page is for the user, an error of JSON-RPC "
          "an answer") {
    mcp::WebAnswer answer;
    answer.head.status = 404;
    answer.body = "<p>\nnone</p>";
    const Error page = mcp::http_error(answer, "https://u:p@h/x?key=s", false);
    CHECK(page.what() == std::string("https://h:443/x: HTTP 404") + mcp::words_are_elsewhere);
    CHECK(mcp::http_words(answer) == answer.body);
    CHECK(page.data() == R"({"httpStatus":404})");
    CHECK(mcp::says_session_lost(mcp::http_error(answer, "http://h", true)));
    answer.head.status = 400;
    answer.body =
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":[]}}})";
    const Error said = mcp::http_error(answer, "http://h", true);
    CHECK(said.code() == -32022);
    CHECK(std::string(said.what()) == "http://h:80/: HTTP 400: no");
    CHECK(mcp::http_words(answer).empty());
    CHECK(said.data() == R"({"supported":[]})");
    CHECK_FALSE(mcp::says_session_lost(said));
    answer.body.clear();
    CHECK(std::string(mcp::http_error(answer, "http://h", false).what()) == "http://h:80/: HTTP 400");
    answer.body.assign(100'000, 'x');
    CHECK(mcp::http_words(answer).size() == 2000);
}

TEST_CASE("URLs: shown without secrets, compared by origin, resolved as a browser would") {
    CHECK(mcp::shown_url("not a url") == "(a URL that is none)");
    CHECK(mcp::origin_of("HTTP://Host/x") == "http://host:80");
    CHECK(mcp::origin_of("http://localhost:1@evil.example/x") == "http://evil.example:80");
    CHECK(mcp::origin_of("http://[::1]:8080/x") == "http://[::1]:8080");
    CHECK(mcp::origin_of("http://host./x") != mcp::origin_of("http://host/x"));
    for (const char* bad : {"", "none", "http://", "http://a b/", "http://[::1"})
        CHECK(mcp::origin_of(bad) == "");
    CHECK(mcp::resolved_url("http://h:1/sse?a", "/m?b=1") == "http://h:1/m?b=1");
    CHECK(mcp::resolved_url("http://h:1/a/sse", "m") == "http://h:1/a/m");
    CHECK(mcp::resolved_url("http://h:1/a", "https://evil/x") == "https://evil/x");
}
