#include <doctest/doctest.h>

#include "src/cli/self_test.h"

using namespace cli;
using Verdict = AttackResult::Verdict;

namespace {

AttackResult result(Verdict verdict, std::string why = {}) {
    return {"net_tcp", "Opens connections.", verdict, std::move(why)};
}

SelfTestReport report(std::vector<AttackResult> results) { return {std::move(results)}; }

} // namespace

TEST_CASE("self-test: passed where all that make sense here were held, and some were") {
    CHECK(report({result(Verdict::held), result(Verdict::not_tried, "is for x86_64")}).passed());
    CHECK_FALSE(report({result(Verdict::held), result(Verdict::won, "took 50.0 s")}).passed());
    CHECK_FALSE(report({result(Verdict::held), result(Verdict::not_started, "no such image")}).passed());
    CHECK_FALSE(report({result(Verdict::not_tried, "is for x86_64")}).passed());
    CHECK_FALSE(report({}).passed());
    SelfTestReport stopped = report({result(Verdict::held)});
    stopped.problem = "stopped before its end";
    CHECK_FALSE(stopped.passed());
}

TEST_CASE("self-test: the closing line counts, what did not start among what was not tried") {
    SelfTestReport all = report({result(Verdict::held), result(Verdict::held), result(Verdict::won),
                                 result(Verdict::not_tried), result(Verdict::not_started)});
    CHECK(all.closing().text() == "2 held, 1 won, 2 not tried\n");
    all.problem = "stopped before its end";
    CHECK(all.closing().text() == "PROBLEM  self-test: stopped before its end\n2 held, 1 won, 2 not tried\n");
}

TEST_CASE("self-test: a line says what was tried, or why it was not held") {
    CHECK(result(Verdict::held).line().text() == "held  net_tcp                   Opens connections.\n");
    CHECK(result(Verdict::won, "status error").line().text() ==
          "WON   net_tcp                   status error\n");
    CHECK(result(Verdict::not_tried, "is for aarch64").line().text() ==
          "--    net_tcp                   not tried here: is for aarch64\n");
    CHECK(result(Verdict::not_started, "no place").line().text() ==
          "--    net_tcp                   not tried here: it did not start: no place\n");
}

TEST_CASE("self-test: JSON has each attack's verdict, and why where there is a why") {
    json::Writer w;
    report({result(Verdict::held), result(Verdict::not_tried, "is for aarch64")}).write(w);
    CHECK(w.take() ==
          R"({"passed":true,"attacks":[{"name":"net_tcp","title":"Opens connections.","verdict":"held"},)"
          R"({"name":"net_tcp","title":"Opens connections.","verdict":"notTried","why":"is for aarch64"}]})");
}
