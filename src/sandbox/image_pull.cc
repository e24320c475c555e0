#include "src/sandbox/image_pull.h"

#include <algorithm>
#include <iterator>

#include "runtime_api/error.h"
#include "src/engines/advice.h"
#include "src/engines/find_login.h"

namespace sandbox {
namespace asio = boost::asio;
using runtime_api::Errc;

namespace {

// An engine that failed for a reason that no login would mend.
bool has_other_reason(const std::string& words) {
    const char* known[] = {"no space left",  "disk quota",  "connection reset",
                           "unexpected EOF", "broken pipe", "unexpected HTTP status: 5"};
    return std::any_of(std::begin(known), std::end(known),
                       [&](const char* part) { return words.find(part) != std::string::npos; });
}

// What is known of the login, where it may have been the reason.
std::string about_login(const engines::Login& login, const runtime_api::Error& error) {
    std::string text;
    const Errc code = error.code();
    const bool refused = code == Errc::rejected || code == Errc::not_found ||
                         (code == Errc::engine_fault && !has_other_reason(error.what()));
    if (refused && !login.source.empty()) text += "; tried with the login from " + login.source;
    std::string others;
    for (const runtime_api::RegistryAuth& each : login.others)
        others += (others.empty() ? "" : ", ") + each.server;
    if (refused && !others.empty()) text += "; tried with the logins for " + others;
    if (refused && login.source.empty() && others.empty())
        text += "; tried without a login, since none was found";
    for (const std::string& trouble : login.troubles) text += "; " + trouble;
    return text;
}

runtime_api::Error explained(const engines::Found& found, const engines::Login& login,
                             const runtime_api::Error& error) {
    const std::string text = error.what() + about_login(login, error) + explanation(found, error.what());
    return runtime_api::Error(error.code(), text);
}

// The end is told, however it comes.
struct Show {
    const PullAudience& audience;
    const std::string& image;
    ~Show() { audience.tell(image, nullptr); }
};

} // namespace

std::string explanation(const engines::Found& found, const std::string& words) {
    engines::Host host = engines::look_at_host(engines::Surroundings::here());
    host.storage_folder = found.info.storage_folder;
    const runtime_api::Endpoint endpoint = found.candidate.endpoint.value_or(runtime_api::Endpoint());
    // an engine that answered before, and is not there any more
    const bool unreachable = words.find("connect to ") != std::string::npos;
    const std::optional<engines::Advice> advice = unreachable
                                                      ? engines::advice_on_place(host, found.candidate, words)
                                                      : engines::advice_on_error(host, endpoint, words);
    return advice ? " → " + advice->trouble + ": " + advice->remedy : "";
}

asio::awaitable<void> pull_image(std::shared_ptr<const engines::Found> found, std::string reference,
                                 PullAudience audience) {
    const bool podman = found->engine->dialect() == runtime_api::Dialect::libpod;
    const engines::Surroundings here = engines::Surroundings::here();
    engines::Login login;
    if (podman) login = co_await engines::find_podman_login(here, reference);
    if (!podman) login = co_await engines::find_login(here, reference);
    std::vector<runtime_api::RegistryAuth> logins(1, login.auth);
    logins.insert(logins.end(), login.others.begin(), login.others.end());
    const Show show{audience, reference};
    const auto sink = [&](const runtime_api::PullProgress& progress) { audience.tell(reference, &progress); };
    try {
        co_await found->engine->pull(reference, sink, logins);
    } catch (const runtime_api::Error& e) {
        throw explained(*found, login, e);
    }
}

} // namespace sandbox
