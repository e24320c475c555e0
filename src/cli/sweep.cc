#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/sandbox/janitor.h"

namespace cli {
namespace asio = boost::asio;

namespace {

asio::awaitable<int> sweep_once(App* app) {
    const auto found = co_await app->engine().found();
    const auto log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    const std::vector<std::string> removed =
        co_await sandbox::sweep(found->engine, &app->engine().instance(), log);
    for (const std::string& name : removed) std::printf("removed %s\n", name.c_str());
    std::printf("%zu leftover containers removed\n", removed.size());
    co_await app->shut_down();
    co_return 0;
}

} // namespace

int sweep(const Options& options) {
    asio::io_context loop(1);
    App app(loop, options.settings, own_environment());
    return run_to_end(loop, sweep_once(&app));
}

} // namespace cli
