#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "src/jsonrpc/line_splitter.h"

using jsonrpc::LineSplitter;

namespace {

std::vector<LineSplitter::Line> split(std::size_t most, const std::vector<std::string>& pieces,
                                      bool finish = true) {
    LineSplitter splitter(most);
    std::vector<LineSplitter::Line> lines;
    for (const std::string& piece : pieces) {
        splitter.feed(piece);
        while (auto line = splitter.next()) lines.push_back(std::move(*line));
    }
    if (finish) splitter.finish();
    while (auto line = splitter.next()) lines.push_back(std::move(*line));
    return lines;
}

std::vector<std::string> texts(const std::vector<LineSplitter::Line>& lines) {
    std::vector<std::string> all;
    for (const auto& line : lines) all.push_back(line.text);
    return all;
}

} // namespace

TEST_CASE("LineSplitter: gives the same lines however the bytes are cut") {
    const std::string stream = "{\"a\":1}\r\n\n \t\r\n\xC3\xA9\xE2\x82\xAC\nlone\rreturn\nlast\r";
    const std::vector<std::string> expected = {"{\"a\":1}", "\xC3\xA9\xE2\x82\xAC", "lone\rreturn", "last"};
    CHECK(texts(split(64, {stream})) == expected);
    for (std::size_t first = 0; first <= stream.size(); ++first)
        for (std::size_t second = first; second <= stream.size(); ++second) {
            CAPTURE(first);
            CAPTURE(second);
            CHECK(texts(split(64, {stream.substr(0, first), stream.substr(first, second - first),
                                   stream.substr(second)})) == expected);
        }
    std::vector<std::string> bytes;
    for (const char c : stream) bytes.emplace_back(1, c);
    CHECK(texts(split(64, bytes)) == expected);
}

TEST_CASE("LineSplitter: a line of nothing but a byte order mark is blank; before a message it is left to "
          "the reader") {
    const std::string mark = "\xEF\xBB\xBF";
    const std::vector<std::string> marked = {mark + "{}", mark + "[]"}, plain = {"{}", "[]"};
    const std::map<std::string, std::vector<std::string>> streams = {
        {mark + "{}\r\n" + mark + "[]\n", marked},
        {mark + "\r\n{}\n\n[]\n", plain},
        {mark + " \t\n" + mark + "{}\n" + mark + "[]", marked}};
    for (const auto& [stream, expected] : streams) {
        CHECK(texts(split(64, {stream})) == expected);
        std::vector<std::string> bytes;
        for (const char c : stream) bytes.emplace_back(1, c);
        CHECK(texts(split(64, bytes)) == expected);
    }
    CHECK(texts(split(64, {"a" + mark + "\n"})) == std::vector<std::string>{"a" + mark});
}

TEST_CASE("LineSplitter: only a line feed ends a line, and only the stream's end completes the last one") {
    CHECK(texts(split(64, {"a\x0B"
                           "b\x0C"
                           "c\xE2\x80\xA8"
                           "d\x85"
                           "e\n"})) == std::vector<std::string>{"a\x0B"
                                                                "b\x0C"
                                                                "c\xE2\x80\xA8"
                                                                "d\x85"
                                                                "e"});
    CHECK(split(64, {"not yet"}, false).empty());
    CHECK(texts(split(64, {"now"})) == std::vector<std::string>{"now"});
    CHECK(split(64, {"", "\n\n", "\r\n"}).empty());
    CHECK(split(64, {std::string("a\0b\n", 4)}).front().text == std::string("a\0b", 3));
    CHECK(split(64, {"a\r\r\n"}).front().text == "a\r");
}

TEST_CASE(
    "LineSplitter: a line at the bound is kept, one past it is reported with both its ends, in all splits") {
    const std::size_t most = 3000;
    CHECK_FALSE(split(most, {std::string(most, 'x') + "\n"}).front().oversized);
    std::string big;
    for (std::size_t i = 0; big.size() <= most; ++i) big += std::to_string(i) + ',';
    big.resize(most + 1);
    for (std::size_t at = 0; at <= big.size(); at += 50) {
        CAPTURE(at);
        const auto lines = split(most, {"before\n" + big.substr(0, at), big.substr(at) + "\nafter\n"});
        REQUIRE(lines.size() == 3);
        CHECK(lines[0].text == "before");
        CHECK(lines[1].oversized);
        CHECK(lines[1].size == most + 1);
        CHECK(lines[1].text == big.substr(0, 1024));
        CHECK(lines[1].tail == big.substr(big.size() - 1024));
        CHECK(lines[2].text == "after");
        CHECK_FALSE(lines[2].oversized);
        CHECK(lines[2].tail.empty());
    }
}

TEST_CASE("LineSplitter: a line without end costs no memory to speak of, and is counted") {
    LineSplitter splitter(1000);
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) splitter.feed(piece);
    CHECK_FALSE(splitter.next().has_value());
    splitter.feed("END\nnext\n");
    const auto line = splitter.next();
    REQUIRE(line.has_value());
    CHECK(line->oversized);
    CHECK(line->size == (64u << 20) + 3);
    CHECK(line->text == std::string(1024, 'x').substr(0, line->text.size()));
    CHECK(line->tail.ends_with("xxEND"));
    CHECK(line->tail.size() == 1024);
    CHECK(splitter.next()->text == "next");
}

TEST_CASE("LineSplitter: a long line comes in pieces that make it whole, however the bytes are cut") {
    constexpr std::size_t piece = base::LongText::piece;
    for (const std::size_t size : {piece - 1, piece, piece + 1, 2 * piece, 3 * piece + 7}) {
        std::string text(size, ' ');
        for (std::size_t i = 0; i < size; i += 1000) text[i] = static_cast<char>('a' + i % 23);
        for (const std::size_t cut : {std::size_t{65536}, std::size_t{300'001}, 4 * piece}) {
            CAPTURE(size);
            CAPTURE(cut);
            std::vector<std::string> parts;
            const std::string stream = text + "\r\n" + std::string(size, ' ') + "\nafter\n";
            for (std::size_t at = 0; at < stream.size(); at += cut) parts.push_back(stream.substr(at, cut));
            auto lines = split(4 * piece, parts);
            REQUIRE(lines.size() == 2); // the blank one is none, long as it is
            CHECK(lines[0].bytes() == size);
            CHECK(lines[0].text.size() <= piece);
            CHECK(lines[0].whole() == text);
            CHECK(lines[1].text == "after");
        }
    }
}

TEST_CASE("LineSplitter: a long line past its bound is reported with both its ends") {
    constexpr std::size_t most = 3 * base::LongText::piece;
    std::string big(most + 1, 'x');
    for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>('a' + i % 19);
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < big.size(); at += 65536) parts.push_back(big.substr(at, 65536));
    parts.emplace_back("\n");
    auto lines = split(most, parts);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].oversized);
    CHECK(lines[0].bytes() == 1024);
    CHECK(lines[0].text == big.substr(0, 1024));
    CHECK(lines[0].tail == big.substr(big.size() - 1024));
}
