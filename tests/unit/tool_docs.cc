#include "src/search/tool_docs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "src/search/python_name.h"
#include "tests/unit/tool_lists.h"

using search::parameter_alias;
using search::parameter_names;
using search::python_signature;

TEST_CASE("python_signature: required parameters first, then those with a default") {
    const char* schema =
        R"j({"type":"object","properties":{"body":{"type":["string","null"],"default":null},"title":{"type":"string"},
        "labels":{"type":"array","items":{"type":"string"}},"draft":{"type":"boolean","default":false},"owner":{"type":"string"}},
        "required":["title","owner"]})j";
    CHECK(python_signature("create_issue", schema) ==
          "create_issue(title: str, *, owner: str, body: str | None = None, labels: list[str] = ..., draft: "
          "bool = False)");
}

TEST_CASE("python_signature: one parameter may be positional, several that nobody needs may not") {
    CHECK(python_signature("f", R"({"properties":{"a":{"type":"integer"}}})") == "f(a: int = ...)");
    CHECK(python_signature(
              "f", R"({"properties":{"a":{"type":"integer"},"b":{"type":"number","default":1.5}}})") ==
          "f(*, a: int = ..., b: float = 1.5)");
    CHECK(python_signature("f", R"({"type":"object"})") == "f()");
    CHECK(python_signature("f", R"({"properties":{"a":{}},"required":["a"]})") == "f(a)");
}

TEST_CASE("python_signature: types as Python writes them") {
    const auto of = [](const std::string& property) {
        const std::string text = python_signature(
            "f",
            R"({"$defs":{"T":{"type":"string"},"L":{"$ref":"#/$defs/L"}},"required":["a"],"properties":{"a":)" +
                property + "}}");
        return text.substr(2, text.size() - 3);
    };
    CHECK(of(R"({"enum":["a","b\"",null,3]})") == R"(a: Literal["a", "b\"", 3] | None)");
    CHECK(of(R"({"const":true})") == "a: Literal[True]");
    CHECK(of(R"({"anyOf":[{"type":"string"},{"type":"null"},{"type":"integer"}]})") == "a: str | int | None");
    CHECK(of(R"({"oneOf":[{"type":"string"},{}]})") == "a");
    CHECK(of(R"({"$ref":"#/$defs/T"})") == "a: str");
    CHECK(of(R"({"allOf":[{"$ref":"#/$defs/T"}]})") == "a: str");
    CHECK(of(R"({"$ref":"#/$defs/L"})") == "a");
    CHECK(of(R"({"$ref":"#/$defs/none"})") == "a");
    CHECK(of(R"({"$ref":"https://elsewhere.example/x"})") == "a");
    CHECK(of(R"({"type":"object","additionalProperties":{"type":"integer"}})") == "a: dict[str, int]");
    CHECK(of(R"({"type":"object","properties":{"x":{}}})") == "a: dict");
    CHECK(of(R"({"type":"array","items":{"type":"array","items":{"type":"object"}}})") ==
          "a: list[list[dict]]");
    CHECK(of(R"({"type":"array","items":[{"type":"string"}]})") == "a: list");
    CHECK(of(R"({"type":"whatever"})") == "a");
    CHECK(of("true") == "a");
}

TEST_CASE("python_signature: names that are no identifiers are shown as Python reaches them") {
    CHECK(
        python_signature(
            "f",
            R"({"properties":{"user-id":{},"from":{},"2nd":{},"":{}},"required":["user-id","from","2nd",""]})") ==
        "f(user_id, *, from_, _2nd, _)");
    CHECK(python_signature(
              "f", R"({"properties":{"user-id":{},"user_id":{}},"required":["user-id","user_id"]})") ==
          "f(user_id)");
    CHECK(parameter_alias("self") == "self");
    CHECK(parameter_alias("größe") == "größe");
    CHECK(parameter_alias("a.b/c d") == "a_b_c_d");
    CHECK(parameter_alias("None") == "None_");
}

TEST_CASE("python_signature: any schema gives something, and nothing long") {
    for (const char* odd : {"", "nonsense", "[]", "true", "null", "{}", R"({"properties":[]})",
                            R"({"properties":{"a":7},"required":"a"})",
                            R"({"properties":{"a":{"type":7,"enum":7,"anyOf":7,"$ref":7}}})",
                            R"({"$ref":"#"})", R"({"$ref":"#/"})"}) {
        CAPTURE(odd);
        const std::string text = python_signature("tool", odd);
        CHECK(text.starts_with("tool("));
        CHECK(text.ends_with(")"));
    }
    std::string wide = R"({"properties":{)", deep = R"({"properties":{"a":)";
    for (int i = 0; i < 5000; ++i)
        wide += (i > 0 ? "," : "") + ('"' + std::to_string(i)) + R"(":{"type":"string"})";
    for (int i = 0; i < 60; ++i) deep += R"({"type":"array","items":)";
    deep += "{}" + std::string(62, '}');
    CHECK(python_signature("tool", wide + "}}").size() <= 2000);
    CHECK(python_signature("tool", wide + "}}").ends_with(", ...)"));
    CHECK(python_signature("tool", deep).size() <= 2000);
    CHECK(python_signature(std::string(100'000, 'x'), wide + "}}").size() <= 2000);
    CHECK(parameter_names(wide + "}}").size() == 200);
}

TEST_CASE("parameter_names: those of the top level, also behind a reference") {
    using Names = std::vector<std::string>;
    CHECK(parameter_names(R"({"properties":{"a":{},"b-c":{"properties":{"d":{}}}}})") == Names{"a", "b-c"});
    CHECK(parameter_names(R"({"$ref":"#/definitions/X","definitions":{"X":{"properties":{"y":{}}}}})") ==
          Names{"y"});
    CHECK(parameter_names("not JSON").empty());
    CHECK(parameter_names(R"({"properties":"a"})").empty());
}

TEST_CASE("python_signature: real servers' tools have readable signatures") {
    for (const char* server : recorded_servers)
        for (const RecordedTool& tool : recorded_tools(server)) {
            CAPTURE(tool.name);
            const std::string text = python_signature("tool", tool.input_schema);
            CHECK(text.size() <= 2000);
            CHECK(text.find("**arguments") == std::string::npos);
        }
    for (const RecordedTool& tool : recorded_tools("everything"))
        if (tool.name == "get-sum")
            CHECK(python_signature("get_sum", tool.input_schema) == "get_sum(a: float, *, b: float)");
}

TEST_CASE("python_signature: choices within choices without end are cut short") {
    std::string choices, types;
    for (int i = 0; i < 16; ++i)
        choices += (i ? "," : "") + std::string(R"({"type":"array","items":{"$ref":"#/$defs/a"}})");
    for (int i = 0; i < 5000; ++i) types += (i ? "," : "") + std::string("\"array\"");
    const std::string schema = R"({"$defs":{"a":{"anyOf":[)" + choices + R"(]},"b":{"type":[)" + types +
                               R"(],"items":{"$ref":"#/$defs/b"}}},"properties":{"x":{"$ref":"#/$defs/a"},)" +
                               R"("y":{"$ref":"#/$defs/b"},"z":{"type":"integer"}}})";
    CHECK(search::python_signature("t", schema).starts_with("t(")); // in milliseconds, not for ever
}
