#include "src/base/shown.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "src/base/json.h"

using base::Shown;

namespace {

std::string line(std::string_view text) { return Shown::line(text).text(); }
std::string block(std::string_view text) { return Shown::block(text).text(); }

struct Vector {
    std::string_view in, out;
};

// Each alone and between letters.
const std::vector<Vector>& vectors() {
    using namespace std::string_view_literals;
    static const std::vector<Vector> all = {
        {"\0"sv, "\\x00"},
        {"\a", "\\x07"},
        {"\b", "\\x08"},
        {"\v", "\\x0b"},
        {"\f", "\\x0c"},
        {"\r", "\\r"},
        {"\n", "\\n"},
        {"\r\n", "\\r\\n"},
        {"\t", " "},
        {"\x1b[2J", "\\x1b[2J"},
        {"\x1b]52;c;AAAA\a", "\\x1b]52;c;AAAA\\x07"},
        {"\x7f", "\\x7f"},
        {"\xC2\x80", "\\x80"},
        {"\xC2\x85", "\\x85"}, // next line
        {"\xC2\x9B"
         "2J",
         "\\x9b2J"}, // CSI in one character
        {"\xC2\x9F", "\\x9f"},
        {"\xC2\xA0", "\xC2\xA0"}, // a space that does not break is one
        {"\xC2\xAD", "\\xad"},
        {"\xD8\x9C", "\\u061c"},
        {"\xE2\x80\x8B", "\\u200b"},
        {"\xE2\x80\x8D", "\xE2\x80\x8D"}, // joiners make emoji
        {"\xE2\x80\x8E", "\\u200e"},
        {"\xE2\x80\x8F", "\\u200f"},
        {"\xE2\x80\xA8", "\\u2028"},
        {"\xE2\x80\xA9", "\\u2029"},
        {"\xE2\x80\xAA", "\\u202a"},
        {"\xE2\x80\xAE", "\\u202e"},
        {"\xE2\x80\xAF", "\xE2\x80\xAF"},
        {"\xE2\x81\xA0", "\\u2060"},
        {"\xE2\x81\xA6", "\\u2066"},
        {"\xE2\x81\xA9", "\\u2069"},
        {"\xEF\xBB\xBF", "\\ufeff"},
        {"\xF3\xA0\x81\x81", "\\U000e0041"}, // a tag: "A" that nobody sees
        {"\xF0\x9F\xA6\x86", "\xF0\x9F\xA6\x86"},
        {"ü…→", "ü…→"},
        {"\x9B", "\xEF\xBF\xBD"}, // C1 as a byte alone: no UTF-8
        {"\x80", "\xEF\xBF\xBD"},
        {"\xFF", "\xEF\xBF\xBD"},
        {"\xC0\x9B", "\xEF\xBF\xBD\xEF\xBF\xBD"},                 // an overlong escape
        {"\xE0\x80\x9B", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, // once more
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, // half of a surrogate pair
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xE2\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"}, // cut off
        {"\\x1b", "\\x1b"},
        {"", ""},
    };
    return all;
}

} // namespace

TEST_CASE("Shown::line: what moves, orders, reorders or hides is an escape; the rest stays") {
    for (const Vector& each : vectors()) {
        CAPTURE(each.out);
        CHECK(line(each.in) == each.out);
        CHECK(line("a" + std::string(each.in) + "b") == "a" + std::string(each.out) + "b");
        CHECK(line(line(each.in)) == line(each.in));
    }
}

TEST_CASE("Shown: no byte string gives anything but valid UTF-8 without controls") {
    std::string all;
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second) {
            all += static_cast<char>(first);
            all += static_cast<char>(second);
        }
    for (const std::string& text : {line(all), block(all), Shown::line(all, 1 << 20).text()}) {
        CHECK(json::valid_utf8(text) == text);
        std::string_view rest = text;
        std::size_t unfit = 0;
        while (!rest.empty()) {
            const base::Character c = base::first_character(rest);
            unfit += base::is_unfit(c.code) && c.code != '\n';
            rest.remove_prefix(c.bytes);
        }
        CHECK(unfit == 0);
    }
    CHECK(line(all).find('\n') == std::string::npos);
}

TEST_CASE("Shown: is bounded, and says so") {
    CHECK(Shown::line("abcdef", 6).text() == "abcdef");
    CHECK(Shown::line("abcdefg", 6).text() == "abcdef…");
    CHECK(Shown::line("abcdü", 5).text() == "abcd…");    // never half a character
    CHECK(Shown::line("abcd\x1b", 5).text() == "abcd…"); // nor half an escape
    CHECK(Shown::line("x", 0).text() == "…");
    CHECK(Shown::line(std::string(100'000, '\x1b')).size() <= Shown::most_line + 3);
    CHECK(Shown::block(std::string(100'000, '\n') + "x").size() <= Shown::most_block + 3);
    const std::string cut = Shown::line(std::string(50, 'x'), 10).text();
    CHECK(Shown::line(cut, 10).text() == cut);
}

TEST_CASE("Shown::block: further lines are indented, so that none looks like one of ours") {
    CHECK(block("one\ncordon: forged\n[not enforced: all]\r\n\n") ==
          "one\n    cordon: forged\n    [not enforced: all]");
    CHECK(block("a\r\nb") == "a\n    b");
    CHECK(block("a\rb") == "a\\rb"); // would overwrite the line
    CHECK(block("a\xE2\x80\xA8"
                "b\xC2\x85"
                "c\vd") == "a\\u2028b\\x85c\\x0bd");
    CHECK(block("a\n\x1b[1A") == "a\n    \\x1b[1A");
    CHECK(block("") == "");
    CHECK(block("\n\n") == "");
}

TEST_CASE("Shown::json: the same value, with nothing in it for a terminal") {
    json::Writer w;
    w.object().field("a\xC2\x9B", "\xE2\x80\xAE\xF3\xA0\x81\x81 ü \x1b\n\x7f").end();
    const std::string before = w.take();
    const std::string after = Shown::json(before).text();
    CHECK(after == R"({"a\u009b":"\u202e\udb40\udc41 ü \u001b\n\u007f"})");
    CHECK(json::unquote(json::member(after, "a\xC2\x9B").value()) ==
          json::unquote(json::member(before, "a\xC2\x9B").value()));
}

TEST_CASE("Shown: literals are ours; what is put together of Shown is Shown") {
    const Shown ours = "cordon: ";
    const Shown all = ours + Shown::line("a\nb") + " " + Shown::number(-7);
    CHECK(all.text() == "cordon: a\\nb -7");
    CHECK(Shown::joined(std::vector<std::string>{"a", "\x1b"}, ", ").text() == "a, \\x1b");
    CHECK(Shown("ab").pad(4).text() == "ab  ");
    CHECK(Shown("abcdef").pad(4).text() == "abcdef");
    CHECK(Shown().empty());
}
