#include "src/sandbox/remover.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <stdexcept>

#include "runtime_api/error.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

[[noreturn]] void not_asked_for() { throw std::logic_error("a remover only removes"); }

// Out of reach until it is told otherwise.
class FarEngine : public runtime_api::Engine {
public:
    bool reachable = false;
    std::vector<std::string> removed{};

    asio::awaitable<void> remove(std::string name) override {
        if (!reachable) throw runtime_api::Error(runtime_api::Errc::unavailable, "no way to it");
        removed.push_back(std::move(name));
        co_return;
    }

    runtime_api::Dialect dialect() const override { return runtime_api::Dialect::libpod; }
    asio::awaitable<runtime_api::EngineInfo> info() override { not_asked_for(); }
    asio::awaitable<std::optional<runtime_api::ImageInfo>> image(std::string) override { not_asked_for(); }
    asio::awaitable<std::vector<runtime_api::ImageInfo>> images() override { not_asked_for(); }
    asio::awaitable<void> pull(std::string, runtime_api::PullSink,
                               std::vector<runtime_api::RegistryAuth>) override {
        not_asked_for();
    }
    asio::awaitable<void> import_image(runtime_api::ImageImport) override { not_asked_for(); }
    asio::awaitable<void> remove_image(std::string) override { not_asked_for(); }
    asio::awaitable<runtime_api::Created> create(runtime_api::ContainerSpec) override { not_asked_for(); }
    asio::awaitable<std::unique_ptr<runtime_api::AttachStream>> attach(std::string) override {
        not_asked_for();
    }
    asio::awaitable<void> start(std::string) override { not_asked_for(); }
    asio::awaitable<int> wait(std::string, std::chrono::milliseconds) override { not_asked_for(); }
    asio::awaitable<void> kill(std::string) override { not_asked_for(); }
    asio::awaitable<void> freeze(std::string) override { not_asked_for(); }
    asio::awaitable<void> thaw(std::string) override { not_asked_for(); }
    asio::awaitable<std::optional<runtime_api::ContainerState>> inspect(std::string) override {
        not_asked_for();
    }
    asio::awaitable<std::vector<runtime_api::ContainerSummary>> list(std::string) override {
        not_asked_for();
    }
};

} // namespace

TEST_CASE("Remover: what was given up is tried again when the janitor comes round, and then forgotten") {
    asio::io_context loop;
    const auto engine = std::make_shared<FarEngine>();
    std::vector<std::string> said;
    sandbox::Remover remover(loop.get_executor(), [&](const std::string& line) { said.push_back(line); });
    remover.remove(engine, "cordon-x");
    loop.run_for(30s); // to the end of its tries
    REQUIRE(said == std::vector<std::string>{"container cordon-x could not be removed: no way to it"});
    CHECK(remover.pending() == 0);

    engine->reachable = true;
    for (int round = 0; round < 2; ++round) {
        remover.retry();
        loop.restart();
        loop.run_for(30s);
    }
    CHECK(engine->removed == std::vector<std::string>{"cordon-x"});
    CHECK(said.size() == 1);
}
