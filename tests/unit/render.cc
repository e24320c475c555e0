#include "src/bridge/render.h"

#include <doctest/doctest.h>

#include <string>

using bridge::OutputMode;

namespace {

std::string result_for(const std::string& output, OutputMode mode, bool no_bare_json) {
    bridge::RunReport report;
    report.outcome.status = sandbox::Status::success;
    report.outcome.out.head = output;
    report.outcome.out.total_bytes = static_cast<std::int64_t>(output.size());
    return bridge::render_result(report, mode, no_bare_json);
}

constexpr const char* line = "[no more output]";

} // namespace

TEST_CASE("render_result: a client that takes JSON for structure is never given a bare value") {
    for (const char* bare : {"42", "42\n", "\n 42", "[1, 2]", "-0.5e3", "true", "null", "\"text\"", "[]\n"}) {
        CAPTURE(bare);
        CHECK(result_for(bare, OutputMode::compact, true).find(line) != std::string::npos);
        CHECK(result_for(bare, OutputMode::compact, false).find(line) == std::string::npos);
        CHECK(result_for(bare, OutputMode::structured, true).find(line) == std::string::npos);
        CHECK(result_for(bare, OutputMode::toon, true).find(line) == std::string::npos);
    }
    for (const char* fine : {"", "{\"a\": 1}\n", "42 ducks", "1\n2\n", "nan", "[1, 2", "True", "'text'"}) {
        CAPTURE(fine);
        CHECK(result_for(fine, OutputMode::compact, true).find(line) == std::string::npos);
    }
}

TEST_CASE("takes_json_for_structure: the one that is known to, by its name") {
    CHECK(bridge::takes_json_for_structure("gemini-cli-mcp-client 0.61.0"));
    CHECK_FALSE(bridge::takes_json_for_structure("claude-code 2.1.332"));
    CHECK_FALSE(bridge::takes_json_for_structure(""));
}
