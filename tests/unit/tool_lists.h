#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/json.h"
#include "tests/unit/fakes_folder.h"

/// One tool of tests/fakes/tools.
struct RecordedTool {
    std::string server;
    std::string name;
    std::string description;
    std::string input_schema;
};

inline constexpr const char* recorded_servers[] = {"everything", "filesystem", "memory", "git", "notion"};

/// The tools that a real server was recorded with.
inline std::vector<RecordedTool> recorded_tools(const std::string& server) {
    const auto folder = fakes_folder() / "tools";
    std::ifstream in(folder / (server + ".json"), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    json::check(text);
    std::vector<RecordedTool> tools;
    for (const std::string_view each : json::elements(json::member(text, "tools").value()))
        tools.push_back({.server = server,
                         .name = json::unquote(json::member(each, "name").value()),
                         .description = json::unquote(json::member(each, "description").value_or("\"\"")),
                         .input_schema = std::string(json::member(each, "inputSchema").value())});
    return tools;
}
