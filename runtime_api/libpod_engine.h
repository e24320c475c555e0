#pragma once
#include "runtime_api/rest_engine.h"

namespace runtime_api {

/// podman 4 to 6 over its own API, /v4.0.0/libpod, which all of these serve.
class LibpodEngine final : public RestEngine {
public:
    LibpodEngine(std::unique_ptr<Http> http, Timeouts timeouts);

    Dialect dialect() const override { return Dialect::libpod; }
    boost::asio::awaitable<EngineInfo> info() override;
    boost::asio::awaitable<bool> image_exists(std::string reference) override;
    boost::asio::awaitable<void> pull(std::string reference, PullSink sink, RegistryAuth auth) override;
    boost::asio::awaitable<Created> create(ContainerSpec spec) override;
    boost::asio::awaitable<int> wait(std::string name, std::chrono::milliseconds limit) override;

private:
    ContainerState read_state(const std::string& body) const override;
    std::vector<ContainerSummary> read_list(const std::string& body) const override;
};

} // namespace runtime_api
