#include "src/bridge/catalogue.h"

#include <doctest/doctest.h>

#include "run.h"
#include "runtime_api/pause.h"

namespace asio = boost::asio;
using bridge::Catalogue;
using bridge::CatalogueEntry;
using namespace std::chrono_literals;

namespace {

/// One server, of which every start fails.
std::vector<CatalogueEntry> broken() {
    CatalogueEntry entry;
    entry.about.name = entry.about.alias = entry.spec.name = "broken";
    entry.spec.launch.argv = {"/nonexistent/server"};
    std::vector<CatalogueEntry> all;
    all.push_back(std::move(entry));
    return all;
}

asio::awaitable<std::string> failure(Catalogue* catalogue) {
    try {
        co_await catalogue->tools("broken");
    } catch (const jsonrpc::Error& e) {
        co_return e.what();
    }
    co_return "it was started";
}

/// Asks until a start is tried, for half of the longest pause; whoever is told to wait comes again.
asio::awaitable<std::string> next_try(Catalogue* catalogue) {
    const auto end = std::chrono::steady_clock::now() + 15s;
    for (;;) {
        std::string why = co_await failure(catalogue);
        const bool told_to_wait = why.find("is not tried again yet") != std::string::npos;
        if (!told_to_wait || std::chrono::steady_clock::now() > end) co_return why;
        co_await runtime_api::pause(20ms);
    }
}

} // namespace

TEST_CASE("Catalogue: many calls that waited for one start that failed make one failure of it") {
    asio::io_context loop;
    Catalogue catalogue(loop.get_executor(), broken(), [](const std::string&) {});
    int failed = 0;
    for (int i = 0; i < 100; ++i)
        asio::co_spawn(loop, failure(&catalogue), [&](std::exception_ptr, const std::string& why) {
            failed += why.find("/nonexistent/server: not found") != std::string::npos ? 1 : 0;
        });
    CHECK(run(loop, failure(&catalogue)).find("not found") != std::string::npos);
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (failed < 100 && std::chrono::steady_clock::now() < end) loop.run_one_until(end); // in any order
    CHECK(failed == 100);
    CHECK(run(loop, failure(&catalogue)).find("is not tried again yet") != std::string::npos);
    CHECK(run(loop, next_try(&catalogue)).find("could not be started") != std::string::npos);
}
