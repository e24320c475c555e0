#include "src/cli/self_test.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <utility>

#include "src/bridge/render.h"
#include "src/cli/attack_suite.h"

namespace cli {
namespace asio = boost::asio;
using base::Shown;
using namespace std::chrono_literals;

namespace {

constexpr const char* plain_code = "print(6 * 7)";
constexpr auto plain_timeout = 60s;
constexpr int most_patience = 6;

using Verdict = AttackResult::Verdict;

const char* name_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::held:
        return "held";
    case Verdict::won:
        return "won";
    case Verdict::not_tried:
        return "notTried";
    case Verdict::not_started:
        break;
    }
    return "notStarted";
}

bool is_plain_result(const AttackOutcome& outcome) {
    return outcome.status == "success" && outcome.text.starts_with("42");
}

std::string first_line(const std::string& text) {
    return text.substr(0, std::min<std::size_t>(text.find('\n'), 300));
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
    return text;
}

bridge::RunPythonParts with_shelf(const bridge::RunPythonParts& p, bridge::Shelf& shelf) {
    return {p.executor,     p.pool, p.sessions,           shelf, p.artifacts, p.max_output,
            p.memory_bytes, p.pids, p.servers_listed_only};
}

} // namespace

Shown AttackResult::line() const {
    Shown text = verdict == Verdict::held  ? Shown("held  ")
                 : verdict == Verdict::won ? Shown("WON   ")
                                           : Shown("--    ");
    text += Shown::line(name);
    text.pad(std::max<std::size_t>(text.size() + 1, 32));
    switch (verdict) {
    case Verdict::held:
        return text + Shown::line(title) + "\n";
    case Verdict::won:
        return text + Shown::line(why) + "\n";
    case Verdict::not_tried:
        return text + "not tried here: " + Shown::line(why) + "\n";
    case Verdict::not_started:
        break;
    }
    return text + "not tried here: it did not start: " + Shown::line(why) + "\n";
}

bool SelfTestReport::passed() const {
    const auto fine = [](const AttackResult& r) {
        return r.verdict == Verdict::held || r.verdict == Verdict::not_tried;
    };
    const auto held = [](const AttackResult& r) { return r.verdict == Verdict::held; };
    return problem.empty() && std::all_of(results.begin(), results.end(), fine) &&
           std::any_of(results.begin(), results.end(), held);
}

Shown SelfTestReport::closing() const {
    int held = 0, won = 0;
    for (const AttackResult& each : results) {
        held += each.verdict == Verdict::held;
        won += each.verdict == Verdict::won;
    }
    const int rest = static_cast<int>(results.size()) - held - won;
    Shown text;
    if (!problem.empty()) text = "PROBLEM  self-test: " + Shown::line(problem) + "\n";
    return text + Shown::number(held) + " held, " + Shown::number(won) + " won, " + Shown::number(rest) +
           " not tried\n";
}

void SelfTestReport::write(json::Writer& w) const {
    w.object().field("passed", passed());
    if (!problem.empty()) w.field("problem", problem);
    w.key("attacks").array();
    for (const AttackResult& each : results) {
        w.object()
            .field("name", each.name)
            .field("title", each.title)
            .field("verdict", name_of(each.verdict));
        if (!each.why.empty()) w.field("why", each.why);
        w.end();
    }
    w.end().end();
}

SelfTest::SelfTest(const bridge::RunPythonParts& parts, Options options)
    : shelf_(parts.shelf), parts_(with_shelf(parts, shelf_)), options_(std::move(options)),
      changed_(parts.executor) {
    shelf_.saved = nullptr;
}

asio::awaitable<SelfTestReport> SelfTest::run() {
    co_await side_by_side(1, &SelfTest::measure_host);
    for (const bool alone : {false, true}) {
        if (!report_.problem.empty()) break;
        fill_queue(alone);
        const std::size_t workers = alone ? 1 : options_.most;
        co_await side_by_side(workers, &SelfTest::work_off_queue);
    }
    if (failure_) std::rethrow_exception(failure_);
    if (stopped_) report_.problem = "stopped before its end";
    const auto by_name = [](const AttackResult& a, const AttackResult& b) { return a.name < b.name; };
    std::sort(report_.results.begin(), report_.results.end(), by_name);
    co_return std::move(report_);
}

void SelfTest::stop() {
    stopped_ = true;
    queue_.clear();
    for (asio::cancellation_signal& each : signals_) each.emit(asio::cancellation_type::terminal);
}

void SelfTest::fill_queue(bool alone) {
    if (stopped_) return;
    for (const EmbeddedFile& source : attack_suite()) {
        Attack attack{std::string(source.name), std::string(source.text), read_expectation(source.text)};
        if (attack.expects.alone != alone) continue;
        be_patient(attack.expects, patience_);
        queue_.push_back(std::move(attack));
    }
}

// To the end of all of them. Each has its own signal, so that stop() reaches it and not who waits here.
asio::awaitable<void> SelfTest::side_by_side(std::size_t workers, Work work) {
    for (std::size_t i = 0; i < workers && !stopped_; ++i) {
        ++running_;
        auto ended = [this](std::exception_ptr e) {
            if (e && !stopped_) failure_ = e;
            --running_;
            changed_.notify();
        };
        asio::co_spawn(parts_.executor, (this->*work)(),
                       asio::bind_cancellation_slot(signals_.emplace_back().slot(), std::move(ended)));
    }
    while (running_ > 0)
        co_await changed_.wait(
            std::chrono::steady_clock::time_point::max()); // each run has a limit of its own
    signals_.clear();
}

// How long a plain call takes tells how long attacks may: a second is plenty on a host that is not busy.
asio::awaitable<void> SelfTest::measure_host() {
    const AttackOutcome plain = co_await execute(plain_code, plain_timeout);
    if (!is_plain_result(plain))
        report_.problem = "a plain call does not work here: " + first_line(plain.text);
    patience_ = std::min(most_patience, 1 + static_cast<int>(plain.took / 1s));
}

asio::awaitable<void> SelfTest::work_off_queue() {
    while (!queue_.empty()) {
        Attack attack = std::move(queue_.front());
        queue_.pop_front();
        AttackResult result = co_await attempt(std::move(attack));
        options_.on_result(result);
        report_.results.push_back(std::move(result));
    }
}

asio::awaitable<AttackResult> SelfTest::attempt(Attack attack) {
    AttackResult result{attack.name, attack.expects.title};
    result.why = cannot_be_tried(attack.expects, options_.not_enforced, options_.machine);
    result.verdict = result.why.empty() ? Verdict::held : Verdict::not_tried;
    for (int i = 0; i < attack.expects.runs && result.verdict == Verdict::held; ++i) {
        const AttackOutcome outcome = co_await execute(attack.code, attack.expects.timeout);
        result.why = joined(complaints(attack.expects, outcome));
        if (!result.why.empty()) result.verdict = Verdict::won;
        if (outcome.status == "refused") {
            result.why = first_line(outcome.text);
            result.verdict = Verdict::not_started;
        }
    }
    if (!attack.expects.alone || result.verdict != Verdict::held) co_return result;
    const AttackOutcome after = co_await execute(plain_code, plain_timeout);
    if (!is_plain_result(after)) {
        result.why = "the call after it failed: " + first_line(after.text);
        result.verdict = Verdict::won;
    }
    co_return result;
}

asio::awaitable<AttackOutcome> SelfTest::execute(std::string code, std::chrono::seconds timeout) {
    bridge::RunRequest request;
    request.code = std::move(code);
    request.timeout = timeout;
    request.servers.emplace(); // none
    request.client = "self-test";
    const auto began = std::chrono::steady_clock::now();
    const auto state = std::make_shared<bridge::RunState>();
    const bridge::RunReport report = co_await bridge::run_python(parts_, std::move(request), state);
    AttackOutcome outcome{bridge::status_name(report), bridge::render_text(report), report.outcome.limits};
    const std::vector<std::string>& claimed = report.outcome.claimed.limits;
    outcome.limits.insert(outcome.limits.end(), claimed.begin(), claimed.end());
    outcome.took = std::chrono::steady_clock::now() - began;
    co_return outcome;
}

} // namespace cli
