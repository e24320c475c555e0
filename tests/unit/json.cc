#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "src/base/json.h"

namespace {

std::string nested(int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
}

} // namespace

TEST_CASE("json::check: takes what is JSON and refuses what we never want to hold") {
    for (const char* good : {"{}", "[]", "null", "true", "-1.5e3", R"("a\u0000b")", R"({"a":{"a":1}})",
                             " [1 , 2]\r\n", "\xEF\xBB\xBF{}"}) {
        CAPTURE(good);
        CHECK_NOTHROW(json::check(good));
    }
    for (const char* bad : {"", "{", "[1,]", "{'a':1}", "nul", "[1]x", "// c\n1", R"({"a":1,"a":2})",
                            "\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "1e400", "NaN"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(json::check(bad), json::Error);
    }
    CHECK_THROWS_WITH_AS(json::check(std::string_view("{}\0x", 4)), "JSON contains a NUL byte", json::Error);
}

TEST_CASE("json::check: depth holds at the limit and fails one past it, and a million levels do no harm") {
    CHECK_NOTHROW(json::check(nested(64), 64));
    CHECK_THROWS_AS(json::check(nested(65), 64), json::Error);
    CHECK_THROWS_AS(json::check(std::string(1'000'000, '['), 512), json::Error);
    CHECK_THROWS_AS(json::Document(nested(513)), json::Error);
}

TEST_CASE("json::members: gives keys unescaped and values as they stand") {
    const std::string text = R"( { "a" : 1 , "b\n": {"x":[1,"}"]},"c":"q\"}," , "d":[ ] ,"e":null} )";
    json::check(text);
    const auto found = json::members(text);
    REQUIRE(found.size() == 5);
    CHECK(found[0].key == "a");
    CHECK(found[0].value == "1");
    CHECK(found[1].key == "b\n");
    CHECK(found[1].value == R"({"x":[1,"}"]})");
    CHECK(found[2].value == R"("q\"},")");
    CHECK(found[3].value == "[ ]");
    CHECK(found[4].value == "null");
    CHECK(json::member(text, "d") == "[ ]");
    CHECK_FALSE(json::member(text, "z").has_value());
    CHECK(json::members("{}").empty());
    CHECK(json::members("[1]").empty());
}

TEST_CASE("json::elements: splits an array and nothing else") {
    const auto found = json::elements(R"([1, "a,b" ,[2,3],{"k":[4]}])");
    REQUIRE(found.size() == 4);
    CHECK(found[1] == R"("a,b")");
    CHECK(found[2] == "[2,3]");
    CHECK(found[3] == R"({"k":[4]})");
    CHECK(json::elements("[]").empty());
    CHECK(json::elements("{}").empty());
}

TEST_CASE("json::Reader: an error names the place and the expectation") {
    const json::Document document(R"({"args":["a",2],"n":1.0,"big":99999999999,"u":"x"})");
    const json::Reader root = document.root("arguments");
    std::vector<std::string> args;
    CHECK_THROWS_WITH_AS(root.read("args", args), "arguments.args[1]: expected string", json::Error);
    CHECK_THROWS_WITH_AS(root.at("none"), "arguments: missing \"none\"", json::Error);
    int number = 0;
    root.read("n", number);
    CHECK(number == 1);
    CHECK_THROWS_WITH_AS(root.read("big", number), "arguments.big: expected an integer in range",
                         json::Error);
    CHECK_THROWS_WITH_AS(root.at("u").as_number(), "arguments.u: expected number", json::Error);
    CHECK_THROWS_WITH_AS(root.at("args").at("x"), "arguments.args: expected object", json::Error);
    CHECK(root.at("args").text() == R"(["a",2])");
}

TEST_CASE("json::Document: a number is written again as the same number") {
    for (const char* text : {"0", "-0.0", "0e5", "1", "-7", "9223372036854775807", "18446744073709551615",
                             "0.1", "1e-7", "123456789.125", "5e-324"}) {
        CAPTURE(text);
        const std::string once = json::Document(text).root().text();
        CHECK(json::Document(once).root().text() == once);
    }
    CHECK(json::Document("18446744073709551615").root().text() == "18446744073709551615");
    CHECK(json::Document("1e-400").root().as_number() == 0);
    CHECK_THROWS_AS(json::Document("-1e400"), json::Error);
    CHECK_THROWS_AS(json::Document("18446744073709551616").root().as_int(), json::Error);
}

TEST_CASE("json::Writer: one line, valid whatever the text") {
    json::Writer w;
    w.object()
        .field("a", 1)
        .field("s", std::string("x\n\xFF\"\xE2\x80\xA8"))
        .key("l")
        .array()
        .value(true)
        .null()
        .end();
    w.field("d", std::numeric_limits<double>::infinity()).raw_field("r", "[1]").end();
    CHECK(w.str() ==
          "{\"a\":1,\"s\":\"x\\n\xEF\xBF\xBD\\\"\\u2028\",\"l\":[true,null],\"d\":null,\"r\":[1]}");
    CHECK_NOTHROW(json::check(w.str()));
}

TEST_CASE("json::Writer: what it writes is read back the same") {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xC2\x85";
    CHECK(json::unquote(json::quote(all)) == all);
    CHECK(json::unquote(R"("\udc00")").find('\xED') == std::string::npos);
}

TEST_CASE("json::repair_surrogates: mends what stands alone and nothing else") {
    const auto repaired = [](std::string text) {
        json::repair_surrogates(text);
        return text;
    };
    CHECK(repaired(R"("\ud83d\ude00 \ud83d x \udc00\udc00 \\ud83d \ud83d")") ==
          R"("\ud83d\ude00 \ufffd x \ufffd\ufffd \\ud83d \ufffd")");
    CHECK(repaired(R"("\ud83d\ud83d\ude00")") == R"("\ufffd\ud83d\ude00")");
    CHECK(repaired("\"\\ud8") == "\"\\ud8");
    CHECK(repaired("\\") == "\\");
}

TEST_CASE("members: values are found whatever their strings hold") {
    for (const std::string text :
         {R"("")", R"("\\")", R"("\"")", R"("\\\"")", R"("a\"]}{[,\\")", R"("\u0022\\\\")",
          R"(["\"",{"}":"]"},[],"\\"])", R"({"\"":["\\\""]})", R"(-1.5e3)", R"(true)"}) {
        CAPTURE(text);
        const std::string whole = R"({"a":)" + text + R"(,"b": )" + text + R"( ,"c":7})";
        json::check(whole);
        const auto all = json::members(whole);
        REQUIRE(all.size() == 3);
        CHECK(all[0].value == text);
        CHECK(all[1].value == text);
        CHECK(all[2].value == "7");
        const std::string array = "[" + text + "," + text + "]";
        CHECK(json::elements(array) == std::vector<std::string_view>{text, text});
    }
}
