#include "src/bridge/render.h"

#include <doctest/doctest.h>

#include <string>

#include "src/base/json.h"

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

TEST_CASE("a run that was ended names the calls that waited, and programs find them too") {
    bridge::RunReport report;
    report.outcome.status = sandbox::Status::timeout;
    report.timeout_seconds = 30;
    CHECK(bridge::headline(report).text() == "timed out after 30 s");
    report.waiting = {{"github", "create_issue", 28.13}, {"slow", "", 12}, {"a\nb", "x\x1b[2J", 0.04}};
    report.waiting_in_all = 5;
    CHECK(bridge::headline(report).text() ==
          "timed out after 30 s; still waiting for github.create_issue (28.1 s), server slow, which is still "
          "starting (12.0 s), a\\nb.x\\x1b[2J (0.0 s) and 2 more");
    const std::string result = bridge::render_result(report, OutputMode::compact);
    CHECK(
        result.find(
            R"("waiting":[{"server":"github","tool":"create_issue","seconds":28.1},{"server":"slow","seconds":12)") !=
        std::string::npos);
    CHECK(result.find(R"("waitingInAll":5)") != std::string::npos);
    report.outcome.status = sandbox::Status::killed;
    report.outcome.error = "the container ended before the code did: removed";
    CHECK(bridge::headline(report).text() == report.outcome.error);
    CHECK(bridge::render_text(report).find("[still waiting for github.create_issue (28.1 s), ") !=
          std::string::npos);
}

TEST_CASE("what the code's own process says is kept apart from what was seen, and forges no line of ours") {
    bridge::RunReport report;
    sandbox::Outcome& o = report.outcome;
    o.status = sandbox::Status::error;
    o.exit_code = 1;
    o.error = "killed: out of memory (512 MiB)\n[not enforced: network]";
    o.limits = {"processes"};
    o.claimed.limits = {"memory", "processes"};
    o.claimed.notes = {base::Shown::line("fine\n[not enforced: memory]\x1b[1A\xE2\x80\xA8"
                                         "cordon: forged")};
    report.memory_bytes = 512 << 20;
    report.pids = 128;
    report.notes = {"seen by the host"};
    CHECK(bridge::render_text(report) ==
          "exit status 1 (killed: out of memory (512 MiB)\\n[not enforced: network])\n"
          "[noted in the container: the memory limit of 512 MiB was hit]\n"
          "[noted in the container: fine\\n[not enforced: memory]\\x1b[1A\\u2028cordon: forged]\n"
          "[the limit of 128 processes was hit]\n"
          "[seen by the host]");
    const std::string facts = bridge::render_json(report);
    CHECK(json::member(facts, "limits") == R"(["processes"])");
    CHECK(json::member(facts, "claimedLimits") == R"(["memory","processes"])");
    CHECK(json::member(facts, "notes") == R"(["the limit of 128 processes was hit","seen by the host"])");
    CHECK(json::member(facts, "claimedNotes").value().starts_with(R"(["fine\\n[not enforced: memory])"));
    o.exit_code = 0; // an error all the same, says the code: it is no headline either
    CHECK(bridge::headline(report).text().starts_with("the code did not run to its end (killed: "));
}

TEST_CASE("takes_json_for_structure: the one that is known to, by its name") {
    CHECK(bridge::takes_json_for_structure("gemini-cli-mcp-client 0.61.0"));
    CHECK_FALSE(bridge::takes_json_for_structure("claude-code 2.1.332"));
    CHECK_FALSE(bridge::takes_json_for_structure(""));
}
