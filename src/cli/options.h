#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/config/settings.h"

namespace cli {

/// A command line that cannot be used; what() says what was wrong and what would be right.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The command line and the environment, read.
struct Options {
    std::string
        command; ///< "serve", "exec", "doctor", "servers", "policy", "image", "sweep", "help", "version"
    config::Settings settings{};
    std::vector<std::string> warnings{}; ///< For stderr: a variable that nobody reads.
    // Of single commands:
    std::string topic{}; ///< help: the command; empty: all.
    std::vector<CommandLine::Program>
        programs{};                       ///< exec: files ("-" is standard input) and code; never none.
    std::vector<std::string> arguments{}; ///< exec: sys.argv[1:]; policy test: the JSON, if it is there.
    std::string session{};                ///< exec: what its interpreter is called; empty: one program.
    std::vector<std::string> servers{};   ///< exec: --server NAME, each; servers accept: NAME, each.
    std::string file{};                   ///< image: a reference, or what to build; policy test: SERVER.TOOL.
    std::string action{}; ///< image: "list", "pull", "use", "build", "rm"; servers: "accept" or ""; policy:
                          ///< "test" or "".
    bool all = false;     ///< servers accept
    std::string suite{};  ///< image build: a Debian release; empty: this host's.
    std::string image_said_by{}; ///< "--image" or the variable that names the image; empty: neither.
    bool json = false;           ///< exec, doctor, servers, policy, image list
    bool self_test = false;      ///< doctor
    std::string http{};          ///< serve: HOST:PORT
    bool http_no_token = false;
    std::string tls_cert{}, tls_key{}; ///< serve --http
};

/// Reads both. `name` is what we were called by. Throws UsageError and config::Error.
Options read_options(const std::vector<std::string>& arguments, const std::string& name,
                     const std::map<std::string, std::string>& environment);

} // namespace cli
