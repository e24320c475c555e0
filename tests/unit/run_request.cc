#include "src/bridge/run_request.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using bridge::BadArguments;
using bridge::read_arguments;
using bridge::RunLimits;
using bridge::RunRequest;
using Names = std::vector<std::string>;

namespace {

RunRequest with(const std::string& members) {
    return read_arguments(R"({"code":"1")" + (members.empty() ? "" : "," + members) + "}", RunLimits{});
}

std::string refusal(const std::string& arguments) {
    try {
        read_arguments(arguments, RunLimits{});
    } catch (const BadArguments& e) {
        return e.what();
    }
    return "(taken)";
}

const Names blanks = {"null",          "\"\"",       "\"  \"",    "\"null\"", "\"None\"", "\"none\"",
                      "\"undefined\"", "\" NULL \"", "\"nil\"",   "\"n/a\"",  "\"N/A\"",  "\"{}\"",
                      "\"\\\"\\\"\"",  "\"''\"",     "{}",        "0",        "0.0",      "-0",
                      "false",         "\"false\"",  "\"False\"", "\"\\n\""};

} // namespace

TEST_CASE("read_arguments: what can only mean nothing given is taken so, for each argument") {
    for (const std::string& blank : blanks) {
        CAPTURE(blank);
        const RunRequest request =
            with("\"servers\":" + blank + ",\"session\":" + blank + ",\"timeout\":" + blank);
        CHECK_FALSE(request.servers);
        CHECK(request.session.empty());
        CHECK(request.timeout == std::chrono::seconds(30));
        CHECK(request.notes.empty());
    }
    CHECK(with(R"("session":[],"timeout":[])").session.empty());
    CHECK(with(R"("session":"[]","timeout":"[]")").timeout == std::chrono::seconds(30));
}

TEST_CASE("read_arguments: an empty list of servers is a choice, and a list of blanks is none") {
    for (const char* none : {"[]", "\"[]\"", "\" [ ] \""}) {
        CAPTURE(none);
        const RunRequest request = with(std::string("\"servers\":") + none);
        REQUIRE(request.servers);
        CHECK(request.servers->empty());
    }
    for (const char* blank :
         {R"([""])", "[null]", R"(["null","None"])", R"("[\"\"]")", "[{}]", R"("[null]")"})
        CHECK_FALSE_MESSAGE(with(std::string("\"servers\":") + blank).servers, blank);
    CHECK(with(R"("servers":["git",""])").servers == Names{"git"});
    CHECK(with(R"("servers":"[\"git\", \"fs\"]")").servers == Names{"git", "fs"});
    CHECK(with(R"("servers":"git")").servers == Names{"git"});
    for (const char* bad : {"7", "true", R"({"git":1})", "[7]", R"("[git")"})
        CHECK(refusal(std::string(R"({"code":"1","servers":)") + bad + "}")
                  .starts_with("servers: expected an array"));
}

TEST_CASE("read_arguments: a time may be written as text") {
    const auto seconds = [](const std::string& value) {
        return std::chrono::duration<double>(with("\"timeout\":" + value).timeout).count();
    };
    for (const char* minute :
         {"60", "60.0", "\"60\"", "\" 60 \"", "\"60s\"", "\"60 s\"", "\"60 seconds\"", "\"6e1\""})
        CHECK_MESSAGE(seconds(minute) == 60, minute);
    CHECK(seconds("\"1.5\"") == 1.5);
    CHECK(seconds("\"0\"") == 30);
    CHECK(with(R"("timeout":"500")").notes == Names{"timeout was cut to the maximum of 120 s"});
    for (const char* negative : {"-1", "\"-1\"", "-0.5"}) {
        const RunRequest request = with(std::string("\"timeout\":") + negative);
        CHECK(request.timeout == std::chrono::seconds(30));
        REQUIRE(request.notes.size() == 1);
        CHECK(request.notes[0] ==
              std::string("timeout ") + negative + " is no time; the default of 30 s held");
    }
    for (const char* bad :
         {"\"soon\"", "true", "[60]", "\"1m\"", "\"60 s later\"", "\"inf\"", "\"nan\"", "{\"s\":60}"})
        CHECK(refusal(std::string(R"({"code":"1","timeout":)") + bad + "}")
                  .starts_with("timeout: expected a number"));
    CHECK(refusal(R"({"code":"1","timeout":0.5})").find("from 1 to 120") != std::string::npos);
}

TEST_CASE("read_arguments: a session has a name, and a name of a session is kept as it is") {
    for (const char* name : {"work", "0", "nullify", "all", "no session"})
        CHECK(with(std::string("\"session\":\"") + name + '"').session == name);
    for (const char* bad : {"7", "true", "[\"a\"]", "{\"a\":1}", "\"\\u0001\""})
        CHECK(refusal(std::string(R"({"code":"1","session":)") + bad + "}")
                  .starts_with("session: expected a name"));
}

TEST_CASE("read_arguments: an unknown argument is noted, with the nearest name") {
    const auto note = [](const std::string& name) {
        const RunRequest request = with('"' + name + "\":\"x\"");
        REQUIRE(request.notes.size() == 1);
        return request.notes.front();
    };
    CHECK(note("sesion") == "the argument \"sesion\" is unknown and was ignored (did you mean \"session\"?)");
    for (const char* name : {"session_id", "sessionId", "Session", "SESSION"})
        CHECK_MESSAGE(note(name).ends_with("(did you mean \"session\"?)"), name);
    for (const char* name : {"timeout_seconds", "time_out", "timeoutMs", "timout"})
        CHECK_MESSAGE(note(name).ends_with("(did you mean \"timeout\"?)"), name);
    for (const char* name : {"server", "mcp_servers", "servres"})
        CHECK_MESSAGE(note(name).ends_with("(did you mean \"servers\"?)"), name);
    CHECK(note("explanation") == "the argument \"explanation\" is unknown and was ignored");
    CHECK(with(R"("_client":1)").notes.empty());
    std::string many;
    for (int i = 0; i < 9; ++i) many += (i ? ",\"" : "\"") + std::string("zz") + std::to_string(i) + "\":1";
    CHECK(with(many).notes.size() == 6);
    CHECK(with(many).notes.back() == "4 more unknown arguments were ignored");
    CHECK(refusal(R"({"cod":"1"})") ==
          "code: missing; expected the Python source as a string (\"cod\" was given)");
    CHECK(refusal(R"({"x":"1"})") == "code: missing; expected the Python source as a string");
}

TEST_CASE("read_arguments: large arguments are read like small ones, and only the code may be large") {
    const std::string large(300 << 10, '#');
    const auto request =
        read_arguments(R"({"code":"1\n)" + large + R"(\u0041","session":"s","timeout":"5","extra":[)" +
                           std::string(600'000, ' ') + R"(1],"_x":")" + large + "\"}",
                       RunLimits{});
    CHECK(request.code == "1\n" + large + "A");
    CHECK(request.session == "s");
    CHECK(request.timeout == std::chrono::seconds(5));
    REQUIRE(request.notes.size() == 1);
    CHECK(request.notes[0].find("\"extra\" is unknown") != std::string::npos);
    CHECK_THROWS_WITH_AS(read_arguments(R"({"code":"1","servers":")" + large + "\"}", RunLimits{}),
                         "servers: 307202 bytes are too many for this argument", BadArguments);
    CHECK_THROWS_AS(read_arguments(R"({"code":7,"x":")" + large + "\"}", RunLimits{}), BadArguments);
    CHECK_THROWS_AS(read_arguments(R"({"x":")" + large + "\"}", RunLimits{}), BadArguments);
}
