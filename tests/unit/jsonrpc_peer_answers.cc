// Peer: answers that are not as they should be.
#include "tests/unit/jsonrpc_talk.h"

namespace code = jsonrpc::code;

namespace {

// A peer of a server, and what it got over.
struct Lenient {
    std::vector<std::string> mended{}, left_out{};
    PeerTalk talk;

    explicit Lenient(bool batches = false) : talk(options(batches)) {}

    jsonrpc::Peer::Options options(bool batches) {
        jsonrpc::Peer::Options options;
        options.lenient = true;
        options.batches = batches;
        options.on_mended = [this](const jsonrpc::Message& message) {
            mended.insert(mended.end(), message.mended().begin(), message.mended().end());
            left_out.insert(left_out.end(), message.left_out().begin(), message.left_out().end());
        };
        return options;
    }
};

std::string failure(const std::shared_ptr<Called>& call) {
    return call->error ? call->error->what() : "(waits, or has an answer)";
}

} // namespace

TEST_CASE("Peer: an answer that ordinary parsers take is taken, and told of") {
    struct Row {
        std::string answer, result, mended;
    };
    for (const Row& row : {
             Row{"\xEF\xBB\xBF" + result("1", "[1]"), "[1]", "a byte order mark before them: dropped"},
             Row{result("1", "[NaN]"), "[null]", "NaN or Infinity, which JSON does not have"},
             Row{result("1", "[1e400]"), "[null]", "numbers beyond a double: taken as infinite"},
             Row{result("1", "\"a\tb\""), R"("a\tb")", "raw control characters in strings"},
             Row{result("1", "\"caf\xE9\""), "\"café\"", "bytes that are not UTF-8: taken as Latin-1"},
             Row{result("1", R"({"a":1,"a":2})"), R"({"a":2})", "repeated keys: the last counts"},
             Row{R"({"id":1,"result":[1]})", "[1]", "answers without \"jsonrpc\": \"2.0\""},
             Row{R"({"jsonrpc":"1.0","id":1,"result":[1],"error":null})", "[1]",
                 "answers without \"jsonrpc\": \"2.0\""},
             Row{result("1.0", "[1]"), "[1]", "ids such as 1.0"},
             Row{result("\"1\"", "[1]"), "[1]", ""},
             Row{R"({"jsonrpc":"2.0","id":1,"result":[1],"error":null,"method":null,"params":{}})", "[1]",
                 ""},
             Row{result("1", "[1" + std::string(400, '0') + "]"), "[1" + std::string(400, '0') + "]", ""},
         }) {
        CAPTURE(row.answer);
        Lenient lenient;
        const auto call = lenient.talk.call("a");
        lenient.talk.give(row.answer);
        CHECK(call->result == row.result);
        CHECK(lenient.mended ==
              (row.mended.empty() ? std::vector<std::string>() : std::vector<std::string>{row.mended}));
    }
}

TEST_CASE("Peer: an error beside a result that is null, or that is no object, is the error") {
    Lenient lenient;
    const auto first = lenient.talk.call("a"), second = lenient.talk.call("b");
    lenient.talk.give(R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":5,"message":"no"}})");
    lenient.talk.give(R"({"jsonrpc":"2.0","id":2,"error":"out of paper"})");
    CHECK(failure(first) == "no");
    CHECK(failure(second) == "out of paper");
}

TEST_CASE("Peer: an answer that cannot be read fails its call at once, and no other") {
    const std::string deep = std::string(600, '[') + std::string(600, ']');
    struct Row {
        std::string answer, says;
    };
    for (const Row& row : {
             Row{result("1", "[01]"), "bad JSON at byte 35: "},
             Row{result("1", "{'a':1}"), "\"result\":{'a':1}}\""},
             Row{result("1", deep), "nested too deeply"},
             Row{result("1.0", deep), "nested too deeply"},
             Row{R"({"result":)" + deep + R"(,"id":1,"jsonrpc":"2.0"})", "nested too deeply"},
             Row{R"({"result":[1,2)", "(waits"},
             Row{R"({"id":1,"result":[1,2)", "bad JSON at byte 21: "},
             Row{"\xEF\xBB\xBF{\"id\":\"1\",\"result\":\"\\x41\"}", "bad JSON at byte "},
             Row{R"({"jsonrpc":"2.0","id":1})", "exactly one of"},
             Row{R"({"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}})", "exactly one of"},
             Row{R"({"jsonrpc":"2.0","id":1,"method":"x","params":[01]})", "(waits"},
             Row{"{'id':1,'result':2}", "(waits"},
             Row{"Listening on {\"id\":1}", "(waits"},
         }) {
        CAPTURE(row.answer);
        Lenient lenient;
        const auto call = lenient.talk.call("a"), other = lenient.talk.call("b");
        lenient.talk.give(row.answer);
        CHECK(failure(call).find(row.says) != std::string::npos);
        if (call->error) CHECK(failure(call).starts_with("its answer cannot be read: "));
        CHECK(lenient.talk.abandoned.empty());
        lenient.talk.give(result("2", "[2]"));
        CHECK(other->result == "[2]");
    }
}

TEST_CASE("Peer: a list of tools loses the one that cannot be read; the result of a call is never cut") {
    const std::string list = R"({"tools":[{"name":"a"},{"name":"bad","description":"\x41"},{"name":"b"}]})";
    Lenient lenient;
    const auto listed = lenient.talk.call("tools/list");
    lenient.talk.give(result("1", list));
    CHECK(listed->result == R"({"tools":[{"name":"a"},{"name":"b"}]})");
    REQUIRE(lenient.left_out.size() == 1);
    CHECK(lenient.left_out[0].starts_with("tool \"bad\" is left out: it cannot be read: "));
    const auto called = lenient.talk.call("tools/call");
    lenient.talk.give(result("2", list));
    CHECK(failure(called).starts_with("its answer cannot be read: "));
}

TEST_CASE("Peer: what came with a request is its answer, whatever is in it") {
    for (const bool batches : {false, true}) {
        for (const char* text : {"<html>busy</html>", "", "[", "[]", "{}", R"({"id":9,"result":[]})",
                                 R"({"jsonrpc":"2.0","method":"n"})", R"([{"id":9,"result":1}])"}) {
            CAPTURE(text);
            Lenient lenient(batches);
            const auto call = lenient.talk.call("a"), other = lenient.talk.call("b");
            lenient.talk.channel.give(
                {.text = text, .size = std::string(text).size(), .of_request = "1", .whole_answer = true});
            lenient.talk.settle();
            CHECK(call->error.has_value());
            CHECK(!other->error.has_value());
        }
        Lenient lenient(batches);
        const auto call = lenient.talk.call("a");
        const std::string text =
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no such header"}})";
        lenient.talk.channel.give({.text = text, .size = text.size(), .of_request = "1"});
        lenient.talk.settle();
        CHECK(failure(call) == "no such header");
    }
}

TEST_CASE(
    "Peer: what cannot be read on the way to an answer does not fail the call, unless it is the answer") {
    Lenient lenient;
    const auto first = lenient.talk.call("a"), second = lenient.talk.call("b");
    const auto event = [&](const std::string& text, const std::string& id) {
        lenient.talk.channel.give({.text = text, .size = text.size(), .of_request = id});
        lenient.talk.settle();
    };
    event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":\x}})", "1");
    CHECK(!first->error);
    event(result("1", "[1]"), "1");
    CHECK(first->result == "[1]");
    event("{broken", "2");
    CHECK(failure(second).starts_with("its answer cannot be read: bad JSON at byte 1: "));
}

TEST_CASE("Peer: an array of answers is mended as a whole") {
    Lenient lenient(true);
    const auto first = lenient.talk.call("a"), second = lenient.talk.call("b");
    lenient.talk.give("[" + result("1", "\"a\tb\"") + "," + result("2.0", "[2]") + "]");
    CHECK(first->result == R"("a\tb")");
    CHECK(second->result == "[2]");
    CHECK(lenient.mended.size() == 3);
}

TEST_CASE("Peer: without lenience none of this is taken") {
    PeerTalk talk;
    const auto call = talk.call("a");
    for (const char* line : {R"({"id":1,"result":[1]})", R"({"jsonrpc":"2.0","id":1,"result":NaN})",
                             R"({"jsonrpc":"2.0","id":1.0,"result":1})"})
        talk.give(line);
    CHECK(!call->result);
    CHECK(!call->error);
    CHECK(talk.bad_lines.size() == 3);
}
