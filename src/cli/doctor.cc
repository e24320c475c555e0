#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#include "runtime_api/json.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/doctor_report.h"
#include "src/cli/run_loop.h"
#include "src/sandbox/janitor.h"

namespace cli {
namespace asio = boost::asio;

namespace {

asio::awaitable<void> look_for_engine(App* app, DoctorReport* report) {
    try {
        const auto found = co_await app->engine().found();
        report->tried = found->tried;
        report->engine = found->info;
        report->engine_source = found->candidate.source;
        report->engine_url = found->candidate.url;
    } catch (const runtime_api::NoEngine& e) {
        report->tried = e.tried();
        report->problems.push_back("no engine could be had");
    }
}

// A container as calls get it, but only looked at.
asio::awaitable<void> try_container(App* app, DoctorReport* report) {
    try {
        sandbox::Workshop workshop = co_await app->engine().workshop();
        report->image_there = true;
        workshop.confinement.strict = false;
        const std::unique_ptr<sandbox::Sandbox> box = co_await sandbox::Sandbox::open(std::move(workshop));
        report->findings = box->findings();
        report->python = box->python();
    } catch (const std::exception& e) {
        report->problems.push_back(e.what());
    }
}

asio::awaitable<void> look_for_leftovers(App* app, DoctorReport* report) {
    try {
        const auto found = co_await app->engine().found();
        report->leftovers = co_await sandbox::find_leftovers(found->engine, &app->engine().instance(), std::chrono::system_clock::now());
    } catch (const runtime_api::Error& e) {
        report->problems.push_back(std::string("leftovers: ") + e.what());
    }
    std::erase_if(report->leftovers, [](const sandbox::Leftover& each) { return !each.dead(); });
}

asio::awaitable<int> examine(App* app, bool json) {
    DoctorReport report;
    report.image = app->settings().image;
    co_await look_for_engine(app, &report);
    if (report.engine) {
        co_await look_for_leftovers(app, &report);
        co_await try_container(app, &report);
    }
    for (const bridge::CatalogueServer& server : app->catalogue().servers())
        if (!server.usable) report.servers_unusable.push_back(server.name + ": " + server.reason);
    if (app->saved_tools()) {
        try {
            report.saved_tools = app->saved_tools()->names();
        } catch (const bridge::SavedTools::Error& e) {
            report.problems.push_back(std::string("saved tools: ") + e.what());
        }
    }
    std::fputs((json ? report.json() + "\n" : report.text()).c_str(), stdout);
    co_await app->shut_down();
    co_return report.strict_would_run() ? 0 : 1;
}

} // namespace

int doctor(const Options& options) {
    asio::io_context loop(1);
    config::Settings settings = options.settings;
    settings.pool = 0;
    App app(loop, settings, own_environment());
    return run_to_end(loop, examine(&app, options.json));
}

} // namespace cli
