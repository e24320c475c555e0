#include "src/bridge/call_form.h"

#include "src/base/json.h"
#include "src/base/shown.h"
#include "src/jsonrpc/message.h"
#include "src/mcp/elicitation.h"

namespace bridge {
namespace {

using base::Shown;

constexpr std::size_t most_name = 200;
constexpr std::size_t most_arguments_shown = 8000; // of all calls of a form
constexpr std::size_t most_description = 400;
constexpr std::size_t most_rule = 1000;

struct Choice {
    Permission permission;
    const char* text;
};
constexpr Choice choices[] = {{Permission::no, "no"},
                              {Permission::once, "allow once"},
                              {Permission::run, "allow for this run"},
                              {Permission::session, "allow for this session"},
                              {Permission::always, "allow always"}};

bool is_offered(const AskedCall& call, Permission permission) {
    if (permission == Permission::always) return !call.always.empty();
    return permission != Permission::session || call.session;
}

std::string key_of(std::size_t index) { return "call_" + std::to_string(index + 1); }

Shown about(const AskedCall& call, std::size_t most_arguments, const std::string& file) {
    const CallQuestion& q = call.question;
    Shown text = Shown::line(q.server, most_name) + "." + Shown::line(q.tool, most_name);
    text += "\n    arguments: " + Shown::line(q.arguments, most_arguments);
    text += "\n    asked by: " +
            (q.rule.empty() ? Shown("the policy's default") : Shown::line(q.rule, most_name));
    if (!q.description.empty())
        text += "\n    the server says of it: " + Shown::line(q.description, most_description);
    if (!call.always.empty())
        text += "\n    \"allow always\" writes into " + Shown::line(file, most_name) + ":\n    " +
                Shown::block(call.always, most_rule);
    return text;
}

void write_choices(json::Writer& w, const AskedCall& call) {
    w.object()
        .field("type", "string")
        .field("title", Shown::line(call.question.server + '.' + call.question.tool, most_name).text());
    w.key("enum").array();
    for (const Choice& each : choices)
        if (is_offered(call, each.permission)) w.value(std::string(each.text));
    w.end().field("default", "no").end();
}

Permission answer_of(std::string_view content, std::size_t index, const AskedCall& call) {
    const auto value = json::member(content, key_of(index));
    if (!value || json::kind(*value) != json::Kind::string) return Permission::no;
    const std::string said = json::unquote(*value);
    for (const Choice& each : choices)
        if (said == each.text && is_offered(call, each.permission)) return each.permission;
    return Permission::no;
}

} // namespace

std::string call_form(const std::vector<AskedCall>& calls, const std::string& file) {
    Shown message = "Code in run_python wants to call ";
    message += calls.size() == 1 ? Shown("a tool.")
                                 : Shown::number(static_cast<std::int64_t>(calls.size())) +
                                       " tools. Each has an answer of its own.";
    for (std::size_t i = 0; i < calls.size(); ++i)
        message += "\n\n" + Shown::line(key_of(i)) + ": " +
                   about(calls[i], most_arguments_shown / calls.size(), file);
    json::Writer w;
    w.object().field("message", message.text()).key("requestedSchema").object().field("type", "object");
    w.key("properties").object();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        w.key(key_of(i));
        write_choices(w, calls[i]);
    }
    w.end().key("required").array();
    for (std::size_t i = 0; i < calls.size(); ++i) w.value(key_of(i));
    return w.end().end().end().take();
}

std::vector<Permission> form_answers(std::string_view result, const std::vector<AskedCall>& calls) {
    std::vector<Permission> all(calls.size(), Permission::no);
    try {
        const std::string checked = mcp::elicitation::answer(result);
        const auto content = json::member(checked, "content"); // only where the person accepted
        for (std::size_t i = 0; content && i < calls.size(); ++i) all[i] = answer_of(*content, i, calls[i]);
    } catch (const jsonrpc::Error&) { // NOLINT: what cannot be read is a no
    } catch (const json::Error&) {    // NOLINT: the same
    }
    return all;
}

} // namespace bridge
