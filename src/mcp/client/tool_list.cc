#include "src/mcp/client/tool_list.h"

#include "src/base/json.h"
#include "src/mcp/client/messages.h"

namespace mcp {
namespace {

constexpr std::size_t most_notes = 50;
constexpr std::size_t most_cursor = 64 << 10; // bytes; one is kept for each page

std::size_t size_of(const UpstreamTool& tool) {
    return sizeof tool + tool.name.size() + tool.title.size() + tool.description.size() +
           tool.input_schema.size() + tool.output_schema.size() + tool.annotations.size();
}

} // namespace

std::optional<std::string> ToolList::add(std::string_view result) {
    if (result.size() > most_page)
        throw jsonrpc::Error(jsonrpc::code::too_large,
                             "a page of tools/list has more than 8 MiB; give them in smaller pages");
    check_result(result, modern_);
    ++pages_;
    read_ += result.size();
    ToolPage page = read_tools(result, with_headers_, most_tools + 1 - tools.size());
    for (std::string& each : page.dropped) note(std::move(each));
    for (UpstreamTool& each : page.tools) take(std::move(each));
    if (!page.next_cursor || enough()) return std::nullopt;
    if (page.next_cursor->size() > most_cursor) {
        note("tools/list gave a cursor of more than 64 KiB; what came up to there is taken");
        return std::nullopt;
    }
    if (!cursors_.insert(*page.next_cursor).second) {
        note("tools/list gave a cursor twice; what came up to there is taken");
        return std::nullopt;
    }
    return page.next_cursor;
}

void ToolList::take(UpstreamTool tool) {
    if (is_full_) return;
    const std::size_t size = size_of(tool);
    if (tools.size() >= most_tools) {
        is_full_ = true;
        return note("it has more than 10,000 tools; the rest is left out");
    }
    if (kept_ + size > most_kept) {
        is_full_ = true;
        return note("its tools have more than 16 MiB together; the rest is left out");
    }
    if (!names_.insert(tool.name).second)
        return note("tool " + json::quote(tool.name.substr(0, 200)) + " is listed twice; the first is taken");
    kept_ += size;
    tools.push_back(std::move(tool));
}

// Where there are more pages.
bool ToolList::enough() {
    if (is_full_) return true;
    if (pages_ >= most_pages)
        note("tools/list has more than 200 pages; the rest is left out");
    else if (read_ >= most_read)
        note("tools/list has more than 64 MiB; the rest is left out");
    else
        return false;
    return true;
}

void ToolList::note(std::string what) {
    if (notes.size() < most_notes) return notes.push_back(std::move(what));
    // that the list was cut short says more than one more tool
    if (what.ends_with("the rest is left out")) notes.back() = std::move(what);
}

} // namespace mcp
