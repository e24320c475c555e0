#include <unistd.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/pictures.h"
#include "src/cli/pull_bar.h"
#include "src/cli/run_loop.h"
#include "src/cli/terminal.h"

namespace cli {
namespace asio = boost::asio;

namespace {

// As docker and podman have it for what went wrong before the program ran.
constexpr int could_not_run = 125;

std::string read_source(const std::string& file) {
    std::ifstream opened;
    if (file != "-") {
        opened.open(file, std::ios::binary);
        if (!opened) throw UsageError("exec: cannot read " + file);
    }
    std::istream& in = file == "-" ? std::cin : opened;
    std::string source(bridge::most_code_bytes + 1, '\0'); // no more than that is ever held
    try {
        in.read(source.data(), static_cast<std::streamsize>(source.size()));
    } catch (const std::ios_base::failure&) { // a folder
        throw UsageError("exec: cannot read " + file);
    }
    if (in.bad()) throw UsageError("exec: cannot read " + file);
    source.resize(static_cast<std::size_t>(in.gcount()));
    if (source.size() > bridge::most_code_bytes)
        throw UsageError("exec: " + file + " is above the limit of 8 MiB");
    return source;
}

int exit_status(const bridge::RunReport& report) {
    if (!report.refused.empty()) return could_not_run;
    const sandbox::Outcome& o = report.outcome;
    switch (o.status) {
    case sandbox::Status::timeout:
        return 124; // as timeout(1)
    case sandbox::Status::out_of_memory:
        return 137;
    case sandbox::Status::success:
        return o.exit_code.value_or(0);
    case sandbox::Status::error:
    case sandbox::Status::killed:
        break;
    }
    if (o.signal) return 128 + *o.signal;
    return o.exit_code && *o.exit_code != 0 ? *o.exit_code : 1;
}

// In the terminal where it can; else in a file, whose path is said.
void show_pictures(const bridge::RunReport& report) {
    const std::map<std::string, std::string> environment = own_environment();
    PictureProtocol protocol = picture_protocol(environment, ::isatty(STDOUT_FILENO) == 1);
    if (protocol == PictureProtocol::unknown && !report.pictures.empty() &&
        terminal_knows_sixel(STDOUT_FILENO))
        protocol = PictureProtocol::sixel;
    const auto said = [](const auto& write) {
        try {
            std::fprintf(stderr, "cordon: image in %s\n", write().c_str());
        } catch (const std::runtime_error& e) {
            std::fprintf(stderr, "cordon: %s\n", e.what());
        }
    };
    for (const std::string& svg : report.displayed) said([&] { return write_svg(svg, environment); });
    for (const bridge::Picture& picture : report.pictures) {
        const std::string inlined = escape_sequence(protocol, picture);
        std::fwrite(inlined.data(), 1, inlined.size(), stdout);
        if (inlined.empty()) said([&] { return write_picture(picture, environment); });
    }
    std::fflush(stdout);
}

// What a terminal shows after the output, which it has already.
void show_end(const bridge::RunReport& report) {
    std::fflush(stdout);
    if (report.outcome.value) std::printf("%s\n", report.outcome.value->c_str());
    std::fflush(stdout);
    show_pictures(report);
    const std::string head = bridge::headline(report);
    const bool said_by_traceback =
        report.outcome.status == sandbox::Status::error && report.refused.empty() && !report.outcome.signal;
    if (!head.empty() && !said_by_traceback) std::fprintf(stderr, "cordon: %s\n", head.c_str());
    for (const std::string& note : report.notes) std::fprintf(stderr, "cordon: %s\n", note.c_str());
    for (const std::string& note : report.outcome.notes) std::fprintf(stderr, "cordon: %s\n", note.c_str());
    if (report.refused.empty() && !report.not_enforced.empty())
        std::fprintf(stderr, "cordon: not enforced: %s\n", sandbox::describe(report.not_enforced).c_str());
}

asio::awaitable<int> run(App* app, bridge::RunRequest request) {
    bridge::RunReport report;
    std::string bad;
    try {
        report = co_await bridge::run_python(app->parts(), std::move(request),
                                             std::make_shared<bridge::RunState>());
    } catch (const bridge::BadArguments& e) {
        bad = e.what();
    } catch (const jsonrpc::Error& e) {
        bad = e.what();
    }
    app->stop_code();
    if (!bad.empty())
        std::fprintf(stderr, "cordon: %s\n", bad.c_str());
    else
        show_end(report);
    co_return bad.empty() ? exit_status(report) : could_not_run;
}

asio::awaitable<int> shut_down_after(App* app, int status) {
    co_await app->shut_down();
    co_return status;
}

} // namespace

int exec(const Options& options) {
    bridge::RunRequest request;
    request.code = read_source(options.file);
    request.timeout = options.settings.timeout;
    request.client = "exec";
    if (!options.servers.empty()) request.servers = options.servers;
    // as it comes, and all of it: nothing is kept here. A reader that is slow slows the code down.
    request.stream_all = true;
    request.on_output = [](bool is_err, std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), is_err ? stderr : stdout);
        std::fflush(is_err ? stderr : stdout);
    };
    asio::io_context loop(1);
    config::Settings settings = options.settings;
    settings.pool = 0;
    App app(loop, settings, own_environment());
    app.log_file_problems();
    app.engine().expect_one_container();
    app.parts().pool.set_wait_limit(std::chrono::hours(24)); // a slow pull is shown, and would end with us
    const PullBar bar(app.engine().pulls());
    asio::cancellation_signal cancel;
    int status = 0;
    std::exception_ptr failure;
    {
        bool done = false;
        StopWatch watch(loop, [&](const char*) { cancel.emit(asio::cancellation_type::terminal); });
        auto ended = [&](std::exception_ptr e, int value) {
            failure = e;
            status = value;
            done = true;
        };
        asio::co_spawn(loop, run(&app, std::move(request)),
                       asio::bind_cancellation_slot(cancel.slot(), std::move(ended)));
        while (!done) loop.run_one();
    }
    status = run_to_end(loop, shut_down_after(&app, status));
    if (failure) std::rethrow_exception(failure);
    return status;
}

} // namespace cli
