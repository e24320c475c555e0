#include <doctest/doctest.h>

#include <vector>

#include "src/cli/pull_bar.h"
#include "src/sandbox/pull_audience.h"

using runtime_api::PullProgress;

namespace {

PullProgress counted(std::int64_t done, std::int64_t total) {
    PullProgress out;
    out.status = "Downloading a";
    out.done = done;
    out.total = total;
    return out;
}

} // namespace

TEST_CASE("a pull is told in bytes where the engine counts them, else in its words") {
    PullProgress words;
    words.status = "Copying blob 1";
    CHECK(sandbox::describe_pull("x:1", words) == "pulling x:1: Copying blob 1");
    CHECK(sandbox::pulled_part(words) == 0);
    CHECK(sandbox::describe_pull("x:1", counted(12'340'000, 50'000'000)) == "pulling x:1: 12.3 of 50.0 MB");
    CHECK(sandbox::pulled_part(counted(25, 50)) == doctest::Approx(0.5));
    CHECK(sandbox::pulled_part(counted(70, 50)) == doctest::Approx(1));
    CHECK(sandbox::pulled_part(counted(70, 0)) == 0);
}

TEST_CASE("bar_line: fits its terminal, whatever its width") {
    const std::string line = cli::bar_line("x:1", counted(25, 50), 80).text();
    CHECK(line == "pulling x:1: 0.0 of 0.0 MB [############............]");
    for (std::size_t columns = 0; columns < 90; ++columns)
        CHECK(cli::bar_line("x:1", counted(50, 50), columns).size() <= (columns > 1 ? columns - 1 : 1));
    PullProgress odd;
    odd.status = "a\x1b[2J";
    CHECK(cli::bar_line("x:1", odd, 80).text() == "pulling x:1: a\\x1b[2J");
}

TEST_CASE("PullAudience: all are told until they leave, also in the middle") {
    sandbox::PullAudience audience;
    sandbox::PullAudience copy = audience;
    std::vector<std::string> seen;
    std::shared_ptr<void> first;
    first = copy.join([&](const std::string& image, const PullProgress* progress) {
        seen.push_back(image + (progress ? " 1" : " over"));
        first.reset();
    });
    const auto second =
        audience.join([&](const std::string& image, const PullProgress*) { seen.push_back(image + " 2"); });
    const PullProgress progress = counted(1, 2);
    audience.tell("x", &progress);
    audience.tell("x", nullptr);
    CHECK(seen == std::vector<std::string>{"x 1", "x 2", "x 2"});
}
