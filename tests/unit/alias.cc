#include "src/config/alias.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using config::aliases;

TEST_CASE("plain_alias: gives an identifier of Python") {
    CHECK(config::plain_alias("get-sum") == "get_sum");
    CHECK(config::plain_alias("GitHub.com") == "github_com");
    CHECK(config::plain_alias("2d") == "_2d");
    CHECK(config::plain_alias("class") == "class_");
    CHECK(config::plain_alias("None") == "none_");
    CHECK(config::plain_alias("match") == "match");
    CHECK(config::plain_alias("") == "_");
    CHECK(config::plain_alias("é") == "__");
}

TEST_CASE("aliases: names that collide are told apart whatever their order, and one that is its own alias "
          "keeps it") {
    std::vector<std::string> names{"a-b", "a.b", "a_b", "A_B", "c", "c"};
    const auto first = aliases(names);
    std::sort(names.rbegin(), names.rend());
    CHECK(aliases(names) == first);
    CHECK(first.size() == 5);
    CHECK(first.at("a_b") == "a_b");
    CHECK(first.at("c") == "c");
    CHECK(first.at("a-b").size() == 8);
    CHECK(first.at("a-b").starts_with("a_b_"));
    std::set<std::string> different;
    for (const auto& [name, alias] : first) different.insert(alias);
    CHECK(different.size() == 5);
    CHECK(aliases({"a-b", "a.b"}).at("a-b") == first.at("a-b"));
    CHECK(aliases({"a-b"}).at("a-b") == "a_b");
}

TEST_CASE("aliases: a name that looks like another's alias does not take it") {
    const std::string hashed = aliases({"x-y", "x.y"}).at("x-y");
    const auto found = aliases({"x-y", "x.y", hashed});
    CHECK(found.at(hashed) == hashed);
    CHECK(found.at("x-y") != hashed);
    CHECK(found.at("x-y").starts_with(hashed));
}
