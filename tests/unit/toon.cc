#include "src/bridge/toon.h"

#include <doctest/doctest.h>

#include <string>

#include "src/base/json.h"

using bridge::to_toon;

TEST_CASE("to_toon: objects by indent, fields in their order") {
    CHECK(to_toon(R"({"status":"success","exitCode":0,"ok":true,"none":null})") ==
          "status: success\nexitCode: 0\nok: true\nnone: null");
    CHECK(to_toon(R"({"a":{"b":{"c":1},"d":{}}})") == "a:\n  b:\n    c: 1\n  d:");
    CHECK(to_toon("{}") == "");
    CHECK(to_toon("[]") == "[]");
    CHECK(to_toon("\"x y\"") == "x y");
    CHECK(to_toon(R"({"a":[]})") == "a: []");
}

TEST_CASE("to_toon: arrays inline, as tables, or as lists") {
    CHECK(to_toon(R"({"tags":["a","b,c",3,null]})") == "tags[4]: a,\"b,c\",3,null");
    CHECK(to_toon(R"([{"id":1,"n":"x"},{"n":"y z","id":2}])") == "[2]{id,n}:\n  1,x\n  2,y z");
    CHECK(to_toon(R"({"r":[{"id":1},{"id":2,"n":3}]})") == "r[2]:\n  - id: 1\n  - id: 2\n    n: 3");
    CHECK(to_toon(R"({"r":[{"id":{"x":1}},{}, "s", [1,2], [], [[3]], {"t":[{"a":1},{"a":2}],"u":4}]})") ==
          "r[7]:\n  - id:\n      x: 1\n  -\n  - s\n  - [2]: 1,2\n  - [0]:\n  - [1]:\n    - [1]: 3\n  - "
          "t[2]{a}:\n      1\n      2\n    u: 4");
    CHECK(to_toon(R"([[{"a":1},{"a":2}]])") == "[1]:\n  - [2]:\n    - a: 1\n    - a: 2");
}

TEST_CASE("to_toon: text is quoted exactly where it would be taken for something else") {
    for (const char* plain :
         {"word", "two words", "a.b", "naïve ✓", "1a", "a-b", "/path", "x=y;", "NULL", "1.2.3", "+5"}) {
        CAPTURE(plain);
        CHECK(to_toon(json::quote(plain)) == plain);
    }
    for (const char* other : {"", " x", "x ", "true", "null", "42", "-1.5", "05", "1e5", "1E+5", "a:b", "a,b",
                              "a[0]", "{x}", "-", "- x", "-x"}) {
        CAPTURE(other);
        CHECK(to_toon(json::quote(other)) == '"' + std::string(other) + '"');
    }
    CHECK(to_toon(R"("a\"b\\c\nd\te\rf")") == R"("a\"b\\c\nd\te\rf")");
    CHECK(to_toon("\"\\u0001\\u001f\\u0000\"") == "\"\\u0001\\u001f\\u0000\"");
    CHECK(to_toon("\"\\u00a0x\"") == "\"\xC2\xA0x\"");
}

TEST_CASE("to_toon: keys that are no plain names are quoted") {
    CHECK(to_toon(R"({"a-b":1,"":2,"1x":3,"a.b":4,"_x":5,"ü":6,"a\nb":{"c":7}})") ==
          "\"a-b\": 1\n\"\": 2\n\"1x\": 3\na.b: 4\n_x: 5\n\"ü\": 6\n\"a\\nb\":\n  c: 7");
    CHECK(to_toon(R"({"a b":[{"c,d":1},{"c,d":2}]})") == "\"a b\"[2]{\"c,d\"}:\n  1\n  2");
}

TEST_CASE("to_toon: numbers have one form, and lose nothing") {
    CHECK(to_toon("[1.0,1.50,-0,-0.0,1e3,1e-6,1E20,0.1]") ==
          "[8]: 1,1.5,0,0,1000,0.000001,100000000000000000000,0.1");
    CHECK(to_toon("123456789012345678901234567890") == "123456789012345678901234567890");
    CHECK(to_toon("9007199254740993") == "9007199254740993");
    CHECK(to_toon("1e-7") == "1e-7");
    CHECK(to_toon("1e21") == "1e+21");
}

TEST_CASE("to_toon: what is no JSON, too deep or too much is refused") {
    for (const char* bad : {"", "{", "[1,]", "nul", "{\"a\":1,\"a\":2}"})
        CHECK_THROWS_AS(to_toon(bad), json::Error);
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK_NOTHROW(to_toon(nested(128)));
    CHECK_THROWS_AS(to_toon(nested(129)), json::Error);
    std::string many = "[0";
    for (int i = 0; i < 1'000'000; ++i) many += ",0";
    CHECK_THROWS_AS(to_toon(many + "]"), json::Error);
}
