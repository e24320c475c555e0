#include "src/base/json_tree.h"

#include <doctest/doctest.h>

#include <cmath>

using json::read_tree;

namespace {

std::string refusal(std::string_view text, std::size_t most_values, int most_depth) {
    try {
        read_tree(text, most_values, most_depth);
    } catch (const json::Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("read_tree: each kind, in the order of the text") {
    const json::Tree root =
        read_tree("\xEF\xBB\xBF {\"b\": [null, true, \"x\\n\", {}], \"a\": {\"c\": []}} ", 100, 8);
    REQUIRE(root.members.size() == 2);
    CHECK(root.members[0].first == "b");
    const json::Tree& list = root.members[0].second;
    REQUIRE(list.items.size() == 4);
    CHECK(list.items[0].kind == json::Kind::null);
    CHECK(list.items[1].flag);
    CHECK(list.items[2].text == "x\n");
    CHECK(list.items[3].is_object());
    CHECK(root.find("a")->find("c")->is_array());
    CHECK(json::canonical(root) == R"({"a":{"c":[],},"b":[null,true,"x\n",{},],})");
}

TEST_CASE("read_tree: a number keeps its text, and is an integer if it is exactly one") {
    const json::Tree root =
        read_tree("[1.0, -0, 9007199254740993, 0.5, 18446744073709551615, 1e-400]", 100, 8);
    REQUIRE(root.items.size() == 6);
    CHECK(root.items[0].text == "1.0");
    CHECK(root.items[0].integer == 1);
    CHECK(root.items[1].text == "-0");
    CHECK(root.items[1].integer == 0);
    CHECK(std::signbit(root.items[1].number));
    CHECK(root.items[2].integer == 9007199254740993);
    CHECK_FALSE(root.items[3].integer);
    CHECK(root.items[3].number == 0.5);
    CHECK(root.items[4].text == "18446744073709551615");
    CHECK_FALSE(root.items[4].integer);
    CHECK(root.items[5].number == 0);
    CHECK(refusal("[1e400]", 100, 8).ends_with("number out of range"));
    CHECK(read_tree("-7", 1, 0).integer == -7);
}

TEST_CASE("read_tree: half a character in an escape is read as unquote reads it, in keys too") {
    const json::Tree root = read_tree(R"({"\udc00": "a\udc00b"})", 100, 8);
    const std::string half = json::unquote(R"("\udc00")");
    CHECK(half.starts_with("\xEF\xBF\xBD"));
    CHECK(root.members[0].first == half);
    CHECK(root.members[0].second.text == 'a' + half + 'b');
}

TEST_CASE("read_tree: values and depth are bounded, and what is broken is refused") {
    CHECK(read_tree("[1, {\"a\": 2}]", 4, 2).items.size() == 2);
    CHECK(refusal("[1, {\"a\": 2}]", 3, 2) == "too many values");
    CHECK(refusal("null", 0, 2) == "too many values");
    CHECK(refusal("[1, {\"a\": 2}]", 4, 1).ends_with("nested too deeply"));
    CHECK(refusal(std::string(100'000, '['), 1'000'000, 64).ends_with("nested too deeply"));
    CHECK(refusal("{\"a\": 1, \"a\": 2}", 100, 8).ends_with("repeated key"));
    for (const char* text : {"", "[1", "{\"a\"}", "[1,]", "nul", "1 2", "\"\xff\""}) {
        CAPTURE(text);
        CHECK(refusal(text, 100, 8).starts_with("bad JSON at byte"));
    }
}
