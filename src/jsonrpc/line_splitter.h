#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/budget.h"
#include "src/base/long_text.h"

namespace jsonrpc {

/// Cuts a stream of bytes into lines, bounded. Only 0x0A ends a line; one 0x0D before it is dropped; blank
/// lines are skipped, also one of a byte order mark alone. A line of more than `most` bytes is thrown
/// away as it comes, and reported with its beginning and end, where its id may be found.
class LineSplitter {
public:
    struct Line {
        std::string text; ///< Without its end; of a long one the beginning, and the rest is in `more`. Of an
                          ///< oversized one: its first kilobyte.
        bool oversized = false;
        std::size_t size = 0;        ///< All of it.
        std::string tail{};          ///< Of an oversized one: its last kilobyte.
        base::Budget::Share share{}; ///< Its bytes in the budget of whoever sent it, if that has one.
        std::string of_request{};  ///< The id, as JSON text, of the request whose answer it came with (HTTP).
        bool whole_answer = false; ///< Nothing more comes to that request.
        base::LongText more{};     ///< What follows `text`.

        std::size_t bytes() const { return text.size() + more.size(); } ///< That are held.
        /// All of the text, out of this. Of a large one work for another thread.
        std::string whole() { return more.join(std::move(text)); }
    };

    /// How long a line may be that begins so, by its first `head_bytes`: fewer bytes for a message that has
    /// no reason to be large. Judged as soon as they are there, so that the rest is never held.
    using BoundOf = std::function<std::size_t(std::string_view head)>;
    static constexpr std::size_t head_bytes = 128;

    explicit LineSplitter(std::size_t most, BoundOf bound_of = {})
        : most_(most), bound_of_(std::move(bound_of)), bound_(most) {}

    /// Takes bytes in; what they complete is then had by next().
    void feed(std::string_view data);
    /// The stream has ended: a last line without its end counts.
    void finish();
    std::optional<Line> next();
    /// Bytes that are held: of the line so far, and of those that wait for next().
    std::size_t held() const { return buffer_.size() + more_.size() + ready_bytes_; }

private:
    void append(std::string_view part);
    void keep(std::string_view part);
    void complete();

    static constexpr std::size_t kept = 1024;

    std::size_t most_;
    BoundOf bound_of_;
    std::size_t bound_; ///< Of the present line.
    bool judged_ = false;
    std::string buffer_;
    base::LongText more_;    ///< What no longer fits into buffer_.
    bool more_blank_ = true; ///< Looked at as it comes: a line of 60 MiB of spaces is possible, too.
    std::string tail_;       ///< Of a line that is too long.
    std::size_t size_ = 0;   ///< Of the line so far.
    std::deque<Line> ready_;
    std::size_t ready_bytes_ = 0;
};

} // namespace jsonrpc
