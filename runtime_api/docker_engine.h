#pragma once
#include <string>
#include <vector>

#include "runtime_api/docker_json.h"
#include "runtime_api/rest_engine.h"

namespace runtime_api {

/// Docker Engine 20.10 and on.
class DockerEngine final : public RestEngine {
public:
    /// api_version: as docker::negotiate gave it, "1.44".
    DockerEngine(std::unique_ptr<Http> http, std::string api_version, Timeouts timeouts);

    Dialect dialect() const override { return Dialect::docker; }
    boost::asio::awaitable<EngineInfo> info() override;
    boost::asio::awaitable<bool> image_exists(std::string reference) override;
    boost::asio::awaitable<void> pull(std::string reference, PullSink sink, RegistryAuth auth) override;
    boost::asio::awaitable<Created> create(ContainerSpec spec) override;
    boost::asio::awaitable<int> wait(std::string name, std::chrono::milliseconds limit) override;

private:
    boost::asio::awaitable<docker::ImageDefaults> image_defaults(std::string attempted, std::string image);
    ContainerState read_state(const std::string& body) const override;
    std::vector<ContainerSummary> read_list(const std::string& body) const override;

    std::string api_version_;
};

} // namespace runtime_api
