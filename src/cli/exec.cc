#include <unistd.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "src/base/nearest.h"
#include "src/bridge/remedies.h"
#include "src/bridge/render.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/new_file.h"
#include "src/cli/pictures.h"
#include "src/cli/program_output.h"
#include "src/cli/pull_bar.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/cli/terminal.h"

namespace cli {
namespace asio = boost::asio;

namespace {

// As docker and podman have it for what went wrong before the program ran.
constexpr int could_not_run = 125;

constexpr const char* client_name = "exec";

// " (did you mean \"hello.py\"?)": of what lies beside it.
std::string nearest_file(const std::string& file) {
    constexpr std::size_t most = 1000;
    const std::filesystem::path path(file);
    std::error_code failed;
    std::filesystem::directory_iterator in(path.has_parent_path() ? path.parent_path() : ".", failed);
    std::vector<std::string> names;
    for (; !failed && in != std::filesystem::directory_iterator() && names.size() < most;
         in.increment(failed))
        if (in->path().extension() == ".py")
            names.push_back((path.parent_path() / in->path().filename()).string());
    return base::did_you_mean(file, names);
}

std::string read_source(const std::string& file) {
    std::ifstream opened;
    errno = 0;
    if (file != "-") {
        opened.open(file, std::ios::binary);
        const std::string why = std::system_category().message(errno);
        if (!opened) throw UsageError("exec: cannot read " + file + ": " + why + nearest_file(file));
    }
    if (file == "-" && ::isatty(STDIN_FILENO) == 1)
        tell("the code is read from here; Ctrl-D at a line's begin ends it");
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

// One call of this command.
struct Visit {
    App& app;
    const Options& options;
    std::shared_ptr<ProgramOutput> output;
    std::map<std::string, std::string> environment = own_environment();

    // Says where the file is that `write` made, and keeps its path.
    void saved(bridge::RunReport& report, const Shown& what,
               const std::function<std::string()>& write) const {
        try {
            report.files.push_back(write());
            if (!options.json) tell(what + " in " + Shown::line(report.files.back()));
        } catch (const std::runtime_error& e) {
            report.notes.push_back(Shown::line(e.what()));
        }
    }
};

// In the terminal where it can; else in a file, whose path is said.
void show_pictures(const Visit& visit, bridge::RunReport& report) {
    const bool is_terminal = !visit.options.json && ::isatty(STDOUT_FILENO) == 1;
    PictureProtocol protocol = picture_protocol(visit.environment, is_terminal);
    if (protocol == PictureProtocol::unknown && !report.pictures.empty() &&
        terminal_knows_sixel(STDOUT_FILENO))
        protocol = PictureProtocol::sixel;
    for (const std::string& svg : report.displayed)
        visit.saved(report, "image", [&] { return write_svg(svg, visit.environment); });
    for (const bridge::Picture& picture : report.pictures)
        if (!show_picture(protocol, picture))
            visit.saved(report, "image", [&] { return write_picture(picture, visit.environment); });
    report.displayed.clear(); // are files now
}

// What code left in /workspace/artifacts, in new files of the current folder.
void save_artifacts(const Visit& visit, bridge::RunReport& report) {
    bridge::Artifacts& artifacts = visit.app.parts().artifacts;
    for (const bridge::Artifacts::File* file : artifacts.of(client_name)) {
        std::erase(report.artifacts, bridge::artifact_line(file->name, file->uri));
        const auto [stem, ending] = safe_name(file->name);
        const auto write = [&, stem = stem, ending = ending] {
            return write_new_file(stem, ending, file->data, visit.environment);
        };
        visit.saved(report, "file", write);
    }
    artifacts.forget(client_name);
    report.notes.insert(report.notes.end(), report.artifacts.begin(), report.artifacts.end()); // not taken
    report.artifacts.clear();
}

// What there is to say at the end, in lines of ours.
std::vector<Shown> closing_lines(const bridge::RunReport& report) {
    std::vector<Shown> lines;
    const Shown head = bridge::headline(report);
    const bool said_by_traceback =
        report.outcome.status == sandbox::Status::error && report.refused.empty() && !report.outcome.signal;
    if (!head.empty() && !said_by_traceback) lines.push_back(head);
    if (report.outcome.status != sandbox::Status::timeout && !report.waiting.empty())
        lines.push_back(bridge::waiting_for(report)); // else the headline has it
    for (const std::string& remedy : bridge::remedies(report)) lines.push_back(Shown::line(remedy));
    lines.insert(lines.end(), report.notes.begin(), report.notes.end());
    lines.insert(lines.end(), report.outcome.notes.begin(), report.outcome.notes.end());
    for (const Shown& claim : bridge::claims(report)) lines.push_back(bridge::claimed + claim);
    if (report.refused.empty() && !report.not_enforced.empty())
        lines.push_back("not enforced: " + Shown::block(sandbox::describe(report.not_enforced)));
    return lines;
}

// What a terminal shows after the output, which it has already.
void show_end(const Visit& visit, bridge::RunReport report) {
    const bool as_text = !visit.options.json;
    if (as_text && report.outcome.value) visit.output->write(false, *report.outcome.value + '\n');
    if (as_text) visit.output->end();
    show_pictures(visit, report);
    save_artifacts(visit, report);
    report.pictures.clear();
    if (!as_text) return say_line(Shown::json(bridge::render_json(report)));
    for (const Shown& line : closing_lines(report)) tell(line);
}

// One program; a request that cannot be used is told as a refusal.
asio::awaitable<int> run(const Visit* visit, bridge::RunRequest request) {
    bridge::RunReport report;
    const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(request.timeout).count();
    try {
        report = co_await bridge::run_python(visit->app.parts(), std::move(request),
                                             std::make_shared<bridge::RunState>());
    } catch (const bridge::BadArguments& e) {
        report.refused = e.what();
    } catch (const jsonrpc::Error& e) {
        report.refused = e.what();
    }
    report.timeout_seconds = seconds;
    report.at_terminal = true;
    const int status = exit_status(report);
    if (visit->options.session.empty()) visit->app.stop_code();
    show_end(*visit, std::move(report));
    co_return status;
}

// All programs, up to the first that fails.
asio::awaitable<int> run_all(const Visit* visit, std::vector<bridge::RunRequest> requests) {
    int status = 0;
    for (bridge::RunRequest& request : requests) {
        status = co_await run(visit, std::move(request));
        if (status != 0) break;
    }
    visit->app.stop_code();
    if (!visit->options.session.empty() && requests.size() == 1)
        tell("session \"" + Shown::line(visit->options.session) +
             "\" ended with this command: name all its files in one (cordon exec --session " +
             Shown::line(visit->options.session) +
             " FILE FILE…); between calls only an MCP client's sessions live on");
    co_return status;
}

asio::awaitable<int> shut_down_after(App* app, int status) {
    co_await app->shut_down();
    co_return status;
}

} // namespace

namespace {

bridge::RunRequest request_of(const Options& options, const CommandLine::Program& program,
                              const std::shared_ptr<ProgramOutput>& output) {
    bridge::RunRequest request;
    request.code = program.is_code ? program.text : read_source(program.text);
    request.argv = options.arguments;
    request.argv.insert(request.argv.begin(), program.is_code ? "-c" : program.text);
    request.timeout = options.settings.timeout;
    request.max_timeout = options.settings.max_timeout;
    request.session = options.session;
    request.client = client_name;
    request.client_name = "cordon exec";
    if (!options.servers.empty()) request.servers = options.servers;
    if (options.json) return request; // what is kept of the output is in the object
    // as it comes, and all of it: nothing is kept here. A reader that is slow slows the code down.
    request.stream_all = true;
    request.on_output = [output](bool is_err, std::string_view text) { output->write(is_err, text); };
    return request;
}

} // namespace

int exec(const Options& options) {
    const auto output = std::make_shared<ProgramOutput>();
    std::vector<bridge::RunRequest> requests;
    for (const CommandLine::Program& program : options.programs)
        requests.push_back(request_of(options, program, output));
    asio::io_context loop(1);
    config::Settings settings = options.settings;
    settings.pool = 0;
    App app(loop, settings, own_environment());
    app.log_file_problems();
    app.engine().expect_one_container();
    app.parts().pool.set_wait_limit(std::chrono::hours(24)); // a slow pull is shown, and would end with us
    const PullBar bar(app.engine().pulls());
    const Visit visit{app, options, output};
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
        asio::co_spawn(loop, run_all(&visit, std::move(requests)),
                       asio::bind_cancellation_slot(cancel.slot(), std::move(ended)));
        while (!done) run_turn(loop);
    }
    status = run_to_end(loop, shut_down_after(&app, status));
    if (failure) std::rethrow_exception(failure);
    return status;
}

} // namespace cli
