// Questions to a person on their way through: src/mcp/elicitation.
#include "src/mcp/elicitation.h"

#include <doctest/doctest.h>

#include "src/base/json.h"
#include "src/jsonrpc/message.h"

namespace elicitation = mcp::elicitation;

namespace {

std::string form(const std::string& message, const std::string& schema = R"({"type":"object"})",
                 const std::string& more = {}) {
    return R"({"message":)" + json::quote(message) + R"(,"requestedSchema":)" + schema + more + "}";
}

std::string nested(int depth) {
    std::string text = R"({"a":)";
    for (int i = 0; i < depth; ++i) text += '[';
    return text + std::string(static_cast<std::size_t>(depth), ']') + '}';
}

} // namespace

TEST_CASE("elicitation: a client shows forms where it says so, or names no kind") {
    for (const char* yes : {R"({"elicitation":{}})", R"({"elicitation":{"form":{}}})",
                            R"({"elicitation":{"url":{},"form":{}}})"})
        CHECK(elicitation::declared(yes));
    for (const char* no :
         {"{}", R"({"elicitation":{"url":{}}})", R"({"elicitation":true})", R"({"roots":{}})", "null"})
        CHECK_FALSE(elicitation::declared(no));
}

TEST_CASE("elicitation: a question says whose it is, and carries the form and nothing else") {
    CHECK(
        elicitation::question("git\"hub", form("Sure?\nReally?", R"({"type":"object","properties":{}})",
                                               R"(,"mode":"form","_meta":{"x":1},"task":{})")) ==
        R"({"message":"The MCP server \"git\\\"hub\" asks: Sure?\n    Really?","requestedSchema":{"type":"object","properties":{}}})");
    CHECK(elicitation::question("s", form("a\033[2Jb\rc\x7f")).find(R"(asks: a\\x1b[2Jb\\rc\\x7f")") !=
          std::string::npos);
}

TEST_CASE("elicitation: what is no question, or too much of one, is refused") {
    for (const std::string& bad : {std::string("[]"), std::string("{}"), std::string(R"({"message":"m"})"),
                                   std::string(R"({"message":7,"requestedSchema":{}})"),
                                   std::string(R"({"message":"m","requestedSchema":[]})"),
                                   form("m", "{}", R"(,"mode":"url")"), form("m", "{}", R"(,"mode":7)")})
        CHECK_THROWS_AS(elicitation::question("s", bad), jsonrpc::Error);
    const std::size_t frame = form("").size();
    CHECK_NOTHROW(elicitation::question("s", form(std::string(elicitation::most_bytes - frame, 'x'))));
    CHECK_THROWS_AS(elicitation::question("s", form(std::string(elicitation::most_bytes - frame + 1, 'x'))),
                    jsonrpc::Error);
    CHECK_NOTHROW(elicitation::question("s", form("m", nested(elicitation::most_depth - 2))));
    CHECK_THROWS_AS(elicitation::question("s", form("m", nested(elicitation::most_depth - 1))), json::Error);
}

TEST_CASE("elicitation: an answer is an action, and the content of one that accepts") {
    CHECK(elicitation::answer(R"({"action":"accept","content":{"size":3},"_meta":{}})") ==
          R"({"action":"accept","content":{"size":3}})");
    CHECK(elicitation::answer(R"({"action":"decline","content":{"size":3}})") == R"({"action":"decline"})");
    CHECK(elicitation::answer(R"({"action":"cancel"})") == elicitation::nobody);
    for (const char* bad : {"{}", "[]", R"({"action":"accept"})", R"({"action":"accept","content":[]})",
                            R"({"action":"maybe"})", R"({"action":null})"})
        CHECK_THROWS_AS(elicitation::answer(bad), jsonrpc::Error);
    CHECK_THROWS_AS(elicitation::answer(R"({"action":"accept","content":{"a":")" +
                                        std::string(elicitation::most_bytes, 'x') + "\"}}"),
                    jsonrpc::Error);
}
