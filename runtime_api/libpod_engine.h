#pragma once
#include <string>
#include <vector>

#include "runtime_api/rest_engine.h"

namespace runtime_api {

/// podman 4 to 6 over its own API, /v4.0.0/libpod, which all of these serve.
class LibpodEngine final : public RestEngine {
public:
    /// version: podman's own, as its ping says it; "" counts as the oldest.
    LibpodEngine(std::unique_ptr<Http> http, Timeouts timeouts, std::string version = "");

    Dialect dialect() const override { return Dialect::libpod; }
    boost::asio::awaitable<Created> create(ContainerSpec spec) override;

private:
    PullRequest pull_request(const std::string& reference) const override;
    std::string import_target(const std::string& name) const override;
    std::string wait_target(const std::string& name) const override;
    EngineInfo read_info(const std::string& body) const override;
    int read_exit_code(const std::string& body) const override;
    ContainerState read_state(const std::string& body) const override;
    std::vector<ContainerSummary> read_list(const std::string& body) const override;

    std::string version_;
};

} // namespace runtime_api
