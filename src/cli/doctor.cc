#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

#include "src/base/json.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/doctor_report.h"
#include "src/cli/pull_bar.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/cli/self_test.h"
#include "src/cli/start_servers.h"
#include "src/sandbox/janitor.h"

namespace cli {
namespace asio = boost::asio;

namespace {

// The command that brings one: the first that the search knew, else the usual way.
std::string way_to_an_engine(const std::vector<engines::Tried>& tried) {
    std::string command = "sudo apt-get install podman && systemctl --user enable --now podman.socket";
    for (const engines::Tried& each : tried)
        if (!each.advice.empty()) {
            command = each.advice;
            break;
        }
    return command +
           " (or in Cordon's source folder, a private one for this shell: eval \"$(scripts/engine start)\")";
}

asio::awaitable<void> look_for_engine(App* app, DoctorReport* report) {
    try {
        const auto found = co_await app->engine().found();
        report->tried = found->tried;
        report->engine = found->info;
        report->engine_source = found->candidate.source;
        report->engine_url = found->candidate.url;
        report->advice = engines::advice_on_engine(found->info);
        if (auto unsafe = engines::advice_on_endpoint(*found->candidate.endpoint))
            report->advice.insert(report->advice.begin(), std::move(*unsafe));
    } catch (const engines::NoEngine& e) {
        report->tried = e.tried();
        report->problems.push_back("no engine could be had → " + way_to_an_engine(e.tried()));
    }
}

// A container as calls get it, but only looked at.
asio::awaitable<void> try_container(App* app, DoctorReport* report) {
    try {
        sandbox::Workshop workshop = co_await app->engine().workshop();
        report->image_there = true;
        report->image_pin = app->engine().image_pin();
        if (const auto early = app->engine().early_modules()) report->early_modules = early->modules();
        workshop.confinement.strict = false;
        const std::unique_ptr<sandbox::Sandbox> box = co_await sandbox::Sandbox::open(std::move(workshop));
        report->findings = box->findings();
        report->python = box->python();
    } catch (const std::exception& e) {
        report->problems.push_back(e.what() + app->engine().advice_on(e.what()));
    }
}

asio::awaitable<void> look_for_leftovers(App* app, DoctorReport* report) {
    try {
        const auto found = co_await app->engine().found();
        report->leftovers = co_await sandbox::find_leftovers(found->engine, &app->engine().instance());
    } catch (const runtime_api::Error& e) {
        report->problems.push_back(std::string("leftovers: ") + e.what());
    }
    std::erase_if(report->leftovers, [](const sandbox::Leftover& each) { return !each.dead(); });
}

// Code would run, but not with all servers that the files name.
constexpr int servers_faulty = 3;

constexpr std::chrono::seconds servers_patience{10};

// One call of this command.
struct Visit {
    App& app;
    const Options& options;
    DoctorReport report{};
    std::unique_ptr<SelfTest> self_test{}; ///< While the attacks run.

    void say(const Shown& text) const {
        if (!options.json) cli::say(text);
    }
};

// Engines have names of their own for what `uname -m` says.
std::string machine_of(const runtime_api::EngineInfo& engine) {
    if (engine.architecture == "amd64") return "x86_64";
    if (engine.architecture == "arm64") return "aarch64";
    return engine.architecture;
}

SelfTest::Options self_test_options(const Visit& visit) {
    SelfTest::Options options;
    for (const sandbox::Finding& f : sandbox::shortfalls(visit.report.findings))
        options.not_enforced.push_back(f.row);
    options.machine = machine_of(*visit.report.engine);
    options.most =
        std::min<std::size_t>(options.most, static_cast<std::size_t>(visit.app.settings().max_containers));
    options.on_result = [&visit](const AttackResult& result) { visit.say(result.line()); };
    return options;
}

asio::awaitable<void> attack(Visit* visit) {
    DoctorReport& report = visit->report;
    if (report.findings.empty()) {
        report.self_test.emplace();
        report.self_test->problem = "there is no container to attack";
    } else {
        visit->say("\nAttacks\n");
        visit->self_test = std::make_unique<SelfTest>(visit->app.parts(), self_test_options(*visit));
        report.self_test = co_await visit->self_test->run();
        visit->self_test.reset();
    }
    visit->say(report.self_test->closing());
}

void look_at_files(App& app, DoctorReport& report) {
    report.policy_broken = !app.policy_trouble().empty();
    if (report.policy_broken)
        report.problems.push_back("the policy cannot be used, so no code runs:\n" + app.policy_trouble());
    report.server_faults = app.catalogue().faults();
    report.server_notes = app.catalogue().configuration_notes();
    report.server_reach = app.catalogue().reach();
    for (const bridge::CatalogueServer& server : app.catalogue().servers())
        if (!server.usable) report.servers_unusable.push_back(server.name + ": " + server.reason);
    if (!app.saved_tools()) return;
    try {
        report.saved_tools = app.saved_tools()->names();
    } catch (const bridge::SavedTools::Error& e) {
        report.problems.push_back(std::string("saved tools: ") + e.what());
    }
}

// Some of what is odd with a server shows only while it runs.
asio::awaitable<void> try_servers(App* app, DoctorReport* report) {
    co_await start_servers(app, servers_patience);
    for (const bridge::CatalogueServer& server : app->catalogue().servers()) {
        if (!server.usable) continue;
        const std::string of = "server \"" + server.name + "\" ";
        if (!server.reason.empty())
            report->server_notes.push_back(of + "cannot be started: " + server.reason +
                                           (server.words.empty() ? "" : "; it last wrote: " + server.words));
        if (server.state == "starting") report->server_notes.push_back(of + "is not ready after 10 s");
        for (const std::string& warning : app->catalogue().warnings(server.name))
            report->server_notes.push_back(of + "is odd: " + warning);
    }
}

asio::awaitable<int> examine(Visit* visit) {
    DoctorReport& report = visit->report;
    report.image = visit->app.settings().image;
    co_await look_for_engine(&visit->app, &report);
    if (report.engine) {
        co_await look_for_leftovers(&visit->app, &report);
        co_await try_container(&visit->app, &report);
    }
    look_at_files(visit->app, report);
    co_await try_servers(&visit->app, &report);
    visit->say(report.text());
    if (visit->options.self_test && !report.policy_broken) co_await attack(visit);
    if (visit->options.json) say_line(Shown::json(report.json()));
    const bool runs = report.strict_would_run() && (!report.self_test || report.self_test->passed());
    const int with_servers = report.server_faults.empty() ? 0 : servers_faulty;
    co_return runs ? with_servers : 1;
}

asio::awaitable<int> shut_down_after(App* app, int status) {
    co_await app->shut_down();
    co_return status;
}

} // namespace

int doctor(const Options& options) {
    asio::io_context loop(1);
    config::Settings settings = options.settings;
    settings.pool = 0;
    // What falls short is in the table; the attacks show what holds all the same.
    if (options.self_test) settings.confinement = config::ConfinementMode::report;
    App app(loop, settings, own_environment());
    app.catalogue().words_to({}); // they are in the report
    const PullBar bar(app.engine().pulls());
    Visit visit{app, options};
    asio::cancellation_signal cancel;
    int status = 1;
    std::exception_ptr failure;
    {
        bool done = false;
        StopWatch watch(loop, [&](const char*) {
            if (visit.self_test)
                visit.self_test->stop();
            else
                cancel.emit(asio::cancellation_type::terminal);
        });
        auto ended = [&](std::exception_ptr e, int value) {
            failure = e;
            if (!e) status = value;
            done = true;
        };
        asio::co_spawn(loop, examine(&visit), asio::bind_cancellation_slot(cancel.slot(), std::move(ended)));
        while (!done) run_turn(loop);
    }
    status = run_to_end(loop, shut_down_after(&app, status));
    if (failure) std::rethrow_exception(failure);
    return status;
}

} // namespace cli
