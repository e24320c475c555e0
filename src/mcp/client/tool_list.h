#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/mcp/client/spec.h"

namespace mcp {

/// What a server's pages of tools/list come to. All is bounded while it is read: pages, bytes, tools, the
/// bytes of what is kept, and what is said of it; so a server that lists without end costs no more than that.
/// Pure: may be used on another thread, by one at a time.
class ToolList {
public:
    static constexpr std::size_t most_pages = 200;
    static constexpr std::size_t most_read = std::size_t{64} << 20; ///< Bytes of all pages.
    static constexpr std::size_t most_page = std::size_t{8} << 20;  ///< Bytes of one.
    static constexpr std::size_t most_kept = std::size_t{16} << 20; ///< Bytes of the tools together.
    static constexpr std::size_t most_tools = 10'000;

    /// `modern`: results name their type. `with_headers`: see read_tools().
    ToolList(bool modern, bool with_headers) : modern_(modern), with_headers_(with_headers) {}

    /// Takes in a page, a checked result. Gives the cursor of the next; nullopt: that was all, or enough.
    /// Throws jsonrpc::Error where it is no page or larger than most_page.
    std::optional<std::string> add(std::string_view result);

    std::vector<UpstreamTool> tools{};
    std::vector<std::string> notes{}; ///< What was left out or odd, at most 50 lines.

private:
    void take(UpstreamTool tool);
    void note(std::string what);
    bool enough();

    bool modern_;
    bool with_headers_;
    std::set<std::string> names_{};
    std::set<std::string> cursors_{};
    std::size_t pages_ = 0;
    std::size_t read_ = 0;
    std::size_t kept_ = 0;
    bool is_full_ = false; ///< A tool did not fit.
};

} // namespace mcp
