#include "src/bridge/artifacts.h"

#include <doctest/doctest.h>

#include "src/base/json.h"

using bridge::Artifacts;

TEST_CASE("Artifacts: a file is found by its URI, by its own client alone, until that is forgotten") {
    Artifacts kept;
    const std::string uri = kept.keep("a", "tables/x y.csv", "MSwy");
    CHECK(uri == "artifact:///tables/x%20y.csv");
    REQUIRE(kept.find("a", uri));
    CHECK(kept.find("a", uri)->data == "1,2");
    CHECK(kept.find("a", uri)->mime_type == "text/csv");
    CHECK_FALSE(kept.find("b", uri));
    kept.keep("a", "tables/x y.csv", "Mw==");
    CHECK(kept.of("a").size() == 1);
    CHECK(kept.find("a", uri)->data == "3");
    CHECK_THROWS_AS(kept.keep("a", "x", "?"), json::Error);
    kept.forget("a");
    CHECK(kept.of("a").empty());
}

TEST_CASE("Artifacts: of too many files, empty ones too, the newest are kept") {
    Artifacts kept;
    for (std::size_t i = 0; i <= Artifacts::most_client_files; ++i) kept.keep("", std::to_string(i), "");
    CHECK(kept.of("").size() == Artifacts::most_client_files);
    CHECK_FALSE(kept.find("", "artifact:///0"));
    CHECK(kept.find("", "artifact:///1"));
}
