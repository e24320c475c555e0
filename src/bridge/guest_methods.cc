#include "src/bridge/guest_methods.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/bridge/manual.h"
#include "src/bridge/result_check.h"
#include "src/mcp/client/client.h"
#include "src/search/tool_docs.h"

namespace bridge {
namespace asio = boost::asio;

namespace {

constexpr std::size_t most_arguments = 64u << 20;
constexpr std::size_t most_result = 64u << 20;
constexpr std::size_t most_structured = 1u << 20; // of what an error says beside its message
constexpr int most_hits = 50;
constexpr int most_ruled_hits = 2000;
constexpr std::size_t most_odd = 20;
constexpr std::size_t most_warnings = 5; // on servers, in the notes of one run
constexpr std::size_t small_text = 128 << 10;
constexpr std::size_t few = 4;             // requests of a run that the host works on at once
constexpr std::size_t most_questions = 32; // to a person, whom hostile code could else bury under dialogs

// Stops the run's clock while it lives, or until the run ends.
class PausedClock {
public:
    using Clock = std::function<void(bool)>;

    explicit PausedClock(std::weak_ptr<Clock> clock) : clock_(std::move(clock)) { set(true); }
    ~PausedClock() { set(false); }
    PausedClock(const PausedClock&) = delete;
    PausedClock& operator=(const PausedClock&) = delete;

private:
    void set(bool paused) const {
        const auto clock = clock_.lock();
        if (clock && *clock) (*clock)(paused);
    }

    std::weak_ptr<Clock> clock_;
};

asio::awaitable<std::string> ask_paused(mcp::AskPerson ask, std::weak_ptr<PausedClock::Clock> clock,
                                        std::shared_ptr<std::size_t> asked, std::string params) {
    if (++*asked > most_questions)
        throw jsonrpc::Error(jsonrpc::code::invalid_request, "the run has asked often enough");
    const PausedClock paused(std::move(clock));
    co_return co_await ask(std::move(params));
}

using Rules = std::shared_ptr<const policy::Rules>; // null: all is allowed

policy::Target target_of(const std::string& server, const CatalogueTool& tool) {
    return policy::Target{server, tool.name, tool.annotations};
}

policy::Outlook outlook_of(const Rules& rules, const std::string& server, const CatalogueTool& tool) {
    if (!rules) return policy::Outlook{true};
    return policy::outlook(*rules, target_of(server, tool));
}

// The server's words, and a line of ours where a person is asked first.
std::string described(const CatalogueTool& tool, const policy::Outlook& outlook) {
    if (!outlook.may_ask) return tool.description;
    const char* const how_many = outlook.always_asks() ? "Each call" : "Some calls";
    return tool.description + (tool.description.empty() ? "" : "\n\n") + '[' + how_many +
           " of this tool must be allowed by the user first.]";
}

// Each name stands under two keys: ours, and the one of programs written for the server whose place we take.
void write_doc(json::Writer& w, const CatalogueServer& server, const CatalogueTool& tool, bool full,
               const Rules& rules) {
    w.object()
        .field("server", server.name)
        .field("serverAlias", server.alias)
        .field("server_alias", server.alias)
        .field("tool", tool.name)
        .field("name", tool.name)
        .field("toolAlias", tool.alias)
        .field("alias", tool.alias);
    w.field("description", described(tool, outlook_of(rules, server.name, tool)))
        .field("signature", search::python_signature(tool.alias, tool.input_schema));
    if (full) {
        w.raw_field("inputSchema", tool.input_schema.empty() ? "{}" : tool.input_schema);
        if (!tool.output_schema.empty()) w.raw_field("outputSchema", tool.output_schema);
    }
    w.end();
}

void write_tool(json::Writer& w, const CatalogueTool& tool, const policy::Outlook& outlook) {
    w.object().field("name", tool.name).field("alias", tool.alias);
    w.field("description", described(tool, outlook));
    w.raw_field("inputSchema", tool.input_schema.empty() ? "{}" : tool.input_schema);
    if (!tool.output_schema.empty()) w.raw_field("outputSchema", tool.output_schema);
    if (!tool.annotations.empty()) w.raw_field("annotations", tool.annotations);
    w.end();
}

// By its name, else its alias, else the only one whose name differs in case and punctuation alone.
const CatalogueTool* find_tool(const std::vector<CatalogueTool>& tools, const std::string& name) {
    for (const CatalogueTool& tool : tools)
        if (tool.name == name) return &tool;
    for (const CatalogueTool& tool : tools)
        if (tool.alias == name) return &tool;
    const std::string wanted = base::letters(name);
    const CatalogueTool* alike = nullptr;
    for (const CatalogueTool& tool : tools) {
        if (wanted.empty() || base::letters(tool.name) != wanted) continue;
        if (alike) return nullptr;
        alike = &tool;
    }
    return alike;
}

jsonrpc::Error unknown_tool(const std::string& server, const std::string& tool,
                            const std::vector<CatalogueTool>& tools, const Rules& rules) {
    std::vector<std::string> names;
    names.reserve(tools.size());
    for (const CatalogueTool& each : tools)
        if (!outlook_of(rules, server, each).never()) names.push_back(each.name);
    return guest_error("unknown_tool", "server \"" + server + "\" has no tool \"" + tool.substr(0, 200) +
                                           "\"" + base::did_you_mean(tool, names));
}

CatalogueServer server_entry(const Catalogue& catalogue, const std::string& name) {
    for (CatalogueServer& each : catalogue.servers())
        if (each.name == name) return each;
    CatalogueServer none;
    none.name = name;
    return none;
}

// Why a configured server cannot be used, and what to do about it.
std::string unusable(const CatalogueServer& server) {
    std::string text = "server \"" + server.name + "\" cannot be used: " + server.reason;
    if (server.reason.ends_with(": disabled"))
        text += "; the user can enable it there, and start the client anew";
    return text;
}

bool wants_full(const json::Reader& in) {
    std::string detail = "summary";
    in.read_optional("detail", detail);
    if (detail != "summary" && detail != "full")
        throw guest_error("arguments", "detail must be \"summary\" or \"full\"");
    return detail == "full";
}

// A missing member would be shown by name and place; code is owed a sentence.
std::string string_member(std::string_view params, const char* key) {
    const auto value = json::member(params, key);
    if (!value || json::kind(*value) != json::Kind::string)
        throw guest_error("arguments", std::string(key) + " must be a string");
    return json::unquote(*value);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& each : words) text += (text.empty() ? "" : "; ") + each;
    return text;
}

// What code wants to call.
struct WantedCall {
    std::string server{};
    std::string tool{};
    std::string arguments = "{}";
    std::chrono::milliseconds limit{0}; // zero: the server's own
};

std::string text_of(std::string_view value, const char* key) {
    if (json::kind(value) != json::Kind::string)
        throw guest_error("arguments", std::string(key) + " must be a string");
    return json::unquote(value);
}

std::chrono::milliseconds limit_of(std::string_view value) {
    if (json::kind(value) != json::Kind::number) return std::chrono::milliseconds(0);
    double seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.001, 86'400.0) * 1000));
}

// In one pass: the arguments may have 64 MiB.
WantedCall read_call(std::string_view params) {
    WantedCall call;
    bool has_server = false, has_tool = false;
    for (const json::Member& each : json::members(params)) {
        if (each.key == "server") call.server = text_of(each.value, "server");
        if (each.key == "tool") call.tool = text_of(each.value, "tool");
        has_server = has_server || each.key == "server";
        has_tool = has_tool || each.key == "tool";
        if (each.key == "timeout_seconds") call.limit = limit_of(each.value);
        if (each.key == "arguments") call.arguments = std::string(each.value);
    }
    if (!has_server || !has_tool)
        throw guest_error("arguments", std::string(has_server ? "tool" : "server") + " must be a string");
    if (json::kind(call.arguments) != json::Kind::object)
        throw guest_error("arguments", "arguments must be an object");
    if (call.arguments.size() > most_arguments)
        throw guest_error("too_large", "arguments of more than 64 MiB");
    return call;
}

} // namespace

jsonrpc::Error guest_error(const std::string& kind, const std::string& message,
                           const std::string& structured) {
    json::Writer data;
    data.object().field("kind", kind);
    if (!structured.empty() && structured.size() <= most_structured) data.raw_field("structured", structured);
    data.end();
    const int code = kind == "upstream" || kind == "timeout" ? jsonrpc::code::internal_error
                                                             : jsonrpc::code::invalid_params;
    return jsonrpc::Error(code, message, data.take());
}

class GuestMethods::Waiting {
public:
    Waiting(std::shared_ptr<Waits> all, std::string server, std::string tool) : all_(std::move(all)) {
        Wait wait;
        wait.server = std::move(server);
        wait.tool = std::move(tool);
        place_ = all_->insert(all_->end(), std::move(wait));
    }
    ~Waiting() { all_->erase(place_); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    std::shared_ptr<Waits> all_;
    Waits::iterator place_;
};

std::vector<WaitingCall> GuestMethods::waiting() const {
    const auto now = std::chrono::steady_clock::now();
    std::vector<WaitingCall> all;
    for (const Wait& each : *waits_) {
        const double seconds = std::chrono::duration<double>(now - each.since).count();
        all.push_back(WaitingCall{each.server, each.tool, seconds});
    }
    return all; // each was added when it began
}

GuestMethods::GuestMethods(Shelf& shelf, Policy policy, asio::any_io_executor executor, RunSinks sinks)
    : shelf_(shelf), policy_(std::move(policy)),
      clock_(std::make_shared<std::function<void(bool)>>(sinks.clock)), sinks_(std::move(sinks)),
      few_(std::move(executor), few) {}

// On another thread, since it may be large; what it cost is the run's, also where it fails.
template <class Job> asio::awaitable<std::invoke_result_t<Job&>> GuestMethods::charged(Job job) {
    struct Charge {
        const RunSinks& sinks;
        std::chrono::nanoseconds spent{0};
        ~Charge() {
            if (sinks.spent) sinks.spent(spent);
        }
    } charge{sinks_};
    co_return co_await shelf_.workers->run(std::move(job), &charge.spent);
}

// What the host makes of what it knows: a few at a time, so that no run takes all threads.
template <class Job> asio::awaitable<std::string> GuestMethods::worked_out(Job job) {
    const base::Gate::Place place = co_await few_.enter();
    if (sinks_.writable) co_await sinks_.writable();
    co_return co_await charged(std::move(job));
}

std::vector<std::string> GuestMethods::notes() const {
    std::vector<std::string> lines;
    for (const auto& [tool, what] : odd_) lines.push_back(cleaned(tool + ": " + what));
    lines.insert(lines.end(), saved_notes_.begin(), saved_notes_.end());
    std::size_t more = 0;
    for (const auto& [server, before] : told_before_) {
        if (!called_.contains(server)) continue;
        const std::vector<std::string>& warnings = shelf_.catalogue.warnings(server);
        for (std::size_t i = std::min(before, warnings.size()); i < warnings.size(); ++i) {
            if (warnings[i].starts_with(mcp::Client::mended)) continue; // told with the result that had it
            if (more++ < most_warnings) lines.push_back(cleaned("server \"" + server + "\": " + warnings[i]));
        }
    }
    if (more > most_warnings)
        lines.push_back(std::to_string(more - most_warnings) + " more of such lines: see `cordon servers`");
    return lines;
}

// The one door to code: what a server was configured with may be in its words, its errors and its answers.
asio::awaitable<std::string> GuestMethods::answer(jsonrpc::Message message) {
    std::optional<jsonrpc::Error> failed;
    std::string text;
    try {
        text = co_await answer_all(std::move(message));
    } catch (const jsonrpc::Error& e) {
        failed.emplace(e.code(), cleaned(e.what()), cleaned(e.data()));
    } catch (const json::Error& e) {
        failed.emplace(jsonrpc::code::invalid_params, cleaned(e.what()));
    }
    if (failed) throw *failed;
    co_return co_await without_secrets(std::move(text));
}

std::string GuestMethods::cleaned(std::string text) const {
    return shelf_.secrets ? shelf_.secrets->without(std::move(text)) : text;
}

asio::awaitable<std::string> GuestMethods::without_secrets(std::string text) {
    if (text.size() < small_text) co_return cleaned(std::move(text));
    auto job = [&] { return cleaned(std::move(text)); };
    co_return co_await charged(job);
}

asio::awaitable<std::string> GuestMethods::answer_all(jsonrpc::Message message) {
    base::now_doing("a request of a guest");
    const std::string method = message.method();
    if (method == "call_tool") co_return co_await call_tool(std::move(message));
    std::string params(message.params());
    if (method == "servers") co_return co_await servers();
    if (method == "list_tools") co_return co_await list_tools(std::move(params));
    if (method == "query_tool_docs") co_return co_await query_tool_docs(std::move(params));
    if (method == "search_tool_docs") co_return co_await search_tool_docs(std::move(params));
    if (method == "capability_summary") {
        json::Writer w;
        const std::string contents = shelf_.image_contents ? shelf_.image_contents() : "";
        w.object().field("text", manual() + describe_image(contents)).end();
        co_return w.take();
    }
    if (method == "save_tool" || method == "saved_tools" || method == "delete_tool")
        co_return co_await saved(method, std::move(params));
    throw jsonrpc::Error(jsonrpc::code::method_not_found, "the host has no method " + method.substr(0, 100));
}

std::string GuestMethods::servers_json() const {
    json::Writer w;
    w.array();
    for (const CatalogueServer& each : shelf_.catalogue.servers()) {
        if (!policy_.allows(each.name)) continue;
        w.object()
            .field("name", each.name)
            .field("alias", each.alias)
            .field("description", each.description)
            .end();
    }
    return cleaned(w.end().take());
}

std::string GuestMethods::allowed_server(const std::string& name_or_alias) const {
    const auto name = shelf_.catalogue.find(name_or_alias);
    if (!name) {
        std::vector<std::string> names;
        for (const CatalogueServer& each : shelf_.catalogue.servers()) names.push_back(each.name);
        throw guest_error("unknown_server", "there is no server \"" + name_or_alias.substr(0, 200) + "\"" +
                                                base::did_you_mean(name_or_alias, names));
    }
    const CatalogueServer entry = server_entry(shelf_.catalogue, *name);
    if (!entry.usable) throw guest_error("unknown_server", unusable(entry));
    if (!policy_.allows(*name)) throw guest_error("policy", policy_.refusal(*name));
    return *name;
}

void GuestMethods::note_oddity(const std::string& tool, const std::string& what) {
    if (what.empty() || (odd_.size() >= most_odd && !odd_.contains(tool))) return;
    std::string& said = odd_[tool];
    if (said.size() > 1000 || said.find(what) != std::string::npos) return;
    said += (said.empty() ? "" : "; ") + what;
}

asio::awaitable<Catalogue::Tools> GuestMethods::tools_of(std::string server) {
    told_before_.emplace(server, shelf_.catalogue.needs_start(server)
                                     ? 0 // a life begins, with warnings of its own
                                     : shelf_.catalogue.warnings(server).size());
    if (!shelf_.catalogue.needs_start(server)) co_return co_await shelf_.catalogue.tools(server, may_ask());
    const PausedClock paused(clock_);
    const Waiting waiting(waits_, server, "");
    co_return co_await shelf_.catalogue.tools(server, may_ask());
}

asio::awaitable<std::string> GuestMethods::servers() {
    json::Writer w;
    w.object().key("servers").array();
    for (const CatalogueServer& each : shelf_.catalogue.servers()) {
        const bool allowed = policy_.allows(each.name);
        w.object()
            .field("name", each.name)
            .field("alias", each.alias)
            .field("usable", each.usable && allowed);
        if (allowed || (!each.usable && !policy_.is_narrow())) {
            w.field("description", each.description).field("state", each.state);
            if (!each.usable || !each.reason.empty())
                w.field("reason", each.usable ? each.reason : unusable(each));
            if (!each.cwd.empty()) w.field("cwd", each.cwd);
        } else { // of one that the run may not use it learns no more
            w.field("description", "").field("state", "").field("reason", policy_.refusal(each.name));
        }
        w.end();
    }
    co_return w.end().end().take();
}

asio::awaitable<std::string> GuestMethods::list_tools(std::string params) {
    const std::string server = allowed_server(string_member(params, "server"));
    const Catalogue::Tools tools = co_await tools_of(server);
    auto job = [tools, entry = server_entry(shelf_.catalogue, server), rules = policy_.rules()] {
        json::Writer w;
        w.object().key("server").object().field("name", entry.name).field("alias", entry.alias);
        w.field("description", entry.description).field("cwd", entry.cwd).end().key("tools").array();
        for (const CatalogueTool& tool : *tools) {
            const policy::Outlook outlook = outlook_of(rules, entry.name, tool);
            if (!outlook.never()) write_tool(w, tool, outlook);
        }
        return w.end().end().take();
    };
    co_return co_await worked_out(std::move(job));
}

// Takes out nulls that the schema does not want; then what is wrong with the arguments. Small ones are looked
// at at once.
asio::awaitable<std::vector<std::string>> GuestMethods::checked(std::string_view schema,
                                                                std::string* arguments) {
    auto job = [&] {
        *arguments = shelf_.schemas.without_nulls(schema, std::move(*arguments));
        return shelf_.schemas.problems(schema, *arguments);
    };
    std::optional<std::vector<std::string>> quick = shelf_.schemas.clean_at_once(schema, arguments);
    if (quick) co_return std::move(*quick);
    co_return co_await charged(job);
}

asio::awaitable<std::string> GuestMethods::oddity(const CatalogueTool* tool, const jsonrpc::Message* answer) {
    if (tool->output_schema.empty()) co_return std::string();
    auto job = [&] { return broken_promise(shelf_.schemas, *tool, answer->result()); };
    std::optional<std::string> quick = broken_promise_at_once(shelf_.schemas, *tool, answer->result());
    if (quick) co_return std::move(*quick);
    co_return co_await charged(job);
}

// The user's rules, before the arguments leave. Gives the rule that let the call through, which lives as long
// as the run; null: none did, or there are none.
asio::awaitable<const policy::Rule*> GuestMethods::admit(policy::Target target, std::string description,
                                                         const std::string* arguments) {
    const Rules rules = policy_.rules();
    if (!rules) co_return nullptr;
    auto find = [&] { return policy::match(*rules, target, *arguments); };
    policy::Match found;
    if (arguments->size() < small_text)
        found = find();
    else
        found = co_await charged(find);
    const policy::Decision decision = policy_.decide(target, found, arguments->size());
    if (decision.action == policy::Action::deny) throw guest_error("policy", decision.refusal);
    if (decision.action == policy::Action::allow) co_return decision.rule;
    if (!policy_.ask()) throw guest_error("policy", decision.refusal);
    CallQuestion question;
    question.server = target.server;
    question.tool = target.tool;
    question.arguments = *arguments;
    question.description = cleaned(std::move(description));
    question.may_be_always = decision.flow.empty();
    if (!decision.flow.empty()) {
        question.rule = decision.flow;
    } else if (decision.rule) {
        question.rule = policy::called(*decision.rule);
        question.by = *decision.rule;
    }
    const PausedClock paused(clock_);
    const std::string no = co_await policy_.ask()(std::move(question));
    if (!no.empty()) throw guest_error("policy", no + ". " + decision.refusal);
    if (!policy_.allows(target.server)) throw guest_error("policy", policy_.refusal(target.server)); // by now
    const std::string limit = policy_.let_through(target, found, arguments->size());
    if (!limit.empty()) throw guest_error("policy", limit);
    co_return decision.rule;
}

asio::awaitable<std::string> GuestMethods::call_tool(jsonrpc::Message message) {
    WantedCall call;
    auto read = [&] {
        call = read_call(message.params());
        // Counted until the answer is there: a server may take its time to read them.
        return message.free_text();
    };
    base::Budget::Share held;
    if (message.size() < small_text)
        held = read();
    else
        held = co_await charged(read);
    base::now_doing("a call of a guest");
    const std::string server = allowed_server(call.server);
    const std::string wanted = std::move(call.tool);
    std::string arguments = std::move(call.arguments);
    const Catalogue::Tools tools = co_await tools_of(server);
    const CatalogueTool* tool = find_tool(*tools, wanted);
    if (!tool) throw unknown_tool(server, wanted, *tools, policy_.rules());
    const std::vector<std::string> problems = co_await checked(tool->input_schema, &arguments);
    if (!problems.empty()) {
        std::string text = server + '.' + tool->name + ": ";
        for (const std::string& problem : problems)
            text += (problem == problems.front() ? "" : "; ") + problem;
        throw guest_error("arguments", text);
    }
    const policy::Rule* const rule = co_await admit(target_of(server, *tool), tool->description, &arguments);
    called_.insert(server);
    const std::string name = tool->name;
    const Waiting waiting(waits_, server, name);
    mcp::CallOptions options;
    options.on_progress = progress_of(server + '.' + name);
    options.asker = asker();
    options.limit = call.limit;
    if (rule && rule->timeout && (options.limit.count() == 0 || *rule->timeout < options.limit))
        options.limit = *rule->timeout;
    jsonrpc::Message answer = co_await shelf_.catalogue.call(server, name, std::move(arguments),
                                                             std::move(options), paused_start());
    base::now_doing("the answer to a guest's call");
    if (answer.result().size() > most_result)
        throw guest_error("too_large", "the result of " + server + '.' + name + " has " +
                                           std::to_string(answer.result().size()) +
                                           " bytes, above the limit of 64 MiB");
    if (rule && rule->max_result && answer.result().size() > static_cast<std::size_t>(*rule->max_result))
        throw guest_error("policy", "the result of " + server + '.' + name + " has " +
                                        std::to_string(answer.result().size()) + " bytes, and " +
                                        policy::called(*rule) +
                                        " has max_result = " + std::to_string(*rule->max_result) +
                                        ". The tool was called. To allow more, the user can raise that "
                                        "number there.");
    if (sinks_.spent) sinks_.spent(answer.cost());
    std::string odd = co_await oddity(tool, &answer);
    note_oddity(server + '.' + name, odd);
    if (!answer.mended().empty())
        note_oddity(server + '.' + name, "its answer was not as it should be: " + joined(answer.mended()));
    auto text = [&] { return answer.python_result(); };
    if (answer.size() < small_text) co_return text();
    co_return co_await charged(text);
}

// The run's time does not pass while a server starts, the second time no more than the first.
Catalogue::WhileStarting GuestMethods::paused_start() const {
    return [clock = std::weak_ptr(clock_)] { return std::make_shared<PausedClock>(clock); };
}

// The run's time does not pass while a person thinks.
mcp::Asker GuestMethods::asker() const {
    if (!may_ask()) return {};
    auto ask = [ask = sinks_.asker.ask, clock = std::weak_ptr(clock_), asked = asked_](std::string params) {
        return ask_paused(ask, clock, asked, std::move(params));
    };
    return {sinks_.asker.who, std::move(ask)};
}

// "server.tool: message (2 of 4)"
std::function<void(double, std::optional<double>, std::string)>
GuestMethods::progress_of(std::string tool) const {
    if (!sinks_.progress) return {};
    return [tool = std::move(tool), said = sinks_.progress,
            secrets = shelf_.secrets](double done, std::optional<double> total, std::string message) {
        std::ostringstream text;
        text << tool << ": " << message << (message.empty() ? "" : " ") << '(' << done;
        if (total) text << " of " << *total;
        text << ')';
        said(secrets ? secrets->without(text.str()) : text.str());
    };
}

namespace {

jsonrpc::Error never_allowed(const policy::Rules& rules, const std::string& server,
                             const CatalogueTool& tool) {
    policy::Usage none;
    return guest_error("policy", policy::decide(rules, target_of(server, tool), "{}", none).refusal);
}

} // namespace

asio::awaitable<std::string> GuestMethods::query_tool_docs(std::string params) {
    const json::Document document(params);
    const json::Reader in = document.root("arguments");
    const std::string server = allowed_server(string_member(params, "server"));
    const bool full = wants_full(in);
    std::string wanted;
    const bool one = in.read_optional("tool", wanted);
    const Catalogue::Tools tools = co_await tools_of(server);
    auto job = [tools, one, full, wanted, entry = server_entry(shelf_.catalogue, server),
                rules = policy_.rules()] {
        json::Writer w;
        w.object().key("tools").array();
        if (one) {
            const CatalogueTool* tool = find_tool(*tools, wanted);
            if (!tool) throw unknown_tool(entry.name, wanted, *tools, rules);
            if (outlook_of(rules, entry.name, *tool).never()) throw never_allowed(*rules, entry.name, *tool);
            write_doc(w, entry, *tool, full, rules);
        } else {
            for (const CatalogueTool& tool : *tools)
                if (!outlook_of(rules, entry.name, tool).never()) write_doc(w, entry, tool, full, rules);
        }
        return w.end().end().take();
    };
    co_return co_await worked_out(std::move(job));
}

// Starts all servers of this run that were not started yet, together; one that fails is left out of the
// search.
asio::awaitable<void> GuestMethods::start_all() {
    std::vector<std::string> cold;
    for (const std::string& server : policy_.servers())
        if (shelf_.catalogue.needs_start(server)) cold.push_back(server);
    for (const std::string& server : cold) told_before_.emplace(server, 0);
    if (cold.empty()) co_return;
    const PausedClock paused(clock_);
    const Waiting waiting(waits_, "", "");
    const auto executor = co_await asio::this_coro::executor;
    const auto open = std::make_shared<std::size_t>(cold.size());
    const auto all = std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    for (const std::string& server : cold) {
        auto done = [open, all](std::exception_ptr, Catalogue::Tools) {
            if (--*open == 0) all->cancel();
        };
        asio::co_spawn(executor, shelf_.catalogue.tools(server, may_ask()), std::move(done));
    }
    boost::system::error_code ignored;
    if (*open > 0)
        co_await all->async_wait(
            asio::redirect_error(asio::use_awaitable, ignored)); // each start has a limit of its own
}

namespace {

// A server and its tools as they are now: both stay as they are while another thread looks at them.
struct Known {
    CatalogueServer server;
    Catalogue::Tools tools; // null: never started
};

std::vector<Known> known_now(const Catalogue& catalogue) {
    std::vector<Known> all;
    for (CatalogueServer& server : catalogue.servers()) {
        Catalogue::Tools tools = catalogue.known_tools(server.name);
        all.push_back(Known{std::move(server), std::move(tools)});
    }
    return all;
}

search::ToolIndex::ToolsByServer to_index(const std::vector<Known>& known) {
    search::ToolIndex::ToolsByServer all;
    for (const auto& [server, tools] : known) {
        std::vector<search::IndexedTool> indexed;
        if (tools) {
            for (const CatalogueTool& tool : *tools) {
                search::IndexedTool entry{server.name,      server.description,
                                          tool.name,        tool.alias,
                                          tool.description, search::parameter_names(tool.input_schema)};
                indexed.push_back(std::move(entry));
            }
        }
        all.emplace_back(server.name, std::move(indexed));
    }
    return all;
}

std::string found_docs(const std::vector<search::ToolIndex::Hit>& hits, const std::vector<Known>& known,
                       bool full, int limit, const Rules& rules) {
    json::Writer w;
    w.object().key("results").array();
    for (const search::ToolIndex::Hit& hit : hits) {
        for (const auto& [server, tools] : known) {
            if (server.name != hit.server || !tools || limit == 0) continue;
            const CatalogueTool* tool = find_tool(*tools, hit.name);
            if (!tool || outlook_of(rules, server.name, *tool).never()) continue;
            write_doc(w, server, *tool, full, rules);
            --limit;
        }
    }
    return w.end().end().take();
}

} // namespace

asio::awaitable<std::string> GuestMethods::search_tool_docs(std::string params) {
    const std::string query = string_member(params, "query");
    const json::Document document(params);
    const json::Reader in = document.root("arguments");
    const bool full = wants_full(in);
    int limit = 5;
    in.read_optional("limit", limit);
    limit = std::clamp(limit, 1, most_hits);
    co_await start_all();
    auto job = [&index = shelf_.index, generation = shelf_.catalogue.generation(), query, limit, full,
                servers = policy_.servers(), known = known_now(shelf_.catalogue), rules = policy_.rules()] {
        index.bring_to(generation, [&] { return to_index(known); });
        const int most = rules ? most_ruled_hits : limit; // some of them may be hidden
        return found_docs(index.search(query, most, servers), known, full, limit, rules);
    };
    co_return co_await worked_out(std::move(job));
}

namespace {

// What was asked of the saved functions, done: the answer, and what the host must know of it.
struct SavedWork {
    std::string answer{};
    std::optional<SavedTools::Tool> replaced{};
    std::vector<SavedTools::Tool> loaded{};
};

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Without names it is a list to read; with names, functions to run.
SavedWork look_at_saved(SavedTools& saved, const std::string& params) {
    const json::Document document(params);
    std::vector<std::string> wanted;
    const bool all = !document.root("params").read_optional("names", wanted);
    SavedWork work;
    json::Writer w;
    w.object().key("tools").array();
    for (SavedTools::Tool& tool : saved.list()) {
        if (!all && !is_wanted(wanted, tool.name)) continue;
        w.object().field("name", tool.name).field("source", tool.source).field("origin", tool.rights.origin);
        if (tool.rights.servers) w.field("servers", *tool.rights.servers);
        w.end();
        if (!all) work.loaded.push_back(std::move(tool));
    }
    work.answer = w.end().end().take();
    return work;
}

SavedWork work_on_saved(SavedTools& saved, const std::string& method, const std::string& params,
                        const SavedTools::Rights& rights) {
    if (method == "saved_tools") return look_at_saved(saved, params);
    const std::string name = string_member(params, "name");
    SavedWork work;
    json::Writer w;
    if (method == "save_tool") {
        work.replaced = saved.save(name, string_member(params, "source"), rights);
        w.object().field("replaced", work.replaced.has_value());
    } else {
        w.object().field("deleted", saved.remove(name));
    }
    work.answer = w.end().take();
    return work;
}

std::string from_whom(const SavedTools::Tool& tool) {
    return tool.rights.origin.empty() ? "" : " (saved by " + tool.rights.origin.substr(0, 100) + ")";
}

} // namespace

void GuestMethods::tell_saved(const std::string& what, const std::string& note) {
    if (saved_tools_.size() < most_odd) saved_tools_.push_back(what);
    if (!note.empty() && saved_notes_.size() < most_odd) saved_notes_.push_back(note);
}

namespace {

// While its job runs nobody knows yet whether it will be refused; a name of other letters will be.
bool could_be_saved(const std::string& name) {
    return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

} // namespace

// The job of one that has begun may be done already, though its answer has not come back: code that ends at
// once must not save anything that its result does not tell.
void GuestMethods::ending() {
    ended_ = true;
    for (const std::shared_ptr<Saving>& saving : saving_) {
        int waits = Saving::waits;
        const bool begun = !saving->state.compare_exchange_strong(waits, Saving::given_up);
        if (!begun || waits == Saving::given_up || !could_be_saved(saving->name)) continue;
        saving->told = true;
        tell_saved("saved " + saving->name, "saved tool " + saving->name);
    }
    saving_.clear();
}

void GuestMethods::narrow_to(const Policy::Rights& other, const std::string& why) {
    std::string lost;
    for (const std::string& server : policy_.narrow_to(other, why))
        lost += (lost.empty() ? "" : ", ") + server;
    if (!lost.empty() && saved_notes_.size() < most_odd)
        saved_notes_.push_back("this run could not use " + lost + ": " + why);
}

void GuestMethods::begin_anew() {
    policy_ = first_policy_;
    saved_notes_.clear();
    ended_ = false;
}

// A function acts with the rights of the run that saved it: what that might not use, this run may not use
// from here on, since nobody can tell which of its code calls.
void GuestMethods::take_rights(const SavedTools::Tool& tool) {
    tell_saved("loaded " + tool.name, "");
    narrow_to(tool.rights.servers, "it loaded the saved tool \"" + tool.name + "\"" + from_whom(tool) +
                                       ", which was saved by a run that might not use it");
}

asio::awaitable<std::string> GuestMethods::saved(std::string method, std::string params) {
    if (!shelf_.saved)
        throw guest_error("policy", "saved tools are turned off on this host (CORDON_SAVED_TOOLS=0)");
    SavedWork work;
    const bool saves = method == "save_tool";
    const auto saving = std::make_shared<Saving>(saves ? string_member(params, "name").substr(0, 64) : "");
    if (saves) saving_.push_back(saving);
    auto job = [&, saving, rights = SavedTools::Rights{policy_.rights(), sinks_.client}] {
        int waits = Saving::waits;
        if (!saving->state.compare_exchange_strong(waits, Saving::begun))
            throw SavedTools::Error("the run has ended");
        struct Failed {
            std::atomic<int>& state;
            bool failed = true;
            ~Failed() {
                if (failed) state = Saving::given_up;
            }
        } outcome{saving->state};
        work = work_on_saved(*shelf_.saved, method, params, rights);
        outcome.failed = false;
        return std::string();
    };
    if (ended_) saving->state = Saving::given_up;
    std::string failed;
    try {
        co_await worked_out(std::move(job));
    } catch (const SavedTools::Error& e) {
        failed = e.what();
    }
    saving_.remove(saving);
    if (!failed.empty()) throw guest_error("arguments", failed);
    for (const SavedTools::Tool& tool : work.loaded) take_rights(tool);
    if (saves && !saving->told) {
        const std::string& name = saving->name;
        tell_saved((work.replaced ? "replaced " : "saved ") + name,
                   work.replaced
                       ? "saved tool " + name + ", which replaced an earlier one" + from_whom(*work.replaced)
                       : "saved tool " + name);
    }
    co_return std::move(work.answer);
}

} // namespace bridge
