#include "src/bridge/result_check.h"

#include "runtime_api/json.h"

namespace bridge {

std::string broken_promise(SchemaCheck& schemas, const CatalogueTool& tool, std::string_view result) {
    constexpr std::size_t most_checked = 1 << 20;
    if (tool.output_schema.empty() || result.size() > most_checked) return {};
    if (json::member(result, "isError").value_or("false") == "true") return {};
    const auto structured = json::member(result, "structuredContent");
    if (!structured) return "it declares structured content and gave none";
    std::string text;
    for (const std::string& problem : schemas.problems(tool.output_schema, *structured))
        text += (text.empty() ? "its result is not as it declares: " : "; ") + problem;
    return text;
}

} // namespace bridge
