#include "src/config/servers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "src/base/changeable.h"
#include "src/base/json.h"
#include "src/config/alias.h"
#include "src/config/jsonc.h"
#include "src/config/servers_entry.h"
#include "src/config/servers_in.h"
#include "src/config/settings.h"

namespace config {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_file = std::size_t{16} << 20; // clients keep other things in theirs, too
constexpr std::size_t most_servers = 1000;
constexpr std::size_t most_name = 128;

bool has_controls(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Of a text: at which line its byte is, and in which column.
struct Place {
    Place(std::string_view text, std::size_t byte) {
        const std::string_view before = text.substr(0, byte);
        line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
        column = before.size() - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
    }
    std::size_t line = 1, column = 1;
};

// "FILE:3:5: bad JSON: …", of a parser's "bad JSON at byte 40: …".
std::string placed(const std::string& source, const std::string& text, const std::string& fault) {
    constexpr std::string_view begin = "bad JSON at byte ";
    if (!fault.starts_with(begin)) return source + ": " + fault;
    const std::size_t end = fault.find_first_not_of("0123456789", begin.size());
    const std::size_t byte = std::stoull(fault.substr(begin.size(), end - begin.size()));
    const Place place(text, byte);
    const std::string_view at = std::string_view(text).substr(std::min(byte, text.size()));
    const bool other_quote =
        at.starts_with('\'') || at.starts_with("\xE2\x80\x9C") || at.starts_with("\xE2\x80\x9D");
    return source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": bad JSON" +
           fault.substr(std::min(end, fault.size())) +
           (other_quote ? " (Names and texts stand between \", the straight double quotation mark.)" : "");
}

void read_one(const json::Reader& in, ServerEntry& entry, const ServerSources& sources) {
    const std::string place = entry.source + ":" + std::to_string(entry.line) + ": ";
    const std::string path = in.path();
    try {
        read_entry(in, sources.surroundings, entry);
        const std::string self = self_reference(entry, sources);
        if (!self.empty()) entry.reason = place + path + ": " + self;
    } catch (const std::runtime_error&
                 e) { // json::Error or config::Error: this one cannot be used, the others can
        const std::string what = e.what();
        entry.reason = place + (what.starts_with(path) ? "" : path + ": ") + what;
    }
    for (std::string& note : entry.notes) note.insert(0, place);
}

const ServerEntry* named(const ServerList& list, const std::string& name) {
    for (const ServerEntry& each : list.servers)
        if (each.name == name) return &each;
    return nullptr;
}

// Why a server cannot have this name, or be there at all; or "".
std::string name_fault(const std::string& name, const ServerList& list) {
    if (name.empty() || name.size() > most_name || has_controls(name))
        return "a name has 1 to 128 bytes and no control characters";
    if (const ServerEntry* other = named(list, name))
        return "left out, the name is taken by " + other->source;
    return list.servers.size() >= most_servers ? "left out, there are more than 1,000 servers" : "";
}

std::string words(const std::string& path, const std::string& home) {
    return !home.empty() && path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

// What the entry is in its file: the same for another layout.
std::string without_blanks(std::string_view checked) {
    std::string out;
    bool in_text = false;
    for (std::size_t i = 0; i < checked.size(); ++i) {
        const char c = checked[i];
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (in_text || !blank) out += c;
        if (in_text && c == '\\' && i + 1 < checked.size())
            out += checked[++i];
        else if (c == '"')
            in_text = !in_text;
    }
    return out;
}

void read_file(const std::string& path, const ServerSources& sources, ServerList& list) {
    const std::string source = words(path, sources.surroundings.home);
    std::error_code ec;
    const bool regular = fs::is_regular_file(path, ec);
    std::ifstream file(path, std::ios::binary);
    if (!regular || !file) {
        list.problems.push_back(
            source + ": " +
            (regular || ec ? std::strerror(regular ? errno : ec.value()) : "not a file that can be read"));
        return;
    }
    if (const auto changeable = base::changeable_by_others(path)) {
        list.problems.push_back(source + ": not read, since others could have written it: " +
                                changeable->why + "; to mend that: " + changeable->mend);
        return;
    }
    std::string text(most_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_file)
        list.problems.push_back(source + ": larger than 16 MiB");
    else
        read_servers(text, source, sources, list);
}

// What somebody may have meant for us.
bool nearly_json(const std::string& name) {
    for (const char* end : {".JSON", ".Json", ".jsonc", ".json5", ".json.txt", ".toml", ".yaml", ".yml"})
        if (name.ends_with(end)) return true;
    return false;
}

std::vector<std::string> files_in(const std::string& folder, const ServerSources& sources, ServerList& list) {
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with(".")) continue;
        if (name.ends_with(".json")) files.push_back(it->path().string());
        if (nearly_json(name))
            list.notes.push_back(words(it->path().string(), sources.surroundings.home) +
                                 ": not read: the name of a file of servers ends in .json");
    }
    if (ec && ec != std::errc::no_such_file_or_directory)
        list.problems.push_back(words(folder, sources.surroundings.home) + ": " + ec.message());
    std::sort(files.begin(), files.end());
    return files;
}

// The same file twice is no reason to complain about its names.
void add_file(const std::string& file, std::vector<std::string>& files) {
    std::error_code ec;
    const bool again = std::any_of(files.begin(), files.end(),
                                   [&](const std::string& each) { return fs::equivalent(each, file, ec); });
    if (!again) files.push_back(file);
}

} // namespace

void read_servers(const std::string& text, const std::string& source, const ServerSources& sources,
                  ServerList& list) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        list.problems.push_back(source + ": the file is UTF-16; save it as UTF-8");
        return;
    }
    std::string plain = plain_json(text);
    if (plain.starts_with("\xEF\xBB\xBF")) plain.erase(0, 3);
    if (plain.find_first_not_of(" \t\r\n") == std::string::npos) {
        list.problems.push_back(source + ": the file is empty");
        return;
    }
    try {
        const json::Document document(plain);
        const json::Reader root = document.root();
        std::string description;
        if (root.is_object() && root.has("description") && root.at("description").is_string())
            description = root.at("description").as_string();
        const ServersIn servers = find_servers(root, plain);
        for (const json::Member& member : json::members(servers.text)) {
            const Place place(plain, static_cast<std::size_t>(member.value.data() - plain.data()));
            const std::string where = source + ":" + std::to_string(place.line) + ": ";
            const std::string fault = name_fault(member.key, list);
            if (!fault.empty()) {
                const std::string words = where + servers.reader.path() + '.' +
                                          json::quote(member.key.substr(0, most_name)) + ": " + fault;
                (named(list, member.key) ? list.notes : list.problems).push_back(words);
                continue;
            }
            ServerEntry entry{member.key};
            entry.source = source;
            entry.line = place.line;
            entry.written = without_blanks(member.value);
            entry.description = description;
            read_one(servers.reader.at(member.key), entry, sources);
            list.notes.insert(list.notes.end(), entry.notes.begin(), entry.notes.end());
            list.servers.push_back(std::move(entry));
        }
    } catch (const json::Error& e) {
        list.problems.push_back(placed(source, plain, e.what()));
    }
}

std::string config_file_path(const ServerSources& sources) {
    std::string file = sources.config_file;
    if (file.starts_with("~/")) file.replace(0, 1, sources.surroundings.home);
    if (!file.empty() && !file.starts_with('/'))
        file = (fs::path(sources.surroundings.folder) / file).string();
    return file;
}

ServerList load_servers(const ServerSources& sources) {
    ServerList list;
    const std::string& home = sources.surroundings.home;
    std::vector<std::string> files;
    for (const char* folder : {"/MCPs", "/.config/mcp/servers"}) // the latter is where others look
        if (!home.empty())
            for (const std::string& file : files_in(home + folder, sources, list)) add_file(file, files);
    if (home.empty()) list.notes.emplace_back("HOME is not set, so ~/MCPs is not read");
    if (!sources.config_file.empty()) add_file(config_file_path(sources), files);
    for (const std::string& each : files) read_file(each, sources, list);
    std::vector<std::string> names;
    for (const ServerEntry& each : list.servers) names.push_back(each.name);
    const std::map<std::string, std::string> chosen = aliases(names);
    for (ServerEntry& each : list.servers) each.alias = chosen.at(each.name);
    return list;
}

} // namespace config
