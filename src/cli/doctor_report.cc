#include "src/cli/doctor_report.h"

#include <algorithm>

#include "src/base/json.h"

namespace cli {
using base::Shown;

namespace {

// A table with columns as wide as they need, up to a bound.
class Table {
public:
    explicit Table(std::vector<Shown> head) { add(std::move(head)); }
    void add(std::vector<Shown> row) { rows_.push_back(std::move(row)); }
    Shown text() const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i)
                widths[i] = std::max(widths[i], std::min<std::size_t>(row[i].size(), 48));
        }
        Shown out;
        for (const auto& row : rows_) {
            Shown line = " ";
            for (std::size_t i = 0; i < row.size(); ++i) {
                Shown cell = " " + row[i];
                if (i + 1 < row.size()) cell.pad(std::max(cell.size(), widths[i]) + 2);
                line += cell;
            }
            out += line + "\n";
        }
        return out;
    }

private:
    std::vector<std::vector<Shown>> rows_;
};

Shown yes_no(const std::optional<bool>& value) {
    if (!value) return "it does not say";
    return *value ? Shown("yes") : Shown("no");
}

Shown joined(const std::vector<std::string>& parts) {
    return parts.empty() ? Shown("none") : Shown::joined(parts, ", ");
}

Shown cgroups_text(const runtime_api::EngineInfo& e) {
    if (!e.cgroup_version) return "it does not say";
    return "v" + Shown::number(e.cgroup_version) + ", " + Shown::line(e.cgroup_driver) +
           ", controllers: " + joined(e.cgroup_controllers);
}

// "numpy (90 ms, 15 MiB), gone dropped: ModuleNotFoundError".
Shown early_text(const DoctorReport& r) {
    Shown text;
    for (const auto& [name, module] : r.early_modules) {
        if (module.light()) continue; // too quick to be worth it
        if (!text.empty()) text += ", ";
        text += Shown::line(name);
        if (!module.why_not.empty())
            text += " dropped: " + Shown::line(module.why_not);
        else if (module.ms >= 0)
            text += " (" + Shown::number(module.ms) + " ms, " + Shown::number(module.kib >> 10) + " MiB)";
    }
    return text.empty() ? Shown("none that is heavy") : text;
}

Shown image_text(const DoctorReport& r) {
    const Shown image = Shown::line(r.image);
    if (!r.image_there) return image + " (not there)";
    return image + " (there" + (r.python.empty() ? Shown() : ", Python " + Shown::line(r.python)) + ")";
}

Shown engine_text(const DoctorReport& r) {
    const runtime_api::EngineInfo& e = *r.engine;
    const Shown kind = e.dialect == runtime_api::Dialect::libpod ? Shown("podman ") : Shown("Docker ");
    Table table({"engine", kind + Shown::line(e.version) + " (" + Shown::line(r.engine_url) + ", " +
                               Shown::line(r.engine_source) + ")"});
    table.add({"API", Shown::line(e.api_version)});
    table.add({"host", Shown::line(e.operating_system) + ", Linux " + Shown::line(e.kernel) + ", " +
                           Shown::line(e.architecture)});
    table.add({"rootless", yes_no(e.rootless)});
    table.add({"cgroups", cgroups_text(e)});
    table.add({"seccomp", yes_no(e.seccomp)});
    table.add({"storage", Shown::line(e.storage_driver)});
    table.add({"OCI runtime", Shown::line(e.oci_runtime)});
    table.add({"image", image_text(r)});
    if (!r.image_pin.empty()) table.add({"to pin it", "--image " + Shown::line(r.image_pin)});
    if (!r.early_modules.empty()) table.add({"imported early", early_text(r)});
    return "Engine\n" + table.text() + "\n";
}

} // namespace

bool DoctorReport::strict_would_run() const {
    if (policy_broken) return false;
    return engine && !findings.empty() && sandbox::shortfalls(findings).empty();
}

Shown DoctorReport::text() const {
    Shown out = "Sockets\n";
    Table sockets({"", "where", "what", "outcome"});
    for (const engines::Tried& each : tried) {
        sockets.add({each.taken ? Shown("*") : Shown(" "), Shown::line(each.candidate.source),
                     Shown::line(each.candidate.url), Shown::line(each.outcome)});
        if (!each.advice.empty()) sockets.add({" ", "", "", "→ " + Shown::line(each.advice)});
    }
    out += sockets.text() + "\n";
    if (engine) out += engine_text(*this);
    if (!findings.empty()) {
        Table table({"", "confinement", "asked", "engine says", "guest says"});
        for (const sandbox::Finding& f : findings)
            table.add({f.ok ? Shown("ok") : Shown("NO"), Shown::line(f.row), Shown::line(f.asked),
                       Shown::line(f.engine), Shown::line(f.guest)});
        out += "Confinement\n" + table.text() + "\n";
    }
    for (const sandbox::Finding& f : sandbox::shortfalls(findings)) {
        out += "NOT ENFORCED  " + Shown::line(f.row) + ": " + Shown::line(f.why);
        if (!f.advice.empty()) out += "\n   → " + Shown::block(f.advice);
        out += "\n";
    }
    for (const engines::Advice& each : advice)
        out += "ADVICE   " + Shown::block(each.trouble) + "\n   → " + Shown::block(each.remedy) + "\n";
    for (const std::string& problem : problems) out += "PROBLEM  " + Shown::block(problem) + "\n";
    for (const std::string& fault : server_faults) out += "SERVER   " + Shown::block(fault) + "\n";
    for (const std::string& reach : server_reach) out += "REACH    " + Shown::block(reach) + "\n";
    for (const std::string& note : server_notes) out += "NOTE     " + Shown::block(note) + "\n";
    for (const sandbox::Leftover& each : leftovers)
        out += "LEFTOVER " + Shown::line(each.name) + " (" + Shown::line(each.state) +
               "): cordon sweep removes it\n";
    if (leftovers.empty() && engine) out += "No leftovers of dead instances.\n";
    if (!saved_tools.empty()) out += "Saved tools: " + joined(saved_tools) + "\n";
    out += strict_would_run() ? Shown("Code would run here with --confinement strict.\n")
                              : Shown("Code would NOT run here with --confinement strict.\n");
    if (!server_faults.empty())
        out += "Not all configured servers can be used: see the lines that begin with SERVER.\n";
    return out;
}

std::string DoctorReport::json() const {
    json::Writer w;
    w.object().field("strictWouldRun", strict_would_run()).key("tried").array();
    for (const engines::Tried& each : tried) {
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
        .field("python", python);
    w.key("importedEarly").object();
    for (const auto& [name, module] : early_modules) {
        w.key(name).object().field("ms", module.ms).field("kib", module.kib).field("light", module.light());
        w.field("dropped", module.why_not).end();
    }
    w.end().end();
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
    for (const engines::Advice& each : advice)
        w.object().field("trouble", each.trouble).field("remedy", each.remedy).end();
    w.end();
    if (self_test) {
        w.key("selfTest");
        self_test->write(w);
    }
    return w.end().take();
}

} // namespace cli
