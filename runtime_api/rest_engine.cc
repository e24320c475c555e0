#include "runtime_api/rest_engine.h"

#include <algorithm>
#include <utility>

#include "runtime_api/engine_answer.h"
#include "runtime_api/pause.h"
#include "src/base/percent.h"

namespace runtime_api {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

bool success(int status) {
    return (status >= 200 && status < 300) || status == 304;
} // 304: started, stopped already

/// {"label":["key=value"]}
std::string label_filter(const std::string& label) {
    json::Writer out;
    out.object().key("label").array().value(label).end().end();
    return out.take();
}

std::chrono::milliseconds time_left(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return std::max(left, std::chrono::milliseconds(1));
}

/// Nothing is left to remove. Podman before 4.8 says so with 500 when its own auto-removal was faster.
bool gone(const HttpResponse& answer) {
    return success(answer.status) ||
           (answer.status >= 400 && answer_errc(answer.status, engine_words(answer.body)) == Errc::not_found);
}

} // namespace

RestEngine::RestEngine(std::unique_ptr<Http> http, std::string prefix, Timeouts timeouts)
    : http_(std::move(http)), prefix_(std::move(prefix)), timeouts_(timeouts) {}

std::string RestEngine::container(const std::string& name, const std::string& rest) {
    return "/containers/" + base::percent_encode(name) + rest;
}

asio::awaitable<HttpResponse> RestEngine::ask(std::string attempted, HttpRequest request) {
    request.target = prefix_ + request.target;
    try {
        co_return co_await http_->send(std::move(request));
    } catch (const Error& e) {
        throw Error(e.code(), attempted + ": " + e.what());
    } catch (
        const boost::system::system_error& e) { // Asio's own, from a call that was cancelled before it waited
        throw Error(Errc::cancelled, attempted + ": " + e.what());
    }
}

asio::awaitable<HttpResponse> RestEngine::ask_well(std::string attempted, HttpRequest request) {
    HttpResponse answer = co_await ask(attempted, std::move(request));
    if (!success(answer.status)) throw answer_error(attempted, answer);
    co_return answer;
}

asio::awaitable<HttpResponse> RestEngine::get(std::string attempted, std::string target) {
    HttpRequest request;
    request.target = std::move(target);
    request.limit = timeouts_.quick;
    co_return co_await ask_well(std::move(attempted), std::move(request));
}

asio::awaitable<EngineInfo> RestEngine::info() {
    const std::string attempted = "ask the engine about itself";
    const HttpResponse answer = co_await get(attempted, "/info");
    co_return read_answer(attempted, [&] { return read_info(answer.body); });
}

asio::awaitable<int> RestEngine::wait(std::string name, std::chrono::milliseconds limit) {
    const std::string attempted = "wait for container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = wait_target(name);
    request.limit = std::max(limit, std::chrono::milliseconds(1)); // 0 would be for ever
    const HttpResponse answer = co_await ask_well(attempted, std::move(request));
    co_return read_answer(attempted, [&] { return read_exit_code(answer.body); });
}

asio::awaitable<std::unique_ptr<AttachStream>> RestEngine::attach(std::string name) {
    const std::string attempted = "attach to container " + name;
    HttpRequest request;
    request.method = "POST";
    // Empty detach keys: else podman lets go of the stream when certain bytes pass over stdin.
    request.target = prefix_ + container(name, "/attach?stream=1&stdin=1&stdout=1&stderr=1&detachKeys=");
    request.limit = timeouts_.start;
    Upgraded upgraded;
    try {
        upgraded = co_await http_->upgrade(std::move(request));
    } catch (const Error& e) {
        throw Error(e.code(), attempted + ": " + e.what());
    } catch (const boost::system::system_error& e) {
        throw Error(Errc::cancelled, attempted + ": " + e.what());
    }
    if (!upgraded.stream) throw answer_error(attempted, upgraded.answer);
    co_return std::move(upgraded.stream);
}

asio::awaitable<void> RestEngine::start(std::string name) {
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/start");
    request.limit = timeouts_.start;
    co_await ask_well("start container " + name, std::move(request));
}

asio::awaitable<void> RestEngine::kill(std::string name) {
    const std::string attempted = "kill container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/kill?signal=KILL");
    request.limit = timeouts_.quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (success(answer.status)) co_return;
    const Error error = answer_error(attempted, answer);
    if (error.code() != Errc::not_found && error.code() != Errc::conflict)
        throw error; // dead or gone already
}

namespace {

// By the words of podman and Docker, for what is as it should be: it was frozen (or not) before.
bool says(const HttpResponse& answer, std::string_view words) {
    return engine_words(answer.body).find(words) != std::string::npos;
}

} // namespace

asio::awaitable<void> RestEngine::freeze(std::string name) {
    const std::string attempted = "freeze container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/pause");
    request.limit = timeouts_.quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (success(answer.status) || says(answer, "already paused")) co_return;
    throw answer_error(attempted, answer);
}

asio::awaitable<void> RestEngine::thaw(std::string name) {
    const std::string attempted = "thaw container " + name;
    HttpRequest request;
    request.method = "POST";
    request.target = container(name, "/unpause");
    request.limit = timeouts_.quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (success(answer.status) || says(answer, "is not paused")) co_return;
    throw answer_error(attempted, answer);
}

asio::awaitable<std::optional<ContainerState>> RestEngine::inspect(std::string name) {
    const std::string attempted = "inspect container " + name;
    HttpRequest request;
    request.target = container(name, "/json");
    request.limit = timeouts_.quick;
    const HttpResponse answer = co_await ask(attempted, std::move(request));
    if (!success(answer.status)) {
        const Error error = answer_error(attempted, answer);
        if (error.code() == Errc::not_found) co_return std::nullopt;
        throw error;
    }
    co_return read_answer(attempted, [&] { return read_state(answer.body); });
}

asio::awaitable<void> RestEngine::remove(std::string name) {
    const std::string attempted = "remove container " + name;
    const Clock::time_point deadline = Clock::now() + timeouts_.remove;
    // The engine may be removing it at this moment, or podman may still wait for its monitor ("timed out
    // waiting for file …/exits/…", "container state improper"): both pass by themselves.
    std::chrono::milliseconds delay{20};
    for (;;) {
        HttpRequest request;
        request.method = "DELETE";
        request.target = container(
            name, "?force=true&v=true&timeout=0"); // without timeout=0 podman waits 10 s for SIGTERM's effect
        request.limit = time_left(deadline);
        const HttpResponse answer = co_await ask(attempted, std::move(request));
        if (gone(answer)) co_return;
        const bool may_pass = answer.status == 409 || answer.status >= 500;
        if (!may_pass || Clock::now() + delay >= deadline) throw answer_error(attempted, answer);
        co_await pause(delay);
        delay = std::min(delay * 2, std::chrono::milliseconds(640));
    }
}

asio::awaitable<std::vector<ContainerSummary>> RestEngine::list(std::string label) {
    const std::string attempted = "list containers";
    std::string target = "/containers/json?all=true&filters=" + base::percent_encode(label_filter(label));
    const HttpResponse answer = co_await get(attempted, std::move(target));
    co_return read_answer(attempted, [&] { return read_list(answer.body); });
}

} // namespace runtime_api
