#include "src/bridge/result_check.h"

#include "src/base/json.h"

namespace bridge {

namespace {

constexpr std::size_t most_checked = 1 << 20;
constexpr std::size_t most_checked_at_once = 16 << 10;

/// What a result must be held against its schema by; nullopt where nothing is, and then `said` tells why.
std::optional<std::string_view> promised(const CatalogueTool& tool, std::string_view result,
                                         std::string& said) {
    if (tool.output_schema.empty() || result.size() > most_checked) return std::nullopt;
    if (json::member(result, "isError").value_or("false") == "true") return std::nullopt;
    const auto structured = json::member(result, "structuredContent");
    if (!structured) said = "it declares structured content and gave none";
    return structured;
}

std::string sentence(const std::vector<std::string>& problems) {
    std::string text;
    for (const std::string& problem : problems)
        text += (text.empty() ? "its result is not as it declares: " : "; ") + problem;
    return text;
}

} // namespace

std::string broken_promise(schema::Check& schemas, const CatalogueTool& tool, std::string_view result) {
    std::string said;
    const auto structured = promised(tool, result, said);
    if (!structured) return said;
    try {
        return sentence(schemas.problems(tool.output_schema, *structured));
    } catch (const json::Error&) { // an integer beyond what is checked here; code has it
        return {};
    }
}

std::optional<std::string> broken_promise_at_once(schema::Check& schemas, const CatalogueTool& tool,
                                                  std::string_view result) {
    if (result.size() > most_checked_at_once) return std::nullopt;
    std::string said;
    const auto structured = promised(tool, result, said);
    if (!structured) return said;
    try {
        const auto problems = schemas.problems_at_once(tool.output_schema, *structured);
        if (!problems) return std::nullopt;
        return sentence(*problems);
    } catch (const json::Error&) { // as above
        return std::string();
    }
}

} // namespace bridge
