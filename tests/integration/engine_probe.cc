// One life of a container by hand: engine_probe URL IMAGE [LIVES]. Prints what each step answered and how
// long it took. Exit status 0: all of them ran and nothing was left behind.
#include <unistd.h>

#include <boost/asio.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "runtime_api/engine.h"
#include "runtime_api/error.h"

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr const char* label = "io.cordon.probe";

/// Prints the time since the last step.
class Steps {
public:
    explicit Steps(std::string name) : name_(std::move(name)) {}
    void done(const std::string& step, const std::string& result = "") {
        const std::chrono::duration<double, std::milli> time = Clock::now() - last_;
        std::printf("%s %-8s %7.1f ms  %s\n", name_.c_str(), step.c_str(), time.count(), result.c_str());
        last_ = Clock::now();
    }

private:
    std::string name_;
    Clock::time_point last_ = Clock::now();
};

runtime_api::ContainerSpec spec_for(const std::string& name, const std::string& image) {
    runtime_api::ContainerSpec spec;
    spec.name = name;
    spec.image = image;
    spec.command = {
        "python3", "-I", "-u", "-c",
        "import os,sys\n"
        "print(os.getpid(), os.getuid(), os.getgid(), os.getgroups(), dict(os.environ))\n"
        "print(open('/proc/self/status').read().split('CapInh')[1], file=sys.stderr)\n"
        "print([l.split()[1:4] for l in open('/proc/mounts')], file=sys.stderr)\n"
        "print([(f, open(f).read() if os.path.exists(f) else None) for f in "
        "('/etc/hosts','/etc/resolv.conf','/etc/hostname')], file=sys.stderr)\n"
        "open('/dev/shm/x','w').write('x'); open('/tmp/x','w').write('x'); open('x','w').write('x')\n"
        "for line in sys.stdin: print('echo', line, end='')\n"};
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", "/workspace"}};
    spec.labels = {{label, std::to_string(getpid())}};
    spec.tmpfs = {{"/tmp", 64 << 20}, {"/workspace", 128 << 20}, {"/dev/shm", 64 << 20}};
    spec.rlimits = {{"nofile", 1024}, {"nproc", 32768}, {"core", 0}};
    return spec;
}

asio::awaitable<void> live(runtime_api::Engine& engine, std::string name, std::string image, bool loud) {
    Steps steps(name);
    const runtime_api::ContainerSpec spec = spec_for(name, image);
    const runtime_api::Created created = co_await engine.create(spec);
    steps.done("create", created.id.substr(0, 12));
    for (const std::string& warning : created.warnings)
        std::printf("%s WARNING %s\n", name.c_str(), warning.c_str());
    std::unique_ptr<runtime_api::AttachStream> stream = co_await engine.attach(name);
    steps.done("attach");
    co_await engine.start(name);
    steps.done("start");
    co_await stream->write("hello\n");
    std::string out;
    std::string err;
    while (out.find("echo hello\n") == std::string::npos) {
        runtime_api::AttachStream::Piece piece = co_await stream->read();
        if (piece.data.empty()) throw std::runtime_error("the stream ended early: " + out + err);
        (piece.stream == runtime_api::AttachStream::Stream::out ? out : err) += piece.data;
    }
    steps.done("echo", loud ? out + err : "");
    co_await stream->write("again\n");
    co_await stream->read();
    steps.done("again");
    const std::optional<runtime_api::ContainerState> state = co_await engine.inspect(name);
    steps.done("inspect", state ? state->status : "gone");
    const std::vector<runtime_api::ContainerSummary> all = co_await engine.list(label);
    steps.done("list", std::to_string(all.size()));
    stream->close();
    co_await engine.kill(name);
    steps.done("kill");
    co_await engine.remove(name);
    steps.done("remove");
    co_await engine.remove(name);
    steps.done("again");
}

asio::awaitable<void> probe(std::string url, std::string image, int lives) {
    Steps steps("probe");
    const runtime_api::Timeouts timeouts;
    std::unique_ptr<runtime_api::Engine> engine =
        co_await runtime_api::connect_engine(runtime_api::parse_endpoint(url), timeouts);
    steps.done("connect", engine->dialect() == runtime_api::Dialect::libpod ? "libpod" : "docker");
    const runtime_api::EngineInfo info = co_await engine->info();
    steps.done("info", info.version + " API " + info.api_version + ' ' + info.operating_system + ' ' +
                           info.oci_runtime + " cgroup v" + std::to_string(info.cgroup_version));
    const std::optional<runtime_api::ImageInfo> there = co_await engine->image(image);
    steps.done("image", there ? "there" : "not there");
    const std::string prefix = "cordon-probe-" + std::to_string(getpid()) + '-';
    co_await live(*engine, prefix + '0', image, true);
    int running = 0;
    bool failed = false;
    asio::steady_timer all_done(co_await asio::this_coro::executor, Clock::time_point::max());
    const auto done = [&](const std::exception_ptr& failure) {
        --running;
        failed |= failure != nullptr;
        all_done.cancel();
        if (failure) try {
                std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                std::printf("FAILED: %s\n", e.what());
            }
    };
    for (int i = 1; i < lives; ++i) {
        ++running;
        asio::co_spawn(all_done.get_executor(), live(*engine, prefix + std::to_string(i), image, false),
                       done);
    }
    boost::system::error_code ignored;
    while (running > 0) co_await all_done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    steps.done("all");
    const std::vector<runtime_api::ContainerSummary> left = co_await engine->list(label);
    if (failed || !left.empty())
        throw std::runtime_error(std::to_string(left.size()) + " containers are left");
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: engine_probe URL IMAGE [LIVES]\n");
        return 64;
    }
    std::signal(SIGPIPE, SIG_IGN);
    asio::io_context loop(1);
    int status = EXIT_SUCCESS;
    const auto done = [&](const std::exception_ptr& failure) {
        if (failure) try {
                std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                std::printf("FAILED: %s\n", e.what());
                status = EXIT_FAILURE;
            }
    };
    asio::co_spawn(loop, probe(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1), done);
    loop.run();
    return status;
}
