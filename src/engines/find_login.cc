#include "src/engines/find_login.h"

#include <chrono>
#include <memory>
#include <set>

#include "runtime_api/engine_answer.h"
#include "runtime_api/error.h"
#include "runtime_api/image_name.h"
#include "runtime_api/pause.h"
#include "runtime_api/quiet_process.h"
#include "src/base/json.h"
#include "src/engines/discovery_docker.h"
#include "src/engines/discovery_files.h"
#include "src/engines/stored_login.h"

namespace engines {
namespace asio = boost::asio;
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds helper_limit{10};
constexpr std::chrono::milliseconds poll_interval{10};
constexpr int most_registries = 50; // looked up for one short name: a helper may take its time for each

/// Where the helper's words are kept while it runs, in unlinked files: not on a disk where that can be had.
std::string scratch_folder(const Surroundings& around) {
    std::string runtime = discovery::variable(around, "XDG_RUNTIME_DIR");
    if (runtime.starts_with('/') && discovery::file_exists(runtime)) return runtime;
    const std::string temporary = discovery::variable(around, "TMPDIR");
    return temporary.starts_with('/') ? temporary : "/tmp";
}

bool knows_nothing(const std::string& words) {
    return words.find("credentials not found") != std::string::npos;
}

/// What the helper printed for one key; "" where it knows none. Throws runtime_api::Error.
asio::awaitable<std::string> ask_helper(std::string program, std::string key, std::string folder) {
    const std::vector<std::string> argv{program, "get"};
    runtime_api::QuietProcess helper(argv, folder, key);
    const Clock::time_point end = Clock::now() + helper_limit;
    while (helper.running()) {
        if (Clock::now() > end)
            throw runtime_api::Error(runtime_api::Errc::timed_out, program + " did not answer within " +
                                                                       std::to_string(helper_limit.count()) +
                                                                       " s");
        co_await runtime_api::pause(poll_interval);
    }
    const std::string said = helper.output();
    if (helper.ending() == "exited with status 0") co_return said;
    if (knows_nothing(said) || knows_nothing(helper.errors())) co_return std::string();
    throw runtime_api::Error(runtime_api::Errc::unavailable,
                             program + ' ' + helper.ending() + ": " +
                                 runtime_api::one_line(said + ' ' + helper.errors(), 300));
}

/// Fills login where the helper knows the registry.
asio::awaitable<void> by_helper(Surroundings around, StoredLogin stored, Login* login) {
    const std::string program = "docker-credential-" + stored.helper;
    try {
        if (!good_helper_name(stored.helper))
            throw runtime_api::Error(runtime_api::Errc::rejected, runtime_api::one_line(program, 100) +
                                                                      " is no name of a credential helper");
        for (const std::string& key : stored.helper_keys) {
            const std::string said = co_await ask_helper(program, key, scratch_folder(around));
            if (said.empty()) continue;
            login->auth = helper_login(said, stored.server);
            login->source = program;
            co_return;
        }
    } catch (const json::Error& e) {
        login->troubles.push_back(program + ": " + e.what());
    } catch (const runtime_api::Error& e) {
        if (e.code() == runtime_api::Errc::cancelled) throw;
        login->troubles.push_back(e.what());
    }
}

/// What `read` makes of a file's text; nothing where it is not there or cannot be read, which is told.
template <class Read> auto read_file(const std::string& file, Login& login, Read read) {
    try {
        const std::optional<std::string> text = discovery::read_small_file(file);
        if (text && text->find_first_not_of(" \t\r\n") != std::string::npos) return read(*text);
    } catch (const json::Error& e) {
        login.troubles.push_back(file + ": " + e.what());
    } catch (const runtime_api::Error& e) {
        login.troubles.push_back(e.what());
    }
    return decltype(read(std::string()))();
}

StoredLogin read_login(const std::string& file, const std::string& repository, Login& login) {
    return read_file(file, login, [&](const std::string& text) { return stored_login(text, repository); });
}

bool empty(const runtime_api::RegistryAuth& auth) {
    return auth.username.empty() && auth.identity_token.empty();
}

/// Fills login where the file or its helper knows the repository.
asio::awaitable<void> look_into(Surroundings around, std::string file, std::string repository, Login* login) {
    StoredLogin stored = read_login(file, repository, *login);
    if (!stored.helper.empty()) co_await by_helper(around, stored, login);
    if (!empty(login->auth) || empty(stored.auth)) co_return;
    login->auth = std::move(stored.auth);
    login->source = file;
}

} // namespace

std::vector<std::string> login_files(const Surroundings& around) {
    if (const std::string set = discovery::variable(around, "REGISTRY_AUTH_FILE"); !set.empty()) return {set};
    std::vector<std::string> out;
    for (const std::string& folder : discovery::runtime_dirs(around))
        out.push_back(folder + "/containers/auth.json");
    if (!around.macos)
        out.push_back(
            discovery::system_path(around, "/run/containers/" + std::to_string(around.uid) + "/auth.json"));
    if (const std::string config = discovery::config_home(around); !config.empty())
        out.push_back(config + "/containers/auth.json");
    if (const std::string docker = discovery::docker_dir(around); !docker.empty())
        out.push_back(docker + "/config.json");
    return out;
}

asio::awaitable<Login> find_login(Surroundings around, std::string reference) {
    const std::string repository = runtime_api::full_repository(reference);
    Login login;
    if (const std::string set = discovery::variable(around, "REGISTRY_AUTH_FILE");
        !set.empty() && !discovery::file_exists(set))
        login.troubles.push_back("REGISTRY_AUTH_FILE: no such file: " + set);
    for (const std::string& file : login_files(around)) {
        co_await look_into(around, file, repository, &login);
        if (!empty(login.auth)) co_return login;
    }
    co_return login;
}

asio::awaitable<Login> find_podman_login(Surroundings around, std::string reference) {
    Login login = co_await find_login(around, reference);
    if (!runtime_api::registry_of(reference).empty()) co_return login;
    std::set<std::string> known;
    int looked_up = 0;
    known.insert(
        runtime_api::full_repository(reference).substr(0, runtime_api::full_repository(reference).find('/')));
    for (const std::string& file : login_files(around)) {
        Login ignored; // its troubles have been told
        const std::vector<std::string> keys =
            read_file(file, ignored, [](const std::string& text) { return stored_keys(text); });
        for (const std::string& key : keys) {
            if (looked_up == most_registries || known.count(key) != 0) continue;
            ++looked_up;
            Login other;
            co_await look_into(around, file, key, &other);
            if (empty(other.auth)) continue;
            known.insert(key);
            other.auth.server = key;
            login.others.push_back(std::move(other.auth));
        }
    }
    co_return login;
}

} // namespace engines
