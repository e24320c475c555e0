#include "src/base/nearest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using base::did_you_mean;
using base::nearest;
using Names = std::vector<std::string>;

TEST_CASE("nearest: gives the names that were probably meant, best first") {
    const Names names = {"create_issue", "create_pull_request", "list_issues", "close_issue", "title",
                         "body"};
    CHECK(base::nearest("create_isue", names).front() == "create_issue");
    CHECK(base::nearest("createIssue", names).front() == "create_issue");
    CHECK(base::nearest("CREATE-ISSUE", names).front() == "create_issue");
    CHECK(base::nearest("issue_create", names).front() == "create_issue");
    CHECK(base::nearest("titel", names) == Names{"title"});
    CHECK(base::nearest("issue", names, 2).size() == 2);
    CHECK(base::nearest("list_issue", names).front() == "list_issues");
}

TEST_CASE("nearest: gives nothing where nothing is near, and never more than asked for") {
    const Names names = {"alpha", "beta", "gamma"};
    CHECK(base::nearest("zzzzzz", names).empty());
    CHECK(base::nearest("", names).empty());
    CHECK(base::nearest("!!!", names).empty());
    CHECK(base::nearest("a", {"b", "id"}).empty());
    CHECK(base::nearest("alpha", {}).empty());
    CHECK(base::nearest("alpha", names, 0).empty());
    CHECK(base::nearest("alpha", {"alpha", "alpha"}) == Names{"alpha"});
    CHECK(base::nearest("server1", {"server2", "server3", "server4", "server5"}, 3).size() == 3);
}

TEST_CASE("letters: a name without case and punctuation") {
    CHECK(base::letters("API-get_user 2") == "apigetuser2");
    CHECK(base::letters("Größe!") == "größe");
    CHECK(base::letters("-_. ").empty());
}

TEST_CASE("nearest: names of any length and with any bytes do no harm") {
    const std::string monster(8 << 20, 'a');
    const Names found = base::nearest(monster, {"alpha", monster, std::string("\0\xFF", 2), ""});
    CHECK(found == Names{monster});
    CHECK(base::nearest("größe", {"grösse", "größe "}).front() == "größe ");
}

TEST_CASE("did_you_mean: says it as a person would") {
    CHECK(base::did_you_mean("titel", {"title", "body"}) == " (did you mean \"title\"?)");
    CHECK(base::did_you_mean("file_x", {"file_a", "file_b"}) == " (did you mean \"file_a\" or \"file_b\"?)");
    CHECK(base::did_you_mean("file_x", {"file_a", "file_b", "file_c"}) ==
          " (did you mean \"file_a\", \"file_b\" or \"file_c\"?)");
    CHECK(base::did_you_mean("xyz", {"title"}).empty());
    CHECK(base::did_you_mean(std::string(5000, 'x'), {std::string(5000, 'x')}).size() < 200);
}
