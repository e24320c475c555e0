#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/config/settings.h"

namespace cli {

/// A command line that cannot be used; what() says what was wrong and what would be right.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The command line and the environment, read.
struct Options {
    std::string command; ///< "serve", "exec", "doctor", "servers", "image", "sweep", "help", "version"
    config::Settings settings{};
    std::vector<std::string> warnings{}; ///< For stderr: a variable that nobody reads.
    // Of single commands:
    std::string file{};                 ///< exec: the file, or "-". image: a reference, or what to build.
    std::string action{};               ///< image: "list", "pull", "use", "build"
    std::string suite{};                ///< image build: a Debian release; empty: this host's.
    std::vector<std::string> servers{}; ///< exec: --server NAME, each.
    bool json = false;                  ///< doctor, servers
    bool self_test = false;             ///< doctor
    std::string http{};                 ///< serve: HOST:PORT
    bool http_no_token = false;
    std::string tls_cert{}, tls_key{}; ///< serve --http
};

/// Reads both. `name` is what we were called by. Throws UsageError and config::Error.
Options read_options(const std::vector<std::string>& arguments, const std::string& name,
                     const std::map<std::string, std::string>& environment);

/// The text of --help, with the table of all settings.
std::string help_text();

/// The table of settings as README has it, in Markdown.
std::string settings_markdown();

} // namespace cli
