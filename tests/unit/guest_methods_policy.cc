#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include "src/base/json.h"
#include "src/bridge/guest_methods.h"
#include "src/policy/policy_file.h"
#include "tests/unit/mini.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;

namespace {

bridge::CatalogueEntry entry(const std::string& name) {
    bridge::CatalogueEntry one;
    one.spec = mini("ok");
    one.about.name = one.about.alias = one.spec.name = name;
    return one;
}

// One run under the rules of a file; "files" and "web" offer a tool "a" each.
struct Fixture {
    explicit Fixture(const std::string& text, bridge::AskCall ask = {}) {
        bridge::Policy policy({"files", "web"}, std::nullopt, false);
        const auto rules =
            std::make_shared<const policy::Rules>(policy::read_policy(text, "p.toml", "/home/me"));
        policy.rule_by(rules, &minute, std::move(ask));
        bridge::RunSinks sinks;
        sinks.clock = [this](bool stopped) { stops += stopped ? 1 : 0; };
        methods = std::make_unique<bridge::GuestMethods>(shelf, std::move(policy), loop.get_executor(),
                                                         std::move(sinks));
    }

    std::string answer(const std::string& method, const std::string& params) {
        auto message = jsonrpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                                               "\",\"params\":" + params + "}");
        try {
            return run(loop, methods->answer(std::move(message)));
        } catch (const jsonrpc::Error& e) {
            return json::unquote(json::member(e.data(), "kind").value()) + ": " + e.what();
        }
    }
    std::string call(const std::string& server, const std::string& arguments = "{\"x\":1}") {
        return answer("call_tool",
                      R"({"server":")" + server + R"(","tool":"a","arguments":)" + arguments + "}");
    }
    std::string docs(const std::string& server) {
        return answer("list_tools", R"({"server":")" + server + "\"}") +
               answer("query_tool_docs", R"({"server":")" + server + "\"}");
    }

    asio::io_context loop;
    schema::Check schemas;
    search::ToolIndex index;
    base::Workers workers{loop.get_executor(), 1, 8};
    bridge::Catalogue catalogue{
        loop.get_executor(), {entry("files"), entry("web")}, [](const std::string&) {}, &workers};
    bridge::Shelf shelf{catalogue, schemas, index, nullptr, {}, nullptr, &workers};
    policy::Minute minute;
    int stops = 0;
    std::unique_ptr<bridge::GuestMethods> methods;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bridge::AskCall answering(bool yes, std::vector<std::string>* heard) {
    return [yes, heard](bridge::CallQuestion question) -> asio::awaitable<std::string> {
        heard->push_back(question.server + '.' + question.tool + question.arguments + ' ' + question.rule);
        co_return std::string(yes ? "" : "the user did not allow this call");
    };
}

} // namespace

TEST_CASE("GuestMethods: a server of which the rules refuse everything is never started, shown or called") {
    Fixture f("[[rule]]\nserver = \"web\"\naction = \"deny\"\n");
    CHECK(f.methods->servers_json() == R"([{"name":"files","alias":"files","description":""}])");
    CHECK(
        f.call("web").starts_with("policy: server \"web\" is refused by the rule at p.toml:1. To allow it"));
    CHECK(has(f.docs("web"), "policy: server \"web\" is refused"));
    CHECK_FALSE(has(f.answer("search_tool_docs", R"({"query":"a"})"), "\"web\""));
    CHECK(f.catalogue.needs_start("web"));
    CHECK_FALSE(f.call("files").starts_with("policy"));
}

TEST_CASE("GuestMethods: a call goes through a rule whose condition its arguments meet, and no other") {
    Fixture f("[[rule]]\nserver = \"files\"\nwhen = { at = \"/x\", one_of = 7 }\naction = \"allow\"\n"
              "[[rule]]\nserver = \"files\"\naction = \"deny\"\n");
    CHECK_FALSE(f.call("files", "{\"x\":7}").starts_with("policy"));
    CHECK(f.call("files", "{\"x\":8}").starts_with("policy: files.a is refused by the rule at p.toml:5"));
    CHECK(has(f.docs("files"), "\"alias\":\"a\""));
    const std::string large = "{\"x\":\"" + std::string(300'000, '7') + "\"}"; // matched on another thread
    CHECK(f.call("files", large).starts_with("policy: "));
    CHECK_FALSE(f.call("web", large).starts_with("policy"));
}

TEST_CASE("GuestMethods: what rules look at is what the server gets: a repeated name is no way around them") {
    for (const char* twice : {R"({"x":7,"x":8})", R"({"x":8,"\u0078":7})", R"({"o":{"x":7,"x":8},"x":7})"}) {
        const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"call_tool","params":{"arguments":)";
        CHECK_THROWS_WITH_AS(jsonrpc::Message::parse(text + twice + "}}"), doctest::Contains("repeated key"),
                             jsonrpc::Error);
    }
}

TEST_CASE("GuestMethods: a tool that can never be called is in no list, no search and no suggestion") {
    Fixture f("[[rule]]\nserver = \"web\"\ntool = \"a\"\naction = \"deny\"\n");
    CHECK_FALSE(has(f.docs("web"), "\"alias\":\"a\""));
    CHECK(has(f.docs("files"), "\"alias\":\"a\""));
    CHECK(f.answer("query_tool_docs", R"({"server":"web","tool":"a"})")
              .starts_with("policy: web.a is refused by"));
    const std::string found = f.answer("search_tool_docs", R"({"query":"a"})");
    CHECK(has(found, "\"files\""));
    CHECK_FALSE(has(found, "\"web\""));
    const std::string unknown = f.answer("call_tool", R"({"server":"web","tool":"A1","arguments":{}})");
    CHECK(unknown.starts_with("unknown_tool: "));
    CHECK_FALSE(has(unknown, "\"a\""));
}

TEST_CASE("GuestMethods: without anybody to ask, what must be asked is refused; docs mark it") {
    Fixture f("[[rule]]\nserver = \"files\"\naction = \"ask\"\n");
    CHECK(f.call("files").starts_with(
        "policy: files.a must be asked of the user, by the rule at p.toml:1. To allow"));
    CHECK(has(f.docs("files"), "[Each call of this tool must be allowed by the user first.]"));
    CHECK_FALSE(has(f.docs("web"), "must be allowed by the user"));
}

TEST_CASE(
    "GuestMethods: a call that is asked waits for the answer, with the clock stopped, and then counts") {
    std::vector<std::string> heard;
    Fixture f("[[rule]]\nserver = \"files\"\naction = \"ask\"\ncalls_per_run = 1\n", answering(true, &heard));
    CHECK_FALSE(f.call("files").starts_with("policy"));
    CHECK(heard == std::vector<std::string>{"files.a{\"x\":1} the rule at p.toml:1"});
    CHECK(f.stops >= 1);
    CHECK(has(f.call("files"), "calls_per_run = 1"));
    CHECK(heard.size() == 1);
    Fixture no("[[rule]]\naction = \"ask\"\n", answering(false, &heard));
    CHECK(no.call("web").starts_with("policy: the user did not allow this call. web.a must be asked"));
    CHECK(no.methods->called().empty());
}

TEST_CASE("GuestMethods: limits of a rule hold for calls, arguments and results") {
    Fixture f("[[rule]]\nserver = \"files\"\naction = \"allow\"\ncalls_per_run = 2\nmax_arguments = 20\n"
              "[[rule]]\nserver = \"web\"\naction = \"allow\"\nmax_result = 5\n");
    CHECK(has(f.call("files", "{\"x\":\"01234567890123456789\"}"), "max_arguments = 20"));
    CHECK_FALSE(f.call("files").starts_with("policy"));
    CHECK_FALSE(f.call("files").starts_with("policy"));
    CHECK(has(f.call("files"), "policy: files.a is refused: the rule at p.toml:1 has calls_per_run = 2"));
    CHECK(has(f.call("web"), "the rule at p.toml:6 has max_result = 5. The tool was called."));
}
