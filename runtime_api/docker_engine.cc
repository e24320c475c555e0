#include "runtime_api/docker_engine.h"

#include <algorithm>
#include <utility>

#include "runtime_api/container_spec.h"
#include "runtime_api/docker_json.h"
#include "runtime_api/engine_answer.h"
#include "runtime_api/percent.h"
#include "runtime_api/pull_progress.h"

namespace runtime_api {
namespace asio = boost::asio;

DockerEngine::DockerEngine(std::unique_ptr<Http> http, std::string api_version, Timeouts timeouts)
    : RestEngine(std::move(http), "/v" + api_version, timeouts), api_version_(std::move(api_version)) {}

asio::awaitable<EngineInfo> DockerEngine::info() {
    const std::string attempted = "ask the engine about itself";
    HttpRequest request;
    request.target = "/info";
    request.limit = timeouts().quick;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    EngineInfo info = read_answer(attempted, [&] { return docker::read_info(answer.body); });
    info.api_version = api_version_;
    co_return info;
}

asio::awaitable<bool> DockerEngine::image_exists(std::string reference) {
    const std::string attempted = "look for image " + reference;
    HttpRequest request;
    request.target =
        "/images/" + percent_encode_path(reference) + "/json"; // %2F it would not take for a slash
    request.limit = timeouts().quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (answer.status == 404) co_return false;
    if (answer.status < 200 || answer.status > 299) throw answer_error(attempted, answer);
    co_return true;
}

asio::awaitable<void> DockerEngine::pull(std::string reference, PullSink sink, RegistryAuth auth) {
    const std::string attempted = "pull image " + reference;
    const ImageName name = split_reference(reference);
    PullReader reader(Dialect::docker, std::move(sink));
    HttpRequest request;
    request.method = "POST";
    request.target =
        "/images/create?fromImage=" + percent_encode(name.repository) + "&tag=" + percent_encode(name.tag);
    request.limit = std::chrono::milliseconds(0);
    request.silence = timeouts().pull_silence;
    request.headers = registry_auth_headers(auth);
    request.sink = [&reader](std::string_view piece) { reader.feed(piece); };
    co_await ask_well(attempted, std::move(request));
    reader.finish(attempted);
}

/// Also finds out whether the image is there.
asio::awaitable<docker::ImageDefaults> DockerEngine::image_defaults(std::string attempted,
                                                                    std::string image) {
    HttpRequest request;
    request.target = "/images/" + percent_encode_path(image) + "/json";
    request.limit = timeouts().quick;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return docker::read_image_defaults(answer.body); });
}

asio::awaitable<Created> DockerEngine::create(ContainerSpec spec) {
    check_spec(spec);
    const std::string attempted = "create container " + spec.name;
    const docker::ImageDefaults image = co_await image_defaults(attempted, spec.image);
    HttpRequest request;
    request.method = "POST";
    request.target = "/containers/create?name=" + percent_encode(spec.name);
    request.body = docker::create_body(spec, image);
    request.limit = timeouts().create;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return docker::read_created(answer.body); });
}

asio::awaitable<int> DockerEngine::wait(std::string name, std::chrono::milliseconds limit) {
    const std::string attempted = "wait for container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/wait");
    request.limit = std::max(limit, std::chrono::milliseconds(1)); // 0 would be for ever
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return docker::read_exit_code(answer.body); });
}

ContainerState DockerEngine::read_state(const std::string& body) const { return docker::read_state(body); }
std::vector<ContainerSummary> DockerEngine::read_list(const std::string& body) const {
    return docker::read_list(body);
}

} // namespace runtime_api
