#include "src/bridge/sessions.h"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <list>

#include "tests/unit/fake_containers.h"
#include "tests/unit/run.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using bridge::Sessions;
using sandbox::Pool;

namespace {

// A call in a session.
struct Call {
    std::optional<Sessions::Turn> turn;
    std::string failure;
    asio::cancellation_signal signal;
    std::string container() const { return turn ? turn->sandbox().name() : "(none)"; }
};

struct Fixture : FakeHost {
    explicit Fixture(std::chrono::seconds idle = 600s, int most = 8)
        : pool(loop.get_executor(), options(most), source(), {}), sessions(loop.get_executor(), pool, idle) {}
    ~Fixture() { calls.clear(); }

    Pool pool;
    Sessions sessions;
    std::list<Call> calls;

    static Pool::Options options(int most) {
        Pool::Options options;
        options.warm = 0;
        options.most = most;
        return options;
    }

    Call& enter(const std::string& client, const std::string& name) {
        Call& call = calls.emplace_back();
        auto done = [&call](const std::exception_ptr& failure, Sessions::Turn turn) {
            try {
                if (failure) std::rethrow_exception(failure);
                call.turn = std::move(turn);
            } catch (const std::exception& e) {
                call.failure = e.what();
            }
        };
        asio::co_spawn(loop, sessions.enter(client, name),
                       asio::bind_cancellation_slot(call.signal.slot(), std::move(done)));
        settle();
        return call;
    }
    /// A call that has come and gone: its container, and why the session began anew.
    std::pair<std::string, std::string> visit(const std::string& client, const std::string& name) {
        Call& call = enter(client, name);
        REQUIRE(call.turn);
        std::pair<std::string, std::string> found(call.container(), call.turn->begins_anew());
        leave(call);
        return found;
    }
    void leave(Call& call) {
        call.turn.reset();
        settle();
    }
};

} // namespace

TEST_CASE("Sessions: an interpreter belongs to a client and a name, and lives on between calls") {
    Fixture f;
    const std::string mine = f.visit("a", "s").first;
    CHECK(f.visit("a", "s") == std::pair(mine, std::string()));
    CHECK(f.visit("a", "t").first != mine);
    CHECK(f.visit("b", "s").first != mine);
    CHECK(f.sessions.size() == 3);
    CHECK(f.pool.in_use() == 3);
}

TEST_CASE("Sessions: calls in one session run one after the other, in the order of asking") {
    Fixture f;
    Call& first = f.enter("a", "s");
    Call& second = f.enter("a", "s");
    Call& third = f.enter("a", "s");
    Call& elsewhere = f.enter("a", "t");
    CHECK(first.turn);
    CHECK_FALSE(second.turn);
    CHECK(elsewhere.turn);
    f.leave(first);
    CHECK(second.turn);
    CHECK_FALSE(third.turn);
    f.leave(second);
    CHECK(third.turn);
    CHECK(f.engine->created.size() == 2);
}

TEST_CASE(
    "Sessions: a call that is cancelled in the line leaves it, also in the moment in which it is called") {
    Fixture f;
    Call& first = f.enter("a", "s");
    Call& second = f.enter("a", "s");
    Call& third = f.enter("a", "s");
    SUBCASE("while it waits") {
        second.signal.emit(asio::cancellation_type::terminal);
        f.settle();
        f.leave(first);
    }
    SUBCASE("as its turn comes") {
        auto both = [&] {
            first.turn.reset();
            second.signal.emit(asio::cancellation_type::terminal);
        };
        asio::post(f.loop, both);
        f.settle();
    }
    CHECK(second.failure == "cancelled");
    CHECK(third.turn);
}

TEST_CASE("Sessions: one that was idle too long ends, and the next call is told once") {
    Fixture f(1s);
    f.visit("a", "s");
    REQUIRE(f.comes([&] { return f.sessions.size() == 0; }));
    CHECK(f.comes([&] { return f.engine->names().empty(); }));
    CHECK(f.visit("a", "s").second == "it was idle for 1 s");
    CHECK(f.visit("a", "s").second.empty());
}

TEST_CASE("Sessions: one whose container died begins anew, and says so once; its rights went with it") {
    Fixture f;
    Call& call = f.enter("a", "s");
    REQUIRE(call.turn);
    CHECK_FALSE(call.turn->rights());
    call.turn->leave_rights(std::vector<std::string>{"files"});
    const std::string before = call.container();
    SUBCASE("between two calls") {
        f.leave(call);
        f.engine->guest(before)->end();
        f.settle();
        Call& next = f.enter("a", "s");
        REQUIRE(next.turn);
        CHECK(next.turn->begins_anew() == "its container ended");
        CHECK_FALSE(next.turn->rights());
        f.leave(next);
    }
    SUBCASE("while a call was in it") {
        f.engine->guest(before)->end();
        f.settle();
        f.leave(call);
        CHECK(f.visit("a", "s").second == "its interpreter ended");
    }
    SUBCASE("it lives: what was left to the next call is there") {
        f.leave(call);
        Call& next = f.enter("a", "s");
        REQUIRE(next.turn);
        CHECK(next.turn->rights() == std::vector<std::string>{"files"});
        f.leave(next);
    }
    CHECK(f.visit("a", "s").second.empty());
}

TEST_CASE("Sessions: where room is needed, the greediest client loses the one that it used longest ago") {
    Fixture f;
    f.visit("modest", "only");
    f.visit("greedy", "old");
    f.visit("greedy", "new");
    f.visit("greedy", "old"); // used again
    CHECK(f.sessions.end_idlest());
    CHECK(f.visit("greedy", "old").second.empty());
    CHECK(f.visit("modest", "only").second.empty());
    CHECK(f.visit("greedy", "new").second == "room was needed for other calls");
}

TEST_CASE("Sessions: one that is in use is not ended for others") {
    Fixture f;
    Call& busy = f.enter("a", "s");
    CHECK_FALSE(f.sessions.end_idlest());
    f.leave(busy);
    CHECK(f.sessions.end_idlest());
    CHECK_FALSE(f.sessions.end_idlest());
}

TEST_CASE("Sessions: one that gets no container leaves none, and its name is free") {
    Fixture f;
    f.engine->refusals.emplace_back(runtime_api::Errc::rejected, "no");
    CHECK(f.enter("a", "s").failure == "no");
    CHECK(f.sessions.size() == 0);
    CHECK(f.visit("a", "s").second.empty());
}

TEST_CASE("Sessions: a client's end is its sessions', and nobody is told of them later") {
    Fixture f;
    f.visit("a", "s");
    const std::string others = f.visit("b", "s").first;
    f.sessions.end_client("a");
    f.settle();
    CHECK(f.sessions.size() == 1);
    CHECK(f.visit("a", "s").second.empty());
    CHECK(f.visit("b", "s").first == others);
}

TEST_CASE("Sessions: at the end those in the line are told, and all containers go") {
    Fixture f;
    Call& first = f.enter("a", "s");
    Call& second = f.enter("a", "s");
    f.sessions.close();
    f.settle();
    CHECK(second.failure == "Cordon is shutting down");
    f.leave(first);
    CHECK(f.comes([&] { return f.engine->names().empty(); }));
    CHECK(f.enter("a", "s").failure == "Cordon is shutting down");
}

TEST_CASE("Sessions: a stranger's name cannot be guessed, and is kept where it was given") {
    Fixture f;
    const std::string name = f.sessions.name_for_stranger("work");
    CHECK(name.starts_with("work-"));
    CHECK(name.size() > 20);
    CHECK(f.sessions.name_for_stranger("work") != name);
    CHECK(f.sessions.name_for_stranger(name) != name); // nobody has it yet
    f.visit("", name);
    CHECK(f.sessions.name_for_stranger(name) == name);
    CHECK(f.sessions.name_for_stranger(std::string(64, 'x')).size() <= Sessions::most_name_bytes);
}
