#include "src/cli/start_servers.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

namespace cli {
namespace asio = boost::asio;

asio::awaitable<bool> start_servers(App* app, std::chrono::milliseconds limit) {
    struct Starts {
        std::size_t open = 0;
        bool failed = false;
    };
    const auto starts = std::make_shared<Starts>();
    const auto all = std::make_shared<asio::steady_timer>(app->executor(), limit);
    for (const bridge::CatalogueServer& server : app->catalogue().servers()) {
        if (!server.usable) continue;
        ++starts->open;
        auto done = [starts, all](std::exception_ptr failure, bridge::Catalogue::Tools) {
            starts->failed = starts->failed || failure;
            if (--starts->open == 0) all->cancel();
        };
        asio::co_spawn(app->executor(), app->catalogue().tools(server.name), std::move(done));
    }
    boost::system::error_code ignored;
    if (starts->open > 0) co_await all->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return !starts->failed && starts->open == 0;
}

} // namespace cli
