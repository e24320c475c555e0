#include "src/cli/program_output.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using cli::TerminalFilter;

namespace {

std::string through(std::string_view text) {
    TerminalFilter filter;
    const std::string passed = filter.pass(text);
    return passed + filter.end();
}

constexpr const char* as_before = "\x1b[0m\x1b[?25h";

} // namespace

TEST_CASE("TerminalFilter: colours, moves and erasing pass, and all is as before at the end") {
    for (const std::string text :
         {"\x1b[31mred\x1b[0m", "\x1b[38;5;200mx", "\x1b[38:2::1:2:3mx", "50%\x1b[K\r",
          "\x1b[2A\x1b[10C\x1b[1;1H\x1b[J\x1b[2J", "\x1b[?25l", "\x1b[m"}) {
        CAPTURE(text);
        CHECK(through(text) == text + as_before);
    }
    CHECK(through("plain\n\ttext \b\rü\n") == "plain\n\ttext \b\rü\n");
}

TEST_CASE("TerminalFilter: what else a terminal obeys is shown and not done") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"\x1b]0;title\a", "\\x1b]0;title\\x07"},
        {"\x1b]52;c;cm0gLXJm\x1b\\", "\\x1b]52;c;cm0gLXJm\\x1b\\"}, // the clipboard
        {"\x1bP+q544e\x1b\\", "\\x1bP+q544e\\x1b\\"},
        {"\x1b[c", "\\x1b[c"}, // questions: the answer would be typed into the shell
        {"\x1b[6n", "\\x1b[6n"},
        {"\x1b[21t", "\\x1b[21t"},
        {"\x1b[>q", "\\x1b[>q"},
        {"\x1b[?1049h", "\\x1b[?1049h"},
        {"\x1b[?25x", "\\x1b[?25x"},
        {"\x1b[3J", "\\x1b[3J"}, // what scrolled by is the user's
        {"\x1b[1;5r", "\\x1b[1;5r"},
        {"\x1b[20i", "\\x1b[20i"},
        {"\x1b"
         "c",
         "\\x1bc"},
        {"\x1b(0", "\\x1b(0"},
        {"\x1b\x1b[31", "\\x1b\\x1b[31"},
        {"\x1b[3\n1m", "\\x1b[3\n1m"},
        {"\x1b[3\x1b]", "\\x1b[3\\x1b]"},
        {"\xC2\x9B"
         "31m",
         "\\x9b31m"},
        {"\xC2\x9D"
         "0;t\xC2\x9C",
         "\\x9d0;t\\x9c"},
        {"\xE2\x80\xAE"
         "abc",
         "\\u202eabc"},
        {"\xE2\x81\xA6"
         "abc",
         "\\u2066abc"},
        {"\a\x7f\x0e", "\\x07\\x7f\\x0e"},
        {"\x9B"
         "31m",
         "\xEF\xBF\xBD"
         "31m"},
        {"\x1b", "\\x1b"},
    };
    for (const auto& [text, shown] : cases) {
        CAPTURE(shown);
        CHECK(through(text) == shown);
    }
    const std::string endless = "\x1b[" + std::string(200, '1') + "m";
    CHECK(through(endless) == "\\x1b[" + std::string(200, '1') + "m");
}

TEST_CASE("TerminalFilter: a sequence in pieces is the same as in one") {
    const std::string text = "a\x1b[31mb\x1b]0;t\ac\x1b[6nd\x1b[Ke\x1b";
    for (std::size_t first = 0; first <= text.size(); ++first)
        for (std::size_t second = first; second <= text.size(); ++second) {
            TerminalFilter filter;
            std::string out = filter.pass(std::string_view(text).substr(0, first));
            out += filter.pass(std::string_view(text).substr(first, second - first));
            out += filter.pass(std::string_view(text).substr(second));
            CHECK(out + filter.end() == through(text));
        }
}
