#include <doctest/doctest.h>

#include "src/base/json.h"
#include "src/bridge/call_form.h"
#include "src/policy/append.h"
#include "src/policy/policy_file.h"

using bridge::AskedCall;
using bridge::Permission;

namespace {

AskedCall call(const std::string& tool) {
    AskedCall one;
    one.question.server = "files";
    one.question.tool = tool;
    one.question.arguments = "{\"path\":\"/a\"}";
    return one;
}

std::vector<Permission> answers(const std::string& content, const std::vector<AskedCall>& calls) {
    return bridge::form_answers("{\"action\":\"accept\",\"content\":" + content + "}", calls);
}

} // namespace

TEST_CASE("call_form: what a server or code wrote stays on a line of its own, visible and bounded") {
    AskedCall one = call("write\nfiles.read: harmless");
    one.question.description = "\x1b[2J" + std::string(100'000, 'x');
    one.question.arguments = "{\"a\":\"" + std::string(1'000'000, 'y') + "\"}";
    const std::string form = bridge::call_form({one, one}, "p.toml");
    const std::string message = json::unquote(json::member(form, "message").value());
    CHECK(message.find("call_1: files.write\\nfiles.read: harmless\n") != std::string::npos);
    CHECK(message.find("\\x1b[2J") != std::string::npos);
    CHECK(message.find('\x1b') == std::string::npos);
    CHECK(form.size() < 20'000);
}

TEST_CASE("form_answers: what was not offered, or is no plain answer, is a no") {
    std::vector<AskedCall> calls = {call("a"), call("b")};
    using P = Permission;
    CHECK(answers(R"({"call_1":"allow once","call_2":"allow for this run"})", calls) ==
          std::vector<P>{P::once, P::run});
    CHECK(answers(R"({"call_1":"allow always","call_2":"allow for this session"})", calls) ==
          std::vector<P>{P::no, P::no});
    CHECK(answers(R"({"call_1":true,"call_3":"allow once"})", calls) == std::vector<P>{P::no, P::no});
    for (const char* odd : {"", "7", "{}", R"({"action":"decline"})", R"({"action":"accept"})"})
        CHECK(bridge::form_answers(odd, calls) == std::vector<P>{P::no, P::no});
    calls[0].always = "rule";
    calls[1].session = true;
    CHECK(answers(R"({"call_1":"allow always","call_2":"allow for this session"})", calls) ==
          std::vector<P>{P::always, P::session});
}

TEST_CASE("with_allowing_rule: goes above the rule that asks, and rules before it still decide first") {
    const std::string text =
        "[[rule]]\nserver = \"f\"\nwhen = { at = \"/x\", one_of = 1 }\naction = \"deny\"\n"
        "[[rule]]\nserver = \"f\"\naction = \"ask\"\n";
    const policy::Rules rules = policy::read_policy(text, "p.toml", "");
    const policy::Target target{"f", "t", ""};
    const policy::Rule* asks = policy::match(rules, target, "{}").rule;
    REQUIRE(asks);
    CHECK(policy::can_be_replaced(asks));
    CHECK_FALSE(policy::can_be_replaced(&rules.rules.front()));
    const std::string fresh = policy::with_allowing_rule(text, "p.toml", "", asks, target);
    const policy::Rules after = policy::read_policy(fresh, "p.toml", "");
    CHECK(policy::match(after, target, "{}").action == policy::Action::allow);
    CHECK(policy::match(after, target, "{\"x\":1}").action == policy::Action::deny);
    CHECK(policy::match(after, policy::Target{"f", "u", ""}, "{}").action == policy::Action::ask);
    CHECK_THROWS(policy::with_allowing_rule("# new\n" + text, "p.toml", "", asks, target));
    CHECK_THROWS(policy::with_allowing_rule("", "p.toml", "", asks, target));
    const std::string by_default =
        policy::with_allowing_rule("default = \"ask\"", "p.toml", "", nullptr, target);
    CHECK(by_default.starts_with("default = \"ask\"\n[[rule]]\n"));
}
