#include "src/mcp/client/tool_list.h"

#include <doctest/doctest.h>

#include <functional>

#include "src/jsonrpc/message.h"

using mcp::ToolList;

namespace {

std::string tool(const std::string& name, std::size_t description = 0) {
    return R"({"name":")" + name + R"(","description":")" + std::string(description, 'd') +
           R"(","inputSchema":{"type":"object"}})";
}

std::string page(const std::string& tools, const std::string& cursor = "") {
    return R"({"tools":[)" + tools + ']' + (cursor.empty() ? "" : R"(,"nextCursor":")" + cursor + '"') + '}';
}

/// Pages without end until it is enough; how many were read.
int read_on(ToolList& list, const std::function<std::string(int)>& tools_of) {
    for (int i = 0;; ++i)
        if (!list.add(page(tools_of(i), std::to_string(i)))) return i + 1;
}

std::string last(const ToolList& list) { return list.notes.empty() ? "" : list.notes.back(); }

} // namespace

TEST_CASE("ToolList: takes pages in order, and a name once") {
    ToolList list(false, false);
    CHECK(list.add(page(tool("a"), "one")) == "one");
    CHECK_FALSE(list.add(page(tool("b") + "," + tool("a"))));
    REQUIRE(list.tools.size() == 2);
    CHECK(list.tools[1].name == "b");
    CHECK(last(list) == "tool \"a\" is listed twice; the first is taken");
}

TEST_CASE("ToolList: ends where a server lists without end") {
    ToolList pages(false, false);
    CHECK(read_on(pages, [](int i) { return tool(std::to_string(i)); }) == 200);
    CHECK(last(pages) == "tools/list has more than 200 pages; the rest is left out");
    CHECK(pages.tools.size() == 200);

    ToolList tools(false, false);
    CHECK(read_on(tools, [](int i) {
              std::string many;
              for (int k = 0; k < 5000; ++k) many += (k ? "," : "") + tool(std::to_string(5000 * i + k));
              return many;
          }) == 3);
    CHECK(tools.tools.size() == ToolList::most_tools);
    CHECK(last(tools) == "it has more than 10,000 tools; the rest is left out");

    ToolList kept(false, false);
    CHECK(read_on(kept, [](int i) {
              std::string many;
              for (int k = 0; k < 100; ++k)
                  many += (k ? "," : "") + tool(std::to_string(100 * i + k), 50'000);
              return many;
          }) == 4);
    CHECK(last(kept) == "its tools have more than 16 MiB together; the rest is left out");

    ToolList read(false, false);
    const std::string filling = tool("big", (1 << 20) + 1); // is left out itself
    CHECK(read_on(read, [&](int) { return filling + ',' + filling + ',' + filling + ',' + filling; }) == 16);
    CHECK(last(read) == "tools/list has more than 64 MiB; the rest is left out");
    CHECK(read.tools.empty());
}

TEST_CASE("ToolList: a page above its bound is refused, and one bad tool loses that tool") {
    ToolList list(false, false);
    CHECK_THROWS_AS(list.add(page(tool("a", ToolList::most_page))), jsonrpc::Error);
    std::string bad;
    for (int i = 0; i < 100'000; ++i) bad += "7,";
    CHECK_FALSE(list.add(page(bad + tool("good") + ',' + tool("long", 100'000))));
    REQUIRE(list.tools.size() == 2);
    CHECK(list.tools[0].name == "good");
    CHECK(list.tools[1].description.size() == (64 << 10));
    CHECK(list.notes.size() == 50);
}

TEST_CASE("ToolList: a description is cut between characters, and that is said") {
    ToolList list(false, false);
    std::string text = "x";
    for (int i = 0; i < 40'000; ++i) text += "é";
    CHECK_FALSE(list.add(page(R"({"name":"a","inputSchema":{},"description":")" + text + R"("})")));
    CHECK(list.tools[0].description.size() == (64 << 10) - 1);
    CHECK(last(list) == "tool \"a\": its description is cut at 64 KiB");
}
