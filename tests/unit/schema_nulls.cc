#include <doctest/doctest.h>

#include <string>

#include "src/schema/check.h"

using schema::Check;

namespace {

std::string kept(const std::string& schema, const std::string& arguments) {
    return schema::Check().without_nulls(schema, arguments);
}

// Of a schema with one property `a`.
std::string a(const std::string& property, const std::string& more = "") {
    return kept(R"({"type":"object","properties":{"a":)" + property + "}" + more + "}", R"({"a":null})");
}

} // namespace

TEST_CASE("without_nulls: null goes where the schema does not allow it") {
    for (const char* property :
         {R"({"type":"string"})", R"({"type":"string","default":null})", R"({"type":["string","integer"]})",
          R"({"enum":["x","y"]})", R"({"const":1})", R"({"anyOf":[{"type":"string"},{"type":"integer"}]})",
          R"({"$ref":"#/$defs/s"})", R"({"allOf":[{"type":"object"}]})", R"({"not":{"type":"null"}})",
          R"({"type":"string","nullable":false})"})
        CHECK_MESSAGE(a(property, R"(,"$defs":{"s":{"type":"string"}})") == "{}", property);
}

TEST_CASE("without_nulls: null stays where the schema allows it, or says nothing of it") {
    for (const char* property :
         {"{}", "true", R"({"type":["string","null"]})", R"({"type":"null"})",
          R"({"anyOf":[{"type":"string"},{"type":"null"}]})",
          R"({"oneOf":[{"type":"null"},{"type":"string"}]})", R"({"enum":["x",null]})", R"({"const":null})",
          R"({"type":"string","nullable":true})", R"({"nullable":true,"allOf":[{"$ref":"#/$defs/s"}]})",
          R"({"nullable":true,"enum":["x"]})", R"({"$ref":"#/$defs/n"})", R"({"$ref":"http://elsewhere/x"})",
          R"({"description":"x"})"})
        CHECK_MESSAGE(a(property, R"(,"$defs":{"s":{"type":"string"},"n":{"type":["string","null"]}})") ==
                          R"({"a":null})",
                      property);
    CHECK(a(R"({"type":"string"})", R"(,"required":["a"])") == R"({"a":null})"); // and is refused, by name
    CHECK(kept(R"({"properties":{}})", R"({"b":null})") == R"({"b":null})");
    CHECK(kept("not json", R"({"b":null})") == R"({"b":null})");
    CHECK(kept("", R"({"b":null})") == R"({"b":null})");
}

TEST_CASE("without_nulls: what is nullable by OpenAPI's word is allowed to be null") {
    const std::string schema = R"({"properties":{"a":{"type":"string","nullable":true}},"required":["a"]})";
    CHECK(schema::Check().problems(schema, R"({"a":null})").empty());
    CHECK(schema::Check().problems(schema, R"({"a":7})").size() == 1);
    CHECK(schema::Check()
              .problems(R"({"properties":{"a":{"type":"string","nullable":false}}})", R"({"a":null})")
              .size() == 1);
}

TEST_CASE("without_nulls: also in nested objects, in lists of them, and behind references") {
    const std::string schema =
        R"({"type":"object","properties":{"p":{"$ref":"#/$defs/p"},"o":{"anyOf":[{"$ref":"#/$defs/p"},{"type":"null"}]},
        "l":{"type":"array","items":{"$ref":"#/$defs/p"}},"m":{"type":"object","additionalProperties":{"type":"string"}},
        "u":{"anyOf":[{"$ref":"#/$defs/p"},{"type":"object","properties":{"x":{"type":"string"}}}]}},
        "$defs":{"p":{"type":"object","required":["r"],"properties":{"x":{"type":"integer"},"n":{"type":["integer","null"]},"r":{"type":"string"},
        "p":{"$ref":"#/$defs/p"}}}}})";
    CHECK(kept(schema, R"({"p":{"x":null,"n":null,"r":null}})") == R"({"p":{"n":null,"r":null}})");
    CHECK(kept(schema, R"({"o":{"x":null,"r":"a"}})") == R"({"o":{"r":"a"}})");
    CHECK(kept(schema, R"({"o":null})") == R"({"o":null})");
    CHECK(kept(schema, R"({"l":[{"x":null},null,{"x":1}]})") == R"({"l":[{},null,{"x":1}]})");
    CHECK(kept(schema, R"({"p":{"p":{"p":{"x":null}}}})") == R"({"p":{"p":{"p":{}}}})");
    // a key of a map is data, and of two shapes nobody knows which one is meant
    CHECK(kept(schema, R"({"m":{"k":null}})") == R"({"m":{"k":null}})");
    CHECK(kept(schema, R"({"u":{"x":null}})") == R"({"u":{"x":null}})");
    CHECK(kept(schema, R"({"p":{"x":1e400,"r":"null \u00e4"}})") == R"({"p":{"x":1e400,"r":"null \u00e4"}})");
}

TEST_CASE("without_nulls: a hostile schema or value costs a bounded time") {
    std::string deep = R"({"x":)", end = "}";
    std::string value = "null";
    for (int i = 0; i < 300; ++i) value = "{\"p\":" + value + "}";
    CHECK(kept(R"({"properties":{"p":{"$ref":"#"}}})", value) == value);
    CHECK(kept(R"({"$ref":"#","properties":{"p":{"type":"string"}}})", R"({"p":null})") == R"({})");
    std::string wide = "{";
    for (int i = 0; i < 100000; ++i) wide += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":null";
    CHECK(kept(R"({"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}],"properties":{"p":{"type":"string"}}})",
               wide + "}") == wide + "}");
}
