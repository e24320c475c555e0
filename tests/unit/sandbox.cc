#include "src/sandbox/sandbox.h"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "src/sandbox/janitor.h"
#include "tests/unit/fake_containers.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using sandbox::Execution;
using sandbox::Outcome;
using sandbox::Sandbox;
using sandbox::Status;

namespace {

struct Host : sandbox::GuestHost {
    std::vector<std::string> asked;
    int ended = 0;
    asio::awaitable<std::string> request(jsonrpc::Message message) override {
        asked.push_back(message.method());
        co_return R"({"servers":[]})";
    }
    void output(bool, std::string_view) override {}
    void tick(std::string) override {}
    void progress(double, std::optional<double>, std::string) override {}
    void display(std::string, std::string, bool) override {}
    void ending() override { ++ended; }
    void spent(std::chrono::nanoseconds) override {}
    void artifact(std::string, std::optional<std::string>, std::string) override {}
};

struct Fixture : FakeHost {
    std::shared_ptr<Host> host = std::make_shared<Host>();
    std::unique_ptr<Sandbox> box;
    std::string failure; // why it could not be opened

    bool open() {
        try {
            box = run(loop, Sandbox::open(workshop()));
        } catch (const std::exception& e) {
            failure = e.what();
        }
        return box != nullptr;
    }

    static Execution of(const std::string& code, bool session = false) {
        Execution execution;
        execution.code = code;
        execution.timeout = 20s;
        execution.servers = "[]";
        execution.session = session;
        return execution;
    }
    Outcome execute(const std::string& code, bool session = false) {
        return run(loop, box->execute(of(code, session), host));
    }
    std::shared_ptr<FakeGuest> guest() { return engine->guest(box->name()); }
    bool all_removed() {
        return comes([&] { return engine->names().empty(); });
    }
};

// Begins an execution; its outcome when it is there.
struct Running {
    Running(Fixture& f, const std::string& code) {
        auto done = [this](const std::exception_ptr& e, Outcome value) {
            failed = e != nullptr;
            outcome = std::move(value);
            over = true;
        };
        asio::co_spawn(f.loop, f.box->execute(Fixture::of(code), f.host),
                       asio::bind_cancellation_slot(signal.slot(), std::move(done)));
        f.comes([&] { return !f.guest()->ran.empty(); });
    }
    asio::cancellation_signal signal;
    Outcome outcome;
    bool over = false, failed = false;
};

} // namespace

TEST_CASE("Sandbox: runs one execution, and is then of no more use") {
    Fixture f;
    REQUIRE(f.open());
    CHECK(f.box->alive());
    CHECK(f.box->python() == "3.11.2");
    const Outcome outcome = f.execute("1");
    CHECK(outcome.status == Status::success);
    CHECK(outcome.begun);
    CHECK_FALSE(f.box->alive());
    CHECK(f.host->ended == 1);
    f.box.reset();
    CHECK(f.all_removed());
    CHECK(f.engine->removed == f.engine->created);
}

TEST_CASE("Sandbox: in a session it runs several, one after the other") {
    Fixture f;
    REQUIRE(f.open());
    for (int i = 0; i < 3; ++i) {
        CHECK(f.execute("1", true).status == Status::success);
        CHECK(f.box->alive());
    }
    CHECK(f.guest()->ran.size() == 3);
}

TEST_CASE("Sandbox: code asks its host, and nobody else does when none runs") {
    Fixture f;
    REQUIRE(f.open());
    CHECK(f.execute("ask", true).value == R"({"servers":[]})");
    CHECK(f.host->asked == std::vector<std::string>{"servers"});
    f.guest()->say(R"({"jsonrpc":"2.0","id":8,"method":"servers","params":{}})"); // a thread that was left
    f.settle();
    CHECK(f.host->asked.size() == 1);
    CHECK(f.box->alive());
}

TEST_CASE("Sandbox: a container that dies in mid-run is said, with what the engine knows of it") {
    Fixture f;
    REQUIRE(f.open());
    const Outcome outcome = f.execute("die");
    CHECK(outcome.status == Status::killed);
    CHECK(outcome.begun);
    CHECK(outcome.error == "the container ended before the code did: it ended with exit code 137");
    CHECK_FALSE(f.box->alive());
}

TEST_CASE("Sandbox: one that is cancelled or ended by its host is of no more use, and is removed") {
    Fixture f;
    REQUIRE(f.open());
    SUBCASE("cancelled") {
        Running running(f, "hang");
        running.signal.emit(asio::cancellation_type::terminal);
        REQUIRE(f.comes([&] { return running.over; }));
        CHECK(running.failed);
    }
    SUBCASE("ended, for a limit: the first one that is named holds") {
        Running running(f, "hang");
        f.box->end_execution("host_memory", "it held too much");
        f.box->end_execution("host_cpu", "it took too long");
        REQUIRE(f.comes([&] { return running.over; }));
        CHECK(running.outcome.status == Status::killed);
        CHECK(running.outcome.limits == std::vector<std::string>{"host_memory"});
        CHECK(running.outcome.error == "it held too much");
    }
    CHECK(f.host->ended == 1);
    CHECK_FALSE(f.box->alive());
    f.box.reset();
    CHECK(f.all_removed());
}

TEST_CASE("Sandbox: destroyed while code runs, it ends the guest and is removed") {
    Fixture f;
    REQUIRE(f.open());
    {
        Running running(f, "hang");
        const auto guest = f.guest();
        f.box.reset();
        CHECK(guest->ended);
        CHECK(f.comes([&] { return running.over; }));
    }
    CHECK(f.all_removed());
}

TEST_CASE("Sandbox: what falls short is not used where strict, and is removed") {
    Fixture f;
    f.strict = true;
    CHECK_FALSE(f.open()); // this guest attests nothing
    CHECK(f.failure.starts_with("no code was run, since the container is not confined as it should be"));
    CHECK(f.all_removed());
}

TEST_CASE("Sandbox: a create that fails, or of which no answer came, leaves nothing") {
    Fixture f;
    f.engine->refusals.emplace_back(runtime_api::Errc::unavailable, "create container: the connection ended");
    CHECK_FALSE(f.open());
    CHECK(f.failure == "create container: the connection ended");
    f.settle();
    CHECK(f.engine->removed == f.engine->created); // it may be there all the same
}

TEST_CASE(
    "Sandbox: a guest that ends before it is ready did not start, one that says nothing is not waited for") {
    Fixture f;
    f.engine->silent = true;
    std::exception_ptr failed;
    bool over = false;
    sandbox::Workshop workshop = f.workshop();
    SUBCASE("it ends") {}
    SUBCASE("it is silent") { workshop.start_limit = 0ms; }
    const bool ends = workshop.start_limit > 0ms;
    asio::co_spawn(f.loop, Sandbox::open(workshop),
                   [&](std::exception_ptr e, const std::unique_ptr<Sandbox>&) {
                       failed = e;
                       over = true;
                   });
    f.settle();
    if (ends) f.engine->guest(f.engine->names().at(0))->end();
    REQUIRE(f.comes([&] { return over; }));
    try {
        REQUIRE(failed);
        std::rethrow_exception(failed);
    } catch (const sandbox::NotStarted& e) {
        CHECK(std::string(e.what()) == (ends ? "the container did not start: it ended with exit code 137"
                                             : "the container was not ready within 0 s"));
    }
    CHECK(f.all_removed());
}

TEST_CASE(
    "Sandbox: where the engine may not set the usual limits of processes, low ones are asked for, once") {
    Fixture f;
    f.engine->refusals.emplace_back(runtime_api::Errc::engine_fault,
                                    "error setting rlimits: operation not permitted");
    REQUIRE(f.open());
    CHECK(f.lessons->low_rlimits);
    CHECK(f.engine->created.size() == 2);
    CHECK(f.engine->created[0] != f.engine->created[1]);
    f.box.reset();
    CHECK(f.all_removed());
    f.engine->created.clear();
    REQUIRE(f.open());
    CHECK(f.engine->created.size() == 1); // the next one has learned it
}

namespace {

runtime_api::ContainerSummary leftover(const sandbox::Instance& instance, const std::string& boot = {}) {
    runtime_api::ContainerSummary one;
    one.labels = instance.labels(60s);
    if (!boot.empty()) { // of a Cordon before the machine was started anew
        one.labels["io.cordon.instance"] = "0123456789abcdef";
        one.labels["io.cordon.boot"] = boot;
    }
    one.name = "cordon-" + one.labels["io.cordon.instance"].substr(0, 8) + '-' + sandbox::random_hex(12);
    return one;
}

} // namespace

TEST_CASE("sweep: takes what a dead owner left and nothing else; one that cannot be removed keeps no other") {
    FakeHost f;
    const std::string gone = "00000000-0000-4000-8000-000000000000-4026531836";
    const auto dead = leftover(*f.instance, gone), ours = leftover(*f.instance);
    auto strange = leftover(*f.instance, gone);
    strange.name = "somebody-elses";
    const auto stuck = leftover(*f.instance, gone);
    f.engine->stuck = stuck.name;
    for (const auto& each : {ours, strange, stuck, dead}) f.engine->add(each);
    std::vector<std::string> said;
    const auto removed = run(f.loop, sandbox::sweep(f.engine, f.instance.get(),
                                                    [&](const std::string& line) { said.push_back(line); }));
    CHECK(removed == std::vector<std::string>{dead.name});
    CHECK(f.engine->removed == removed);
    CHECK(said ==
          std::vector<std::string>{"leftover container " + stuck.name + " could not be removed: it is busy"});
}
