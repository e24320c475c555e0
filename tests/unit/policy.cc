#include "src/bridge/policy.h"

#include <doctest/doctest.h>

using bridge::Policy;
using Names = std::vector<std::string>;

TEST_CASE("Policy: a run that may use all has rights without a list; a narrower one names its servers") {
    const Names all = {"files", "github", "web"};
    CHECK_FALSE(Policy(all, std::nullopt, false).rights().has_value());
    CHECK(Policy(all, Names{"web", "files"}, false).rights() == Names{"files", "web"});
    CHECK(Policy(all, Names{}, false).rights() == Names{});
    CHECK(Policy(all, std::nullopt, true).rights() == Names{});
}

TEST_CASE("Policy: what was left with fewer rights takes them from the run, once, and says why") {
    Policy policy({"files", "github", "web"}, std::nullopt, false);
    CHECK(policy.narrow_to(std::nullopt, "nothing").empty());
    CHECK_FALSE(policy.rights().has_value());
    CHECK(policy.narrow_to(Names{"files", "web", "unheard"}, "a saved tool") == Names{"github"});
    CHECK(policy.rights() == Names{"files", "web"});
    CHECK_FALSE(policy.allows("github"));
    CHECK(policy.refusal("github").find("a saved tool") != std::string::npos);
    CHECK(policy.narrow_to(Names{"files", "web", "github"}, "another").empty());
    CHECK_FALSE(policy.allows("github")); // it does not come back
    CHECK(policy.narrow_to(Names{}, "a third") == Names{"files", "web"});
    CHECK(policy.refusal("github").find("a saved tool") != std::string::npos);
}
