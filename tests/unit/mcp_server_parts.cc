#include <doctest/doctest.h>

#include <limits>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/mcp/server/progress.h"
#include "src/mcp/server/results.h"
#include "src/mcp/versions.h"

using namespace std::chrono_literals;

TEST_CASE(
    "negotiate: the version asked for where it is a legacy one that we speak, else our latest legacy one") {
    CHECK(mcp::negotiate("2024-11-05") == "2024-11-05");
    CHECK(mcp::negotiate("2026-07-28") == "2025-11-25");
    CHECK(mcp::negotiate("") == "2025-11-25");
    CHECK(mcp::is_modern_version("2026-07-28"));
    CHECK_FALSE(mcp::is_modern_version("2025-11-25"));
}

TEST_CASE(
    "ProgressTrack: values rise whatever they are told, not too often, and nothing comes after the end") {
    mcp::ProgressTrack track("7");
    auto now = mcp::ProgressTrack::Clock::time_point() + 1h;
    double last = -1;
    const auto next = [&](double done) {
        now += mcp::ProgressTrack::gap;
        const auto params = track.next(done, std::nullopt, "", now);
        REQUIRE(params);
        const double value = json::Document(*params).root().at("progress").as_number();
        CHECK(value > last);
        last = value;
    };
    for (const double done :
         {0.0, 0.0, 5.0, 3.0, 5.0, std::numeric_limits<double>::quiet_NaN(), 1e300, 1e300, 2.0})
        next(done);
    CHECK_FALSE(track.next(1e305, std::nullopt, "", now + mcp::ProgressTrack::gap / 2));
    track.end();
    CHECK_FALSE(track.next(1e305, std::nullopt, "", now + 1h));
}

TEST_CASE(
    "ProgressTrack: without a token there is no progress; a message is cut without breaking a character") {
    mcp::ProgressTrack none("");
    CHECK_FALSE(none.next(1, 2.0, "x", {}));
    mcp::ProgressTrack track("\"t\"");
    std::string message(1023, 'a');
    message += "\xC3\xA9 and more";
    const auto params = track.next(1, 0.5, message, mcp::ProgressTrack::Clock::time_point() + 1h);
    REQUIRE(params);
    CHECK_NOTHROW(json::check(*params));
    CHECK(params->size() < 1200);
    CHECK(params->find("total") == std::string::npos); // less than what is done already
}

TEST_CASE("for_era: a modern result keeps its own _meta and type, a legacy one is untouched") {
    const mcp::ServerInfo info{"n", "", "1"};
    const std::string result = R"({"_meta":{"a":1},"content":[],"resultType":"input_required"})";
    CHECK(mcp::for_era(mcp::Era::legacy, result, info, true) == result);
    CHECK(
        mcp::for_era(mcp::Era::modern, result, info, false) ==
        R"({"content":[],"resultType":"input_required","_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}})");
}

TEST_CASE("for_era: an error code gets out only where that era defines it") {
    const auto sent = [](mcp::Era era, int code) {
        return mcp::for_era(era, jsonrpc::Error(code, "x")).code();
    };
    for (const int code : {-32700, -32600, -32601, -32602, -32603, -31999, 0, 7}) {
        CHECK(sent(mcp::Era::legacy, code) == code);
        CHECK(sent(mcp::Era::modern, code) == code);
    }
    CHECK(sent(mcp::Era::legacy, -32002) == -32002);
    CHECK(sent(mcp::Era::modern, -32002) == -32603);
    CHECK(sent(mcp::Era::modern, -32042) == -32603);
    CHECK(sent(mcp::Era::legacy, -32001) == -32603);
    CHECK(sent(mcp::Era::modern, -32021) == -32021);
}

TEST_CASE("base64: there and back, and only what an encoder writes is taken") {
    std::string all;
    for (int i = 0; i < 256; ++i) {
        all += static_cast<char>(i);
        CHECK(base::base64_decoded(base::base64(all)) == all);
    }
    CHECK(base::base64("") == "");
    CHECK(base::base64("Hello, \xE4\xB8\x96\xE7\x95\x8C") == "SGVsbG8sIOS4lueVjA==");
    for (const char* bad : {"A", "AB", "ABC", "A===", "====", "ABC=D", "A\nB=", "AB=C", "QQ=", "QR=="}) {
        CAPTURE(bad);
        CHECK_FALSE(base::base64_decoded(bad));
    }
}
