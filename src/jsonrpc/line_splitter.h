#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace jsonrpc {

/// Cuts a stream of bytes into lines, bounded. Only 0x0A ends a line; one 0x0D before it is dropped; blank
/// lines are skipped. A line of more than `most` bytes is thrown away as it comes, and reported with its
/// beginning and end, where its id may be found.
class LineSplitter {
public:
    struct Line {
        std::string text; ///< Without its end. Of an oversized one: its first kilobyte.
        bool oversized = false;
        std::size_t size = 0; ///< All of it.
        std::string tail{};   ///< Of an oversized one: its last kilobyte.
    };

    explicit LineSplitter(std::size_t most) : most_(most) {}

    /// Takes bytes in; what they complete is then had by next().
    void feed(std::string_view data);
    /// The stream has ended: a last line without its end counts.
    void finish();
    std::optional<Line> next();

private:
    void append(std::string_view part);
    void complete();

    static constexpr std::size_t kept = 1024;

    std::size_t most_;
    std::string buffer_;
    std::string tail_;     ///< Of a line that is too long.
    std::size_t size_ = 0; ///< Of the line so far.
    std::deque<Line> ready_;
};

} // namespace jsonrpc
