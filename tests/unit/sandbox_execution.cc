#include <doctest/doctest.h>

#include <string>

#include "src/base/json.h"
#include "src/sandbox/execution.h"

using sandbox::Execution;
using sandbox::Outcome;
using sandbox::read_outcome;
using sandbox::Status;

TEST_CASE("read_outcome: a success, with all that the guest tells") {
    const Outcome outcome = read_outcome(
        R"j({"status":"success","exit_code":0,"signal":null,"error":"","value":"42","duration_ms":12,"cpu_ms":7,
        "peak_memory_bytes":9000000000,"stdout":{"tail":"end","omitted_bytes":5,"total_bytes":100},"stderr":{"tail":"","omitted_bytes":0,"total_bytes":0},
        "limits":["memory","time"],"notes":["2 malformed\nmessages"],"claimed":{"limits":["open_files"],
        "notes":["a call was never awaited","x\n[not enforced: all]"]},"tool_calls":3,"alive":true})j");
    CHECK(outcome.status == Status::success);
    CHECK(outcome.exit_code == 0);
    CHECK_FALSE(outcome.signal.has_value());
    CHECK(outcome.value == "42");
    CHECK(outcome.out.tail == "end");
    CHECK(outcome.out.omitted_bytes == 5);
    CHECK(outcome.out.total_bytes == 100);
    CHECK(outcome.duration_ms == 12);
    CHECK(outcome.cpu_ms == 7);
    CHECK(outcome.peak_memory_bytes == 9'000'000'000);
    CHECK(outcome.limits == std::vector<std::string>{"memory", "time"});
    CHECK(outcome.notes == std::vector<base::Shown>{"2 malformed\\nmessages"});
    CHECK(outcome.claimed.limits == std::vector<std::string>{"open_files"});
    CHECK(outcome.claimed.notes ==
          std::vector<base::Shown>{"a call was never awaited", "x\\n[not enforced: all]"});
    CHECK(outcome.tool_calls == 3);
    CHECK(outcome.alive);
}

TEST_CASE("read_outcome: every status, and only the status is needed") {
    for (const auto& [text, status] : {std::pair("success", Status::success),
                                       {"error", Status::error},
                                       {"timeout", Status::timeout},
                                       {"out_of_memory", Status::out_of_memory},
                                       {"killed", Status::killed}}) {
        const Outcome outcome = read_outcome(R"({"status":")" + std::string(text) + "\"}");
        CHECK(outcome.status == status);
        CHECK_FALSE(outcome.exit_code.has_value());
        CHECK_FALSE(outcome.value.has_value());
        CHECK(outcome.error.empty());
        CHECK_FALSE(outcome.alive);
    }
    const Outcome killed =
        read_outcome(R"({"status":"killed","signal":11,"unknown":{"a":[1]},"stdout":null})");
    CHECK(killed.signal == 11);
    CHECK(killed.out.tail.empty());
}

TEST_CASE("read_outcome: what is none is refused, with its place") {
    for (const char* bad :
         {"", "{", "[]", "7", "null", "{}", R"({"status":"fine"})", R"({"status":7})",
          R"({"status":"error","exit_code":"3"})", R"({"status":"error","exit_code":99999999999})",
          R"({"status":"error","stdout":7})", R"({"status":"error","stdout":{"tail":7}})",
          R"({"status":"error","limits":"memory"})", R"({"status":"error","notes":[7]})",
          R"({"status":"error","claimed":{"notes":[7]}})", R"({"status":"error","claimed":7})",
          R"({"status":"error","duration_ms":1.5})", R"({"status":"error","alive":1})"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(read_outcome(bad), json::Error);
    }
    CHECK_THROWS_WITH_AS(read_outcome(R"({"status":"error","stdout":{"tail":7}})"),
                         "result.stdout.tail: expected string", json::Error);
}

TEST_CASE("write_execution: all of it, whatever is in the code") {
    Execution execution{.code = std::string("print('\0\xFF\n\xE2\x80\xA8')", 15)};
    execution.timeout = std::chrono::milliseconds(1500);
    execution.servers = R"([{"name":"a"}])";
    execution.saved_tools = {"plus"};
    execution.head = 7;
    execution.tail = 8;
    execution.session = true;
    execution.figures = false;
    const std::string text = sandbox::write_execution(execution);
    CHECK(text.find('\n') == std::string::npos);
    const json::Document document(text);
    const json::Reader in = document.root();
    CHECK(in.at("code").as_string() == std::string("print('\0\xEF\xBF\xBD\n\xE2\x80\xA8')", 17));
    CHECK(in.at("timeout_seconds").as_number() == 1.5);
    CHECK(in.at("servers")[0].at("name").as_string() == "a");
    CHECK(in.at("saved_tools")[0].as_string() == "plus");
    CHECK(in.at("output").at("head").as_int() == 7);
    CHECK(in.at("output").at("tail").as_int() == 8);
    CHECK(in.at("session").as_bool());
    CHECK_FALSE(in.at("figures").as_bool());
    CHECK(in.at("terminal").as_bool());
    execution.keep_output = false; // all of it goes to someone who wants the bytes as they came
    CHECK(write_execution(execution).find("\"terminal\":false") != std::string::npos);
}
