#include "src/config/servers_reach.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "src/base/json.h"
#include "src/base/path_ways.h"
#include "src/base/percent.h"

namespace config {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_word = std::size_t{64} << 10;
constexpr std::size_t most_paths = 1000;       // of a word
constexpr std::size_t most_looked_at = 20'000; // of all servers
constexpr std::size_t most_files = 1000;       // of a folder of lists
constexpr std::size_t most_shown = 200;

// A place, and every name that leads to it.
struct Ways {
    const OwnPlace* place;
    std::string plain; // its path, without links
    std::vector<std::string> paths;
};

std::vector<std::string> ways_to(const OwnPlace& place) {
    std::vector<std::string> ways = base::path_ways(place.path);
    if (place.kind != OwnPlace::Kind::lists) return ways;
    std::error_code failed;
    std::size_t files = 0;
    for (fs::directory_iterator it(place.path, failed), end; !failed && it != end; it.increment(failed)) {
        if (!it->is_symlink(failed) || it->path().extension() != ".json" || ++files > most_files) continue;
        const std::vector<std::string> more = base::path_ways(it->path().string());
        ways.insert(ways.end(), more.begin(), more.end());
    }
    return ways;
}

// The given path is one of these, or above; or is in what counts as a whole.
bool reaches(const std::string& given, const Ways& ways) {
    for (const std::string& each : ways.paths)
        if (base::path_holds(given, each)) return true;
    switch (ways.place->kind) {
    case OwnPlace::Kind::folder:
        return base::path_holds(ways.plain, given);
    case OwnPlace::Kind::lists:
        return given.ends_with(".json") && fs::path(given).parent_path() == ways.plain;
    case OwnPlace::Kind::file:
        break;
    }
    return false;
}

// These say where programs and the user are. A server that is given them is not thereby to work on them.
bool names_no_data(const std::string& variable) {
    static constexpr std::array<std::string_view, 8> names{
        "HOME", "PATH", "PWD", "TMPDIR", "OLDPWD", "NODE_PATH", "PYTHONPATH", "USERPROFILE"};
    return std::find(names.begin(), names.end(), variable) != names.end() || variable.starts_with("XDG_");
}

class Looker {
public:
    Looker(const std::vector<OwnPlace>& places, const Surroundings& surroundings)
        : surroundings_(surroundings) {
        for (const OwnPlace& each : places)
            ways_.push_back({&each, base::plain_path(each.path), ways_to(each)});
    }

    Reach look_at(const ServerEntry& entry) {
        Reach reach;
        reach.server = entry.name;
        reach.place = entry.source + ':' + std::to_string(entry.line);
        const fs::path here(surroundings_.folder);
        const fs::path folder = entry.cwd.empty() ? here : here / entry.cwd; // an absolute one replaces it
        if (!entry.cwd.empty()) look_at_path("cwd", entry.cwd, folder.string(), reach);
        for (std::size_t i = 1; i < entry.argv.size(); ++i)
            for (const std::string& each : paths_in(entry.argv[i], surroundings_.home))
                look_at_path("argument", each, (folder / each).string(), reach);
        for (const auto& [name, value] : entry.env) {
            if (names_no_data(name)) continue;
            for (const std::string& each : paths_in(value, surroundings_.home))
                if (each.starts_with('/')) look_at_path("env " + name, each, each, reach);
        }
        return reach;
    }

private:
    void look_at_path(const std::string& how, const std::string& written, const std::string& path,
                      Reach& reach) {
        const bool too_much = left_ == 0; // it may be given what is ours, then
        if (!too_much) --left_;
        const std::string plain = too_much ? "/" : base::plain_path(path);
        bool found = false;
        for (const Ways& each : ways_) {
            if (!reaches(plain, each)) continue;
            found = true;
            if (std::find(reach.what.begin(), reach.what.end(), each.place->what) == reach.what.end())
                reach.what.push_back(each.place->what);
        }
        const std::string given =
            too_much ? "more than is looked at"
                     : how + ' ' + json::quote(json::valid_utf8(written.substr(0, most_shown)));
        if (found && std::find(reach.given.begin(), reach.given.end(), given) == reach.given.end())
            reach.given.push_back(given);
    }

    const Surroundings& surroundings_;
    std::vector<Ways> ways_{};
    std::size_t left_ = most_looked_at;
};

std::string joined(const std::vector<std::string>& words) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i > 0 ? ", " : "") + words[i];
    return words.size() > most ? text + ", …" : text;
}

// One part of a word, as the path that it may be; "" where it cannot be one.
std::string as_path(std::string part, const std::string& home) {
    if (part.starts_with('-')) { // "-d/path"; what has "=" in it comes as a part of its own
        const std::size_t slash = part.find('/');
        part = slash == std::string::npos ? "" : part.substr(slash);
    }
    for (const std::string_view variable : {"$HOME", "${HOME}", "~"}) {
        const bool is_home =
            part.starts_with(variable) && (part.size() == variable.size() || part[variable.size()] == '/');
        if (is_home && !home.empty()) return home + part.substr(variable.size());
    }
    const bool only_slashes = part.size() > 1 && part.find_first_not_of('/') == std::string::npos;
    return only_slashes ? "" : part; // of "https://"
}

} // namespace

std::string Reach::text() const {
    return "server " + json::quote(server) + " (" + place + ") is given " + joined(given) +
           ", which is or holds " + joined(what) +
           ": what it changes there, a later start of Cordon would follow";
}

std::vector<std::string> paths_in(const std::string& word, const std::string& home) {
    std::vector<std::string> found;
    const auto add = [&](const std::string& part) {
        std::string path = as_path(part, home);
        const bool again = std::find(found.begin(), found.end(), path) != found.end();
        if (!path.empty() && !again && found.size() < most_paths) found.push_back(std::move(path));
    };
    std::string text = word.substr(0, most_word);
    for (std::size_t at = 0; (at = text.find("file://", at)) != std::string::npos;) {
        const std::size_t rest = at + (text.compare(at + 7, 10, "localhost/") == 0 ? 16 : 7);
        text = text.substr(0, at) + ' ' + base::percent_decoded_leniently(text.substr(rest));
    }
    if (!text.starts_with('-')) add(text);
    constexpr const char* between = "=,:;|&<>()[]{}\"' \t\r\n";
    for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(between, at), text.size());
        add(text.substr(at, end - at));
        at = end;
    }
    return found;
}

std::vector<OwnPlace> own_places(const ServerSources& sources, const std::string& state_folder) {
    using Kind = OwnPlace::Kind;
    std::vector<OwnPlace> places;
    const std::string& home = sources.surroundings.home;
    const auto variable = sources.surroundings.environment.find("XDG_CONFIG_HOME");
    if (!home.empty()) {
        places.push_back({Kind::lists, "the server lists in ~/MCPs", home + "/MCPs"});
        places.push_back(
            {Kind::lists, "the server lists in ~/.config/mcp/servers", home + "/.config/mcp/servers"});
        places.push_back({Kind::folder, "the settings in ~/.config/cordon", home + "/.config/cordon"});
    }
    if (variable != sources.surroundings.environment.end() && variable->second.starts_with('/'))
        places.push_back(
            {Kind::folder, "the settings in $XDG_CONFIG_HOME/cordon", variable->second + "/cordon"});
    const std::string list = config_file_path(sources);
    if (!list.empty()) places.push_back({Kind::file, "the server list " + list, list});
    if (!state_folder.empty())
        places.push_back({Kind::folder, "Cordon's state in " + state_folder, state_folder});
    if (!sources.own_executable.empty())
        places.push_back({Kind::file, "Cordon's program " + sources.own_executable, sources.own_executable});
    return places;
}

std::vector<Reach> servers_reach(const std::vector<ServerEntry>& servers, const std::vector<OwnPlace>& places,
                                 const Surroundings& surroundings) {
    std::vector<Reach> all;
    Looker looker(places, surroundings);
    for (const ServerEntry& each : servers) {
        if (each.transport != ServerEntry::Transport::stdio || !each.reason.empty()) continue;
        Reach reach = looker.look_at(each);
        if (!reach.what.empty()) all.push_back(std::move(reach));
    }
    return all;
}

} // namespace config
