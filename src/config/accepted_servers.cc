#include "src/config/accepted_servers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "src/base/changeable.h"
#include "src/base/json.h"
#include "src/base/private_file.h"
#include "src/base/sha256.h"
#include "src/base/shell_word.h"
#include "src/base/small_file.h"

namespace config {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_entries = 10'000;
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr const char* file_name = "/accepted_servers.json";

bool is_there(const std::string& path) {
    struct stat about {};
    return ::lstat(path.c_str(), &about) == 0;
}

void make_wait(ServerEntry& entry, bool changed, bool reached, const std::string& accept_command) {
    entry.waiting = true;
    entry.reason = entry.source + ':' + std::to_string(entry.line) + ": " + entry.name + ": " +
                   (changed ? "it has changed since it was accepted" : "it is new and not yet accepted") +
                   ", and a server " + (reached ? "is" : "was") +
                   " able to write there; it waits until the user has run: " + accept_command + ' ' +
                   base::shell_word(entry.name);
}

} // namespace

std::string fingerprint(const ServerEntry& entry) {
    return base::sha256_hex(entry.name + '\n' + entry.written);
}

bool AcceptedServers::has(const ServerEntry& entry) const {
    const std::string wanted = fingerprint(entry);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Entry& each) { return each.fingerprint == wanted; });
}

bool AcceptedServers::had(const ServerEntry& entry) const {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& each) {
        return each.name == entry.name && each.source == entry.source;
    });
}

void AcceptedServers::take(const ServerEntry& entry) {
    std::erase_if(entries,
                  [&](const Entry& each) { return each.name == entry.name && each.source == entry.source; });
    entries.push_back({entry.source, entry.name, fingerprint(entry)});
    if (entries.size() > most_entries) entries.erase(entries.begin());
}

std::string accepted_json(const AcceptedServers& record) {
    json::Writer w;
    w.object().field("watched", record.watched).key("servers").array();
    for (const AcceptedServers::Entry& each : record.entries)
        w.object()
            .field("source", each.source)
            .field("name", each.name)
            .field("fingerprint", each.fingerprint)
            .end();
    return w.end().end().take() + '\n';
}

AcceptedServers read_accepted(const std::string& text) {
    const json::Document document(text);
    const json::Reader root = document.root();
    AcceptedServers record;
    root.read("watched", record.watched);
    const json::Reader servers = root.at("servers");
    if (!servers.is_array()) servers.fail("expected array");
    for (std::size_t i = 0; i < std::min(servers.size(), most_entries); ++i) {
        AcceptedServers::Entry entry;
        servers[i].read("source", entry.source);
        servers[i].read("name", entry.name);
        servers[i].read("fingerprint", entry.fingerprint);
        record.entries.push_back(std::move(entry));
    }
    return record;
}

AcceptedFile::AcceptedFile(const std::string& state_folder, const std::vector<ServerEntry>& servers,
                           const Surroundings& surroundings, const std::string& elsewhere) {
    const std::string folder = elsewhere + "/cordon-" + std::to_string(::geteuid());
    // As it is named: a link on the way to it may be what a server changes.
    std::error_code ignored;
    std::string named = fs::absolute(state_folder, ignored).lexically_normal().string();
    if (named.size() > 1 && named.ends_with('/')) named.pop_back();
    in_state_ = named + file_name;
    elsewhere_ = folder + "/accepted-" + base::sha256_hex(named).substr(0, 16) + ".json";
    path_ = in_state_;
    if (is_there(elsewhere_)) path_ = elsewhere_;
    const auto reached = [&](const std::string& place) {
        return !servers_reach(servers, {{OwnPlace::Kind::folder, "", place}}, surroundings).empty();
    };
    if (!reached(named)) return;
    const bool open = reached(folder);
    if (!open) path_ = elsewhere_;
    if (open)
        trouble_ =
            "the record of accepted servers (" + path_ +
            ") is itself in reach of a server, so what it says cannot be relied on: give that server less";
}

std::optional<AcceptedServers> AcceptedFile::load() {
    // Until a server reaches the state folder it was kept there, and nobody could change it.
    const std::string file = is_there(path_) ? path_ : in_state_;
    if (!is_there(file)) return std::nullopt;
    AcceptedServers nothing;
    nothing.watched = true;
    const auto cannot = [&](const std::string& why) {
        trouble_ = "the record of accepted servers, " + file + ", does not count: " + why;
        return nothing;
    };
    if (const auto changeable = base::changeable_by_others(file)) return cannot(changeable->why);
    try {
        return read_accepted(base::read_small_file(file, most_bytes).value_or(""));
    } catch (const base::FileError& e) {
        return cannot(e.what());
    } catch (const json::Error& e) {
        return cannot(e.what());
    }
}

void AcceptedFile::save(const AcceptedServers& record, bool at_rest) {
    if (at_rest) {
        base::write_private_file(in_state_, accepted_json(record));
        path_ = in_state_;
        ::unlink(elsewhere_.c_str());
        return;
    }
    try {
        base::write_private_file(path_, accepted_json(record));
    } catch (const std::runtime_error& e) {
        if (path_ == in_state_) throw;
        trouble_ =
            std::string("the record of accepted servers cannot be kept out of a server's reach, so what it "
                        "says cannot be relied on: ") +
            e.what();
        base::write_private_file(in_state_,
                                 accepted_json(record)); // at least it tells what is new from what is not
    }
}

std::vector<std::string> judge_servers(std::vector<ServerEntry>& servers, const std::vector<Reach>& reach,
                                       AcceptedFile& file, const std::string& accept_command) {
    std::vector<std::string> said;
    const std::optional<AcceptedServers> known = file.load();
    for (const Reach& each : reach) said.push_back(each.text());
    if (servers.empty() && !known) return said;
    const bool reached = !reach.empty();
    AcceptedServers record = known.value_or(AcceptedServers());
    const bool gated = known && (record.watched || reached);
    bool news = !known || (reached && !record.watched) || !is_there(file.path());
    record.watched = record.watched || reached;
    for (ServerEntry& each : servers) {
        if (record.has(each)) continue;
        if (gated && !each.disabled) make_wait(each, record.had(each), reached, accept_command);
        if (gated) continue;
        record.take(each);
        news = true;
    }
    if (!known && reached)
        said.push_back("all servers that are configured now (" + std::to_string(servers.size()) +
                       ") are taken as accepted; what is new or changed from now on waits for: " +
                       accept_command + " NAME");
    std::string trouble;
    try {
        if (news) file.save(record, false);
        trouble = file.trouble();
    } catch (const std::runtime_error& e) {
        trouble =
            std::string("what is accepted cannot be recorded, so what is new cannot be told: ") + e.what();
    }
    if (!trouble.empty() && record.watched) said.push_back(trouble);
    return said;
}

} // namespace config
