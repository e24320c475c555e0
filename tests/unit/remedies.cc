#include "src/bridge/remedies.h"

#include <doctest/doctest.h>

#include <string>

#include "src/base/json.h"
#include "src/bridge/render.h"

using bridge::RunReport;
using sandbox::Status;

namespace {

RunReport failed(Status status, const std::string& error, bool at_terminal) {
    RunReport report;
    report.outcome.status = status;
    report.outcome.error = error;
    report.timeout_seconds = 30;
    report.max_timeout_seconds = 120;
    report.memory_bytes = 512LL << 20;
    report.at_terminal = at_terminal;
    return report;
}

// The one line, or "".
std::string remedy(const RunReport& report) {
    const auto lines = bridge::remedies(report);
    REQUIRE(lines.size() <= 1);
    return lines.empty() ? "" : lines.front();
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* no_module = "ModuleNotFoundError: No module named 'pandas.core'";
constexpr const char* no_name = "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>";

} // namespace

TEST_CASE("remedies: a person at a terminal is told the setting or the command") {
    CHECK(says(remedy(failed(Status::timeout, "", true)), "--timeout 60"));
    CHECK(says(remedy(failed(Status::out_of_memory, "", true)), "--memory 1024m"));
    CHECK(says(remedy(failed(Status::error, no_module, true)), "no pandas,"));
    CHECK(says(remedy(failed(Status::error, no_module, true)), "cordon image build"));
    CHECK(says(remedy(failed(Status::error, no_name, true)), "no network"));
    CHECK(says(remedy(failed(Status::error, "gaierror: [Errno -2] Name or service not known", true)),
               "MCP servers"));
    CHECK(says(remedy(failed(Status::error, "OSError: [Errno 101] Network is unreachable", true)),
               "no network"));
}

TEST_CASE("remedies: a model is told what it can do itself, in a line of the result") {
    CHECK(remedy(failed(Status::timeout, "", false)) == "timeout=120 is the most to ask for");
    RunReport at_most = failed(Status::timeout, "", false);
    at_most.timeout_seconds = 120;
    CHECK(says(remedy(at_most), "--max-timeout"));
    CHECK(says(remedy(failed(Status::out_of_memory, "", false)), "less at a time"));
    CHECK(says(remedy(failed(Status::error, no_module, false)), "no pandas,"));
    CHECK(says(bridge::render_text(failed(Status::error, no_name, false)), "[there is no network in here"));
    for (const std::string& line : bridge::remedies(failed(Status::error, no_module, false)))
        CHECK(line.size() < 100);
}

TEST_CASE("remedies: none for what went well, was refused or cancelled, or has words of its own") {
    CHECK(remedy(failed(Status::success, "", true)).empty());
    CHECK(remedy(failed(Status::error, "ValueError: x", true)).empty());
    CHECK(remedy(failed(Status::error, "ModuleNotFoundError: No module named 'mcp_github'", true)).empty());
    RunReport report = failed(Status::timeout, "", true);
    report.cancelled = true;
    CHECK(remedy(report).empty());
    report = failed(Status::timeout, "", true);
    report.refused = "no engine";
    CHECK(remedy(report).empty());
}

TEST_CASE("render_json: streams and value are always there, and what exec saved") {
    RunReport report = failed(Status::success, "", true);
    report.files = {"/here/cordon-a.csv"};
    const json::Document document(bridge::render_json(report));
    const json::Reader root = document.root();
    CHECK(root.at("status").as_string() == "success");
    CHECK(root.at("stdout").as_string().empty());
    CHECK(root.at("stderr").as_string().empty());
    CHECK(root.find("value").has_value());
    CHECK(root.at("files")[0].as_string() == "/here/cordon-a.csv");
}
