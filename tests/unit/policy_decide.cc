#include "src/policy/decide.h"

#include <doctest/doctest.h>

#include "src/base/json.h"
#include "src/policy/glob.h"
#include "src/policy/policy_file.h"

using namespace policy;
using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

namespace {

Rules read(const std::string& text) { return read_policy(text, "p.toml", "/home/me"); }

// "allow 1": what is decided, and by the rule of which line; "allow -" by the default.
std::string of(const Rules& rules, const std::string& server, const std::string& tool,
               const std::string& arguments = "{}", const std::string& annotations = "") {
    const Match found = match(rules, Target{server, tool, annotations}, arguments);
    const std::string place = found.rule ? found.rule->place : "-";
    return std::string(word(found.action)) + ' ' + place.substr(place.find(':') + 1);
}

std::string outlook_of(const Rules& rules, const std::string& server, const std::string& tool,
                       const std::string& annotations = "") {
    const Outlook all = outlook(rules, Target{server, tool, annotations});
    return std::string(all.may_pass ? "pass " : "") + (all.may_ask ? "ask" : "");
}

Truth path_holds(const std::string& path, const std::string& folder = "/home/me/notes") {
    Condition condition;
    condition.steps = {"path"};
    condition.under = {folder};
    return holds(condition, "{\"path\":" + json::quote(path) + "}");
}

} // namespace

TEST_CASE("policy::fits: stars and question marks, the whole name, and no exponential time") {
    CHECK(fits("*", ""));
    CHECK(fits("get_*", "get_issue"));
    CHECK(fits("get_*", "get_"));
    CHECK_FALSE(fits("get_*", "forget_"));
    CHECK(fits("*_file", "read_text_file"));
    CHECK(fits("a*b*c", "axxbyybzzc"));
    CHECK_FALSE(fits("a*b*c", "axxcyyb"));
    CHECK(fits("r?ad", "read"));
    CHECK_FALSE(fits("r?ad", "rad"));
    CHECK_FALSE(fits("Read", "read"));
    CHECK_FALSE(fits("", "a"));
    std::string stars;
    for (int i = 0; i < 500; ++i) stars += "*a";
    CHECK_FALSE(fits(stars + "b", std::string(20'000, 'a')));
}

TEST_CASE("match: the first rule that matches decides, and without one the default") {
    const Rules rules =
        read("[[rule]]\nserver = \"github\"\ntool = [\"get_*\", \"list_*\"]\naction = \"allow\"\n"
             "[[rule]]\nserver = \"git*\"\naction = \"ask\"\n"
             "[[rule]]\ntool = \"delete_*\"\naction = \"deny\"\n");
    CHECK(of(rules, "github", "get_issue") == "allow 1");
    CHECK(of(rules, "github", "delete_repo") == "ask 5");
    CHECK(of(rules, "gitlab", "get_issue") == "ask 5");
    CHECK(of(rules, "files", "delete_file") == "deny 8");
    CHECK(of(rules, "files", "read_file") == "allow -");
    CHECK(of(read("default = \"deny\""), "files", "read_file") == "deny -");
    CHECK(of(Rules(), "any", "thing") == "allow -");
}

TEST_CASE("match: hints count only where the user believes them; else a rule that allows does not match") {
    const std::string hints = "{\"readOnlyHint\":true}";
    const std::string rule = "[[rule]]\nread_only = true\naction = \"allow\"\n[[rule]]\naction = \"deny\"\n";
    CHECK(of(read(rule), "s", "t", "{}", hints) == "deny 4");
    const Rules trusting = read("[server.s]\ntrust_hints = true\n" + rule);
    CHECK(of(trusting, "s", "t", "{}", hints) == "allow 3");
    CHECK(of(trusting, "s", "t", "{}", "{\"readOnlyHint\":\"true\"}") == "deny 6");
    CHECK(of(trusting, "s", "t") == "deny 6");
    CHECK(of(trusting, "other", "t", "{}", hints) == "deny 6");
}

TEST_CASE(
    "match: a rule by hints that refuses does so for a server that is not believed; one that asks gives "
    "way to one that refuses") {
    const std::string harmless = "{\"destructiveHint\":false}";
    const std::string trust = "[server.s]\ntrust_hints = true\n";
    const std::string deny = "[[rule]]\ndestructive = true\naction = \"deny\"\n";
    CHECK(of(read(deny), "s", "t", "{}", harmless) == "deny 1");
    CHECK(of(read(trust + deny), "s", "t", "{}", harmless) == "allow -");
    CHECK(of(read(trust + deny), "s", "t") == "deny 3"); // the hint's default is true
    CHECK(of(read(trust + deny), "s", "t", "{}", "{\"readOnlyHint\":true}") == "allow -");
    const std::string ask = "[[rule]]\nread_only = true\naction = \"ask\"\n";
    CHECK(of(read(ask), "s", "t") == "ask 1");
    CHECK(of(read(ask + "[[rule]]\naction = \"deny\"\n"), "s", "t") == "deny 4");
    CHECK(of(read(ask + "[[rule]]\naction = \"allow\"\n"), "s", "t") == "ask 1");
}

TEST_CASE("conditions: a path is under a folder by its text, without a way out") {
    for (const char* in : {"/home/me/notes", "/home/me/notes/", "/home/me/notes/a.md", "//home//me/./notes/a",
                           "/home/me/notes/b/../a", "/home/me/x/../notes/a", "/../home/me/notes/a",
                           "/home/me/notes/..a", "/home/me/notes/...", "/home/me/notes/a\nb"})
        CHECK_MESSAGE(path_holds(in) == Truth::yes, in);
    for (const char* out :
         {"/", "/home/me", "/home/me/notesx", "/home/me/note", "/etc/passwd", "/HOME/me/notes/a",
          "/home/me/notes\\..\\x", "/home/me /notes/a", "/home/me/.../notes/a"})
        CHECK_MESSAGE(path_holds(out) == Truth::no, out);
    // what cannot be told by the text: no rule that allows takes it, every one that refuses does
    for (const char* unknown :
         {"", "a.md", "./home/me/notes/a", "~/notes/a", "~root", " /home/me/notes/a",
          "file:///home/me/notes/a", "../../etc/passwd", "/home/me/notes/../../../etc/passwd",
          "/home/me/notes/../x", "/home/me/notes/.."})
        CHECK_MESSAGE(path_holds(unknown) == Truth::maybe, unknown);
    CHECK(path_holds(std::string("/home/me/notes\0/x", 17)) == Truth::maybe);
    CHECK(path_holds("/anything", "/") == Truth::yes);
}

TEST_CASE("conditions: a rule that allows wants all of a list under the folder, one that refuses any") {
    const std::string when = "when = { at = \"/paths/*\", under = \"~/notes\" }\n";
    const Rules allow = read("[[rule]]\n" + when + "action = \"allow\"\n[[rule]]\naction = \"deny\"\n");
    const Rules deny = read("[[rule]]\n" + when + "action = \"deny\"\n");
    const std::string all = R"({"paths":["/home/me/notes/a","/home/me/notes/b"]})";
    const std::string some = R"({"paths":["/home/me/notes/a","/etc/passwd"]})";
    const std::string none = R"({"paths":["/etc/passwd"]})";
    CHECK(of(allow, "s", "t", all) == "allow 1");
    CHECK(of(allow, "s", "t", some) == "deny 4");
    CHECK(of(allow, "s", "t", none) == "deny 4");
    CHECK(of(deny, "s", "t", all) == "deny 1");
    CHECK(of(deny, "s", "t", some) == "deny 1");
    CHECK(of(deny, "s", "t", none) == "allow -");
    for (const char* odd : {"{}", R"({"paths":[]})"}) {
        CHECK_MESSAGE(of(allow, "s", "t", odd) == "deny 4", odd);
        CHECK_MESSAGE(of(deny, "s", "t", odd) == "allow -", odd);
    }
    for (const char* odd :
         {R"({"paths":"/etc"})", R"({"paths":[1]})", R"({"paths":null})", R"({"paths":[["/etc"]]})"}) {
        CHECK_MESSAGE(of(allow, "s", "t", odd) == "deny 4", odd);
        CHECK_MESSAGE(of(deny, "s", "t", odd) == "deny 1", odd);
    }
    // escapes of JSON do not hide a path
    CHECK(of(allow, "s", "t", R"({"paths":["\/home\/me\/notes\/\u002e\u002e\/x"]})") == "deny 4");
    CHECK(of(allow, "s", "t", R"({"\u0070aths":["/home/me/notes/a"]})") == "allow 1");
}

TEST_CASE(
    "conditions: one of, a pattern for the whole text, several at once, and a place that may be missing") {
    const Rules rules = read("[[rule]]\nwhen = [ { at = \"/repo\", one_of = [\"a/b\", 7, true] },\n"
                             "  { at = \"/list/0/q~1r\", matches = \"[a-z]+\", optional = true } ]\n"
                             "action = \"allow\"\n[[rule]]\naction = \"deny\"\n");
    CHECK(of(rules, "s", "t", R"({"repo":"a/b"})") == "allow 1");
    CHECK(of(rules, "s", "t", R"({"repo":"a\/b"})") == "allow 1");
    CHECK(of(rules, "s", "t", R"({"repo":7.0})") == "allow 1");
    CHECK(of(rules, "s", "t", R"({"repo":true})") == "allow 1");
    CHECK(of(rules, "s", "t", R"({"repo":"7"})") == "deny 5");
    CHECK(of(rules, "s", "t", R"({"repo":["a/b"]})") == "deny 5");
    CHECK(of(rules, "s", "t", R"({"repo":7,"list":[{"q/r":"abc"}]})") == "allow 1");
    CHECK(of(rules, "s", "t", R"({"repo":7,"list":[{"q/r":"abc\nd"}]})") == "deny 5");
    CHECK(of(rules, "s", "t", R"({"repo":7,"list":[{"q/r":"abcD"}]})") == "deny 5");
    CHECK(of(rules, "s", "t", R"({"list":[{"q/r":"abc"}]})") == "deny 5");
    CHECK(pointer_steps("/a~01/~1") == Texts{"a~1", "/"});
    CHECK_FALSE(pointer_steps("a"));
    CHECK_FALSE(pointer_steps("/a~2"));
    CHECK_FALSE(pointer_steps("/a~"));
}

TEST_CASE("decide: a refusal names the rule, the condition that was missed, and what to write") {
    Usage usage;
    const Rules rules =
        read("[[rule]]\nname = \"notes only\"\nserver = \"files\"\nwhen = { at = \"/path\", under = "
             "\"~/notes\" }\naction = \"allow\"\n[[rule]]\nserver = \"files\"\naction = \"deny\"\n");
    const Decision decision = decide(rules, Target{"files", "read"}, R"({"path":"/etc/passwd"})", usage);
    CHECK(decision.action == Action::deny);
    CHECK(decision.refusal ==
          "files.read is refused by the rule at p.toml:6. Before it, rule \"notes only\" (p.toml:1) would "
          "decide, "
          "but only where /path is under /home/me/notes. To allow it, the user can write above that rule:\n"
          "    [[rule]]\n    server = \"files\"\n    tool = \"read\"\n    action = \"allow\"");
    Rules flags;
    flags.rules = rules_of_flags("web.post*", "", "");
    CHECK(decide(flags, Target{"web", "post_it"}, "{}", usage).refusal ==
          "web.post_it is refused by --deny web.post*. To allow it, the user can start Cordon without --deny "
          "web.post*.");
    flags.rules = rules_of_flags("", "web", "");
    CHECK(decide(flags, Target{"web", "get"}, "{}", usage)
              .refusal.starts_with("web.get must be asked of the user, by --ask web. "));
}

TEST_CASE(
    "decide: at most so many calls a run, a tool and a minute, and so large arguments; then it refuses") {
    const Rules rules = read("[[rule]]\ntool = \"a\"\naction = \"allow\"\ncalls_per_run = 2\n"
                             "[[rule]]\ntool = \"b*\"\naction = \"allow\"\ncalls_per_tool = 1\n"
                             "[[rule]]\ntool = \"c\"\naction = \"allow\"\nmax_arguments = 10\n"
                             "[[rule]]\naction = \"allow\"\ncalls_per_minute = 2\n");
    Minute minute;
    Usage usage(&minute);
    const auto call = [&](const std::string& tool, const std::string& arguments = "{}") {
        return decide(rules, Target{"s", tool}, arguments, usage);
    };
    CHECK(call("a").action == Action::allow);
    CHECK(call("a").action == Action::allow);
    CHECK(call("a").by_limit);
    CHECK(call("a").refusal.find("p.toml:1 has calls_per_run = 2") != std::string::npos);
    CHECK(call("b1").action == Action::allow);
    CHECK(call("b2").action == Action::allow);
    CHECK(call("b1").by_limit);
    CHECK(call("c", R"({"a":123})").action == Action::allow);
    CHECK(call("c", R"({"a":12345})").by_limit);
    CHECK(call("d").action == Action::allow);
    Usage next_run(&minute);
    CHECK(decide(rules, Target{"s", "d"}, "{}", next_run).action == Action::allow);
    CHECK(decide(rules, Target{"s", "d"}, "{}", next_run).by_limit);
    CHECK(decide(rules, Target{"s", "a"}, "{}", next_run).action == Action::allow);
}

TEST_CASE("Minute: a call is forgotten after a minute") {
    Minute minute;
    Rule rule;
    rule.place = "p.toml:1";
    const auto now = Minute::Clock::now();
    minute.count(rule, now);
    minute.count(rule, now + 30s);
    CHECK(minute.calls(rule, now + 59s) == 2);
    CHECK(minute.calls(rule, now + 60s) == 1);
    CHECK(minute.calls(rule, now + 90s) == 0);
}

TEST_CASE("outlook: hides what can never be called, and marks what would be asked") {
    const Rules rules =
        read("[[rule]]\ntool = \"read\"\nwhen = { at = \"/path\", under = \"/a\" }\naction = \"allow\"\n"
             "[[rule]]\ntool = \"post\"\naction = \"ask\"\n[[rule]]\naction = \"deny\"\n");
    CHECK(outlook_of(rules, "s", "read") == "pass ");
    CHECK(outlook_of(rules, "s", "post") == "ask");
    CHECK(outlook_of(rules, "s", "write") == "");
    CHECK(outlook_of(Rules(), "s", "t") == "pass ");
    CHECK(outlook_of(read("[[rule]]\ndestructive = true\naction = \"ask\""), "s", "t") == "ask");
    CHECK(outlook_of(read("[[rule]]\nwhen = { at = \"/a\", one_of = 1 }\naction = \"ask\""), "s", "t") ==
          "pass ask");
}

TEST_CASE("server_refusal: only where no tool of the server could be called") {
    CHECK(server_refusal(read("[[rule]]\nserver = \"web\"\naction = \"deny\""), "web").find("p.toml:1") !=
          std::string::npos);
    CHECK(server_refusal(read("[[rule]]\nserver = \"web\"\naction = \"deny\""), "files").empty());
    CHECK(server_refusal(read("[[rule]]\ntool = \"a\"\naction = \"ask\"\n[[rule]]\naction = \"deny\""), "web")
              .empty());
    CHECK(server_refusal(read("[[rule]]\ntool = \"a\"\naction = \"deny\""), "web").empty());
    CHECK_FALSE(server_refusal(read("default = \"deny\""), "web").empty());
}

TEST_CASE("rules_of_flags: deny before ask before allow; names with dots in every way they can be read") {
    Rules rules;
    rules.rules = rules_of_flags("web.post_*, mail", "web", "web.get,a.b.c");
    CHECK(of(rules, "web", "post_it") == "deny --deny web.post_*");
    CHECK(of(rules, "mail", "send") == "deny --deny mail");
    CHECK(of(rules, "web", "get") == "ask --ask web");
    rules.fallback = Action::deny;
    CHECK(of(rules, "a", "b.c") == "allow --allow a.b.c");
    CHECK(of(rules, "a.b", "c") == "allow --allow a.b.c");
    CHECK(of(rules, "a", "c") == "deny -");
    CHECK(rules_of_flags("", "", "").empty());
    for (const char* bad : {",", "a,,b", ".", ".a", "a."})
        CHECK_THROWS_AS(rules_of_flags(bad, "", ""), std::invalid_argument);
    CHECK_THROWS_AS(rules_of_flags(std::string(257, 'a'), "", ""), std::invalid_argument);
}

TEST_CASE("unmet: a rule for a server that nobody configured is told, with the nearest") {
    const Rules rules =
        read("[[rule]]\nserver = \"githb\"\naction = \"deny\"\n[server.fils]\nprivate = true\n");
    CHECK(unmet(rules, {"github", "files"}) ==
          Texts{"the rule at p.toml:1: no server is called \"githb\" (did you mean \"github\"?)",
                "p.toml: no server is called \"fils\" (did you mean \"files\"?)"});
    CHECK(unmet(rules, {"githb", "fils"}).empty());
}

TEST_CASE("policy: once a private server was read, a public one is asked, and no other") {
    const Rules rules = read("[server.notes]\nprivate = true\n[server.web]\npublic = true\n"
                             "[[rule]]\nserver = \"web\"\ntool = \"drop\"\naction = \"deny\"\n");
    CHECK(rules.says_anything());
    Usage usage;
    const auto decided = [&](const char* server, const char* tool) {
        return decide(rules, Target{server, tool}, "{}", usage);
    };
    CHECK(decided("web", "get").action == Action::allow); // nothing was read yet
    CHECK(decided("notes", "read").action == Action::allow);
    const Decision asked = decided("web", "get");
    CHECK(asked.action == Action::ask);
    CHECK(asked.refusal.find("has read from notes") != std::string::npos);
    CHECK(decided("web", "drop").action == Action::deny);
    CHECK(decided("other", "get").action == Action::allow);
    CHECK(decided("notes", "write").action == Action::allow);
    Match answered = match(rules, Target{"web", "get"}, "{}");
    answered.answered = true;
    CHECK(decide(rules, Target{"web", "get"}, answered, 2, usage).action == Action::allow);
    CHECK(decided("web", "get").action == Action::ask); // the next one is another question
}

TEST_CASE("policy: strict_flow takes each server for public that is not marked private") {
    const Rules rules =
        read("strict_flow = true\n[server.notes]\nprivate = true\n[server.mail]\nprivate = true\n");
    Usage usage;
    CHECK(decide(rules, Target{"other", "get"}, "{}", usage).action == Action::allow);
    CHECK(decide(rules, Target{"notes", "read"}, "{}", usage).action == Action::allow);
    CHECK(decide(rules, Target{"other", "get"}, "{}", usage).action == Action::ask);
    CHECK(decide(rules, Target{"mail", "read"}, "{}", usage).action == Action::allow);
    CHECK_FALSE(read("[server.notes]\nprivate = true\n").says_anything());
}

TEST_CASE("policy: a call that was refused has read nothing") {
    const Rules rules = read("[server.notes]\nprivate = true\n[server.web]\npublic = true\n"
                             "[[rule]]\nserver = \"notes\"\naction = \"deny\"\n");
    Usage usage;
    CHECK(decide(rules, Target{"notes", "read"}, "{}", usage).action == Action::deny);
    CHECK(decide(rules, Target{"web", "get"}, "{}", usage).action == Action::allow);
}
