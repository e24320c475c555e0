#include "src/sandbox/execution.h"

#include "src/base/json.h"

namespace sandbox {
namespace {

Status read_status(const json::Reader& in) {
    const std::string text = in.as_string();
    if (text == "success") return Status::success;
    if (text == "error") return Status::error;
    if (text == "timeout") return Status::timeout;
    if (text == "out_of_memory") return Status::out_of_memory;
    if (text == "killed") return Status::killed;
    in.fail("expected a status");
}

void read_stream(const json::Reader& in, const char* key, Output& out) {
    const auto stream = in.find(key);
    if (!stream || stream->is_null()) return;
    stream->read_optional("tail", out.tail);
    stream->read_optional("omitted_bytes", out.omitted_bytes);
    stream->read_optional("total_bytes", out.total_bytes);
}

constexpr std::size_t most_note = 4000; // bytes

std::vector<base::Shown> read_notes(const json::Reader& in) {
    std::vector<std::string> texts;
    in.read_optional("notes", texts);
    std::vector<base::Shown> notes;
    for (const std::string& each : texts) notes.push_back(base::Shown::line(each, most_note));
    return notes;
}

} // namespace

Outcome read_outcome(std::string_view result) {
    const json::Document document(result);
    const json::Reader in = document.root("result");
    Outcome outcome;
    outcome.status = read_status(in.at("status"));
    in.read_optional("exit_code", outcome.exit_code);
    in.read_optional("signal", outcome.signal);
    in.read_optional("error", outcome.error);
    in.read_optional("value", outcome.value);
    read_stream(in, "stdout", outcome.out);
    read_stream(in, "stderr", outcome.err);
    in.read_optional("duration_ms", outcome.duration_ms);
    in.read_optional("cpu_ms", outcome.cpu_ms);
    in.read_optional("peak_memory_bytes", outcome.peak_memory_bytes);
    in.read_optional("limits", outcome.limits);
    outcome.notes = read_notes(in);
    if (const auto claimed = in.find("claimed")) {
        claimed->read_optional("limits", outcome.claimed.limits);
        outcome.claimed.notes = read_notes(*claimed);
        claimed->read_optional("imports", outcome.claimed.imports);
    }
    in.read_optional("tool_calls", outcome.tool_calls);
    in.read_optional("alive", outcome.alive);
    return outcome;
}

std::string write_execution(const Execution& execution) {
    json::Writer w;
    w.reserve(execution.code.size() + execution.servers.size() + 512);
    w.object().field("code", execution.code);
    w.field("timeout_seconds", static_cast<double>(execution.timeout.count()) / 1000);
    w.raw_field("servers", execution.servers).field("saved_tools", execution.saved_tools);
    if (!execution.argv.empty()) w.field("argv", execution.argv);
    w.key("output").object().field("head", execution.head).field("tail", execution.tail).end();
    w.field("session", execution.session).field("figures", execution.figures);
    w.field("terminal", execution.keep_output); // whoever takes all output takes it as it came
    return w.end().take();
}

} // namespace sandbox
