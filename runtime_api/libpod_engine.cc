#include "runtime_api/libpod_engine.h"

#include <utility>

#include "runtime_api/image_name.h"
#include "runtime_api/libpod_json.h"
#include "src/base/percent.h"

namespace runtime_api {
namespace asio = boost::asio;

namespace {
constexpr const char* api_version = "4.0.0";
}

LibpodEngine::LibpodEngine(std::unique_ptr<Http> http, Timeouts timeouts, std::string version)
    : RestEngine(std::move(http), std::string("/v") + api_version + "/libpod", timeouts),
      version_(std::move(version)) {}

asio::awaitable<Created> LibpodEngine::create(ContainerSpec spec) {
    const std::string attempted = "create container " + spec.name;
    HttpRequest request;
    request.method = "POST";
    request.target = "/containers/create"; // the name is in the body: podman ignores one in the query
    request.body = libpod::create_body(spec);
    request.limit = timeouts().create;
    request.stream_follows = true;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return libpod::read_created(answer.body); });
}

RestEngine::PullRequest LibpodEngine::pull_request(const std::string& reference) const {
    PullRequest out;
    out.target =
        "/images/pull?policy=always&reference=" + base::percent_encode(without_needless_tag(reference));
    out.words = Dialect::libpod;
    out.silence = timeouts().pull_blind;
    if (libpod::counts_pulled_bytes(version_)) {
        out.target += "&compatMode=true";
        out.words = Dialect::docker;
        out.silence = timeouts().pull_retries;
    }
    return out;
}

std::string LibpodEngine::import_target(const std::string& name) const {
    return "/images/import?reference=" + base::percent_encode(name);
}

std::string LibpodEngine::wait_target(const std::string& name) const {
    return container(name, "/wait?interval=20ms");
}

EngineInfo LibpodEngine::read_info(const std::string& body) const {
    EngineInfo info = libpod::read_info(body);
    info.api_version = api_version;
    return info;
}

int LibpodEngine::read_exit_code(const std::string& body) const { return libpod::read_exit_code(body); }
ContainerState LibpodEngine::read_state(const std::string& body) const { return libpod::read_state(body); }
std::vector<ContainerSummary> LibpodEngine::read_list(const std::string& body) const {
    return libpod::read_list(body);
}

} // namespace runtime_api
