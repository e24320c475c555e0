#include "src/schema/check.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/unit/tool_lists.h"

using schema::Check;
using Lines = std::vector<std::string>;

namespace {

Lines problems(const std::string& schema, const std::string& arguments) {
    return schema::Check().problems(schema, arguments);
}

/// The only line that there is.
std::string problem(const std::string& schema, const std::string& arguments) {
    const Lines lines = problems(schema, arguments);
    REQUIRE(lines.size() == 1);
    return lines.front();
}

std::string repeat(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

} // namespace

TEST_CASE("SchemaCheck: a message names the path, what was given and what is allowed") {
    const char* schema = R"j({"type":"object","required":["title"],"additionalProperties":false,"properties":{
        "title":{"type":"string","minLength":1,"maxLength":5},"count":{"type":"integer","minimum":1,"maximum":9},
        "tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":2},
        "mode":{"enum":["fast","slow"]},"version":{"const":2},"when":{"type":"string","format":"date"},"key":{"type":"string","pattern":"^[a-z]+$"}}})j";
    CHECK(
        problems(
            schema,
            R"({"title":"x","count":3,"tags":["a"],"mode":"fast","version":2.0,"when":"2026-02-28","key":"k"})")
            .empty());
    CHECK(problem(schema, R"({"title":7})") == "title: got 7, expected string");
    CHECK(problem(schema, R"({"title":"x","count":"3"})") == R"(count: got "3", expected integer)");
    CHECK(problem(schema, R"({"title":"x","count":2.5})") == "count: got 2.5, expected integer");
    CHECK(problem(schema, R"({"title":"x","count":0})") == "count: got 0, expected at least 1");
    CHECK(problem(schema, R"({"title":""})") == R"(title: got "", expected at least 1 character)");
    CHECK(problem(schema, R"({"title":"öööööö"})") ==
          R"(title: got "öööööö", expected at most 5 characters)");
    CHECK(problem(schema, R"({"title":"ööööö","tags":["a",1]})") == "tags[1]: got 1, expected string");
    CHECK(problem(schema, R"({"title":"x","tags":["a","a"]})") ==
          R"(tags: got an array of 2, expected items that differ, but "a" is there twice)");
    CHECK(problem(schema, R"({"title":"x","mode":"fsat"})") ==
          R"(mode: got "fsat", expected one of "fast", "slow" (did you mean "fast"?))");
    CHECK(problem(schema, R"({"title":"x","version":3})") == "version: got 3, expected 2");
    CHECK(problem(schema, R"({"title":"x","when":"2026-02-30"})") ==
          R"(when: got "2026-02-30", expected text of the format date)");
    CHECK(problem(schema, R"({"title":"x","key":"K"})") ==
          R"(key: got "K", expected text that matches ^[a-z]+$)");
    CHECK(problem(schema, "{}") == "title: missing, expected string");
    CHECK(problem(schema, "[]") == "arguments: got [], expected object");
}

TEST_CASE("SchemaCheck: an unknown name says which are known, and which is nearest") {
    const char* schema =
        R"({"properties":{"title":{"type":"string"},"body":{}},"required":["title"],"additionalProperties":false})";
    const Lines lines = problems(schema, R"({"titel":"x"})");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == R"(title: missing, expected string ("titel" was given))");
    CHECK(lines[1] == R"(titel: not a known name, expected one of "title", "body" (did you mean "title"?))");
    CHECK(problem(R"({"additionalProperties":false})", R"({"a b":1})") ==
          R"(["a b"]: not a known name, none is allowed)");
}

TEST_CASE("SchemaCheck: of several alternatives, the one that was meant is spoken of") {
    const char* blocks = R"j({"properties":{"content":{"type":"array","items":{"anyOf":[
        {"type":"object","properties":{"kind":{"const":"text"},"text":{"type":"string"}},"required":["kind","text"]},
        {"type":"object","properties":{"kind":{"const":"image"},"url":{"type":"string"}},"required":["kind","url"]}]}}}})j";
    CHECK(problems(blocks, R"({"content":[{"kind":"text","text":"x"},{"kind":"image","url":"u"}]})").empty());
    CHECK(problem(blocks, R"({"content":[{"kind":"txt","text":"x"}]})") ==
          R"(content[0].kind: got "txt", expected one of "text", "image" (did you mean "text"?))");
    CHECK(problem(blocks, R"({"content":[{"kind":"sound","text":"x"}]})") ==
          R"(content[0].kind: got "sound", expected one of "text", "image")");
    CHECK(problem(blocks, R"({"content":[{"kind":"image","url":5}]})") ==
          "content[0].url: got 5, expected string");
    CHECK(problem(blocks, R"({"content":[{"kind":"image"}]})") == "content[0].url: missing, expected string");
    CHECK(problem(blocks, R"({"content":["x"]})") == R"(content[0]: got "x", expected object)");

    const char* nullable =
        R"({"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"oneOf":[{"type":"null"},{"type":"object","required":["c"]}]}}})";
    CHECK(problem(nullable, R"({"a":1})") == "a: got 1, expected string or null");
    CHECK(problem(nullable, R"({"b":{}})") == "b.c: missing");
    CHECK(problem(R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1,"b":2})") ==
          "arguments: got an object, expected exactly one of the shapes in oneOf, but it has 2");
}

TEST_CASE("SchemaCheck: combinations, conditions and references") {
    CHECK_FALSE(problems(R"({"not":{"required":["a"]}})", R"({"a":1})").empty());
    CHECK_FALSE(problems(R"({"allOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1})").empty());
    const char* condition =
        R"({"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["a"]},"else":{"required":["b"]}})";
    CHECK(problem(condition, R"({"k":1})") == "a: missing");
    CHECK(problem(condition, R"({"k":2})") == "b: missing");
    CHECK_FALSE(problems(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})").empty());
    CHECK_FALSE(problems(R"({"patternProperties":{"^n":{"type":"number"}},"additionalProperties":false})",
                         R"({"n1":"x"})")
                    .empty());
    CHECK_FALSE(problems(R"({"properties":{"p":{"prefixItems":[{"type":"string"}],"items":false}}})",
                         R"({"p":["a",1]})")
                    .empty());
    CHECK_FALSE(problems(R"({"properties":{"p":{"contains":{"const":1},"minContains":2}}})", R"({"p":[1,2]})")
                    .empty());
    CHECK_FALSE(
        problems(R"({"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false})", R"({"a":1,"b":2})")
            .empty());
    for (const char* key : {"$defs", "definitions"}) {
        const std::string tree =
            R"({")" + std::string(key) +
            R"(":{"n":{"type":"object","required":["v"],"properties":{"next":{"$ref":"#/)" + key +
            R"(/n"}}}},"$ref":"#/)" + key + R"(/n"})";
        CHECK(problems(tree, R"({"v":1,"next":{"v":2,"next":{"v":3}}})").empty());
        CHECK(problem(tree, R"({"v":1,"next":{"v":2,"next":{}}})") == "next.next.v: missing");
    }
}

TEST_CASE("SchemaCheck: draft-07 ignores what stands beside a reference, and has items as a list") {
    const std::string seven = R"({"$schema":"http://json-schema.org/draft-07/schema#",)";
    CHECK(problems(
              seven +
                  R"("definitions":{"t":{}},"properties":{"a":{"$ref":"#/definitions/t","type":"string"}}})",
              R"({"a":1})")
              .empty());
    CHECK_FALSE(problems(R"({"$defs":{"t":{}},"properties":{"a":{"$ref":"#/$defs/t","type":"string"}}})",
                         R"({"a":1})")
                    .empty());
    CHECK_FALSE(
        problems(seven + R"("properties":{"a":{"items":[{}],"additionalItems":false}}})", R"({"a":[1,2]})")
            .empty());
    CHECK_FALSE(problems(seven + R"("dependencies":{"a":["b"]}})", R"({"a":1})").empty());
}

TEST_CASE("SchemaCheck: what cannot be read never blocks a call, not even under not") {
    for (const char* schema : {"",
                               "nonsense",
                               "7",
                               "[]",
                               "null",
                               R"j({"type":7})j",
                               R"j({"type":"strange"})j",
                               R"j({"required":"a","properties":7,"items":"x"})j",
                               R"j({"$ref":"https://elsewhere.example/schema"})j",
                               R"j({"$ref":"#/nowhere"})j",
                               R"j({"$ref":"other.json#/x"})j",
                               R"j({"$ref":7})j",
                               R"j({"properties":{"a":{"pattern":"(?<=x)(?!y)\\1"}}})j",
                               R"j({"properties":{"a":{"not":{"pattern":"(?=x)"}}}})j",
                               R"j({"not":{"$ref":"https://elsewhere.example/schema"}})j",
                               R"j({"anyOf":[{"$ref":"other.json"},false]})j",
                               R"j({"oneOf":[{"$ref":"other.json"},false]})j",
                               R"j({"enum":7})j",
                               R"j({"anyOf":[]})j",
                               R"j({"$ref":"#"})j",
                               R"j({"patternProperties":{"(?=a)":{}},"additionalProperties":false})j",
                               R"j({"minimum":"5","maxLength":"x"})j"}) {
        CAPTURE(schema);
        CHECK(problems(schema, R"({"a":"text"})").empty());
    }
    CHECK(problems(R"({"type":"string"})", "no JSON").empty());
}

TEST_CASE("SchemaCheck: a hostile schema costs little and blocks nothing") {
    const std::string long_text = R"({"a":")" + std::string(200'000, 'a') + "!\"}";
    CHECK_FALSE(problems(R"({"properties":{"a":{"pattern":"^(a|b)*$"}}})", long_text)
                    .empty()); // std::regex overflows the stack here
    CHECK(problem(R"({"properties":{"a":{"pattern":"^(a+)+$"}}})", long_text)
              .ends_with("expected text that matches ^(a+)+$"));
    CHECK(problems(R"({"properties":{"a":{"pattern":"((a{1000}){1000}){1000}"}}})", R"({"a":"b"})").empty());
    CHECK(
        problems(R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"})", "{}")
            .empty());
    CHECK(problems(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", "{}").empty());
    CHECK(problems(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}],"type":"string"})", "{}").empty());
    // doubling: 2^40 ways without a bound
    std::string doubling = R"({"$ref":"#/$defs/d0","$defs":{"d40":{"type":"string"})";
    for (int i = 0; i < 40; ++i) {
        const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
        doubling += ",\"d" + std::to_string(i) + "\":{\"anyOf\":[" + next + "," + next + "]}";
    }
    CHECK(problems(doubling + "}}", "{}").empty());
    CHECK(problems(repeat(R"({"not":)", 5000) + "true" + repeat("}", 5000), "{}").empty());
    CHECK(problems(repeat("[", 1'000'000), "{}").empty());
    CHECK(problems(R"({"type":"string","description":")" + std::string(600'000, 'x') + "\"}", "{}").empty());
    std::string wide = R"({"additionalProperties":false,"properties":{"x":{})";
    for (int i = 0; i < 2000; ++i) wide += ",\"property_number_" + std::to_string(i) + "\":{}";
    std::string given = "{\"y\":0";
    for (int i = 0; i < 2000; ++i) given += ",\"porperty_number_" + std::to_string(i) + "\":0";
    CHECK(problems(wide + "}}", given + "}").size() <= 8);
}

TEST_CASE("SchemaCheck: arguments of any size are bounded work") {
    const std::string schema =
        R"({"properties":{"a":{"type":"array","items":{"type":"integer"},"uniqueItems":true}}})";
    std::string many = R"({"a":["x")";
    for (int i = 0; i < 500'000; ++i) many += ",1";
    CHECK(problems(schema, many + "]}").empty()); // more than we look at
    CHECK(problem(schema, R"({"a":[)" + repeat("1,", 0) + "1,1]}").find("differ") != std::string::npos);
    CHECK(problems(schema, R"({"a":)" + repeat("[", 400) + repeat("]", 400) + "}").empty());
}

TEST_CASE("SchemaCheck: at most eight lines, each of bounded length") {
    std::string schema = R"({"properties":{"z":{})", given = R"({"z":0)";
    for (int i = 0; i < 30; ++i) {
        schema += ",\"p" + std::to_string(i) + "\":{\"type\":\"string\"}";
        given += ",\"p" + std::to_string(i) + "\":1";
    }
    const Lines lines = problems(schema + "}}", given + "}");
    REQUIRE(lines.size() == 8);
    CHECK(lines.back() == "… and 23 more");
    const std::string huge(100'000, 'n');
    for (const std::string& line : problems(R"({"additionalProperties":false,"properties":{")" + huge +
                                                R"(":{}},"required":[")" + huge + R"("]})",
                                            R"({")" + huge.substr(1) + R"(":")" + huge + "\"}"))
        CHECK(line.size() < 2000);
}

TEST_CASE("SchemaCheck: integers beyond 2^53 are compared exactly") {
    CHECK_FALSE(problems(R"({"properties":{"a":{"maximum":9007199254740992}}})", R"({"a":9007199254740993})")
                    .empty());
    CHECK_FALSE(
        problems(R"({"properties":{"a":{"const":9007199254740992}}})", R"({"a":9007199254740993})").empty());
    CHECK(problems(R"({"properties":{"a":{"multipleOf":0.01}}})", R"({"a":19.99})").empty());
    CHECK_FALSE(problems(R"({"properties":{"a":{"multipleOf":3}}})", R"({"a":9007199254740994})").empty());
    CHECK(problems(R"({"properties":{"a":{"multipleOf":0}}})", R"({"a":1})").empty());
}

TEST_CASE("SchemaCheck: formats are lenient, and unknown ones are met by anything") {
    const auto fits = [](const std::string& format, const std::string& text) {
        return problems(R"({"properties":{"a":{"format":")" + format + "\"}}}", R"({"a":")" + text + "\"}")
            .empty();
    };
    for (const auto& [format, text] : {std::pair("date-time", "2026-11-29T14:33:00Z"),
                                       {"date-time", "2026-11-29T14:33:00.5+01:00"},
                                       {"date-time", "2026-11-29 14:33"},
                                       {"date", "2024-02-29"},
                                       {"time", "23:59:60Z"},
                                       {"uri", "https://a.example/x?y#z"},
                                       {"uri", "urn:isbn:1"},
                                       {"email", "a@b"},
                                       {"uuid", "123E4567-e89b-12d3-a456-426614174000"},
                                       {"ipv4", "10.0.0.1"},
                                       {"ipv6", "::1"},
                                       {"hostname", "a-b.example"},
                                       {"int64", "anything"},
                                       {"", "anything"}}) {
        CAPTURE(format);
        CAPTURE(text);
        CHECK(fits(format, text));
    }
    for (const auto& [format, text] : {std::pair("date-time", "yesterday"),
                                       {"date", "2023-02-29"},
                                       {"date", "29.11.2026"},
                                       {"time", "24:00:00Z"},
                                       {"uri", "a b"},
                                       {"uri", "no-scheme"},
                                       {"email", "nobody"},
                                       {"uuid", "123"},
                                       {"ipv4", "10.0.0.256"},
                                       {"ipv6", "g::1"},
                                       {"hostname", ""}}) {
        CAPTURE(format);
        CAPTURE(text);
        CHECK_FALSE(fits(format, text));
    }
}

TEST_CASE("SchemaCheck: schemas are kept by their text, however many there are") {
    schema::Check check;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 400; ++i) {
            const std::string schema = R"({"properties":{"a":{"maximum":)" + std::to_string(i) + "}}}";
            CHECK(check.problems(schema, R"({"a":)" + std::to_string(i) + "}").empty());
            CHECK_FALSE(check.problems(schema, R"({"a":)" + std::to_string(i + 1) + "}").empty());
        }
}

TEST_CASE("SchemaCheck: the tools of real servers") {
    schema::Check check;
    const auto schema = [](const std::string& server, const std::string& name) {
        for (const RecordedTool& tool : recorded_tools(server))
            if (tool.name == name) return tool.input_schema;
        return std::string();
    };
    const auto first = [&](const std::string& server, const std::string& name, const std::string& arguments) {
        const std::string text = schema(server, name);
        REQUIRE_FALSE(text.empty());
        const Lines lines = check.problems(text, arguments);
        return lines.empty() ? std::string() : lines.front();
    };
    CHECK(first("everything", "get-sum", R"({"a":1,"b":2})") == "");
    CHECK(first("everything", "get-sum", R"({"a":"1","b":2})") == R"(a: got "1", expected number)");
    CHECK(first("filesystem", "read_text_file", R"({"path":"/x","head":3})") == "");
    CHECK(first("filesystem", "read_text_file", R"({"pth":"/x"})") ==
          R"(path: missing, expected string ("pth" was given))");
    CHECK(first("filesystem", "edit_file", R"({"path":"/x","edits":[{"oldText":"a"}]})") ==
          "edits[0].newText: missing, expected string");
    CHECK(first("memory", "create_entities",
                R"({"entities":[{"name":"n","entityType":"t","observations":["o"]}]})") == "");
    CHECK(first("memory", "create_entities",
                R"({"entities":[{"name":"n","entityType":"t","observations":"o"}]})") ==
          R"(entities[0].observations: got "o", expected array)");
    CHECK(first("git", "git_status", R"({"path":"."})") == "");
    CHECK(first("git", "git_branch", R"({"mode":"lst"})").find("(did you mean \"list\"?)") !=
          std::string::npos);
    CHECK(first("notion", "API-retrieve-a-page", R"({"page_id":"b55c9c91-384d-452b-81db-d1ef79372b75"})") ==
          "");
    CHECK(first("notion", "API-retrieve-a-page", "{}").find("page_id: missing") == 0);
}

TEST_CASE("SchemaCheck: a hostile pattern is not run on more text than there are steps for") {
    const std::string schema =
        R"j({"properties":{"a":{"pattern":"[ab]*a[ab]{900}c"},"n":{"type":"integer"}}})j";
    const std::string long_text = R"({"a":")" + repeat("ab", 1 << 20) + R"(","n":"x"})";
    schema::Check check;
    const schema::Check::Outcome outcome = check.check(schema, long_text);
    CHECK(outcome.gave_up);
    CHECK(outcome.steps < schema::Check::all_steps / 10);                // it was not begun
    CHECK(outcome.problems == Lines{R"(n: got "x", expected integer)"}); // the rest was looked at
    CHECK(check.check(schema, R"({"a":"abab"})").problems.size() == 1);
    CHECK_FALSE(check.check(schema, R"({"a":"abab"})").gave_up);
}

TEST_CASE("SchemaCheck: all patterns share the steps of one check") {
    std::string schema = R"({"additionalProperties":false,"patternProperties":{)";
    for (int i = 0; i < 100; ++i)
        schema += (i ? ",\"" : "\"") + ("[ab]*a[ab]{" + std::to_string(500 + i)) + "}c\":{}";
    schema += "}}";
    std::string value = "{";
    for (int i = 0; i < 2000; ++i)
        value += (i ? ",\"" : "\"") + repeat("ab", 200) + std::to_string(i) + "\":1";
    const schema::Check::Outcome outcome = schema::Check().check(schema, value + "}");
    CHECK(outcome.gave_up);
    CHECK(outcome.steps <= schema::Check::all_steps);
    CHECK(outcome.problems.empty()); // what was not looked at is no fault
}

TEST_CASE("SchemaCheck: patterns are read within the steps, too, and only so many") {
    std::string schema = R"({"patternProperties":{)";
    for (int i = 0; i < 200; ++i)
        schema += (i ? ",\"" : "\"") + std::to_string(i) + repeat("(?i)\\\\pL", 300) + "\":{}";
    schema::Check check;
    for (int i = 0; i < 3; ++i) {
        const schema::Check::Outcome outcome = check.check(schema + "}}", R"({"a":1})");
        CHECK(outcome.steps <= schema::Check::all_steps);
        CHECK(outcome.problems.empty());
    }
}

TEST_CASE("SchemaCheck: lists of types, values and hints are charged for") {
    std::string types, values, many;
    for (int i = 0; i < 20'000; ++i) types += (i ? ",\"" : "\"") + std::to_string(i) + '"';
    for (int i = 0; i < 900; ++i) values += (i ? ",\"" : "\"") + repeat("x", 90) + std::to_string(i) + '"';
    for (int i = 0; i < 50'000; ++i) many += (i ? ",\"" : "\"") + repeat("y", 90) + '"';
    schema::Check check;
    CHECK(check.check(R"({"items":{"type":[)" + types + "]}}", '[' + many + ']').gave_up);
    CHECK(check.check(R"({"items":{"enum":[)" + values + "]}}", '[' + many + ']').gave_up);
    std::string branches;
    for (int i = 0; i < 64; ++i)
        branches += (i ? "," : "") + (R"({"enum":[")" + std::to_string(i) + "\"," + values + "]}");
    const schema::Check::Outcome outcome =
        check.check(R"({"items":{"anyOf":[)" + branches + "]}}", '[' + many + ']');
    CHECK(outcome.steps <= schema::Check::all_steps);
    CHECK(outcome.problems.empty());
}

TEST_CASE("SchemaCheck: what one check costs all the same is left to another thread") {
    schema::Check check;
    const std::string plain = R"({"required":["a"],"properties":{"a":{"type":"string","pattern":"^x"}}})";
    REQUIRE(check.problems_at_once(plain, R"({"a":"y"})"));
    CHECK(check.problems_at_once(plain, R"({"a":"y"})")->size() == 1);
    CHECK(check.problems_at_once(plain, R"({"a":"x"})")->empty());
    CHECK_FALSE(check.problems_at_once(plain, R"({"a":")" + repeat("x", 5000) + R"("})"));
    std::string twice = R"({"$ref":"#/$defs/d0","$defs":{)";
    for (int i = 0; i < 30; ++i) {
        const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
        twice += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + ',' + next + "]},";
    }
    CHECK_FALSE(check.problems_at_once(twice + R"("d30":{}}})", R"({"a":1})"));
    CHECK_FALSE(check.problems_at_once(R"j({"properties":{"a":{"pattern":"((.?){60}){15}$b"}}})j",
                                       R"({"a":")" + repeat("ab", 1500) + R"("})"));
    std::string arguments = R"({"a":"x","b":null})";
    const std::string with_b = R"({"properties":{"a":{"type":"string"},"b":{"type":"string"}}})";
    REQUIRE(check.clean_at_once(with_b, &arguments));
    CHECK(arguments == R"({"a":"x"})");
}

TEST_CASE("SchemaCheck: long names of resources and many references are bounded") {
    std::string schema = R"({"$id":"http://x/)" + repeat("p", 200'000) + R"(","properties":{)";
    for (int i = 0; i < 5000; ++i)
        schema += (i ? ",\"" : "\"") + std::to_string(i) + R"(":{"type":"string"})";
    CHECK(problem(schema + "}}", R"({"7":1})") == "[\"7\"]: got 1, expected string");
    std::string defs, refs;
    for (int i = 0; i < 6000; ++i) {
        defs += (i ? ",\"d" : "\"d") + std::to_string(i) + R"(":{"type":"string"})";
        refs +=
            (i ? ",\"p" : "\"p") + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i) + "\"}";
    }
    const std::string many = R"({"$defs":{)" + defs + R"(},"properties":{)" + refs + "}}";
    CHECK(problems(many, R"({"p5":1,"p6":1,"p5999":1})").size() <= 3); // most lead nowhere: unknown
}
