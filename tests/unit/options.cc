#include "src/cli/options.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "src/cli/help.h"
#include "src/cli/new_file.h"

using cli::Options;
using Words = std::vector<std::string>;

namespace {

Options read(const Words& words, const std::map<std::string, std::string>& environment = {}) {
    return cli::read_options(words, "cordon", environment);
}

std::string refusal(const Words& words) {
    try {
        read(words);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("options: exec takes a file, code, standard input, and what follows is for the program") {
    Options options =
        read({"exec", "--server", "a", "--server", "b", "x.py", "--timeout", "9", "one", "--timeout", "3"});
    CHECK(options.command == "exec");
    REQUIRE(options.programs.size() == 1);
    CHECK(options.programs[0].text == "x.py");
    CHECK(options.servers == Words{"a", "b"});
    CHECK(options.settings.timeout == std::chrono::seconds(9)); // right behind the file: ours
    CHECK(options.arguments == Words{"one", "--timeout", "3"});
    options = read({"exec", "x.py", "--", "--timeout", "9"});
    CHECK(options.settings.timeout == std::chrono::seconds(30));
    CHECK(options.arguments == Words{"--timeout", "9"});
    options = read({"exec", "x.py", "--verbose", "-v"});
    CHECK(options.arguments == Words{"--verbose", "-v"});
    CHECK(options.warnings.empty());
    options = read({"exec", "x.py", "--sever"});
    REQUIRE(options.warnings.size() == 1);
    CHECK(says(options.warnings[0], "\"--server\""));
    for (const char* code : {"import os\nprint(1)", "-1", "--x=1\n--y", "\n\n", "", "print('=')\n#é"}) {
        options = read({"exec", "-c", code});
        REQUIRE(options.programs.size() == 1);
        CHECK(options.programs[0].text == code);
    }
    options = read({"exec", "-c", "print(1)", "-c", "x"});
    CHECK(options.programs[0].is_code);
    CHECK(options.arguments == Words{"-c", "x"});
    CHECK(read({"exec", "-"}).programs[0].text == "-");
    CHECK(read({"exec", "--", "-odd.py"}).programs[0].text == "-odd.py");
    CHECK(says(refusal({"exec"}), "-c CODE"));
    CHECK(says(refusal({"exec", "-c"}), "-c: expected the code"));
    CHECK(says(refusal({"-c", "1"}), "cordon exec -c"));
}

TEST_CASE("options: a session of exec runs several programs, in their order") {
    const Options options = read({"exec", "--session", "s", "a.py", "-c", "x", "b.py"});
    REQUIRE(options.programs.size() == 3);
    CHECK(options.programs[1].is_code);
    CHECK(options.programs[2].text == "b.py");
    CHECK(options.session == "s");
    CHECK(says(refusal({"exec", "--session", "s", "a.py", "--verbose"}), "no flag --verbose"));
    CHECK(says(refusal({"exec", "--session", "", "a.py"}), "--session: expected a name"));
}

TEST_CASE("options: run is serve, and with a program exec; what is nearly a command is told") {
    CHECK(read({"run"}).command == "serve");
    CHECK(read({"run", "--pool", "2"}).command == "serve");
    CHECK(read({"run", "hello.py"}).command == "exec");
    CHECK(read({"run", "-c", "1"}).command == "exec");
    CHECK(says(refusal({"exce", "a.py"}), "did you mean \"exec\""));
    CHECK(says(refusal({"hello.py"}), "cordon exec hello.py"));
    CHECK(says(refusal({"dance"}), "no command \"dance\""));
    CHECK(says(refusal({"image", "lst"}), "did you mean \"list\""));
    CHECK(says(refusal({"doctor", "--sever"}), "\"--server\""));
}

TEST_CASE("options: a switch takes its value behind it, as every other flag does") {
    for (const char* no : {"0", "false", "No", "OFF"}) {
        CAPTURE(no);
        const Options options = read({"exec", "--allow-rootful", no, "a.py"});
        CHECK_FALSE(options.settings.allow_rootful);
        CHECK(options.programs[0].text == "a.py");
        CHECK_FALSE(read({"doctor", "--json", no}).json);
    }
    CHECK(read({"exec", "--allow-rootful", "true", "a.py"}).settings.allow_rootful);
    CHECK(read({"exec", "--allow-rootful", "a.py"}).settings.allow_rootful);
    CHECK(read({"exec", "--allow-rootful=1", "a.py"}).settings.allow_rootful);
    CHECK_FALSE(read({"doctor"}, {{"CORDON_ALLOW_ROOTFUL", "0"}}).settings.allow_rootful);
    CHECK(says(refusal({"exec", "--timeout"}), "--timeout: expected a value"));
    CHECK(says(refusal({"exec", "--timeout", "--json", "a.py"}), "--timeout: expected a value"));
    CHECK(says(refusal({"doctor", "--json=maybe"}), "expected 1 or 0"));
}

TEST_CASE("options: a flag of another command is an error that says whose it is") {
    CHECK(says(refusal({"exec", "--suite", "trixie", "a.py"}), "belongs to image"));
    CHECK(says(refusal({"serve", "--json"}), "belongs to exec doctor"));
    CHECK(says(refusal({"image", "list", "--suite", "trixie"}), "image build"));
    CHECK(says(refusal({"doctor", "--tls-cert", "a"}), "--runtime-tls-cert"));
    CHECK(read({"self-test"}).command == "doctor");
    CHECK(read({"self-test"}).self_test);
    CHECK(read({"image", "ls"}).action == "list");
    CHECK(read({"image", "rm", "a:1"}).action == "rm");
    CHECK(says(refusal({"image", "rm"}), "rm REFERENCE"));
}

TEST_CASE("options: the maximum that nobody set follows the time; a variable that is nearly one is told") {
    CHECK(read({"exec", "--timeout", "500", "a.py"}).settings.max_timeout == std::chrono::seconds(500));
    CHECK(says(refusal({"exec", "--timeout", "500", "--max-timeout", "100", "a.py"}), "--max-timeout"));
    const auto warned = [](const char* name) { return read({"doctor"}, {{name, "1"}}).warnings; };
    REQUIRE(warned("CORDON_TIMOUT").size() == 1);
    CHECK(says(warned("CORDON_TIMOUT")[0], "did you mean CORDON_TIMEOUT?"));
    CHECK(says(warned("MCP_BRIDGE_MEMMORY").at(0), "did you mean MCP_BRIDGE_MEMORY?"));
    CHECK(says(warned("MCP_BRIDGE_XYZZY").at(0), "there is no such setting"));
    CHECK(warned("CORDON_XYZZY").empty()); // another program's, perhaps
    CHECK(read({"doctor", "--image", "a:1"}, {{"CORDON_IMAGE", "b:1"}}).image_said_by == "--image");
    CHECK(read({"doctor"}, {{"MCP_BRIDGE_IMAGE", "b:1"}}).image_said_by == "MCP_BRIDGE_IMAGE");
}

TEST_CASE("options: deny, ask and allow may be given many times; the flags take the variable's place") {
    Options options = read({"serve", "--deny", "a.b", "--deny=c", "--ask", "d"});
    CHECK(options.settings.deny == "a.b,c");
    CHECK(options.settings.ask == "d");
    CHECK(options.settings.allow.empty());
    options = cli::read_options({"serve", "--deny", "a"}, "cordon",
                                {{"CORDON_DENY", "b"}, {"CORDON_ALLOW", "c,d"}});
    CHECK(options.settings.deny == "a");
    CHECK(options.settings.allow == "c,d");
}

TEST_CASE("options: policy shows, or tests one call") {
    CHECK(read({"policy"}).action.empty());
    const Options options = read({"policy", "test", "a.b", "{}", "--json"});
    CHECK(options.action == "test");
    CHECK(options.file == "a.b");
    CHECK(options.arguments == Words{"{}"});
    CHECK(options.json);
    CHECK(says(refusal({"policy", "tst"}), "did you mean \"test\""));
    for (const Words& bad : {Words{"policy", "test"}, Words{"policy", "test", "a", "b", "c"}})
        CHECK(says(refusal(bad), "test SERVER.TOOL [ARGUMENTS]"));
}

TEST_CASE("options: each command has help with its own flags") {
    CHECK(read({"exec", "--help"}).topic == "exec");
    CHECK(read({"help", "image"}).topic == "image");
    CHECK(read({"image", "build", "-h"}).topic == "image");
    CHECK(read({"--help"}).topic.empty());
    CHECK(says(refusal({"help", "imge"}), "\"image\""));
    CHECK(says(cli::help_text("image"), "--suite RELEASE"));
    CHECK(says(cli::help_text("serve"), "--tls-cert FILE"));
    CHECK(says(cli::help_text("exec"), "--session NAME"));
    CHECK_FALSE(says(cli::help_text("exec"), "--suite"));
    CHECK_FALSE(says(cli::help_text("exec"), "--session-idle"));
    CHECK(says(cli::help_text("run"), "--http"));
    for (const char* command : {"serve", "exec", "doctor", "self-test", "servers", "image", "sweep"}) {
        CHECK(says(cli::help_text(""), "cordon " + std::string(command)));
        CHECK(says(cli::help_text(command), "cordon " + std::string(command)));
    }
    CHECK(cli::help_text("dance").empty());
}

TEST_CASE("safe_name: what code called its file names no file that others read") {
    const auto whole = [](const std::string& name) {
        const auto [stem, ending] = cli::safe_name(name);
        return stem + ending;
    };
    CHECK(whole("a.csv") == "cordon-a.csv");
    CHECK(whole("sub/../b.txt") == "cordon-sub-..-b.txt");
    CHECK(whole("Makefile") == "cordon-Makefile");
    CHECK(whole(".bashrc") == "cordon-.bashrc");
    CHECK(whole("a\n\x1b[1m;$(x)") == "cordon-a___1m___x_");
    CHECK(whole("a\xc2\x9b"
                "b") == "cordon-a_b");
    CHECK(whole("grün.png") == "cordon-grün.png");
    CHECK(whole(std::string(500, 'x') + ".png").size() == 100);
    CHECK(whole("").starts_with("cordon-"));
}
