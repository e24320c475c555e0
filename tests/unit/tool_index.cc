#include "src/search/tool_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "src/search/tool_docs.h"
#include "tests/unit/search_questions.h"
#include "tests/unit/tool_lists.h"

using search::IndexedTool;
using search::ToolIndex;

namespace {

const std::vector<std::string> all_servers(std::begin(recorded_servers), std::end(recorded_servers));

std::vector<IndexedTool> indexed(const std::string& server) {
    std::vector<IndexedTool> tools;
    for (const RecordedTool& tool : recorded_tools(server))
        tools.push_back({.server = server,
                         .name = tool.name,
                         .description = tool.description,
                         .parameters = search::parameter_names(tool.input_schema)});
    return tools;
}

void fill(ToolIndex& index) {
    for (const std::string& server : all_servers) index.replace(server, indexed(server));
}

std::string first(const ToolIndex& index, const std::string& query) {
    const auto hits = index.search(query, 5, all_servers);
    return hits.empty() ? "" : hits.front().server + "/" + hits.front().name;
}

} // namespace

TEST_CASE("ToolIndex: the agreed questions find their tool first") {
    ToolIndex index;
    fill(index);
    int questions = 0, at_first = 0, within_five = 0;
    for (const SearchQuestion& question : search_questions) {
        ++questions;
        const auto hits = index.search(std::string(question.text), 5, all_servers);
        const auto is_it = [&](const ToolIndex::Hit& hit) {
            return hit.server == question.server && hit.name == question.tool;
        };
        const auto found = std::find_if(hits.begin(), hits.end(), is_it);
        at_first += found != hits.end() && found == hits.begin() ? 1 : 0;
        within_five += found != hits.end() ? 1 : 0;
        if (found != hits.begin() || hits.empty())
            MESSAGE("\"" << std::string(question.text) << "\": wanted " << std::string(question.tool)
                         << ", first is " << (hits.empty() ? "nothing" : hits.front().name));
    }
    MESSAGE("of " << questions << " questions " << 100.0 * at_first / questions << " % at rank 1, "
                  << 100.0 * within_five / questions << " % within 5");
    CHECK(questions >= 40);
    CHECK(at_first * 100 >= questions * 90);
    CHECK(within_five * 100 >= questions * 98);
}

TEST_CASE("ToolIndex: one typing error in any letter of a name's word still finds it") {
    ToolIndex index;
    fill(index);
    const std::string word = "changelog";
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::string left_out = word, replaced = word, doubled = word, swapped = word;
        left_out.erase(i, 1);
        replaced[i] = 'q';
        doubled.insert(i, 1, word[i]);
        if (i > 0) std::swap(swapped[i], swapped[i - 1]);
        for (const std::string& typed : {left_out, replaced, doubled, swapped}) {
            CAPTURE(typed);
            CHECK(first(index, typed) == "git/git_changelog_analyze");
        }
    }
}

TEST_CASE("ToolIndex: word order, case, plural, punctuation and glued words do not matter") {
    ToolIndex index;
    fill(index);
    for (const char* query :
         {"allowed directories list", "LIST ALLOWED DIRECTORY", "list-allowed_directories?",
          "listAllowedDirectories", "listalloweddirectories", "  directories,allowed;list  "}) {
        CAPTURE(query);
        CHECK(first(index, query) == "filesystem/list_allowed_directories");
    }
}

TEST_CASE(
    "ToolIndex: a name counts more than a server, that more than a parameter, that more than a description") {
    ToolIndex index;
    index.replace("a", {{.server = "a", .name = "one", .description = "frobnicate things"},
                        {.server = "a", .name = "two", .parameters = {"frobnicate"}},
                        {.server = "a", .name = "frobnicate"}});
    index.replace("frobnicate", {{.server = "frobnicate", .name = "three"}});
    const auto hits = index.search("frobnicate", 10, {"a", "frobnicate"});
    REQUIRE(hits.size() == 4);
    CHECK(hits[0].name == "frobnicate");
    CHECK(hits[1].name == "three");
    CHECK(hits[2].name == "two");
    CHECK(hits[3].name == "one");
    CHECK(hits[0].score > hits[1].score);
}

TEST_CASE("ToolIndex: searches only the servers named, and gives at most the limit") {
    ToolIndex index;
    fill(index);
    for (const auto& hit : index.search("read file", 20, {"memory", "notion"}))
        CHECK((hit.server == "memory" || hit.server == "notion"));
    CHECK(index.search("read file", 3, all_servers).size() == 3);
    CHECK(index.search("read file", 0, all_servers).empty());
    CHECK(index.search("read file", -1, all_servers).empty());
    CHECK(index.search("read file", 5, {}).empty());
    CHECK(index.search("read file", 5, {"no such server", "'; DROP TABLE tools"}).empty());
}

TEST_CASE("ToolIndex: replace takes the place of what a server had") {
    ToolIndex index;
    fill(index);
    index.replace("git",
                  {{.server = "git", .name = "bisect", .description = "Find the commit that broke it"}});
    CHECK(first(index, "bisect") == "git/bisect");
    for (const auto& hit : index.search("git status stash", 20, all_servers))
        CHECK((hit.server != "git" || hit.name == "bisect"));
    index.replace("git", {});
    CHECK(index.search("bisect", 5, all_servers).empty());
    index.replace("git", indexed("git"));
    index.replace("git", indexed("git"));
    std::set<std::string> names;
    for (const auto& hit : index.search("git", 100, {"git"})) CHECK(names.insert(hit.name).second);
    CHECK(names.size() == 28);
}

TEST_CASE("ToolIndex: a query may be anything") {
    ToolIndex index;
    fill(index);
    for (const char* nothing :
         {"", " ", "\"", "*", "()", "^$.*+?", "\xFF\xFE", "{}", "NEAR(", "- - -", "🦊"}) {
        CAPTURE(nothing);
        CHECK(index.search(nothing, 5, all_servers).empty());
    }
    CHECK(index.search("\"*()-", 5, all_servers).empty());
    for (const char* operators : {"status AND NOT git", "name:status", "git_status*", "\"git status",
                                  "stash^2", "NEAR(git status, 2)", "' OR 1=1 --"}) {
        CAPTURE(operators);
        CHECK_FALSE(index.search(operators, 5, all_servers).empty());
    }
    CHECK(first(index, std::string("git\0status", 10)) == "git/git_status");
    std::string long_query = "git status ";
    while (long_query.size() < 1'000'000) long_query += "word" + std::to_string(long_query.size()) + ' ';
    CHECK(first(index, long_query) == "git/git_status");
    CHECK(index.search(std::string(1'000'000, 'a'), 5, all_servers).empty());
    CHECK(index.search(std::string(1'000'000, '"'), 5, all_servers).empty());
}

TEST_CASE("ToolIndex: tools may be called and described in anything") {
    ToolIndex index;
    index.replace("odd", {{.server = "odd",
                           .name = std::string("nul\0inside", 10),
                           .description = std::string(1'000'000, 'x')},
                          {.server = "odd", .name = "", .description = "no name at all"},
                          {.server = "odd", .name = "数据查询", .description = "查询数据库"},
                          {.server = "odd", .name = "données_été", .description = "résumé"},
                          {.server = "odd", .name = "\xFF\xFE", .description = "\xC0\x80 broken bytes"}});
    const std::vector<std::string> servers = {"odd"};
    const auto found = [&](const std::string& query) {
        const auto hits = index.search(query, 1, servers);
        return hits.empty() ? std::string("nothing") : hits.front().name;
    };
    CHECK(found("查询") == "数据查询");
    CHECK(found("donnees ete") == "données_été");
    CHECK(found("resume") == "données_été");
    CHECK(found("broken") == "\xFF\xFE");
    CHECK(found("no name") == "");
    CHECK(found("inside") == std::string("nul\0inside", 10));
    index.replace("odd", {});
    CHECK(found("broken") == "nothing");
}

TEST_CASE("ToolIndex: of a server that says too much, the names are still found") {
    search::ToolIndex index;
    std::vector<search::IndexedTool> tools;
    for (int i = 0; i < 2500; ++i) {
        search::IndexedTool tool;
        tool.server = "chatty";
        tool.name = "tool_number" + std::to_string(i);
        for (int k = 0; k < 400; ++k) tool.description += "w" + std::to_string(400 * i + k) + " ";
        if (i == 2499) tool.description = "unspoken " + tool.description;
        tools.push_back(std::move(tool));
    }
    index.replace("chatty", tools);
    REQUIRE(index.search("w1", 5, {"chatty"}).size() >= 1);
    CHECK(index.search("unspoken", 5, {"chatty"}).empty()); // of the last tool
    REQUIRE(index.search("number2499", 5, {"chatty"}).size() >= 1);
    CHECK(index.search("number2499", 5, {"chatty"}).front().name == "tool_number2499");
}
