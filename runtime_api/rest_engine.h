#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime_api/engine.h"
#include "runtime_api/error.h"
#include "runtime_api/http.h"
#include "src/base/json.h"

namespace runtime_api {

/// What libpod and Docker have in common once the prefix and the JSON are left out: which path does what, and
/// which answers are good. Must outlive its calls.
class RestEngine : public Engine {
public:
    boost::asio::awaitable<EngineInfo> info() override;
    boost::asio::awaitable<std::optional<ImageInfo>> image(std::string reference) override;
    boost::asio::awaitable<std::vector<ImageInfo>> images() override;
    boost::asio::awaitable<void> pull(std::string reference, PullSink sink,
                                      std::vector<RegistryAuth> logins) override;
    boost::asio::awaitable<void> import_image(ImageImport what) override;
    boost::asio::awaitable<void> remove_image(std::string reference) override;
    boost::asio::awaitable<int> wait(std::string name, std::chrono::milliseconds limit) override;
    boost::asio::awaitable<std::unique_ptr<AttachStream>> attach(std::string name) override;
    boost::asio::awaitable<void> start(std::string name) override;
    boost::asio::awaitable<void> kill(std::string name) override;
    boost::asio::awaitable<void> freeze(std::string name) override;
    boost::asio::awaitable<void> thaw(std::string name) override;
    boost::asio::awaitable<std::optional<ContainerState>> inspect(std::string name) override;
    boost::asio::awaitable<void> remove(std::string name) override;
    boost::asio::awaitable<std::vector<ContainerSummary>> list(std::string label) override;

protected:
    /// How a pull is asked for, and in whose words it is told.
    struct PullRequest {
        std::string target;
        Dialect words = Dialect::docker;
        std::chrono::milliseconds silence{};
    };

    /// prefix: "/v4.0.0/libpod", without a slash at its end.
    RestEngine(std::unique_ptr<Http> http, std::string prefix, Timeouts timeouts);

    /// One exchange below the prefix. Errors are told with what was attempted; a status is an answer.
    boost::asio::awaitable<HttpResponse> ask(std::string attempted, HttpRequest request);

    /// The same; a status that is not success is an error.
    boost::asio::awaitable<HttpResponse> ask_well(std::string attempted, HttpRequest request);

    /// A GET that is answered soon, by the same rule.
    boost::asio::awaitable<HttpResponse> get(std::string attempted, std::string target);

    /// The answer to GET images/NAME/json, below the prefix; not_found where there is none.
    boost::asio::awaitable<std::string> image_json(std::string attempted, std::string reference);

    /// "/containers/NAME" and what follows.
    static std::string container(const std::string& name, const std::string& rest);

    const Timeouts& timeouts() const { return timeouts_; }

private:
    virtual PullRequest pull_request(const std::string& reference) const = 0;
    /// Where a tarball is made an image, up to the query's `changes`.
    virtual std::string import_target(const std::string& name) const = 0;
    virtual std::string wait_target(const std::string& name) const = 0;
    virtual EngineInfo read_info(const std::string& body) const = 0;
    virtual int read_exit_code(const std::string& body) const = 0;
    virtual ContainerState read_state(const std::string& body) const = 0;
    virtual std::vector<ContainerSummary> read_list(const std::string& body) const = 0;

    std::unique_ptr<Http> http_;
    std::string prefix_;
    Timeouts timeouts_;
};

/// Calls read(), and throws Error(protocol) where it throws json::Error.
template <class Read> auto read_answer(const std::string& attempted, Read&& read) {
    try {
        return read();
    } catch (const json::Error& e) {
        throw Error(Errc::protocol, attempted + ": the engine's answer was not understood: " + e.what());
    }
}

} // namespace runtime_api
