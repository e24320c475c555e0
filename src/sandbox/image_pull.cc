#include "src/sandbox/image_pull.h"

#include "runtime_api/advice.h"
#include "runtime_api/error.h"
#include "runtime_api/find_login.h"

namespace sandbox {
namespace asio = boost::asio;
using runtime_api::Errc;

namespace {

// What is known of the login, where it may have been the reason.
std::string about_login(const runtime_api::Login& login, Errc code) {
    std::string text;
    const bool refused =
        code == Errc::rejected || code == Errc::not_found || code == Errc::engine_fault; // or so it may be
    if (refused && !login.source.empty()) text += "; tried with the login from " + login.source;
    if (refused && login.source.empty()) text += "; tried without a login, since none was found";
    for (const std::string& trouble : login.troubles) text += "; " + trouble;
    return text;
}

runtime_api::Error explained(const runtime_api::Found& found, const runtime_api::Login& login,
                             const runtime_api::Error& error) {
    const std::string text =
        error.what() + about_login(login, error.code()) + explanation(found, error.what());
    return runtime_api::Error(error.code(), text);
}

// The end is told, however it comes.
struct Show {
    const PullAudience& audience;
    const std::string& image;
    ~Show() { audience.tell(image, nullptr); }
};

} // namespace

std::string explanation(const runtime_api::Found& found, const std::string& words) {
    const runtime_api::Host host = runtime_api::look_at_host(runtime_api::Surroundings::here());
    const runtime_api::Endpoint endpoint = found.candidate.endpoint.value_or(runtime_api::Endpoint());
    const std::optional<runtime_api::Advice> advice = runtime_api::advice_on_error(host, endpoint, words);
    return advice ? " → " + advice->trouble + ": " + advice->remedy : "";
}

asio::awaitable<void> pull_image(std::shared_ptr<const runtime_api::Found> found, std::string reference,
                                 PullAudience audience) {
    const runtime_api::Login login =
        co_await runtime_api::find_login(runtime_api::Surroundings::here(), reference);
    const Show show{audience, reference};
    const auto sink = [&](const runtime_api::PullProgress& progress) { audience.tell(reference, &progress); };
    try {
        co_await found->engine->pull(reference, sink, login.auth);
    } catch (const runtime_api::Error& e) {
        throw explained(*found, login, e);
    }
}

} // namespace sandbox
