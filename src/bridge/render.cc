#include "src/bridge/render.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

#include "src/base/json.h"
#include "src/base/utf8.h"
#include "src/bridge/remedies.h"
#include "src/bridge/toon.h"

namespace bridge {
using base::Shown;

namespace {

using sandbox::Status;

std::string signal_name(int number) {
    const char* name = ::sigabbrev_np(number);
    return name ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

// Beginning, what is missing between, end.
std::string joined(const sandbox::Output& out) {
    std::string text = out.head;
    if (out.omitted_bytes > 0) {
        if (!text.empty() && text.back() != '\n') text += '\n';
        text += "… [" + std::to_string(out.omitted_bytes) + " bytes left out] …\n";
    }
    return text + out.tail;
}

void add_line(std::string& text, const std::string& line) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += line;
}

// What a limit that was hit is called, with its value.
Shown limit_line(const std::string& limit, const RunReport& report) {
    if (limit == "memory")
        return "the memory limit of " + Shown::line(human_size(report.memory_bytes)) + " was hit";
    if (limit == "processes") return "the limit of " + Shown::number(report.pids) + " processes was hit";
    if (limit == "disk") return "the disk is full (/tmp 64 MiB, /workspace 128 MiB, /dev/shm 64 MiB)";
    if (limit == "open_files")
        return "the limit of " + Shown::number(report.open_files) + " open files was hit";
    return {}; // time is the headline's
}

// A server chooses the names of its tools.
Shown name_of(const std::string& theirs) { return Shown::line(theirs, 200); }

// "28.1 s"
Shown tenths(double seconds) {
    char text[32];
    const int n = std::snprintf(text, sizeof text, "%.1f s", seconds);
    return Shown::line(std::string_view(text, static_cast<std::size_t>(n)));
}

Shown in_words(const WaitingCall& call) {
    if (call.server.empty())
        return "all servers, which are being started for a search (" + tenths(call.seconds) + ")";
    if (call.tool.empty())
        return "server " + name_of(call.server) + ", which is still starting (" + tenths(call.seconds) + ")";
    return name_of(call.server) + "." + name_of(call.tool) + " (" + tenths(call.seconds) + ")";
}

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

// What the host and the guest's supervisor know. Not what the code's own process says: that is claims().
std::vector<Shown> note_lines(const RunReport& report) {
    std::vector<Shown> lines;
    if (report.outcome.status != Status::timeout && !report.waiting.empty())
        lines.push_back(waiting_for(report)); // else the headline has it
    for (const std::string& limit : report.outcome.limits) {
        const Shown line = limit_line(limit, report);
        const bool said = limit == "memory" && report.outcome.status == Status::out_of_memory;
        if (!line.empty() && !said) lines.push_back(line);
    }
    lines.insert(lines.end(), report.outcome.notes.begin(), report.outcome.notes.end());
    lines.insert(lines.end(), report.notes.begin(), report.notes.end());
    for (const std::string& remedy : remedies(report)) lines.push_back(Shown::line(remedy));
    for (const Shown& artifact : report.artifacts) lines.push_back("file " + artifact);
    if (report.pictures.size() == 1) lines.push_back("1 image follows");
    if (report.pictures.size() > 1)
        lines.push_back(Shown::number(static_cast<std::int64_t>(report.pictures.size())) + " images follow");
    if (report.refused.empty() && !report.not_enforced.empty())
        lines.push_back("not enforced: " + Shown::block(sandbox::describe(report.not_enforced)));
    return lines;
}

void write_lines(json::Writer& w, const char* key, const std::vector<Shown>& lines) {
    if (lines.empty()) return;
    w.key(key).array();
    for (const Shown& each : lines) w.value(each.text());
    w.end();
}

void write_waiting(json::Writer& w, const RunReport& report) {
    w.key("waiting").array();
    for (const WaitingCall& each : report.waiting) {
        w.object();
        if (!each.server.empty()) w.field("server", json::valid_utf8(each.server));
        if (!each.tool.empty()) w.field("tool", json::valid_utf8(each.tool));
        w.field("seconds", std::round(each.seconds * 10) / 10).end();
    }
    w.end();
    if (report.waiting_in_all > report.waiting.size())
        w.field("waitingInAll", static_cast<std::int64_t>(report.waiting_in_all));
}

bool succeeded(const RunReport& report) {
    return report.refused.empty() && !report.cancelled && report.outcome.status == Status::success;
}

enum class Streams { none, filled, all };

// The facts for programs; with streams also what was printed: where there is something, or always.
void write_facts(json::Writer& w, const RunReport& report, Streams streams) {
    const sandbox::Outcome& o = report.outcome;
    w.object().field("status", status_name(report));
    w.optional_field("exitCode", o.exit_code).optional_field("signal", o.signal);
    const Shown error = report.refused.empty() ? Shown::line(o.error) : Shown::block(report.refused);
    if (!error.empty()) w.field("error", error.text());
    if (report.timeout_seconds > 0) w.field("timeoutSeconds", report.timeout_seconds);
    if (o.duration_ms > 0) w.field("durationMs", o.duration_ms);
    if (o.cpu_ms > 0) w.field("cpuMs", o.cpu_ms);
    if (o.peak_memory_bytes > 0) w.field("peakMemoryBytes", o.peak_memory_bytes);
    if (!report.session.empty()) w.field("session", report.session);
    if (!report.servers.empty()) w.field("servers", report.servers);
    if (o.tool_calls > 0) w.field("toolCalls", o.tool_calls);
    if (!report.saved_tools.empty()) w.field("savedTools", report.saved_tools);
    if (!report.waiting.empty()) write_waiting(w, report);
    if (!o.limits.empty()) w.field("limits", o.limits);
    if (!o.claimed.limits.empty()) w.field("claimedLimits", o.claimed.limits);
    const std::int64_t omitted = o.out.omitted_bytes + o.err.omitted_bytes;
    if (omitted > 0) w.field("truncatedBytes", omitted);
    if (!report.not_enforced.empty()) {
        w.key("notEnforced").array();
        for (const sandbox::Finding& f : report.not_enforced) w.value(f.row);
        w.end();
    }
    if (streams != Streams::none) {
        const bool all = streams == Streams::all;
        if (all || o.out.total_bytes > 0 || !o.out.head.empty()) w.field("stdout", joined(o.out));
        if (all || o.err.total_bytes > 0 || !o.err.head.empty()) w.field("stderr", joined(o.err));
        if (o.value) w.field("value", *o.value);
        if (all && !o.value) w.key("value").null();
        if (!report.files.empty()) w.field("files", report.files);
        if (!report.displayed.empty()) w.field("displayed", report.displayed);
        write_lines(w, "notes", note_lines(report));
        write_lines(w, "claimedNotes", o.claimed.notes);
    }
    w.end();
}

std::string facts(const RunReport& report, Streams streams) {
    json::Writer w;
    write_facts(w, report, streams);
    return w.take();
}

std::string result_of(const RunReport& report, const std::string& text, OutputMode mode,
                      std::size_t pictures) {
    json::Writer w;
    w.object().key("content").array();
    w.object().field("type", "text").field("text", text).end();
    for (std::size_t i = 0; i < pictures; ++i) {
        const Picture& p = report.pictures[i];
        w.object().field("type", "image").field("data", p.base64).field("mimeType", p.mime_type).end();
    }
    w.end().field("isError", !succeeded(report));
    if (mode == OutputMode::structured) w.raw_field("structuredContent", facts(report, Streams::filled));
    w.key("_meta").object().raw_field("cordon/result", facts(report, Streams::none)).end();
    return w.end().take();
}

// A JSON value, but no object.
bool is_bare_json(const std::string& text) {
    try {
        json::check(text);
    } catch (const json::Error&) {
        return false;
    }
    return json::kind(text) != json::Kind::object;
}

// At most `bytes` of it, on a character's border.
std::string cut(const std::string& text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    std::size_t end = bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "\n… [" + std::to_string(text.size() - end) +
           " bytes left out: the result is too large]";
}

} // namespace

const char* status_name(const RunReport& report) {
    if (!report.refused.empty()) return "refused";
    if (report.cancelled) return "cancelled";
    switch (report.outcome.status) {
    case Status::success:
        return "success";
    case Status::timeout:
        return "timeout";
    case Status::out_of_memory:
        return "out_of_memory";
    case Status::error:
    case Status::killed:
        break;
    }
    return "error";
}

std::string human_size(std::int64_t bytes) {
    constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double size = static_cast<double>(bytes);
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        ++unit;
    }
    char text[48];
    std::snprintf(text, sizeof text,
                  size == static_cast<double>(static_cast<std::int64_t>(size)) ? "%.0f %s" : "%.1f %s", size,
                  units[unit]);
    return text;
}

// An end of the code's own making may have words of its own, in brackets: they are no line of ours.
Shown in_brackets(const std::string& error) {
    return error.empty() ? Shown() : " (" + Shown::line(error) + ")";
}

Shown headline(const RunReport& report) {
    const sandbox::Outcome& o = report.outcome;
    if (!report.refused.empty()) return Shown::block(report.refused);
    if (report.cancelled) return "cancelled";
    switch (o.status) {
    case Status::success:
        return {};
    case Status::timeout:
        return "timed out after " + Shown::number(report.timeout_seconds) + " s" +
               (report.waiting.empty() ? Shown() : "; " + waiting_for(report));
    case Status::out_of_memory:
        return "killed: out of memory (" + Shown::line(human_size(report.memory_bytes)) + ")";
    case Status::error:
    case Status::killed:
        break;
    }
    if (o.signal) return "killed by " + Shown::line(signal_name(*o.signal)) + in_brackets(o.error);
    if (o.exit_code && *o.exit_code != 0)
        return "exit status " + Shown::number(*o.exit_code) + in_brackets(o.error);
    if (o.exit_code) return "the code did not run to its end" + in_brackets(o.error);
    return o.error.empty() ? Shown("the code did not run to its end") : Shown::block(o.error);
}

Shown waiting_for(const RunReport& report) {
    Shown text;
    for (const WaitingCall& each : report.waiting)
        text += (text.empty() ? Shown("still waiting for ") : Shown(", ")) + in_words(each);
    if (report.waiting_in_all > report.waiting.size())
        text += " and " +
                Shown::number(static_cast<std::int64_t>(report.waiting_in_all - report.waiting.size())) +
                " more";
    return text;
}

std::vector<Shown> claims(const RunReport& report) {
    const sandbox::Outcome& o = report.outcome;
    std::vector<Shown> lines;
    for (const std::string& limit : o.claimed.limits) {
        const Shown line = limit_line(limit, report);
        if (!line.empty() && !has(o.limits, limit)) lines.push_back(line);
    }
    lines.insert(lines.end(), o.claimed.notes.begin(), o.claimed.notes.end());
    return lines;
}

Shown artifact_line(const std::string& name, const std::string& uri) {
    return "artifacts/" + Shown::line(name) + ": " + Shown::line(uri);
}

std::string render_text(const RunReport& report) {
    const sandbox::Outcome& o = report.outcome;
    std::string text = headline(report).text();
    const std::string out = joined(o.out);
    const std::string err = joined(o.err);
    if (!out.empty()) add_line(text, out);
    if (!err.empty()) {
        add_line(text, "stderr:\n" + err);
    }
    for (const std::string& shown : report.displayed) add_line(text, shown);
    if (o.value) add_line(text, *o.value);
    if (text.empty() && report.pictures.empty()) text = "(no output)";
    for (const Shown& line : claims(report)) add_line(text, ("[" + claimed + line + "]").text());
    for (const Shown& line : note_lines(report)) add_line(text, ("[" + line + "]").text());
    return text;
}

bool takes_json_for_structure(const std::string& client_name) {
    return client_name.starts_with("gemini-cli");
}

std::string render_result(const RunReport& report, OutputMode mode, bool no_bare_json) {
    std::string text = mode == OutputMode::toon
                           ? "```toon\n" + to_toon(facts(report, Streams::filled)) + "\n```"
                           : render_text(report);
    if (no_bare_json && mode == OutputMode::compact && is_bare_json(text)) add_line(text, "[no more output]");
    text = cut(text, most_result_bytes / 4);
    std::size_t pictures = report.pictures.size();
    std::string result = result_of(report, text, mode, pictures);
    while (result.size() > most_result_bytes && pictures > 0) {
        --pictures;
        const std::size_t lost = report.pictures.size() - pictures;
        result = result_of(
            report, text + "\n[" + std::to_string(lost) + " of the images left out: the result is too large]",
            mode, pictures);
    }
    if (result.size() > most_result_bytes)
        result = result_of(report, cut(text, most_result_bytes / 16), OutputMode::compact, 0);
    return result;
}

std::string render_json(const RunReport& report) { return facts(report, Streams::all); }

std::string render_refusal(const std::string& why) {
    RunReport report;
    report.refused = why;
    return render_result(report, OutputMode::compact);
}

} // namespace bridge
