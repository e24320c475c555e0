// The tunnel of ssh:// against a real sshd. What the engine is does not matter here; scripts/test runs a real
// one.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <csignal>

#include "runtime_api/engine_detect.h"
#include "runtime_api/error.h"
#include "tests/integration/ssh_case.h"

namespace asio = boost::asio;
using runtime_api::Endpoint;
using runtime_api::Engine;
using runtime_api::Error;
using runtime_api::Http;
using runtime_api::HttpRequest;
using namespace std::chrono_literals;

namespace {

asio::awaitable<std::string> send_and_read_back(Http& http, std::string text) {
    HttpRequest request;
    request.method = "POST";
    request.target = "/attach";
    const runtime_api::Upgraded upgraded = co_await http.upgrade(std::move(request));
    const std::size_t size = text.size();
    std::string back;
    for (std::size_t at = 0; at < size; at += 10'000)
        co_await upgraded.stream->write(text.substr(at, 10'000));
    while (back.size() < size) {
        const runtime_api::AttachStream::Piece piece = co_await upgraded.stream->read();
        if (piece.data.empty()) break;
        back += piece.data;
    }
    co_return back;
}

} // namespace

TEST_CASE("ssh: an engine is found behind sshd, and one login carries all connections") {
    Machine machine;
    Sshd sshd(machine);
    const FakePodman podman(machine.listen("/far.sock"), rootless);
    asio::io_context loop;
    auto http = http_to(loop, sshd.endpoint(machine.at("/far.sock")), sshd.options());
    const std::unique_ptr<Engine> engine =
        run(loop, detect_engine(std::move(http), "far", runtime_api::Timeouts()));
    CHECK(run(loop, engine->info()).rootless == true);
    int answers = 0;
    for (int i = 0; i < 20; ++i)
        asio::co_spawn(loop, engine->info(),
                       [&](std::exception_ptr e, const runtime_api::EngineInfo&) { answers += e ? 0 : 1; });
    loop.restart();
    loop.run_for(30s);
    CHECK(answers == 20);
    CHECK(sshd.logins() == 1);
}

TEST_CASE("ssh: a stream carries both ways, whole") {
    Machine machine;
    Sshd sshd(machine);
    std::thread echo(echo_frames, machine.listen("/far.sock"));
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + '\n';
    asio::io_context loop;
    auto http = http_to(loop, sshd.endpoint(machine.at("/far.sock")), sshd.options());
    CHECK(run(loop, send_and_read_back(*http, text)) == text);
    http.reset();
    echo.join();
}

TEST_CASE("ssh: a far host that goes away is an error with ssh's words, and is used again when it is back") {
    Machine machine;
    Sshd sshd(machine);
    const FakePodman podman(machine.listen("/far.sock"), rootless);
    asio::io_context loop;
    const auto http = http_to(loop, sshd.endpoint(machine.at("/far.sock")), sshd.options());
    CHECK(status_of(loop, *http) == 200);
    sshd.stop();
    std::string failure = failure_of(loop, *http); // ssh may not have noticed yet
    if (failure.find("Connection refused") == std::string::npos) failure = failure_of(loop, *http);
    CHECK_HAS(failure, "Connection refused");
    sshd.start();
    CHECK(status_of(loop, *http) == 200);
    CHECK(sshd.logins() == 1);
}

TEST_CASE("ssh: nothing listens at the far path") {
    Machine machine;
    Sshd sshd(machine);
    const std::string failure = failure_of(sshd.endpoint(machine.at("/none.sock")), sshd.options());
    CHECK_HAS(failure, "(forwarded by ssh to ssh://");
    CHECK_HAS(failure, "open failed");
}

TEST_CASE("ssh: a far sshd that forwards no sockets") {
    Machine machine;
    Sshd sshd(machine, "AllowStreamLocalForwarding no\n");
    const FakePodman podman(machine.listen("/far.sock"), rootless);
    CHECK_HAS(failure_of(sshd.endpoint(machine.at("/far.sock")), sshd.options()), "open failed");
}

TEST_CASE("ssh: a host key that is unknown, or another than before, is refused") {
    Machine machine;
    Sshd sshd(machine);
    const Endpoint endpoint = sshd.endpoint(machine.at("/far.sock"));
    sshd.know("");
    CHECK_HAS(failure_of(endpoint, sshd.options()), "Host key verification failed.");
    sshd.know(sshd.content("/other_key.pub"));
    CHECK_HAS(failure_of(endpoint, sshd.options()), "has changed and you have requested strict checking");
}

TEST_CASE("ssh: a key that the far host does not know fails at once instead of asking for a password") {
    Machine machine;
    Sshd sshd(machine, "PasswordAuthentication yes\n");
    Endpoint endpoint = sshd.endpoint(machine.at("/far.sock"));
    endpoint.key_file = sshd.at("/other_key");
    CHECK_HAS(failure_of(endpoint, sshd.options()), "Permission denied (publickey,password)");
}

TEST_CASE("ssh: without a path the podman socket of the user there is meant, and one login is enough") {
    Machine machine;
    Sshd sshd(machine);
    asio::io_context loop;
    runtime_api::SshTunnel tunnel(sshd.endpoint(""), sshd.options());
    const auto wait = [&]() -> asio::awaitable<bool> {
        co_await tunnel.ready();
        co_return true;
    };
    CHECK(run(loop, wait()));
    CHECK(sshd.logins() == 1);
}
