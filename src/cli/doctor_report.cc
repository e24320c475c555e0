#include "src/cli/doctor_report.h"

#include <algorithm>

#include "runtime_api/json.h"

namespace cli {
namespace {

// A table with columns as wide as they need, up to a bound.
class Table {
public:
    explicit Table(std::vector<std::string> head) { add(std::move(head)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i)
                widths[i] = std::max(widths[i], std::min<std::size_t>(row[i].size(), 48));
        }
        std::string out;
        for (const auto& row : rows_) {
            std::string line = " ";
            for (std::size_t i = 0; i < row.size(); ++i) {
                std::string cell = ' ' + row[i];
                if (i + 1 < row.size()) cell.resize(std::max(cell.size(), widths[i]) + 2, ' ');
                line += cell;
            }
            out += line + '\n';
        }
        return out;
    }

private:
    std::vector<std::vector<std::string>> rows_;
};

const char* yes_no(const std::optional<bool>& value) {
    return !value ? "it does not say" : *value ? "yes" : "no";
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text.empty() ? "none" : text;
}

std::string engine_text(const DoctorReport& r) {
    const runtime_api::EngineInfo& e = *r.engine;
    const char* kind = e.dialect == runtime_api::Dialect::libpod ? "podman " : "Docker ";
    std::string text = "Engine\n";
    Table table({"engine", kind + e.version + " (" + r.engine_url + ", " + r.engine_source + ")"});
    table.add({"API", e.api_version});
    table.add({"host", e.operating_system + ", Linux " + e.kernel + ", " + e.architecture});
    table.add({"rootless", yes_no(e.rootless)});
    table.add({"cgroups", e.cgroup_version ? "v" + std::to_string(e.cgroup_version) + ", " + e.cgroup_driver +
                                                 ", controllers: " + joined(e.cgroup_controllers)
                                           : "it does not say"});
    table.add({"seccomp", yes_no(e.seccomp)});
    table.add({"storage", e.storage_driver});
    table.add({"OCI runtime", e.oci_runtime});
    table.add({"image",
               r.image + (r.image_there ? " (there" + (r.python.empty() ? "" : ", Python " + r.python) + ")"
                                        : " (not there)")});
    if (!r.image_pin.empty()) table.add({"to pin it", "--image " + r.image_pin});
    return text + table.text() + '\n';
}

} // namespace

bool DoctorReport::strict_would_run() const {
    return engine && !findings.empty() && sandbox::shortfalls(findings).empty();
}

std::string DoctorReport::text() const {
    std::string out = "Sockets\n";
    Table sockets({"", "where", "what", "outcome"});
    for (const runtime_api::Tried& each : tried) {
        sockets.add({each.taken ? "*" : " ", each.candidate.source, each.candidate.url, each.outcome});
        if (!each.advice.empty()) sockets.add({" ", "", "", "→ " + each.advice});
    }
    out += sockets.text() + '\n';
    if (engine) out += engine_text(*this);
    if (!findings.empty()) {
        Table table({"", "confinement", "asked", "engine says", "guest says"});
        for (const sandbox::Finding& f : findings)
            table.add({f.ok ? "ok" : "NO", f.row, f.asked, f.engine, f.guest});
        out += "Confinement\n" + table.text() + '\n';
    }
    for (const sandbox::Finding& f : sandbox::shortfalls(findings))
        out +=
            "NOT ENFORCED  " + f.row + ": " + f.why + (f.advice.empty() ? "" : "\n   → " + f.advice) + '\n';
    for (const runtime_api::Advice& each : advice)
        out += "ADVICE   " + each.trouble + "\n   → " + each.remedy + '\n';
    for (const std::string& problem : problems) out += "PROBLEM  " + problem + '\n';
    for (const std::string& fault : server_faults) out += "SERVER   " + fault + '\n';
    for (const std::string& reach : server_reach) out += "REACH    " + reach + '\n';
    for (const std::string& note : server_notes) out += "NOTE     " + note + '\n';
    for (const sandbox::Leftover& each : leftovers)
        out += "LEFTOVER " + each.name + " (" + each.state + "): cordon sweep removes it\n";
    if (leftovers.empty() && engine) out += "No leftovers of dead instances.\n";
    if (!saved_tools.empty()) out += "Saved tools: " + joined(saved_tools) + '\n';
    out += strict_would_run() ? "Code would run here with --confinement strict.\n"
                              : "Code would NOT run here with --confinement strict.\n";
    if (!server_faults.empty())
        out += "Not all configured servers can be used: see the lines that begin with SERVER.\n";
    return out;
}

std::string DoctorReport::json() const {
    json::Writer w;
    w.object().field("strictWouldRun", strict_would_run()).key("tried").array();
    for (const runtime_api::Tried& each : tried) {
        w.object()
            .field("source", each.candidate.source)
            .field("url", each.candidate.url)
            .field("taken", each.taken);
        w.field("outcome", each.outcome);
        if (!each.advice.empty()) w.field("advice", each.advice);
        w.end();
    }
    w.end();
    if (engine) {
        w.key("engine").object().field("dialect",
                                       engine->dialect == runtime_api::Dialect::libpod ? "podman" : "docker");
        w.field("version", engine->version)
            .field("apiVersion", engine->api_version)
            .field("url", engine_url)
            .field("source", engine_source)
            .optional_field("rootless", engine->rootless);
        w.field("cgroupVersion", engine->cgroup_version)
            .field("cgroupControllers", engine->cgroup_controllers);
        w.optional_field("seccomp", engine->seccomp)
            .field("storage", engine->storage_driver)
            .field("ociRuntime", engine->oci_runtime)
            .end();
    }
    w.key("image")
        .object()
        .field("reference", image)
        .field("pin", image_pin)
        .field("there", image_there)
        .field("python", python)
        .end();
    w.key("confinement").array();
    for (const sandbox::Finding& f : findings) {
        w.object()
            .field("row", f.row)
            .field("ok", f.ok)
            .field("asked", f.asked)
            .field("engine", f.engine)
            .field("guest", f.guest);
        if (!f.ok) w.field("why", f.why).field("advice", f.advice);
        w.end();
    }
    w.end().key("leftovers").array();
    for (const sandbox::Leftover& each : leftovers) w.value(each.name);
    w.end()
        .field("serversUnusable", servers_unusable)
        .field("serverFaults", server_faults)
        .field("serverNotes", server_notes)
        .field("serverReach", server_reach)
        .field("savedTools", saved_tools)
        .field("problems", problems)
        .key("advice")
        .array();
    for (const runtime_api::Advice& each : advice)
        w.object().field("trouble", each.trouble).field("remedy", each.remedy).end();
    w.end();
    if (self_test) {
        w.key("selfTest");
        self_test->write(w);
    }
    return w.end().take();
}

} // namespace cli
