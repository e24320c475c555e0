#include <algorithm>
#include <optional>

#include "src/base/json.h"
#include "src/base/nearest.h"
#include "src/base/shell_word.h"
#include "src/bridge/entries.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/say.h"

namespace cli {
namespace {

using Entry = config::ServerEntry;

// An entry, and what it is to the record.
struct Candidate {
    const Entry* entry;
    const char* status; ///< "new", "changed", "accepted"
    bool waits;         ///< It is not started before it is accepted.
};

std::vector<Candidate> candidates(const bridge::ConfiguredServers& configured,
                                  const config::AcceptedServers& record) {
    const bool gated = record.watched || !configured.reach.empty();
    std::vector<Candidate> all;
    for (const Entry& each : configured.list.servers) {
        const bool accepted = record.has(each);
        const char* status = accepted ? "accepted" : record.had(each) ? "changed" : "new";
        all.push_back({&each, status, gated && !accepted && !each.disabled});
    }
    return all;
}

// The names that were given, or all that wait. Throws UsageError for one that is none.
std::vector<Candidate> chosen(const std::vector<Candidate>& all, const Options& options) {
    std::vector<Candidate> out;
    std::vector<std::string> names;
    for (const Candidate& each : all) {
        names.push_back(each.entry->name);
        if (options.servers.empty() && each.waits) out.push_back(each);
    }
    for (const std::string& name : options.servers) {
        const auto is_it = [&](const Candidate& each) { return each.entry->name == name; };
        const auto found = std::find_if(all.begin(), all.end(), is_it);
        if (found == all.end())
            throw UsageError("servers accept: there is no server " + json::quote(name) +
                             base::did_you_mean(name, names) + "; cordon servers shows all");
        out.push_back(*found);
    }
    return out;
}

std::vector<std::string> names_of(const std::vector<std::string>& headers) {
    std::vector<std::string> names;
    for (const std::string& each : headers) names.push_back(each.substr(0, each.find(':')));
    return names;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& env) {
    std::vector<std::string> names;
    for (const auto& [name, value] : env) names.push_back(name);
    return names;
}

Shown row(const Shown& head, const std::vector<std::string>& words) {
    if (words.empty()) return {};
    return "  " + head + ": " + Shown::joined(words, " ") + "\n";
}

// What would run, whole: this is what is accepted.
Shown as_text(const Candidate& candidate) {
    const Entry& entry = *candidate.entry;
    std::vector<std::string> command;
    for (const std::string& word : entry.argv) command.push_back(base::shell_word(word));
    Shown text = Shown::line(entry.name) + ": " + Shown::line(candidate.status) + ", from " +
                 Shown::line(entry.source) + ":" + Shown::number(entry.line) + "\n";
    text += row("runs", command) + row("env", names_of(entry.env));
    if (!entry.cwd.empty()) text += row("cwd", {base::shell_word(entry.cwd)});
    if (!entry.url.empty()) text += row("url", {entry.url}) + row("headers", names_of(entry.headers));
    if (!entry.reason.empty()) text += row("but", {"it cannot be used: " + entry.reason});
    return text;
}

void write(json::Writer& w, const Candidate& candidate) {
    const Entry& entry = *candidate.entry;
    w.object()
        .field("name", entry.name)
        .field("status", candidate.status)
        .field("source", entry.source)
        .field("line", entry.line);
    w.field("command", entry.argv)
        .field("env", names_of(entry.env))
        .field("cwd", entry.cwd)
        .field("url", entry.url)
        .field("headers", names_of(entry.headers))
        .field("reason", entry.reason)
        .end();
}

void show(const Options& options, const std::vector<Candidate>& listed, bool taken,
          const std::string& record) {
    if (options.json) {
        json::Writer w;
        w.object().field("accepted", taken).field("record", record).key("servers").array();
        for (const Candidate& each : listed) write(w, each);
        say_line(Shown::json(w.end().end().take()));
        return;
    }
    Shown text;
    for (const Candidate& each : listed) text += as_text(each);
    if (listed.empty()) text = "no server waits to be accepted\n";
    if (!listed.empty() && taken)
        text += "accepted, and kept in " + Shown::line(record) +
                ". A Cordon that runs already must be started anew to use what waited.\n";
    if (!listed.empty() && !taken) text += "not accepted yet: cordon servers accept NAME, or --all\n";
    say(text);
}

} // namespace

int accept_servers(const Options& options) {
    const auto environment = own_environment();
    bridge::ConfiguredServers configured = bridge::configured_servers(
        options.settings, environment, state_folder(options.settings, environment));
    for (const std::string& problem : configured.list.problems) tell(Shown::block(problem));
    const std::optional<config::AcceptedServers> before = configured.accepted.load();
    config::AcceptedServers record = before.value_or(config::AcceptedServers());
    if (!before) // as the first start would
        for (const Entry& each : configured.list.servers) record.take(each);
    const std::vector<Candidate> listed = chosen(candidates(configured, record), options);
    const bool take = options.all || !options.servers.empty();
    if (take) {
        for (const Candidate& each : listed) record.take(*each.entry);
        const auto is_taken = [&](const Entry& each) { return record.has(each); };
        const std::vector<Entry>& servers = configured.list.servers;
        const bool at_rest =
            configured.reach.empty() && std::all_of(servers.begin(), servers.end(), is_taken);
        record.watched = !at_rest;
        configured.accepted.save(record, at_rest);
    }
    if (!configured.accepted.trouble().empty()) tell(Shown::block(configured.accepted.trouble()));
    show(options, listed, take, configured.accepted.path());
    return 0;
}

} // namespace cli
