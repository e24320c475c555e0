#include <utility>

#include "runtime_api/error.h"
#include "runtime_api/socket_listener.h"
#include "runtime_api/tls_files.h"
#include "src/engines/advice.h"
#include "src/engines/discovery.h"

namespace engines {
namespace asio = boost::asio;
namespace {

/// After this long no further place is tried; those that answer at all answer in milliseconds.
constexpr std::chrono::seconds search_limit{60};

constexpr const char* not_tried = "not tried: ";

struct Answer {
    std::shared_ptr<runtime_api::Engine> engine{};
    runtime_api::EngineInfo info{};
    bool described = true;
    std::string failure{}; ///< Empty: it answered.
};

/// Why it may not even be asked; "" if it may.
std::string refusal(const Candidate& candidate, const SearchOptions& options) {
    if (!candidate.problem.empty()) return candidate.problem;
    if (!candidate.endpoint) return "no URL";
    if (candidate.endpoint->kind == runtime_api::Endpoint::Kind::tcp && !candidate.endpoint->loopback() &&
        !options.allow_plain_tcp)
        return "plain tcp to another host: refused, since whoever is on the network would own the engine "
               "(use https:// with client "
               "certificates or ssh://; --allow-plain-tcp takes it)";
    return tls_files_problem(*candidate.endpoint);
}

/// Not every engine says what it dislikes about a client's certificate.
std::string with_own_age(const std::string& failure, const runtime_api::Endpoint& endpoint) {
    const bool after_the_engine_s =
        failure.starts_with("talking to") || failure.find("alert") != std::string::npos;
    const std::string age = after_the_engine_s ? client_certificate_age(endpoint) : "";
    return age.empty() ? failure : failure + "; " + age;
}

/// Whether an engine that answers there will be taken, whatever it says of itself, as far as can be known.
bool sure_to_be_taken(const runtime_api::Endpoint& endpoint, const SearchOptions& options) {
    return options.hasty && endpoint.kind == runtime_api::Endpoint::Kind::unix_socket &&
           (options.allow_rootful || runtime_api::own_user_listens(endpoint.path));
}

/// Why an engine that answers is not the kind that was asked for; "" if it is.
std::string wrong_kind(const runtime_api::Engine& engine, const SearchOptions& options) {
    const bool podman = engine.dialect() == runtime_api::Dialect::libpod;
    const std::string is = podman ? "podman" : "docker";
    const bool asked = options.runtime == "podman" || options.runtime == "docker";
    if (!asked || options.runtime == is) return {};
    return is + " answers there, and --runtime " + options.runtime + " asks for " + options.runtime +
           ": leave --runtime (CORDON_RUNTIME) out, or name another socket by --runtime-socket";
}

asio::awaitable<Answer> ask(runtime_api::Endpoint where, runtime_api::Timeouts timeouts, bool describe) {
    Answer out;
    out.described = describe;
    try {
        out.engine = co_await runtime_api::connect_engine(where, timeouts);
        if (describe) out.info = co_await out.engine->info();
    } catch (const runtime_api::Error& e) {
        if (e.code() == runtime_api::Errc::cancelled) throw;
        out.engine.reset();
        out.failure = with_own_age(e.what(), where);
    }
    co_return out;
}

std::string describe(const runtime_api::EngineInfo& info) {
    std::string out = info.dialect == runtime_api::Dialect::libpod ? "podman " : "Docker ";
    out += info.version.empty() ? "of unknown version" : info.version;
    if (info.rootless) out += *info.rootless ? ", rootless" : ", rootful";
    return out;
}

/// Judges an engine that answered: fills taken and outcome.
void judge(const runtime_api::EngineInfo& info, bool allow_rootful, Tried& tried) {
    std::string why;
    tried.outcome = describe(info);
    if (info.rootless.value_or(false)) {
        tried.taken = true;
    } else if (runs_in_vm(info, *tried.candidate.endpoint, why)) {
        tried.taken = true;
        tried.outcome += " in a VM of its own (" + why + ')';
    } else if (allow_rootful) {
        tried.taken = true;
        tried.outcome += " (--allow-rootful)";
    } else {
        tried.outcome += info.rootless ? "" : ", does not say whether it is rootless";
        tried.outcome += ": passed over (--allow-rootful takes it)";
    }
}

std::string no_engine_message(const std::vector<Tried>& tried) {
    std::string out = "no container engine could be used; tried:";
    std::string others; ///< Those that were not, all for one reason.
    for (const Tried& each : tried) {
        if (each.outcome.starts_with(not_tried)) {
            if (others.empty()) others = each.outcome;
            continue;
        }
        out += "\n  " + each.candidate.source;
        if (!each.candidate.url.empty()) out += ' ' + each.candidate.url;
        out += ": " + each.outcome;
        if (!each.advice.empty()) out += "\n    -> " + each.advice;
    }
    if (!others.empty()) out += "\n  the usual places: " + others;
    if (tried.empty()) out += " nothing, for there is no place to look";
    return out;
}

/// One advice given at several places is said at the first.
void say_once(std::vector<Tried>& tried) {
    for (std::size_t i = 0; i < tried.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (tried[i].advice == tried[j].advice) tried[i].advice.clear();
}

/// One search: goes through the candidates and keeps what became of each.
class Search {
public:
    Search(const Surroundings& around, SearchOptions options)
        : host_(look_at_host(around)), options_(std::move(options)),
          start_(std::chrono::steady_clock::now()) {}

    asio::awaitable<void> consider(Candidate candidate) {
        Tried tried;
        tried.candidate = std::move(candidate);
        if (!stop_.empty()) {
            tried.outcome = not_tried + stop_;
        } else {
            co_await attempt(tried);
            decide(tried);
        }
        found_.tried.push_back(std::move(tried));
    }

    /// Throws NoEngine.
    Found result() {
        say_once(found_.tried);
        if (!found_.engine) throw NoEngine(no_engine_message(found_.tried), found_.tried);
        return std::move(found_);
    }

private:
    /// Called with a local of consider(), which waits.
    asio::awaitable<void> attempt(Tried& tried) {
        Answer answer;
        answer.failure = refusal(tried.candidate, options_);
        if (answer.failure.empty()) {
            const bool sure = sure_to_be_taken(*tried.candidate.endpoint, options_);
            answer = co_await ask(*tried.candidate.endpoint, options_.timeouts, !sure);
        }
        if (answer.engine) answer.failure = wrong_kind(*answer.engine, options_);
        if (!answer.failure.empty()) answer.engine.reset();
        tried.outcome = answer.failure;
        if (answer.engine && answer.described) judge(answer.info, options_.allow_rootful, tried);
        if (answer.engine && !answer.described) {
            tried.taken = true;
            tried.outcome = "answers";
        }
        if (tried.taken) {
            found_.engine = std::move(answer.engine);
            found_.info = std::move(answer.info);
            found_.described = answer.described;
            found_.candidate = tried.candidate;
        } else if (const auto advice = advice_on_place(host_, tried.candidate, tried.outcome)) {
            tried.advice = advice->remedy;
        }
    }

    /// Whether the search goes on.
    void decide(const Tried& tried) {
        if (tried.taken)
            stop_ = tried.candidate.source + " was taken";
        else if (tried.candidate.said)
            stop_ = tried.candidate.source + " is set, and what is set is used or is an error";
        else if (std::chrono::steady_clock::now() - start_ > search_limit)
            stop_ = "the search took too long";
    }

    Host host_;
    SearchOptions options_;
    std::chrono::steady_clock::time_point start_;
    Found found_{};
    std::string stop_{}; ///< Why those that are left are not tried; empty: they are.
};

} // namespace

asio::awaitable<Found> find_engine(Surroundings around, SearchOptions options) {
    std::vector<Candidate> all = candidates(around, options);
    Search search(around, std::move(options));
    for (Candidate& each : all) co_await search.consider(std::move(each));
    co_return search.result();
}

asio::awaitable<runtime_api::EngineInfo> describe_engine(std::shared_ptr<const Found> found,
                                                         SearchOptions options) {
    runtime_api::EngineInfo info = co_await found->engine->info();
    Tried tried;
    tried.candidate = found->candidate;
    judge(info, options.allow_rootful, tried);
    std::vector<Tried> all;
    all.push_back(std::move(tried));
    if (!all.front().taken) throw NoEngine(no_engine_message(all), all);
    co_return info;
}

} // namespace engines
