#include "src/cli/app.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <filesystem>

#include "src/bridge/entries.h"
#include "src/cli/chosen_image.h"
#include "src/cli/log.h"
#include "src/policy/decide.h"

extern char** environ;

namespace cli {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

sandbox::Confinement to_confinement(const config::Settings& s) {
    sandbox::Confinement c;
    c.image = s.image;
    c.memory_bytes = s.memory_bytes;
    c.pids = s.pids;
    c.cpus = s.cpus;
    c.user_of_its_own = s.container_user == "auto";
    if (!s.container_user.empty() && !c.user_of_its_own) c.user = s.container_user;
    c.oci_runtime = s.oci_runtime;
    c.strict = s.confinement == config::ConfinementMode::strict;
    // long enough for a session of two hours that was taken from an idle pool
    c.life = 2h + s.runtime_idle_timeout + 2 * s.max_timeout + 60s;
    return c;
}

engines::SearchOptions to_search(const config::Settings& s) {
    engines::SearchOptions o;
    o.socket_url = s.runtime_socket;
    o.runtime = s.runtime;
    o.allow_rootful = s.allow_rootful;
    o.allow_plain_tcp = s.allow_plain_tcp;
    o.ca_file = s.tls_ca;
    o.cert_file = s.tls_cert;
    o.key_file = s.tls_key;
    o.tls_verify = s.tls_verify;
    if (s.pull_timeout)
        o.timeouts.pull_silence = o.timeouts.pull_retries = o.timeouts.pull_blind = *s.pull_timeout;
    return o;
}

// Threads beside the loop, and jobs that wait for one.
constexpr std::size_t worker_threads = 2;
constexpr std::size_t most_jobs = 64;

void log_line(const std::string& line) { log_info(base::Shown::line(line)); }

sandbox::EngineSource::Options engine_options(const config::Settings& settings, std::string state_dir) {
    sandbox::EngineSource::Options options;
    options.search = to_search(settings);
    options.confinement = to_confinement(settings);
    options.state_dir = std::move(state_dir);
    options.log = log_line;
    sandbox::EarlyModules::Options early;
    early.learn = !settings.preload;
    if (settings.preload) early.named = *settings.preload;
    if (early.learn || !early.named.empty()) options.early_modules = std::move(early);
    return options;
}

} // namespace

std::map<std::string, std::string> own_environment() {
    std::map<std::string, std::string> all;
    for (char** each = environ; *each; ++each) {
        const std::string text = *each;
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

namespace {

// One in a folder that all users share is made for us alone, or is one that we made.
std::string private_folder(const std::string& path) {
    struct stat about {};
    const bool made = ::mkdir(path.c_str(), 0700) == 0;
    const bool ours = ::lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                      about.st_uid == ::geteuid() && (about.st_mode & 022) == 0;
    if (!made && !ours)
        throw config::Error("there is no HOME, and " + path +
                            " is not ours alone: name a folder with CORDON_STATE_DIR");
    return path;
}

} // namespace

std::string state_folder(const config::Settings& settings,
                         const std::map<std::string, std::string>& environment) {
    if (!settings.state_dir.empty()) return settings.state_dir;
    const auto value = [&](const char* name) {
        const auto it = environment.find(name);
        return it == environment.end() ? std::string() : it->second;
    };
    const std::string xdg = value("XDG_STATE_HOME");
    if (xdg.starts_with('/')) return xdg + "/cordon";
    const std::string home = value("HOME");
    if (home.starts_with('/')) return home + "/.local/state/cordon";
    const std::string temporary = value("TMPDIR").starts_with('/') ? value("TMPDIR") : "/tmp";
    return private_folder(temporary + "/cordon-" + std::to_string(::getuid()));
}

namespace {

constexpr std::size_t most_faults_said = 20;

void log_faults(const std::vector<std::string>& faults) {
    for (std::size_t i = 0; i < std::min(faults.size(), most_faults_said); ++i)
        log_error("servers: " + base::Shown::line(faults[i]));
    if (faults.size() > most_faults_said)
        log_error(
            "servers: " + base::Shown::number(static_cast<std::int64_t>(faults.size() - most_faults_said)) +
            " more; `cordon servers` shows them");
}

policy::Store::Options policy_options(const config::Settings& settings,
                                      const std::map<std::string, std::string>& environment) {
    const auto value = [&](const char* name) {
        const auto it = environment.find(name);
        return it == environment.end() ? std::string() : it->second;
    };
    policy::Store::Options options;
    options.home = value("HOME").starts_with('/') ? value("HOME") : "";
    options.must_be_there = !settings.policy_file.empty();
    options.file = policy::usual_policy_file(options.home);
    if (options.must_be_there) options.file = std::filesystem::absolute(settings.policy_file).string();
    options.deny = settings.deny;
    options.ask = settings.ask;
    options.allow = settings.allow;
    options.say = [](bool is_error, const std::string& text) { // a line for each mistake of the file
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const base::Shown line = "policy: " + base::Shown::line(text.substr(at, end - at));
            at = end + 1;
            if (is_error)
                log_error(line);
            else
                log_info(line);
        }
    };
    return options;
}

} // namespace

App::App(asio::io_context& loop, const config::Settings& settings,
         const std::map<std::string, std::string>& environment)
    : loop_(loop), settings_(settings),
      workers_(std::make_unique<base::Workers>(loop.get_executor(), worker_threads, most_jobs)),
      in_flight_(loop.get_executor(), static_cast<std::size_t>(settings.max_host_memory)),
      memory_(loop.get_executor(), static_cast<std::size_t>(settings.max_host_memory), log_line) {
    const std::string folder = state_folder(settings, environment);
    settings_.image = image_of(settings, environment);
    sandbox::EngineSource::Options engine = engine_options(settings_, folder);
    engine.workers = workers_.get();
    engine.whole = &in_flight_;
    engine_ = std::make_unique<sandbox::EngineSource>(loop.get_executor(), std::move(engine));
    sandbox::Pool::Options pool;
    pool.warm = settings.pool;
    pool.most = settings.max_containers;
    pool.idle = settings.runtime_idle_timeout;
    pool.most_warm = [this] { return engine_->most_warm(); };
    const auto on_failure = [this](const runtime_api::Error& error) {
        const bool image_gone = error.code() == runtime_api::Errc::not_found;
        if (image_gone) engine_->forget_image();
        if (error.code() == runtime_api::Errc::unavailable) engine_->forget_engine();
        return image_gone;
    };
    pool_ = std::make_unique<sandbox::Pool>(
        loop.get_executor(), pool, [this] { return engine_->workshop(); }, on_failure);
    sessions_ = std::make_unique<bridge::Sessions>(loop.get_executor(), *pool_, settings.session_idle);
    pool_->on_pressure([this] { return sessions_->end_idlest(); });
    bridge::CatalogueConfiguration configured = bridge::load_entries(settings, environment, folder);
    secrets_ = std::make_unique<const bridge::Secrets>(configured.given);
    const auto log_clean = [secrets = secrets_.get()](const std::string& line) {
        log_line(secrets->without(line));
    };
    catalogue_ = std::make_unique<bridge::Catalogue>(loop.get_executor(), std::move(configured), log_clean,
                                                     workers_.get());
    catalogue_->words_to([secrets = secrets_.get()](const std::string& line) {
        log_error(base::Shown::line(secrets->without(line)));
    });
    if (settings.saved_tools) saved_ = std::make_unique<bridge::SavedTools>(folder + "/saved_tools.sqlite");
    shelf_ = std::make_unique<bridge::Shelf>(bridge::Shelf{*catalogue_, schemas_, index_, saved_.get()});
    shelf_->secrets = secrets_.get();
    shelf_->workers = workers_.get();
    shelf_->image_contents = [this] { return engine_->image_contents(); };
    try { // commands that run no code go on without
        policy_ = std::make_unique<policy::Store>(policy_options(settings, environment));
    } catch (const std::exception& e) {
        policy_trouble_ = e.what();
    }
}

App::~App() = default;

policy::Store& App::policy() {
    if (!policy_) throw config::Error("the policy cannot be used, so no code runs:\n" + policy_trouble_);
    return *policy_;
}

bridge::RunPythonParts App::parts() {
    bridge::RunPythonParts parts{executor(), *pool_, *sessions_, *shelf_, artifacts_};
    parts.max_output = settings_.max_output;
    parts.memory_bytes = settings_.memory_bytes;
    parts.pids = settings_.pids;
    parts.servers_listed_only = settings_.servers_listed_only;
    parts.policy = &policy();
    parts.grants = &grants_;
    parts.ask_timeout = settings_.ask_timeout;
    parts.memory = &memory_;
    parts.pulls = engine_->pulls();
    parts.advice_on = [this](const std::string& words) { return engine_->advice_on(words); };
    return parts;
}

namespace {

asio::awaitable<void> fill_unasked(sandbox::EngineSource* engine, sandbox::Pool* pool) {
    const bool ready = co_await engine->ready_unasked();
    if (ready) pool->foresee();
}

} // namespace

// While the client lists tools and its model thinks, the first container is made. What goes wrong is told by
// the first call.
void App::prewarm() {
    if (std::exchange(prewarmed_, true)) return;
    asio::co_spawn(loop_, fill_unasked(engine_.get(), pool_.get()), [](const std::exception_ptr&) {});
}

bridge::ServiceOptions App::service_options() {
    bridge::ServiceOptions options;
    if (settings_.prewarm && settings_.pool > 0) options.on_client = [this] { prewarm(); };
    options.limits.timeout = settings_.timeout;
    options.limits.max_timeout = settings_.max_timeout;
    options.always_load = settings_.always_load;
    switch (settings_.output_mode) {
    case config::OutputMode::compact:
        options.output_mode = bridge::OutputMode::compact;
        break;
    case config::OutputMode::structured:
        options.output_mode = bridge::OutputMode::structured;
        break;
    case config::OutputMode::toon:
        options.output_mode = bridge::OutputMode::toon;
        break;
    }
    return options;
}

void App::log_file_problems() const {
    log_faults(catalogue_->configuration_problems());
    log_reach();
}

// Not a fault, but never to be missed.
void App::log_reach() const {
    std::vector<std::string> lines;
    for (const std::string& each : catalogue_->reach()) lines.push_back(secrets_->without(each));
    log_faults(lines);
}

void App::log_policy() {
    std::vector<std::string> names;
    for (const bridge::CatalogueServer& each : catalogue_->servers()) names.push_back(each.name);
    for (const std::string& line : policy::unmet(*policy().current(), names))
        log_info("policy: " + base::Shown::line(line));
}

void App::log_configuration() const {
    log_faults(catalogue_->faults());
    log_reach();
    for (const std::string& note : catalogue_->configuration_notes())
        log_info("servers: " + base::Shown::line(note));
}

void App::stop_code() {
    sessions_->close();
    pool_->close();
    engine_->close();
}

asio::awaitable<void> App::shut_down() {
    stop_code();
    co_await catalogue_->stop(2s);
    const auto deadline = std::chrono::steady_clock::now() + 3s;
    while (pool_->making() > 0 && std::chrono::steady_clock::now() <
                                      deadline) { // one that is being made is removed when it is there
        asio::steady_timer step(loop_, 10ms);
        co_await step.async_wait(asio::use_awaitable);
    }
    co_await engine_->remover().drained(3s);
}

} // namespace cli
