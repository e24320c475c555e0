#include "src/mcp/client/sse_parser.h"

#include <doctest/doctest.h>

#include <string>

using mcp::SseParser;

namespace {

// What comes out of a stream that is fed in pieces of this size.
std::string events(const std::string& wire, std::size_t step, std::size_t most = 1000) {
    SseParser parser(most);
    std::string out;
    for (std::size_t at = 0; at < wire.size(); at += step)
        parser.feed(std::string_view(wire).substr(at, step), [&](SseParser::Event e) {
            out += e.type + "=" + (e.oversized ? "(too large)" : e.data) + "[" + parser.last_id() + "];";
        });
    return out;
}

} // namespace

TEST_CASE("SseParser: the same bytes in any split give the same events") {
    const std::string wire =
        "\xEF\xBB\xBF: comment\n\ndata: a\n\nevent: x\ndata:b\rdata: c\r\rid: 7\r\ndata: d\r\n\r\ndata\n\n"
        "id\ndata: \xE2\x80\xA8\xC2\x85 e\nunknown: 1\n\ndata: {\"a\":1}\n\ndata: cut off";
    const std::string expected =
        "message=a[];x=b\nc[];message=d[7];message=\xE2\x80\xA8\xC2\x85 e[];message={\"a\":1}[];";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        CHECK(events(wire, step) == expected);
    }
}

TEST_CASE("SseParser: an event holds at the bound and is thrown away past it, in any split, and the next is "
          "whole") {
    const std::string fits(100, 'x');
    const std::string wire = "data: " + fits + "\n\ndata: " + fits +
                             "y\nid: 3\n\ndata: " + std::string(60, 'a') + "\ndata: " + std::string(60, 'b') +
                             "\ndata: " + fits + "\n\ndata: ok\n\n";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        CHECK(events(wire, step, 100) ==
              "message=" + fits + "[];message=(too large)[3];message=(too large)[3];message=ok[3];");
    }
}

TEST_CASE("SseParser: keeps the id of an event without data, and the time to wait") {
    SseParser parser(100);
    int count = 0;
    const auto sink = [&](SseParser::Event) { ++count; };
    parser.feed("id: 12\nretry: 250\ndata:\n\nretry: 1x\nretry: -1\nretry:\n\n", sink);
    CHECK(count == 0);
    CHECK(parser.last_id() == "12");
    CHECK(parser.retry() == std::chrono::milliseconds(250));
    parser.feed(std::string_view("id: a\0b\n\n", 9), sink);
    CHECK(parser.last_id() == "12");
}

TEST_CASE("SseParser: a line that never ends costs no more than the bound") {
    SseParser parser(1000);
    std::size_t seen = 0;
    for (int i = 0; i < 10'000; ++i) parser.feed(std::string(1000, 'x'), [&](SseParser::Event) { ++seen; });
    parser.feed("\n\ndata: ok\n\n", [&](SseParser::Event e) { seen += e.oversized ? 10 : 1; });
    CHECK(seen == 11);
}
