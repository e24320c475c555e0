#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/sandbox/janitor.h"

namespace cli {
namespace asio = boost::asio;

namespace {

asio::awaitable<int> sweep_once(App* app) {
    const auto found = co_await app->engine().found();
    const auto log = [](const std::string& line) { tell(Shown::line(line)); };
    const std::vector<std::string> removed =
        co_await sandbox::sweep(found->engine, &app->engine().instance(), log);
    for (const std::string& name : removed) say_line("removed " + Shown::line(name));
    say_line(Shown::number(static_cast<std::int64_t>(removed.size())) + " leftover containers removed");
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
