#include "runtime_api/libpod_engine.h"

#include <algorithm>
#include <utility>

#include "runtime_api/engine_answer.h"
#include "runtime_api/libpod_json.h"
#include "runtime_api/percent.h"
#include "runtime_api/pull_progress.h"

namespace runtime_api {
namespace asio = boost::asio;

namespace {
constexpr const char* api_version = "4.0.0";
}

LibpodEngine::LibpodEngine(std::unique_ptr<Http> http, Timeouts timeouts)
    : RestEngine(std::move(http), std::string("/v") + api_version + "/libpod", timeouts) {}

asio::awaitable<EngineInfo> LibpodEngine::info() {
    const std::string attempted = "ask the engine about itself";
    HttpRequest request;
    request.target = "/info";
    request.limit = timeouts().quick;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    EngineInfo info = read_answer(attempted, [&] { return libpod::read_info(answer.body); });
    info.api_version = api_version;
    co_return info;
}

asio::awaitable<bool> LibpodEngine::image_exists(std::string reference) {
    const std::string attempted = "look for image " + reference;
    HttpRequest request;
    request.target = "/images/" + percent_encode(reference) + "/exists";
    request.limit = timeouts().quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (answer.status == 404) co_return false;
    if (answer.status < 200 || answer.status > 299) throw answer_error(attempted, answer);
    co_return true;
}

asio::awaitable<void> LibpodEngine::pull(std::string reference, PullSink sink, RegistryAuth auth) {
    const std::string attempted = "pull image " + reference;
    PullReader reader(Dialect::libpod, std::move(sink));
    HttpRequest request;
    request.method = "POST";
    request.target = "/images/pull?policy=always&reference=" + percent_encode(reference);
    request.limit = std::chrono::milliseconds(0);
    request.silence = timeouts().pull_silence;
    request.headers = registry_auth_headers(auth);
    request.sink = [&reader](std::string_view piece) { reader.feed(piece); };
    co_await ask_well(attempted, std::move(request));
    reader.finish(attempted);
}

asio::awaitable<Created> LibpodEngine::create(ContainerSpec spec) {
    const std::string attempted = "create container " + spec.name;
    HttpRequest request;
    request.method = "POST";
    request.target = "/containers/create"; // the name is in the body: podman ignores one in the query
    request.body = libpod::create_body(spec);
    request.limit = timeouts().create;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return libpod::read_created(answer.body); });
}

asio::awaitable<int> LibpodEngine::wait(std::string name, std::chrono::milliseconds limit) {
    const std::string attempted = "wait for container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/wait?interval=20ms");
    request.limit = std::max(limit, std::chrono::milliseconds(1)); // 0 would be for ever
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return libpod::read_exit_code(answer.body); });
}

ContainerState LibpodEngine::read_state(const std::string& body) const { return libpod::read_state(body); }
std::vector<ContainerSummary> LibpodEngine::read_list(const std::string& body) const {
    return libpod::read_list(body);
}

} // namespace runtime_api
