#include "src/bridge/run_python.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <map>

#include "runtime_api/error.h"
#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/base/random_name.h"
#include "src/bridge/render.h"
#include "src/bridge/run_budget.h"

namespace bridge {
namespace asio = boost::asio;
using base::Shown;

namespace {

constexpr std::size_t most_pictures = 16;
constexpr std::size_t most_picture_bytes = 5u << 20; // base64, all together: the result line is bounded
constexpr std::size_t most_displayed = 100;
constexpr std::size_t most_exec_displayed_bytes = 16u << 20; // else as many as are kept of a stream
constexpr std::size_t most_artifacts = 100;
constexpr std::size_t most_waiting = 5;

// What an image is by its first bytes, whatever it was called: a model's API refuses the whole conversation
// where one is called what it is not. Empty: neither PNG nor JPEG.
std::string picture_kind(std::string_view base64) {
    if (base64.starts_with("iVBORw0KGg")) return "image/png";
    return base64.starts_with("/9j/") ? "image/jpeg" : "";
}

// What else the content is, in a word: so that the reason can be understood.
std::string other_kind(std::string_view base64) {
    if (base64.empty()) return "nothing";
    static const std::pair<const char*, const char*> known[] = {
        {"R0lGOD", "GIF"}, {"UklGR", "WebP"}, {"Qk", "BMP"},    {"SUkq", "TIFF"},
        {"TU0A", "TIFF"},  {"JVBERi", "PDF"}, {"PHN2Z", "SVG"}, {"PD94b", "XML"}};
    for (const auto& [start, name] : known)
        if (base64.starts_with(start)) return name;
    return "something else";
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

// Passes on what an upstream server says of its progress: once a second at most, and as the last line of the
// run, which is shown every few seconds.
std::function<void(std::string)>
upstream_progress(const std::shared_ptr<RunState>& state,
                  std::function<void(double, std::optional<double>, std::string)> on_progress) {
    if (!on_progress) return {};
    using Clock = std::chrono::steady_clock;
    return [run = std::weak_ptr(state), said = std::move(on_progress),
            last = Clock::time_point()](std::string text) mutable {
        const auto living = run.lock();
        if (!living) return;
        living->last_line = Shown::line(text, 200);
        if (Clock::now() - last < std::chrono::seconds(1)) return;
        last = Clock::now();
        said(0, std::nullopt, living->last_line.text());
    };
}

// One run as its guest sees it: collects what it shows, answers what it asks.
class RunHost : public sandbox::GuestHost {
public:
    RunHost(const RunPythonParts& parts, const RunRequest& request, Policy policy,
            std::shared_ptr<RunState> state)
        : state_(std::move(state)), artifacts_(parts.artifacts), client_(request.client),
          on_output_(request.on_output), on_progress_(request.on_progress),
          budget_(request.timeout,
                  [this](const char* limit, std::string why) {
                      if (sandbox) sandbox->end_execution(limit, std::move(why));
                  }),
          methods_(parts.shelf, std::move(policy), parts.executor, sinks_for(request)),
          most_displayed_bytes_(request.stream_all ? most_exec_displayed_bytes
                                                   : static_cast<std::size_t>(parts.max_output)) {}

    asio::awaitable<std::string> request(jsonrpc::Message message) override {
        return methods_.answer(std::move(message));
    }

    void output(bool is_err, std::string_view text) override {
        if (on_output_) on_output_(is_err, text);
        if (is_err) return;
        const std::size_t end = text.find_last_not_of('\n');
        if (end == std::string_view::npos) return;
        const std::size_t begin = text.find_last_of('\n', end);
        state_->last_line = Shown::line(text.substr(begin + 1, end - begin), 200);
    }
    void tick(std::string line) override { state_->last_line = Shown::line(line, 200); }

    void progress(double done, std::optional<double> total, std::string message) override {
        if (on_progress_) on_progress_(done, total, Shown::line(message, 500).text());
    }

    // The image is being pulled, and this call waits for it. As a part of one, which leaves the values above
    // to what the code reports.
    void pulling(const std::string& image, const runtime_api::PullProgress& progress) {
        state_->last_line = Shown::line(sandbox::describe_pull(image, progress), 200);
        if (on_progress_) on_progress_(sandbox::pulled_part(progress), 1, state_->last_line.text());
    }

    void display(std::string, std::string data, bool is_base64) override {
        if (!is_base64) {
            displayed_bytes_ += data.size();
            const bool fits = displayed.size() < most_displayed && displayed_bytes_ <= most_displayed_bytes_;
            if (!fits) displayed_bytes_ -= data.size();
            if (fits)
                displayed.push_back(std::move(data));
            else
                ++dropped_texts_;
            return;
        }
        const std::string kind = picture_kind(data);
        if (kind.empty()) {
            ++dropped_kinds_[other_kind(data)];
        } else if (pictures.size() >= most_pictures) {
            ++too_many_pictures_;
        } else if (picture_bytes_ + data.size() > most_picture_bytes) {
            ++too_large_pictures_;
        } else {
            picture_bytes_ += data.size();
            pictures.push_back(Picture{kind, std::move(data)});
        }
    }

    void artifact(std::string name, std::optional<std::string> base64, std::string skipped) override {
        if (++artifact_count_ > most_artifacts) return;
        const Shown shown = Shown::line(name, 200);
        const auto not_taken = [&](std::string_view why) {
            artifacts.push_back("artifacts/" + shown + " was not taken: " + Shown::line(why, 200));
        };
        if (!base64) return not_taken(skipped);
        try {
            const std::string uri = artifacts_.keep(client_, folder_ + shown.text(), *base64);
            artifacts.push_back(artifact_line(shown.text(), uri));
        } catch (const json::Error& e) {
            not_taken(e.what());
        }
    }

    // What was left out, for the result.
    void add_notes(std::vector<Shown>& notes) const {
        for (const std::string& each : left_out()) notes.push_back(Shown::line(each));
        for (const std::string& odd : methods_.notes()) notes.push_back(Shown::line(odd, 1000));
        for (const std::string& each : question_notes_) notes.push_back(Shown::line(each, 1000));
    }
    std::vector<std::string> left_out() const {
        std::vector<std::string> notes;
        if (too_many_pictures_ > 0)
            notes.push_back(counted(too_many_pictures_, "image") + " left out: at most " +
                            std::to_string(most_pictures) + " are shown");
        if (too_large_pictures_ > 0)
            notes.push_back(counted(too_large_pictures_, "image") +
                            " left out: too large, 5 MiB of base64 are taken together");
        for (const auto& [kind, count] : dropped_kinds_)
            notes.push_back(counted(count, "image") + " left out: the content is " + kind +
                            ", not PNG or JPEG");
        if (dropped_texts_ > 0)
            notes.push_back(counted(dropped_texts_, "SVG image") + " left out: at most 100, " +
                            std::to_string(most_displayed_bytes_) +
                            " bytes together; a file in /workspace/artifacts may be larger");
        if (artifact_count_ > most_artifacts)
            notes.push_back(std::to_string(artifact_count_ - most_artifacts) + " more artifacts left out");
        return notes;
    }

    void note(std::string text) { question_notes_.push_back(std::move(text)); }

    void ending() override {
        waiting = methods_.waiting();
        methods_.ending();
    }

    void spent(std::chrono::nanoseconds host_cpu) override { budget_.spend(host_cpu); }

    // Threads and objects of a session's earlier runs act in this one, and cannot be told from it: the
    // narrower rights hold for both.
    void share_rights(Sessions::Turn& turn, const std::string& session) {
        methods_.narrow_to(turn.rights(), "an earlier run of session \"" + session + "\" might not use it");
        turn.leave_rights(methods_.rights());
        methods_.has_read(turn.read());
    }
    Policy::Rights rights() const { return methods_.rights(); }
    const std::set<std::string>& read() const { return methods_.read(); }
    void begin_anew() { methods_.begin_anew(); }
    const std::vector<std::string>& saved_tools() const { return methods_.saved_tools(); }

    std::string servers_json() const { return methods_.servers_json(); }
    const std::set<std::string>& called() const { return methods_.called(); }

    /// Held while the call waits for its container.
    std::shared_ptr<void> watching_pulls;
    /// The sandbox whose clock stops while a server starts; null when the run is over.
    sandbox::Sandbox* sandbox = nullptr;
    std::vector<Picture> pictures;
    std::vector<std::string> displayed;
    std::vector<Shown> artifacts;
    std::vector<WaitingCall> waiting; ///< When the code ended.

private:
    RunSinks sinks_for(const RunRequest& request) {
        RunSinks sinks;
        sinks.clock = [this](bool paused) { set_clock(paused); };
        sinks.progress = upstream_progress(state_, request.on_progress);
        sinks.writable = [this]() -> asio::awaitable<void> {
            if (sandbox) co_await sandbox->writable();
        };
        sinks.spent = [this](std::chrono::nanoseconds cpu) { budget_.spend(cpu); };
        sinks.asker = mcp::Asker{request.client, request.ask};
        sinks.client = request.client_name;
        return sinks;
    }

    void set_clock(bool paused) {
        if (!sandbox) return;
        paused ? sandbox->pause_clock() : sandbox->resume_clock();
    }

    std::shared_ptr<RunState> state_;
    Artifacts& artifacts_;
    std::string client_;
    // what nobody else can be kept from asking for has a URI that nobody else can guess
    std::string folder_ = client_.empty() ? base::random_name() + '/' : std::string();
    std::function<void(bool, std::string_view)> on_output_;
    std::function<void(double, std::optional<double>, std::string)> on_progress_;
    RunBudget budget_;
    GuestMethods methods_;
    std::size_t most_displayed_bytes_;
    std::size_t displayed_bytes_ = 0;
    std::size_t picture_bytes_ = 0;
    std::size_t too_many_pictures_ = 0;
    std::size_t too_large_pictures_ = 0;
    std::map<std::string, std::size_t> dropped_kinds_; // by other_kind()
    std::size_t dropped_texts_ = 0;
    std::size_t artifact_count_ = 0;
    std::vector<std::string> question_notes_; // a few at most
};

// The call's `servers` by their configured names. Throws BadArguments for one that is not there or cannot be
// used.
std::optional<std::vector<std::string>> named_servers(const Catalogue& catalogue, const RunRequest& request) {
    if (!request.servers) return std::nullopt;
    std::vector<std::string> names;
    for (const std::string& wanted : *request.servers) {
        const auto name = catalogue.find(wanted);
        std::vector<std::string> all;
        for (const CatalogueServer& each : catalogue.servers()) {
            all.push_back(each.name);
            if (name && each.name == *name && !each.usable)
                throw BadArguments("servers: \"" + *name + "\" cannot be used: " + each.reason);
        }
        const std::vector<std::string>& problems = catalogue.configuration_problems();
        if (!name && !problems.empty()) // it may be in there
            throw BadArguments("servers: there is no server \"" + Shown::line(wanted, 200).text() + "\"" +
                               base::did_you_mean(wanted, all) + "; a file of servers cannot be read: " +
                               Shown::line(problems.front(), 400).text());
        if (!name && all.empty())
            throw BadArguments("servers: there is no server \"" + Shown::line(wanted, 200).text() +
                               "\"; none is configured");
        if (!name) {
            std::string near = base::did_you_mean(wanted, all);
            if (near.empty()) near = "; see runtime.discovered_servers()";
            throw BadArguments("servers: there is no server \"" + Shown::line(wanted, 200).text() + "\"" +
                               near);
        }
        names.push_back(*name);
    }
    return names;
}

std::vector<std::string> usable_servers(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const CatalogueServer& each : catalogue.servers())
        if (each.usable) names.push_back(each.name);
    return names;
}

// Another process may hold the file for a while.
asio::awaitable<std::vector<std::string>> saved_names(const Shelf* shelf, RunRequest* request) {
    if (!shelf->saved) co_return std::vector<std::string>();
    auto job = [saved = shelf->saved] { return saved->names(); };
    std::string failed;
    try {
        co_return co_await shelf->workers->run(job);
    } catch (const SavedTools::Error& e) {
        failed = e.what();
    }
    request->notes.push_back("saved tools cannot be read: " + failed);
    co_return std::vector<std::string>();
}

sandbox::Execution to_execution(const RunPythonParts& parts, RunRequest& request, const RunHost& host) {
    sandbox::Execution execution;
    if (request.session.empty())
        execution.code = std::move(request.code);
    else
        execution.code = request.code; // may be wanted again
    execution.timeout = request.timeout;
    execution.argv = request.argv;
    execution.servers = host.servers_json();
    execution.head = request.stream_all ? std::int64_t{1} << 50 : parts.max_output - parts.max_output / 3;
    execution.tail = parts.max_output / 3;
    execution.keep_output = !request.stream_all;
    execution.session = !request.session.empty();
    return execution;
}

void watch_pulls(sandbox::PullAudience& pulls, const std::shared_ptr<RunHost>& host) {
    const auto sink = [weak = std::weak_ptr<RunHost>(host)](const std::string& image,
                                                            const runtime_api::PullProgress* progress) {
        const auto waiting = weak.lock();
        if (waiting && progress) waiting->pulling(image, *progress);
    };
    host->watching_pulls = pulls.join(sink);
}

// Null: there is nobody to ask, so what must be asked is refused.
std::shared_ptr<CallQuestions> questions_of(const RunPythonParts& parts, const RunRequest& request) {
    if (!parts.grants || !request.ask) return nullptr;
    CallQuestions::Options options;
    options.ask = request.ask;
    options.client = request.client;
    options.store = parts.policy;
    options.grants = parts.grants;
    options.limit = parts.ask_timeout;
    return std::make_shared<CallQuestions>(parts.executor, std::move(options));
}

asio::awaitable<std::string> freeze_run(std::weak_ptr<RunHost> weak) {
    const auto host = weak.lock();
    if (!host || !host->sandbox) co_return std::string();
    co_return co_await host->sandbox->freeze();
}

asio::awaitable<void> thaw_run(std::weak_ptr<RunHost> weak) {
    const auto host = weak.lock();
    if (host && host->sandbox) co_await host->sandbox->thaw();
}

void freeze_by(CallQuestions& questions, const std::shared_ptr<RunHost>& host) {
    const std::weak_ptr<RunHost> weak = host;
    questions.freeze = [weak] { return freeze_run(weak); };
    questions.thaw = [weak] { return thaw_run(weak); };
    questions.note = [weak](std::string text) {
        if (const auto living = weak.lock()) living->note(std::move(text));
    };
}

// As long as what it returns lives, the run can be ended for the memory that it holds.
std::shared_ptr<void> watch_memory(HostMemory* memory, sandbox::Sandbox* box) {
    if (!memory) return nullptr;
    HostMemory::Run run;
    run.bytes = [box] { return box->bytes_in_flight(); };
    run.end = [box](const char* limit, std::string why) { box->end_execution(limit, std::move(why)); };
    return memory->watch(std::move(run));
}

// Runs in a sandbox that is ready; fills the report.
asio::awaitable<void> run_in(sandbox::Sandbox* box, const RunPythonParts* parts, RunRequest* request,
                             std::shared_ptr<RunHost> host, RunReport* report) {
    report->not_enforced = sandbox::shortfalls(box->findings());
    report->open_files = box->open_files();
    std::vector<std::string> saved = co_await saved_names(&parts->shelf, request);
    sandbox::Execution execution = to_execution(*parts, *request, *host);
    execution.saved_tools = std::move(saved);
    host->watching_pulls.reset();
    host->sandbox = box;
    struct Leave {
        RunHost& host;
        ~Leave() { host.sandbox = nullptr; }
    } leave{*host};
    const std::shared_ptr<void> watched = watch_memory(parts->memory, box);
    report->outcome = co_await box->execute(std::move(execution), host);
}

// Runs in the call's session. One whose interpreter died between two calls begins anew, once: nothing of this
// call has run yet.
asio::awaitable<void> run_in_session(const RunPythonParts* parts, RunRequest* request,
                                     std::shared_ptr<RunHost> host, RunReport* report) {
    std::string name = request->session;
    if (request->client.empty()) report->session = name = parts->sessions.name_for_stranger(name);
    for (int attempt = 0; attempt < 2; ++attempt) {
        Sessions::Turn turn = co_await parts->sessions.enter(request->client, name);
        host->share_rights(turn, name);
        struct Leave { // also when the run is cancelled: the session lives on
            Sessions::Turn& turn;
            RunHost& host;
            ~Leave() {
                turn.leave_rights(host.rights());
                turn.leave_read(host.read());
            }
        } leave{turn, *host};
        if (!turn.begins_anew().empty())
            report->notes.push_back("session \"" + Shown::line(name) +
                                    "\" begins anew: " + Shown::line(turn.begins_anew()));
        if (attempt == 0 && name != request->session)
            report->notes.push_back("session \"" + Shown::line(request->session) +
                                    "\" is a new interpreter; to come back to it: session=\"" +
                                    Shown::line(name) + "\"");
        co_await run_in(&turn.sandbox(), parts, request, host, report);
        if (report->outcome.begun) co_return;
        host->begin_anew(); // that interpreter was dead, and its rights went with it
    }
}

// What the code waited for, where it was ended and did not end by itself.
void add_waiting(RunReport& report, std::vector<WaitingCall> waiting) {
    const sandbox::Status how = report.outcome.status;
    const bool by_itself = how == sandbox::Status::success || how == sandbox::Status::error;
    if (by_itself || !report.refused.empty()) return;
    report.waiting_in_all = waiting.size();
    if (waiting.size() > most_waiting) waiting.resize(most_waiting);
    report.waiting = std::move(waiting);
}

} // namespace

asio::awaitable<RunReport> run_python(RunPythonParts parts, RunRequest request,
                                      std::shared_ptr<RunState> state) {
    const Catalogue& catalogue = parts.shelf.catalogue;
    Policy policy(usable_servers(catalogue), named_servers(catalogue, request), parts.servers_listed_only);
    const std::shared_ptr<CallQuestions> questions = questions_of(parts, request);
    AskCall ask;
    if (questions) ask = [questions](CallQuestion question) { return questions->ask(std::move(question)); };
    if (parts.policy) policy.rule_by(parts.policy->current(), &parts.policy->minute(), std::move(ask));
    const auto host = std::make_shared<RunHost>(parts, request, std::move(policy), std::move(state));
    if (questions) freeze_by(*questions, host);
    watch_pulls(parts.pulls, host);
    RunReport report;
    report.timeout_seconds = (request.timeout.count() + 999) / 1000;
    report.max_timeout_seconds = request.max_timeout.count();
    report.memory_bytes = parts.memory_bytes;
    report.pids = parts.pids;
    try {
        if (request.session.empty()) {
            sandbox::Pool::Lease lease = co_await parts.pool.acquire();
            co_await run_in(&*lease, &parts, &request, host, &report);
        } else {
            co_await run_in_session(&parts, &request, host, &report);
        }
    } catch (const runtime_api::Error& e) {
        report.refused = e.what() + (parts.advice_on ? parts.advice_on(e.what()) : "");
    } catch (const sandbox::NotConfined& e) {
        report.refused = e.what();
        report.not_enforced = e.findings();
    } catch (const sandbox::NotStarted& e) {
        report.refused = e.what() + (parts.advice_on ? parts.advice_on(e.what()) : "");
    } catch (const jsonrpc::Error& e) {
        if (e.code() == jsonrpc::code::cancelled) throw;
        report.refused = e.what();
    } catch (const boost::system::system_error& e) { // a wait for a thread or a place was cancelled
        if (e.code() != asio::error::operation_aborted) throw;
        throw jsonrpc::Error(jsonrpc::code::cancelled, "cancelled");
    }
    add_waiting(report, std::move(host->waiting));
    report.servers.assign(host->called().begin(), host->called().end());
    report.saved_tools = host->saved_tools();
    report.pictures = std::move(host->pictures);
    report.displayed = std::move(host->displayed);
    report.artifacts = std::move(host->artifacts);
    for (const std::string& note : request.notes) report.notes.push_back(Shown::line(note));
    host->add_notes(report.notes);
    co_return report;
}

} // namespace bridge
