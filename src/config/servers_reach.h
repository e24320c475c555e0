#pragma once
#include <string>
#include <vector>

#include "src/config/servers.h"

namespace config {

/// A place that Cordon takes commands from: whoever writes there decides what a later start does.
struct OwnPlace {
    enum class Kind {
        lists,  ///< A folder; its names that end in .json count, and what these are links to.
        folder, ///< All in it counts.
        file
    };
    Kind kind = Kind::file;
    std::string what; ///< "the server lists in ~/MCPs"
    std::string path; ///< Need not be there yet.
};

/// The places of a Cordon with these sources: server lists, settings, its program, and (unless empty) its
/// state folder, which holds the choice of image, the token and the accepted servers.
std::vector<OwnPlace> own_places(const ServerSources& sources, const std::string& state_folder);

/// That a server is given what is one of these places, or holds it.
struct Reach {
    std::string server{};
    std::string place{};              ///< Where it is configured: "~/MCPs/a.json:3".
    std::vector<std::string> given{}; ///< "argument \"/home/me\"", "cwd \"/\"", "env ROOT \"/\""
    std::vector<std::string> what{};  ///< OwnPlace::what of each.
    std::string text() const;         ///< For a person, one line.
};

/// What the stdio servers among the entries can reach of the places, by what they are given: arguments,
/// `cwd`, and the values of `env` that are paths from the root or the home (but for HOME, PATH and their
/// like, which name no data). Links are followed, those of the places too. Relative paths are below `cwd`, or
/// below the folder where we are. That folder itself is not counted: it is where the client happened to be
/// started, and every server has it. Entries that cannot be used are not looked at. Reads the file system.
std::vector<Reach> servers_reach(const std::vector<ServerEntry>& servers, const std::vector<OwnPlace>& places,
                                 const Surroundings& surroundings);

/// What in one argument may be a path: all of it, and its parts behind "=" and between commas, colons,
/// blanks, quotes; "file:" URLs, "~" and "$HOME" resolved. At most 1,000, of the first 64 KiB. Pure.
std::vector<std::string> paths_in(const std::string& word, const std::string& home);

} // namespace config
