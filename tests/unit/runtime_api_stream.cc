#include <doctest/doctest.h>

#include <string>

#include "runtime_api/error.h"
#include "runtime_api/http_head.h"
#include "runtime_api/stream_demux.h"

using runtime_api::Errc;
using runtime_api::Error;
using runtime_api::HttpHeadReader;
using runtime_api::StreamDemux;
using Stream = runtime_api::AttachStream::Stream;

namespace {

std::string frame(char type, const std::string& payload) {
    std::string out{type, 0, 0, 0};
    for (const int shift : {24, 16, 8, 0})
        out += static_cast<char>(payload.size() >> static_cast<unsigned>(shift) & 255U);
    return out + payload;
}

/// Feeds text to read(piece) in pieces of `step` bytes.
template <class Read> void in_steps(std::string_view text, std::size_t step, Read read) {
    for (std::size_t i = 0; i < text.size(); i += step) read(text.substr(i, step));
}

Errc refusal(const std::string& head) {
    HttpHeadReader reader;
    try {
        reader.feed(head);
    } catch (const Error& e) {
        return e.code();
    }
    FAIL("not refused: " << head.substr(0, 60));
    return Errc::unavailable;
}

} // namespace

TEST_CASE("StreamDemux: the same bytes in any split give the same output") {
    const std::string wire = frame(1, "hello") + frame(2, "err") + frame(1, "") + frame(0, "echo") +
                             frame(3, "sys") + frame(1, std::string(300, 'x'));
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        std::string out;
        std::string err;
        StreamDemux demux;
        in_steps(wire, step, [&](std::string_view piece) {
            demux.feed(piece, [&](Stream stream, std::string_view payload) {
                (stream == Stream::err ? err : out) += payload;
            });
        });
        CHECK(out == "helloecho" + std::string(300, 'x'));
        CHECK(err == "errsys");
        CHECK(demux.at_boundary());
    }
}

TEST_CASE("StreamDemux: knows whether a stream may end here") {
    const std::string wire = frame(1, "ab");
    for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
        CAPTURE(cut);
        StreamDemux demux;
        demux.feed(std::string_view(wire).substr(0, cut), [](Stream, std::string_view) {});
        CHECK(demux.at_boundary() == (cut == 0 || cut == wire.size()));
    }
}

TEST_CASE("StreamDemux: a frame that claims 4 GiB costs nothing and is passed on as it comes") {
    StreamDemux demux;
    std::size_t seen = 0;
    demux.feed(std::string("\x01\0\0\0\xff\xff\xff\xff", 8) + "abc",
               [&](Stream, std::string_view payload) { seen += payload.size(); });
    CHECK(seen == 3);
    CHECK(!demux.at_boundary());
}

TEST_CASE("StreamDemux: refuses what is not a frame") {
    for (const std::string& bad :
         {std::string("\x04\0\0\0\0\0\0\x01", 8), std::string("\x01\x01\0\0\0\0\0\x01", 8),
          std::string("\x01\0\0\x01\0\0\0\x01", 8), std::string("HTTP/1.1"), std::string("plain text")}) {
        StreamDemux demux;
        CHECK_THROWS_AS(demux.feed(bad, [](Stream, std::string_view) {}), Error);
    }
}

TEST_CASE("HttpHeadReader: reads a head in any split and keeps what comes after it") {
    const std::string rest = "\x01\0\0\0rest";
    const std::string wire = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 UPGRADED\r\nContent-Type: "
                             "a:b\r\nUPGRADE:tcp\r\nX:\r\n\r\n" +
                             rest;
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        CAPTURE(step);
        HttpHeadReader reader;
        std::optional<runtime_api::HttpResponse> answer;
        std::string after;
        in_steps(wire, step, [&](std::string_view piece) {
            if (answer) {
                after += piece;
                return;
            }
            answer = reader.feed(piece);
            if (answer) after = std::move(reader).rest();
        });
        REQUIRE(answer);
        CHECK(answer->status == 101);
        CHECK(answer->headers.at("content-type") == "a:b");
        CHECK(answer->headers.at("upgrade") == "tcp");
        CHECK(answer->headers.at("x").empty());
        CHECK(after == rest);
    }
}

TEST_CASE("HttpHeadReader: refuses at once what cannot be HTTP/1") {
    for (const char* bad :
         {"SSH-2.0-OpenSSH\r\n", "{\"a\":1}", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
          "HTTP/1.1 20\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"}) {
        CAPTURE(bad);
        CHECK(refusal(bad) == Errc::protocol);
    }
}

TEST_CASE("HttpHeadReader: holds 64 KiB of head and no more") {
    const std::string start = "HTTP/1.1 200 OK\r\nX: ";
    const std::string fits = start + std::string(runtime_api::max_head_bytes - start.size(), 'a');
    HttpHeadReader reader;
    CHECK(!reader.feed(fits));
    CHECK(reader.feed("\r\n\r\n"));
    CHECK(refusal(fits + "a") == Errc::too_large);
    CHECK(refusal(fits + "a\r\n\r\n") == Errc::too_large);
    std::string interim;
    while (interim.size() <= runtime_api::max_head_bytes) interim += "HTTP/1.1 103 Early Hints\r\n\r\n";
    CHECK(refusal(interim) == Errc::too_large);
}
