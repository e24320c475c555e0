#include "src/bridge/guest_methods.h"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <future>

#include "src/base/json.h"
#include "src/sandbox/instance.h"
#include "tests/unit/mini.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;
using bridge::GuestMethods;
using Names = std::vector<std::string>;

namespace {

bridge::CatalogueEntry entry(const std::string& name, bool usable = true) {
    bridge::CatalogueEntry one;
    one.spec = mini("ok");
    one.about.name = one.spec.name = name;
    one.about.alias = name;
    one.about.usable = usable;
    if (!usable) one.about.reason = "servers.json:3: disabled";
    return one;
}

std::vector<bridge::CatalogueEntry> entries() {
    std::vector<bridge::CatalogueEntry> all;
    for (const char* name : {"files", "web"}) all.push_back(entry(name));
    all.push_back(entry("off", false));
    return all;
}

// What all runs share, and one run.
struct Fixture {
    asio::io_context loop;
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    schema::Check schemas;
    search::ToolIndex index;
    bridge::SavedTools saved{(folder / "tools.db").string()};
    base::Workers workers{loop.get_executor(), 1, 8};
    bridge::Catalogue catalogue{loop.get_executor(), entries(), [](const std::string&) {}, &workers};
    bridge::Shelf shelf{catalogue, schemas, index, &saved, {}, nullptr, &workers};
    int spent = 0;

    Fixture() { std::filesystem::create_directories(folder); }
    ~Fixture() { std::filesystem::remove_all(folder); }

    GuestMethods methods(std::optional<Names> named = std::nullopt) {
        bridge::RunSinks sinks;
        sinks.spent = [this](std::chrono::nanoseconds) { ++spent; };
        sinks.client = "unit";
        return GuestMethods(shelf, bridge::Policy({"files", "web"}, std::move(named), false),
                            loop.get_executor(), std::move(sinks));
    }

    static jsonrpc::Message asking(const std::string& method, const std::string& params) {
        return jsonrpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                                       "\",\"params\":" + params + "}");
    }
    std::string answer(GuestMethods& run_methods, const std::string& method,
                       const std::string& params = "{}") {
        return run(loop, run_methods.answer(asking(method, params)));
    }
    /// "kind: message" of what is refused.
    std::string refusal(GuestMethods& run_methods, const std::string& method, const std::string& params) {
        try {
            return "(answered) " + answer(run_methods, method, params);
        } catch (const jsonrpc::Error& e) {
            const auto kind = e.data().empty() ? std::nullopt : json::member(e.data(), "kind");
            return (kind ? json::unquote(*kind) : std::to_string(e.code())) + ": " + e.what();
        }
    }
    bool anything_started() const {
        for (const auto& each : catalogue.servers())
            if (each.usable && each.state != "not started") return true;
        return false;
    }
};

} // namespace

TEST_CASE("GuestMethods: the policy comes before all else; no server is started for what it refuses") {
    Fixture f;
    GuestMethods methods = f.methods(Names{"web"});
    for (const char* method : {"list_tools", "query_tool_docs", "call_tool"}) {
        CAPTURE(method);
        const std::string rest = R"(,"tool":"a","arguments":{"wrong":1}})";
        CHECK(f.refusal(methods, method, R"({"server":"files")" + rest)
                  .starts_with("policy: server \"files\" is not in the `servers` of this call"));
        CHECK(f.refusal(methods, method, R"({"server":"flies")" + rest) ==
              "unknown_server: there is no server \"flies\" (did you mean \"files\"?)");
        CHECK(f.refusal(methods, method, R"({"server":"off")" + rest)
                  .starts_with("unknown_server: server \"off\" cannot be used: servers.json:3: disabled"));
        CHECK(f.refusal(methods, method, R"({"server":7,"tool":"a","arguments":{}})") ==
              "arguments: server must be a string");
    }
    CHECK_FALSE(f.anything_started());
    CHECK(methods.called().empty());
}

TEST_CASE("GuestMethods: of a server that the run may not use it learns the name alone") {
    Fixture f;
    GuestMethods methods = f.methods(Names{"web"});
    CHECK(methods.servers_json() == R"([{"name":"web","alias":"web","description":""}])");
    const std::string all = f.answer(methods, "servers");
    for (const std::string_view each : json::elements(json::member(all, "servers").value())) {
        const bool allowed = json::member(each, "name") == "\"web\"";
        CHECK((json::member(each, "usable") == "true") == allowed);
        CHECK((json::member(each, "state") == "\"\"") == !allowed);
    }
}

TEST_CASE("GuestMethods: what is asked wrongly is said, and costs no server") {
    Fixture f;
    GuestMethods methods = f.methods();
    CHECK(f.refusal(methods, "no_such", "{}") == "-32601: the host has no method no_such");
    CHECK(f.refusal(methods, std::string(500, 'x'), "{}").size() < 200);
    CHECK(f.refusal(methods, "call_tool", R"({"server":"files"})") == "arguments: tool must be a string");
    CHECK(f.refusal(methods, "call_tool", R"({"server":"files","tool":"a","arguments":[]})") ==
          "arguments: arguments must be an object");
    CHECK(f.refusal(methods, "search_tool_docs", R"({"limit":5})") == "arguments: query must be a string");
    CHECK(f.refusal(methods, "search_tool_docs", R"({"query":"x","detail":"all"})") ==
          "arguments: detail must be \"summary\" or \"full\"");
    CHECK(f.refusal(methods, "save_tool", R"({"name":"No Name","source":"x"})").starts_with("arguments: "));
    CHECK_FALSE(f.anything_started());
}

TEST_CASE("GuestMethods: arguments of 64 MiB are the most, and what it costs to read them is the run's") {
    Fixture f;
    GuestMethods methods = f.methods(Names{});
    const auto with = [&](std::size_t bytes) { // of "arguments"
        return f.refusal(methods, "call_tool",
                         R"({"server":"files","tool":"a","arguments":{"x":")" + std::string(bytes - 8, 'a') +
                             "\"}}");
    };
    CHECK(with(64u << 20).starts_with("policy: "));
    CHECK(with((64u << 20) + 1) == "too_large: arguments of more than 64 MiB");
    CHECK(f.spent == 2);
}

TEST_CASE("GuestMethods: a tool is called, its server noted, and arguments are checked before it is asked") {
    Fixture f;
    GuestMethods methods = f.methods();
    CHECK(f.answer(methods, "call_tool", R"({"server":"files","tool":"a","arguments":{"x":1}})").find("x") !=
          std::string::npos);
    CHECK(methods.called() == std::set<std::string>{"files"});
    CHECK(methods.waiting().empty());
    CHECK(f.refusal(methods, "call_tool", R"({"server":"files","tool":"b","arguments":{}})")
              .starts_with("unknown_tool: server \"files\" has no tool \"b\""));
}

TEST_CASE("GuestMethods: a saved function carries the rights of its run to the one that loads it") {
    Fixture f;
    GuestMethods narrow = f.methods(Names{"web"}), wide = f.methods();
    CHECK(f.answer(narrow, "save_tool", R"({"name":"helper","source":"x"})") == R"({"replaced":false})");
    CHECK(narrow.saved_tools() == Names{"saved helper"});
    f.answer(wide, "saved_tools"); // a list to read takes nothing
    CHECK_FALSE(wide.rights());
    f.answer(wide, "saved_tools", R"({"names":["helper"]})");
    CHECK(wide.saved_tools() == Names{"loaded helper"});
    CHECK(wide.rights() == Names{"web"});
    CHECK(f.refusal(wide, "list_tools", R"({"server":"files"})")
              .find("it loaded the saved tool \"helper\" (saved by unit)") != std::string::npos);
    wide.begin_anew();
    CHECK_FALSE(wide.rights());
}

TEST_CASE("GuestMethods: what is still being saved when the run ends is told, or is not saved") {
    Fixture f;
    GuestMethods methods = f.methods();
    std::promise<void> go;
    auto busy = [&, waits = go.get_future().share()] { return waits.wait(), 0; };
    asio::co_spawn(f.loop, f.workers.run(busy), [](const std::exception_ptr&, int) {});
    bool over = false;
    asio::cancellation_signal signal;
    auto save = [&] {
        asio::co_spawn(f.loop,
                       methods.answer(Fixture::asking("save_tool", R"({"name":"late","source":"x"})")),
                       asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr&,
                                                                       const std::string&) { over = true; }));
    };
    const auto until = [&](const std::function<bool()>& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        f.loop.restart();
        while (!condition() && std::chrono::steady_clock::now() < end) f.loop.run_one_until(end);
        return condition();
    };
    save();
    f.loop.poll();
    SUBCASE("its thread has not come to it: never") {
        methods.ending();
        go.set_value();
        CHECK(until([&] { return over; }));
        CHECK(methods.saved_tools().empty());
        CHECK(f.saved.names().empty());
    }
    SUBCASE("it has been saved, and the answer has not come back: told") {
        go.set_value();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (f.saved.names().empty() && std::chrono::steady_clock::now() < end) { // by its thread alone
        }
        REQUIRE(f.saved.names() == Names{"late"});
        methods.ending();
        CHECK(methods.saved_tools() == Names{"saved late"});
        CHECK(methods.notes() == Names{"saved tool late"});
        CHECK(until([&] { return over; }));
        CHECK(methods.saved_tools() == Names{"saved late"}); // once
    }
}
