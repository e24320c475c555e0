#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace base {

/// Text that comes bit by bit and may become large. It is kept in pieces of a MiB, so that growing never
/// copies what is there already: that alone would hold up the loop, and take twice the memory.
class LongText {
public:
    static constexpr std::size_t piece = std::size_t{1} << 20;

    void append(std::string_view part);
    void drop_last(); ///< Of one that is not empty.
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool ends_with(char c) const { return size_ > 0 && pieces_.back().back() == c; }
    /// The last bytes, at most so many; fewer than a piece.
    std::string tail(std::size_t most) const;

    /// All of it behind `begin`, in one; nothing is left here. A large one is work for another thread. Each
    /// piece is freed as soon as it is copied.
    std::string join(std::string begin = {});

private:
    std::deque<std::string> pieces_; // none is empty
    std::size_t size_ = 0;
};

} // namespace base
