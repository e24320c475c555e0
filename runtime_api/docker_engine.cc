#include "runtime_api/docker_engine.h"

#include <utility>

#include "runtime_api/container_spec.h"
#include "runtime_api/docker_json.h"
#include "runtime_api/image_name.h"
#include "src/base/percent.h"

namespace runtime_api {
namespace asio = boost::asio;

DockerEngine::DockerEngine(std::unique_ptr<Http> http, std::string api_version, Timeouts timeouts)
    : RestEngine(std::move(http), "/v" + api_version, timeouts), api_version_(std::move(api_version)) {}

asio::awaitable<Created> DockerEngine::create(ContainerSpec spec) {
    check_spec(spec);
    const std::string attempted = "create container " + spec.name;
    const std::string body = co_await image_json(attempted, spec.image);
    const docker::ImageDefaults image =
        read_answer(attempted, [&] { return docker::read_image_defaults(body); });
    HttpRequest request;
    request.method = "POST";
    request.target = "/containers/create?name=" + base::percent_encode(spec.name);
    request.body = docker::create_body(spec, image);
    request.limit = timeouts().create;
    request.stream_follows = true;
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return docker::read_created(answer.body); });
}

RestEngine::PullRequest DockerEngine::pull_request(const std::string& reference) const {
    const ImageName name = split_reference(reference);
    PullRequest out;
    out.target = "/images/create?fromImage=" + base::percent_encode(name.repository) +
                 "&tag=" + base::percent_encode(name.tag);
    out.silence = timeouts().pull_silence;
    return out;
}

std::string DockerEngine::import_target(const std::string& name) const {
    const ImageName parts = split_reference(name);
    return "/images/create?fromSrc=-&repo=" + base::percent_encode(parts.repository) +
           "&tag=" + base::percent_encode(parts.tag);
}

std::string DockerEngine::wait_target(const std::string& name) const { return container(name, "/wait"); }

EngineInfo DockerEngine::read_info(const std::string& body) const {
    EngineInfo info = docker::read_info(body);
    info.api_version = api_version_;
    return info;
}

int DockerEngine::read_exit_code(const std::string& body) const { return docker::read_exit_code(body); }
ContainerState DockerEngine::read_state(const std::string& body) const { return docker::read_state(body); }
std::vector<ContainerSummary> DockerEngine::read_list(const std::string& body) const {
    return docker::read_list(body);
}

} // namespace runtime_api
