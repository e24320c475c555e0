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

TEST_CASE("Policy: a refusal says what would allow it") {
    const Names all = {"files", "web"};
    CHECK(Policy(all, Names{"web"}, false).refusal("files") ==
          "server \"files\" is not in the `servers` of this call; add it there");
    CHECK(Policy(all, Names{}, false)
              .refusal("files")
              .ends_with("or leave `servers` out: an empty list means none"));
    CHECK(Policy(all, std::nullopt, true).refusal("files") ==
          "server \"files\" may be used only when the call names it in `servers` (--servers listed)");
}

TEST_CASE("Policy: a server is allowed where the call and the configuration both name it") {
    const Names all = {"files", "web"};
    const Policy named(all, Names{"web", "unheard"}, true);
    CHECK(named.servers() == Names{"web"});
    CHECK(named.allows("web"));
    CHECK_FALSE(named.allows("files"));
    CHECK_FALSE(named.allows("unheard"));
    CHECK_FALSE(named.allows(""));
    CHECK(named.is_narrow());
    CHECK_FALSE(Policy(all, std::nullopt, false).is_narrow());
    CHECK_FALSE(Policy(all, std::nullopt, true).allows("web"));
}
