#include "src/cli/attack_expectation.h"

#include <doctest/doctest.h>
#include <stdexcept>

#include "src/cli/attack_suite.h"

using namespace cli;
using namespace std::chrono_literals;

namespace {

const std::string plain =
    "\"\"\"Opens a door.\n\nAnd more.\"\"\"\n# expect: status=success\nimport os\n# expect: status=error\n";

AttackOutcome held() { return {"success", "first\nHELD it\n", {}, 1s}; }

} // namespace

TEST_CASE("attack header: what it does not say has its default; the program's own comments are not read") {
    const AttackExpectation e = read_expectation(plain);
    CHECK(e.title == "Opens a door.");
    CHECK(e.statuses == std::set<std::string>{"success"});
    CHECK(e.output == "^HELD");
    CHECK(e.timeout == 20s);
    CHECK(e.within == 40s);
    CHECK(e.runs == 1);
    CHECK_FALSE(e.alone);
}

TEST_CASE("attack header: each line is read") {
    const AttackExpectation e = read_expectation(
        "\"\"\"x\"\"\"\n# expect: status=error,out_of_memory\n# expect-out: any\n# expect-not-out: ^FORGED\n"
        "# hits-limit: disk\n# needs-limit: memory\n# timeout: 30\n# alone: yes\n# runs: 3\n# arch: "
        "x86_64\nimport os\n");
    CHECK(e.statuses == std::set<std::string>{"error", "out_of_memory"});
    CHECK(e.output == "any");
    CHECK(e.never_output == "^FORGED");
    CHECK(e.hits_limit == "disk");
    CHECK(e.needs_limit == "memory");
    CHECK(e.timeout == 30s);
    CHECK(e.within == 50s);
    CHECK(e.alone);
    CHECK(e.runs == 3);
    CHECK(e.machine == "x86_64");
    CHECK(read_expectation("\"\"\"x\"\"\"\n# within: 7\n# expect: status=timeout\n# timeout: 5\n").within ==
          7s);
}

TEST_CASE("attack header: any end of code that ran is any, a refusal is not") {
    const AttackExpectation e = read_expectation("\"\"\"x\"\"\"\n# expect: status=any\n");
    CHECK(e.statuses.contains("timeout"));
    CHECK_FALSE(e.statuses.contains("refused"));
}

TEST_CASE("attack header: one that is not understood is an error") {
    const std::string doc = "\"\"\"x\"\"\"\n";
    for (const char* header :
         {"", "# expect: success", "# expect: status=", "# expect: status=won", "# expect: status=error,",
          "# expect: status=error\n# expects: x", "# expect: status=error\n# timeout: soon",
          "# expect: status=error\n# runs: 0", "# expect: status=error\n# within: 5s",
          "# expect: status=error\n# alone: no", "# expect: status=error\n# expect-out: (?=a)"}) {
        CAPTURE(header);
        CHECK_THROWS_AS(read_expectation(doc + header + "\n"), std::invalid_argument);
    }
    CHECK_THROWS_AS(read_expectation("# expect: status=error\n"), std::invalid_argument);
    CHECK_THROWS_AS(read_expectation("\"\"\"x\n# expect: status=error\n"), std::invalid_argument);
}

TEST_CASE("attack outcome: held only where status, time and text are as expected") {
    const AttackExpectation e = read_expectation(plain);
    CHECK(complaints(e, held()).empty());
    AttackOutcome late = held(), wrong = held(), silent = held();
    late.took = 40.5s;
    wrong.status = "timeout";
    silent.text = "it HELD\n";
    CHECK(complaints(e, late) == std::vector<std::string>{"took 40.5 s, expected at most 40"});
    CHECK(complaints(e, wrong) == std::vector<std::string>{"status timeout, expected success"});
    CHECK(complaints(e, silent) == std::vector<std::string>{"no \"^HELD\" in the output"});
}

TEST_CASE("attack outcome: what says that it won has won, whatever else is expected") {
    AttackExpectation e = read_expectation(plain);
    e.output = "any";
    e.never_output = "root:x:0";
    AttackOutcome outcome = held();
    outcome.text = "HELD\nWON the shadow file\nHELD\n";
    CHECK(complaints(e, outcome) == std::vector<std::string>{"the output has \"WON the shadow file\""});
    outcome.text = "HELD\nWRONG errno\n";
    CHECK(complaints(e, outcome).size() == 1);
    outcome.text = "x root:x:0:0\n";
    CHECK(complaints(e, outcome) == std::vector<std::string>{"the output has \"root:x:0\""});
    outcome.text = "nobody WON\n";
    CHECK(complaints(e, outcome).empty());
}

TEST_CASE("attack outcome: the limit that it hits is named, or memory ended it") {
    AttackExpectation e = read_expectation(plain);
    e.hits_limit = "disk";
    AttackOutcome outcome = held();
    outcome.limits = {"time"};
    CHECK(complaints(e, outcome) ==
          std::vector<std::string>{"the result does not name the limit disk (it names time)"});
    outcome.limits = {"time", "disk"};
    CHECK(complaints(e, outcome).empty());
    e.statuses = {"out_of_memory"};
    outcome.limits = {};
    outcome.status = "out_of_memory";
    CHECK(complaints(e, outcome).empty());
}

TEST_CASE("attack: not tried where its limit is not in force or on another machine") {
    AttackExpectation e = read_expectation(plain);
    CHECK(cannot_be_tried(e, {"memory"}, "x86_64").empty());
    e.needs_limit = "memory";
    CHECK(cannot_be_tried(e, {"processes"}, "x86_64").empty());
    CHECK(cannot_be_tried(e, {"processes", "memory"}, "x86_64") ==
          "needs a limit on memory, which is not in force here");
    e.machine = "x86_64";
    CHECK(cannot_be_tried(e, {}, "x86_64").empty());
    CHECK(cannot_be_tried(e, {}, "aarch64") == "is for x86_64");
}

TEST_CASE("attack: patience is for results, and for code that has to get to its end, up to the most that a "
          "call may ask for") {
    AttackExpectation e = read_expectation(plain);
    be_patient(e, 3);
    CHECK(e.within == 120s);
    CHECK(e.timeout == 60s);
    be_patient(e, 3);
    CHECK(e.timeout == 120s);
    AttackExpectation endless = read_expectation("\"\"\"x\"\"\"\n# expect: status=timeout\n# timeout: 3\n");
    be_patient(endless, 3);
    CHECK(endless.timeout == 3s);
}

TEST_CASE("attack suite: the program carries all of it, and understands each header") {
    CHECK(attack_suite().size() >= 60);
    for (const EmbeddedFile& each : attack_suite()) {
        CAPTURE(each.name);
        const AttackExpectation e = read_expectation(each.text);
        CHECK_MESSAGE(e.output != "any",
                      "it must print something that shows that it was begun, and ask for that");
    }
}
