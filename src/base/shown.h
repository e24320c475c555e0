#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

/// Text that is fit to be shown: on a terminal, in the log, in a line of ours. Functions that print take a
/// Shown, so a string of a peer's cannot get there unfiltered: it becomes a Shown by line() or block() alone.
///
/// What moves a cursor, gives orders to a terminal, reorders or hides what stands beside it is written as an
/// escape that a person can read (`\x1b`, `\u202e`): C0 and C1 controls, DEL, marks, overrides and isolates
/// of bidirectional text, U+2028 and U+2029, characters without width, tags. A tab becomes a space. Bytes
/// that are no UTF-8 become U+FFFD. The result is valid UTF-8 and bounded; "…" stands for what was cut off. A
/// value: any thread may use it.
class Shown {
public:
    static constexpr std::size_t most_line = 4000; ///< Bytes.
    static constexpr std::size_t most_block = 64 << 10;

    Shown() = default;
    /// A literal of our own source; taken as it is.
    template <std::size_t N> Shown(const char (&literal)[N]) : text_(literal, N - 1) {} // NOLINT: implicit
    template <std::size_t N> Shown(char (&buffer)[N]) = delete;

    /// One line, whatever is in it: an end of a line becomes `\n`. A line of a line is the same again.
    static Shown line(std::string_view theirs, std::size_t most = most_line);

    /// Several lines. Each but the first is indented by four spaces, so that none of them looks like a line
    /// of ours; what stands before the first is the caller's. Ends of lines at the end are left out.
    static Shown block(std::string_view theirs, std::size_t most = most_block);

    /// JSON text, with the same characters as JSON's own escapes: to a program it says the same as before.
    /// Not cut.
    static Shown json(std::string_view text);

    /// Text that we put together from nothing but our own words. Taken as it is: for help texts.
    static Shown ours(std::string text);

    static Shown number(std::int64_t value);

    /// "a, b, c", each as a line.
    template <class Texts> static Shown joined(const Texts& texts, const Shown& between) {
        Shown all;
        for (const auto& each : texts) {
            if (!all.empty()) all += between;
            all += line(each);
        }
        return all;
    }

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    std::size_t size() const { return text_.size(); } ///< Bytes.

    /// Spaces up to this many bytes, for columns.
    Shown& pad(std::size_t bytes);

    Shown& operator+=(const Shown& more);
    friend Shown operator+(Shown begin, const Shown& end) { return begin += end; }
    friend bool operator==(const Shown&, const Shown&) = default;

private:
    explicit Shown(std::string text) : text_(std::move(text)) {}
    std::string text_{};
};

/// A character at the front of a text.
struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
    bool valid = false; ///< Else one byte that is no UTF-8.
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text);

/// Whether a character is one that Shown writes as an escape. True of a tab and of ends of lines, too.
bool is_unfit(char32_t code);

/// "\n", "\x1b", "\u202e", "\U000e0041": how one is written.
std::string escape_of(char32_t code);

} // namespace base
