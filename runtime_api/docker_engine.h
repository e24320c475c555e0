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
    boost::asio::awaitable<Created> create(ContainerSpec spec) override;

private:
    PullRequest pull_request(const std::string& reference) const override;
    std::string import_target(const std::string& name) const override;
    std::string wait_target(const std::string& name) const override;
    EngineInfo read_info(const std::string& body) const override;
    int read_exit_code(const std::string& body) const override;
    ContainerState read_state(const std::string& body) const override;
    std::vector<ContainerSummary> read_list(const std::string& body) const override;

    std::string api_version_;
};

} // namespace runtime_api
