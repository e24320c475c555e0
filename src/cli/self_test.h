#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "src/base/event.h"
#include "src/base/json.h"
#include "src/base/shown.h"
#include "src/bridge/run_python.h"
#include "src/cli/attack_expectation.h"

namespace cli {

/// What became of one attack.
struct AttackResult {
    /// not_tried: makes no sense here. not_started: no container could be had for it, which shows nothing.
    enum class Verdict { held, won, not_tried, not_started };

    std::string name;  ///< Of its file: "net_tcp"
    std::string title; ///< What it does.
    Verdict verdict = Verdict::held;
    std::string why{}; ///< Where it was not held.

    base::Shown line() const; ///< For a terminal, with its newline.
};

/// What became of all of them.
struct SelfTestReport {
    std::vector<AttackResult> results{};
    std::string problem{}; ///< Why they were not run, or not all of them; else empty.

    /// True where all were tried that make sense here, and all of these were held.
    bool passed() const;
    base::Shown closing() const;            ///< "98 held, 0 won, 2 not tried", with its newline.
    void write(json::Writer& writer) const; ///< One object.
};

/// Runs the attacks that this program carries (attack_suite.h) against this host's engine: those that harm
/// nobody a few at a time, then those that exhaust something one by one. They get no upstream server and no
/// saved tool. On the loop's thread; used once.
///
/// Bounded in time, since each run is: by its own timeout, and by those of a container's start.
class SelfTest {
public:
    struct Options {
        std::vector<std::string> not_enforced{}; ///< Rows of the attestation.
        std::string machine{};                   ///< The engine's, as in `uname -m`.
        std::size_t most = 4;                    ///< At a time.
        std::function<void(const AttackResult&)> on_result = [](const AttackResult&) {}; ///< As they come.
    };

    /// What `parts` refer to outlives this.
    SelfTest(const bridge::RunPythonParts& parts, Options options);
    SelfTest(const SelfTest&) = delete;
    SelfTest& operator=(const SelfTest&) = delete;

    /// Throws nothing but what is a bug; not to be cancelled: stop() is for that.
    boost::asio::awaitable<SelfTestReport> run();

    /// Ends what runs, so that run() returns as soon as its containers are let go. May be called twice.
    void stop();

private:
    struct Attack {
        std::string name;
        std::string code;
        AttackExpectation expects;
    };
    using Work = boost::asio::awaitable<void> (SelfTest::*)();

    boost::asio::awaitable<void> side_by_side(std::size_t workers, Work work);
    boost::asio::awaitable<void> measure_host();
    boost::asio::awaitable<void> work_off_queue();
    boost::asio::awaitable<AttackResult> attempt(Attack attack);
    boost::asio::awaitable<AttackOutcome> execute(std::string code, std::chrono::seconds timeout);
    void fill_queue(bool alone);

    bridge::Shelf shelf_; ///< A copy without saved tools.
    bridge::RunPythonParts parts_;
    Options options_;
    int patience_ = 1;
    std::deque<Attack> queue_{};
    SelfTestReport report_{};
    std::list<boost::asio::cancellation_signal> signals_{};
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::exception_ptr failure_{};
    base::Event changed_;
};

} // namespace cli
