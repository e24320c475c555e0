#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/engines/discovery.h"

/// What the parts of the search share: variables, folders and small files. All of this reads at most; nothing
/// is ever written.
namespace engines::discovery {

/// The variable's value; "" where it is not set. Set and empty counts as not set.
std::string variable(const Surroundings& around, const std::string& name);

/// A path of the system itself, below the root that the surroundings give.
std::string system_path(const Surroundings& around, const std::string& path);

/// "$XDG_CONFIG_HOME" or "~/.config"; "" where there is no home.
std::string config_home(const Surroundings& around);

/// Folders that hold the user's sockets: $XDG_RUNTIME_DIR, then /run/user/UID if it is another.
std::vector<std::string> runtime_dirs(const Surroundings& around);

/// base::read_small_file, which throws runtime_api::Error(bad_endpoint) here.
std::optional<std::string> read_small_file(const std::string& path);

/// Full paths of what is in a folder and ends in suffix, sorted by name, at most max_folder_entries of them.
/// Empty where there is no such folder.
std::vector<std::string> files_in(const std::string& folder, const std::string& suffix);
inline constexpr std::size_t max_folder_entries = 256;

bool file_exists(const std::string& path);

/// A candidate from a URL that somebody set. A URL that is none becomes its `problem`. A password in it is
/// not repeated.
Candidate said(const std::string& source, const std::string& url);

/// One that was set but cannot be used.
Candidate said_wrongly(const std::string& source, const std::string& problem);

/// Turns a tcp endpoint into one with TLS; leaves other kinds alone but for the files of an https one.
struct TlsFiles {
    std::string ca{}, cert{}, key{};
    bool verify = true;
};
void add_tls(Candidate& candidate, const TlsFiles& files);

} // namespace engines::discovery
