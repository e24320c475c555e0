// What ordinary parsers take though it is no JSON, made JSON.
#include "src/base/json_repair.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace {

std::string repaired(std::string_view text) {
    std::string out;
    json::repair(text, out);
    return out;
}

std::vector<std::string> kinds(std::string_view text) {
    std::string out;
    return json::repair(text, out).what;
}

// As Python would read it.
std::string for_python(std::string_view text) {
    std::string out;
    const json::Repairs repairs = json::repair(text, out);
    CHECK(!json::fault_in(out));
    return json::with_not_finite(out, 0, repairs.not_finite);
}

} // namespace

TEST_CASE("json::repair: each kind, in odd places") {
    using namespace std::string_literals;
    struct Row {
        std::string text, json;
    };
    for (const Row& row : {
             Row{"\xEF\xBB\xBF{}", "{}"},
             Row{"\xEF\xBB\xBF\xEF\xBB\xBF{}", "{}"},
             Row{"[NaN,Infinity,-Infinity]", "[null,null,null]"},
             Row{"NaN", "null"},
             Row{R"({"NaN":NaN,"a":"NaN, -Infinity 1e400"})", R"({"NaN":null,"a":"NaN, -Infinity 1e400"})"},
             Row{R"(["\"NaN",NaN,"\\",NaN])", R"(["\"NaN",null,"\\",null])"},
             Row{"[1e400,-1e400,1E+999,1e-400,1e3]", "[null,null,null,1e-400,1e3]"},
             Row{"[1" + std::string(400, '0') + ".5]", "[null]"},
             Row{"[123456789012345678901234567890]", "[123456789012345678901234567890]"},
             Row{"\"a\tb\nc\rd\x01\x1f\"", R"("a\tb\nc\rd\u0001\u001f")"},
             Row{"{\"\t\":1}", R"({"\t":1})"},
             Row{"[\"\0x\"]"s, R"(["\u0000x"])"},
             Row{"\"caf\xE9\"", "\"café\""},
             Row{"\"\x80\x93\xFF\"", "\"€“ÿ\""},
             Row{"{\"\xE9\":\"\xE4\xF6\"}", "{\"é\":\"äö\"}"},
             Row{"\"é\xE9\"", "\"é\uFFFD\""},
             Row{"\"\xED\xA0\x80 \xFF\"", "\"\uFFFD \uFFFD\""},
             Row{R"("\ud800")", R"("\ufffd")"},
             Row{R"({"a":1,"a":2})", R"({"a":2})"},
             Row{R"({"a":1,"b":3,"a":2,"c":4,"a":5})", R"({"b":3,"c":4,"a":5})"},
             Row{R"({"a":{"b":1,"b":2},"a":{"b":3,"b":4}})", R"({"a":{"b":4}})"},
             Row{R"({"a":1,"\u0061":2})", R"({"\u0061":2})"},
             Row{R"([{"a":1},{"a":1}])", R"([{"a":1},{"a":1}])"},
             Row{R"({"a":"a","b":["a","a"]})", R"({"a":"a","b":["a","a"]})"},
         }) {
        CAPTURE(row.text);
        CHECK(repaired(row.text) == row.json);
        CHECK(!json::fault_in(repaired(row.text)));
        CHECK(json::with_not_finite(row.json, 0, {}) == row.json);
    }
}

TEST_CASE("json::repair: numbers that JSON cannot write are given to Python as they were") {
    CHECK(for_python("[NaN,1e400,-1e400, -Infinity]") == "[NaN,Infinity,-Infinity, -Infinity]");
    CHECK(for_python(R"({"a":NaN,"a":{"x":NaN,"x":Infinity},"b":[null,NaN]})") ==
          R"({"a":{"x":Infinity},"b":[null,NaN]})");
    const std::string text = R"({"id":1,"result":{"v":NaN}})";
    std::string out;
    const json::Repairs repairs = json::repair(text, out);
    const std::string_view body = std::string_view(out).substr(out.find(R"({"v")"), 10);
    CHECK(body == R"({"v":null})");
    CHECK(json::with_not_finite(body, 16 + 1, repairs.not_finite) == R"({"v":NaN})");
}

TEST_CASE("json::repair: says what it did, each kind once") {
    CHECK(kinds("[NaN,NaN,Infinity]") ==
          std::vector<std::string>{"NaN or Infinity, which JSON does not have"});
    CHECK(kinds("\xEF\xBB\xBF[\"\t\",\"\t\",{\"a\":1,\"a\":NaN}]").size() == 4);
    CHECK(kinds(R"({"a":[1,"b",null]})").empty());
}

TEST_CASE("json::repair: what ordinary parsers refuse stays refused") {
    for (const char* text : {"{'a':1}",
                             "{a:1}",
                             "[1,]",
                             "[01]",
                             "[.5]",
                             "[1.e400]",
                             "[+1]",
                             "[-NaN]",
                             "[nan]",
                             "[xNaN]",
                             "[NaNx]",
                             "\"\\x41\"",
                             "\"\\\n\"",
                             "\"open",
                             "[1",
                             "[1]]",
                             "",
                             " ",
                             "<html>\"NaN\"</html>",
                             "{\"a\":1,\"a\"",
                             "[undefined]",
                             "{\"a\" \"b\"}"}) {
        CAPTURE(text);
        CHECK(json::fault_in(repaired(text)));
    }
}

TEST_CASE("json::repair: valid JSON is not changed, and whatever comes out keeps its length in bounds") {
    std::mt19937 random(7);
    const std::string_view words[] = {
        "{",  "}",     "[",    "]",  ",",         ":",     "\"a\"",   "\"b\\\"\"", "1",
        "-2", "1e5",   "true", " ",  "null",      "NaN",   "\"\t\"",  "\"\xE9\"",  "é",
        "\"", "1e400", "\\",   "\0", "-Infinity", "\"é\"", "{\"a\":", "\"a\":1,"};
    int passed = 0;
    for (int round = 0; round < 60'000; ++round) {
        std::string text;
        for (auto n = random() % 12; n-- > 0;) text += words[random() % std::size(words)];
        std::string out;
        const json::Repairs repairs = json::repair(text, out);
        const bool valid = !json::fault_in(text);
        if (valid) REQUIRE(out == text);
        if (valid) REQUIRE(repairs.what.empty());
        REQUIRE(out.size() <= 6 * text.size());
        REQUIRE(json::before_repair(text, random() % (out.size() + 2)) <= text.size());
        for (const json::NotFinite& each : repairs.not_finite) REQUIRE(out.compare(each.at, 4, "null") == 0);
        json::answer_id(text);
        std::string tools = text;
        json::drop_bad_tools(tools);
        json::excerpt(text, random() % (text.size() + 3));
        if (json::fault_in(out)) continue;
        passed += valid ? 0 : 1;
        std::string again;
        json::repair(out, again);
        REQUIRE(again == out);
    }
    CHECK(passed > 100);
}

TEST_CASE("json::repair: takes time by length alone") {
    const std::string deep(3'000'000, '[');
    CHECK(repaired(deep) == deep);
    std::string many = "[";
    for (int i = 0; i < 500'000; ++i) many += "NaN,";
    many += "\"\t\xE9\"]";
    std::string out;
    CHECK(json::repair(many, out).not_finite.size() == 500'000);
    CHECK(!json::fault_in(out));
    std::string keys = "{";
    for (int i = 0; i < 50'000; ++i) keys += "\"a\":{\"b\":1,\"b\":2},";
    CHECK(repaired(keys + "\"a\":3}") == "{\"a\":3}");
    const std::string quotes(1'000'000, '"');
    CHECK(repaired(quotes) == quotes);
}

TEST_CASE("json: the place of a fault is that of the text as it came, and is shown") {
    const std::string text = "{\"a\":\"\t\t\t\",\"b\":NaN,\"c\":x}";
    std::string out;
    json::repair(text, out);
    const auto fault = json::fault_in(out);
    REQUIRE(fault);
    CHECK(json::before_repair(text, fault->at) == text.find('x'));
    CHECK(json::excerpt(text, text.find('x')) == "{\"a\":\"???\",\"b\":NaN,\"c\":x}");
    const std::string around = json::excerpt(std::string(500, 'a') + "é!é" + std::string(500, '\xFF'), 501);
    CHECK(around.find("!é???") != std::string::npos);
    CHECK(std::count_if(around.begin(), around.end(), [](char c) { return (c & 0xC0) != 0x80; }) <= 60);
    CHECK(json::excerpt("\xC2\x9B\x1b[31m", 0) == "??[31m");
}

TEST_CASE("json: integers of any length that Python reads pass where that is asked for") {
    const std::string digits = "1" + std::string(400, '0');
    CHECK(json::fault_in("[" + digits + "]"));
    CHECK(!json::fault_in("[" + digits + "]", 64, true));
    CHECK(!json::fault_in("[-" + digits + "]", 64, true));
    CHECK(json::fault_in("[1e400]", 64, true));
    CHECK(json::fault_in("[" + std::string(5000, '1') + "]", 64, true));
}

TEST_CASE("json: the id of an answer that cannot be read") {
    const std::string deep = std::string(600, '[') + std::string(600, ']');
    struct Row {
        std::string text, id;
    };
    for (const Row& row : {
             Row{R"({"jsonrpc":"2.0","id":7,"result":{x}})", "7"},
             Row{R"( {"id" : "7" , "result":{x}})", "\"7\""},
             Row{R"({"result":)" + deep + R"(,"id":7.0})", "7.0"},
             Row{R"({"result":{"id":3,"s":"\"id\":4"},"id":7,"x":tru})", "7"},
             Row{R"({"result":'it"s',"id":7})", "7"},
             Row{R"({"result":{"a":"}},"jsonrpc":"2.0","id":7})", "7"},
             Row{"\xEF\xBB\xBF{\"id\":7,\"result\":{", "7"},
             Row{R"({"id":7,"method":"ping","params":x})", ""},
             Row{R"({"result":{"id":7}x)", ""},
             Row{R"({"id":null,"result":x})", ""},
             Row{R"([{"id":7}])", ""},
             Row{"{", ""},
             Row{"", ""},
             Row{"log: {\"id\":7}", ""},
         }) {
        CAPTURE(row.text);
        CHECK(json::answer_id(row.text) == row.id);
    }
}

TEST_CASE("json: a tool that cannot be read is taken out of its list, and the others stay") {
    const std::string deep = std::string(600, '[') + std::string(600, ']');
    std::string text = R"({"id":1,"result":{"tools":[{"name":"a"}, {"name":"deep","x":)" + deep +
                       R"(},{"name":"b"},{"name":"bad","description":"\x41"},5]}})";
    const auto told = json::drop_bad_tools(text);
    CHECK(text == R"({"id":1,"result":{"tools":[{"name":"a"},{"name":"b"},5]}})");
    REQUIRE(told.size() == 2);
    CHECK(told[0].starts_with("tool \"deep\" is left out: it cannot be read: nested too deeply at byte "));
    CHECK(told[1].starts_with("tool \"bad\" is left out: it cannot be read: "));
    std::string all = R"({"result":{"tools":[x]},"id":1})";
    CHECK(json::drop_bad_tools(all) ==
          std::vector<std::string>{
              "a tool of its list is left out: it cannot be read: Invalid value at byte 0 of it"});
    CHECK(all == R"({"result":{"tools":[]},"id":1})");
    for (const char* other : {R"({"result":{"tools":{}},"id":1})", R"({"result":[x],"id":1})", "{",
                              R"({"result":{"tools":[)", R"({"result":{"tools":[}]}})"}) {
        std::string kept = other;
        CHECK(json::drop_bad_tools(kept).empty());
        CHECK(kept == other);
    }
}
