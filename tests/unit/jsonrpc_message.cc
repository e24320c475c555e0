#include <doctest/doctest.h>

#include <string>

#include "src/base/json.h"
#include "src/jsonrpc/message.h"

using jsonrpc::Error;
using jsonrpc::Message;
namespace code = jsonrpc::code;

namespace {

int code_of(const std::string& text) {
    try {
        Message::parse(text);
    } catch (const Error& error) {
        return error.code();
    }
    return 0;
}

} // namespace

TEST_CASE("Message::parse: tells requests, notifications, results and errors apart") {
    const Message request =
        Message::parse(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":[1, 2]}})");
    CHECK(request.kind() == Message::Kind::request);
    CHECK(request.id() == "7");
    CHECK(request.method() == "tools/call");
    CHECK(request.params() == R"({"a":[1, 2]})");
    const Message notification = Message::parse(R"( {"method":"x","jsonrpc":"2.0"} )");
    CHECK(notification.kind() == Message::Kind::notification);
    CHECK(notification.id().empty());
    CHECK(notification.params() == "{}");
    const Message result = Message::parse(R"({"jsonrpc":"2.0","id":"a","result":null})");
    CHECK(result.kind() == Message::Kind::result);
    CHECK(result.id() == "\"a\"");
    CHECK(result.result() == "null");
    const Message error = Message::parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})");
    CHECK(error.kind() == Message::Kind::error);
    CHECK(error.id() == "null");
    CHECK(error.error() == R"({"code":1,"message":"m"})");
    CHECK(Message::parse(R"({"jsonrpc":"2.0","error":{}})").id().empty());
}

TEST_CASE("Message::parse: the text survives a move, keys may be escaped, unknown members do not matter") {
    Message first =
        Message::parse(R"({"jsonrpc":"2.0","\u0069d":1,"method":"m\u00e9","params":[1],"extra":{"id":2}})");
    const Message moved = std::move(first);
    CHECK(moved.id() == "1");
    CHECK(moved.method() == "mé");
    CHECK(moved.params() == "[1]");
    CHECK(Message::parse("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"s\":\"\\ud800x\"}}").params() ==
          "{\"s\":\"\\ufffdx\"}");
}

TEST_CASE("Message::parse: what is no JSON is a parse error") {
    for (const char* bad : {"", "{", "hello", "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"method\":\"n\"}",
                            "{\"jsonrpc\":\"2.0\"} x", "\xFF", "{\"jsonrpc\":\"2.0\",\"method\":\"\xC3\"}"}) {
        CAPTURE(bad);
        CHECK(code_of(bad) == code::parse_error);
    }
    CHECK(code_of(std::string("{}\0", 3)) == code::parse_error);
    CHECK(code_of(R"({"jsonrpc":"2.0","method":"m","params":)" + std::string(600, '[') +
                  std::string(600, ']') + "}") == code::parse_error);
}

TEST_CASE("Message::parse: JSON that is no message is an invalid request") {
    for (const char* bad : {"[]",
                            "7",
                            "null",
                            "\"x\"",
                            "{}",
                            R"({"method":"m"})",
                            R"({"jsonrpc":"1.0","method":"m"})",
                            R"({"jsonrpc":2.0,"method":"m"})",
                            R"({"jsonrpc":"2.0"})",
                            R"({"jsonrpc":"2.0","id":1})",
                            R"({"jsonrpc":"2.0","id":1,"method":"m","result":1})",
                            R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})",
                            R"({"jsonrpc":"2.0","method":7})",
                            R"({"jsonrpc":"2.0","result":1})",
                            R"({"jsonrpc":"2.0","id":null,"method":"m"})",
                            R"({"jsonrpc":"2.0","id":null,"result":1})",
                            R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
                            R"({"jsonrpc":"2.0","id":1e3,"method":"m"})",
                            R"({"jsonrpc":"2.0","id":true,"method":"m"})",
                            R"({"jsonrpc":"2.0","id":[1],"method":"m"})",
                            R"({"jsonrpc":"2.0","id":{},"method":"m"})",
                            R"({"jsonrpc":"2.0","method":"m","params":7})"}) {
        CAPTURE(bad);
        CHECK(code_of(bad) == code::invalid_request);
    }
    const auto with = [](const std::string& id, const std::string& method) {
        return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + "\"}";
    };
    CHECK(code_of(with("1", std::string(510, 'm'))) == 0);
    CHECK(code_of(with("1", std::string(511, 'm'))) == code::invalid_request);
    CHECK(code_of(with('"' + std::string(1022, 'i') + '"', "m")) == 0);
    CHECK(code_of(with('"' + std::string(1023, 'i') + '"', "m")) == code::invalid_request);
}

TEST_CASE("Message::parse: params that are null or an empty array are none") {
    for (const char* none : {"null", "[]", " [ ] ", "{}"}) {
        CAPTURE(none);
        const Message request =
            Message::parse(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(none) + "}");
        CHECK(request.kind() == Message::Kind::request);
        CHECK(request.params() == "{}");
        const Message told = Message::parse(R"({"method":"notifications/x","params":)" + std::string(none) +
                                            R"(,"jsonrpc":"2.0"})");
        CHECK(told.kind() == Message::Kind::notification);
        CHECK(told.params() == "{}");
    }
    CHECK(Message::parse(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[null]})").params() == "[null]");
}

TEST_CASE("Message::parse: a notification is one by its name, whatever null its id is") {
    const Message told =
        Message::parse(R"({"jsonrpc":"2.0","id":null,"method":"notifications/initialized"})");
    CHECK(told.kind() == Message::Kind::notification);
    CHECK(told.id().empty());
    CHECK(code_of(R"({"jsonrpc":"2.0","id":null,"method":"tools/list"})") == code::invalid_request);
    CHECK(code_of(R"({"jsonrpc":"2.0","id":{},"method":"notifications/x"})") == code::invalid_request);
}

TEST_CASE("a byte order mark before a message or a batch is passed over, and blanks around them too") {
    const std::string mark = "\xEF\xBB\xBF";
    const std::string ping = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";
    for (const std::string& text : {mark + ping, mark + " \t" + ping + "\r\n", " " + ping + " \r"}) {
        CHECK(Message::parse(text).id() == "7");
        CHECK(jsonrpc::id_of(text) == "7");
    }
    CHECK(jsonrpc::is_batch(mark + "[1]"));
    CHECK(jsonrpc::is_batch(mark + "\r\n [1]"));
    CHECK(jsonrpc::split_batch(mark + "[" + ping + ", null]", 3) == std::vector<std::string>{ping, "null"});
    CHECK(code_of(mark + mark + ping) == code::invalid_request);
    CHECK(code_of(mark) == code::parse_error);
}

TEST_CASE("id_of: the id that an answer to a bad message may carry") {
    CHECK(jsonrpc::id_of(R"({"id":7,"method":8})") == "7");
    CHECK(jsonrpc::id_of(R"({"id":"x"})") == "\"x\"");
    for (const char* none :
         {"", "{", "[]", "{}", R"({"id":null})", R"({"id":1.5})", R"({"id":[7]})", R"({"a":{"id":7}})"}) {
        CAPTURE(none);
        CHECK(jsonrpc::id_of(none) == "null");
    }
}

TEST_CASE("batches: known by their first character, split, and bounded") {
    CHECK(jsonrpc::is_batch(" \t[1]"));
    CHECK_FALSE(jsonrpc::is_batch("{\"a\":[1]}"));
    CHECK_FALSE(jsonrpc::is_batch(""));
    const auto parts = jsonrpc::split_batch(R"([{"a":1}, 2,[3]])", 3);
    CHECK(parts == std::vector<std::string>{R"({"a":1})", "2", "[3]"});
    CHECK_THROWS_AS(jsonrpc::split_batch("[1,2,3]", 2), Error);
    CHECK_THROWS_WITH_AS(jsonrpc::split_batch("[]", 2), "an empty batch", Error);
    CHECK_THROWS_AS(jsonrpc::split_batch("[1,", 2), Error);
}

TEST_CASE("lines: what is written can be read, and is one line") {
    const Message request = Message::parse(jsonrpc::request_line(12, "a\nb\"c", R"({"x":1})"));
    CHECK(request.id() == "12");
    CHECK(request.method() == "a\nb\"c");
    CHECK(request.params() == R"({"x":1})");
    CHECK(jsonrpc::request_line(1, "m", "").find("params") == std::string::npos);
    CHECK(jsonrpc::request_line(1, "a\nb", "").find('\n') == std::string::npos);
    CHECK(Message::parse(jsonrpc::notification_line("n", "[1]")).kind() == Message::Kind::notification);
    CHECK(Message::parse(jsonrpc::result_line("\"i\"", "[1]")).result() == "[1]");
    const Message error = Message::parse(jsonrpc::error_line("3", Error(-7, "bad \xFF byte", R"({"d":1})")));
    const Error back = jsonrpc::read_error(error.error());
    CHECK(back.code() == -7);
    CHECK(std::string(back.what()) == "bad \xEF\xBF\xBD byte");
    CHECK(back.data() == R"({"d":1})");
    CHECK(jsonrpc::error_line("null", Error(1, "m")).find("\"id\"") == std::string::npos);
    CHECK(jsonrpc::error_line("", Error(1, "m")).find("\"id\"") == std::string::npos);
}

TEST_CASE("read_error: whatever the other side calls an error gives one") {
    for (const char* odd : {"{}", "7", "\"text\"", "null", "[]", R"({"code":"x","message":7})",
                            R"({"code":1.5})", R"({"code":99999999999})"}) {
        CAPTURE(odd);
        const Error error = jsonrpc::read_error(odd);
        CHECK(error.code() == code::internal_error);
        CHECK_FALSE(std::string(error.what()).empty());
    }
    CHECK(std::string(jsonrpc::read_error(R"({"code":"x","message":"why"})").what()) == "why");
    CHECK(jsonrpc::read_error(R"({"code":-32601.0,"message":"m"})").code() == -32601);
}
