#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace search {

/// What a search looks at in one tool.
struct IndexedTool {
    std::string server; ///< Its name, as configured.
    std::string server_description{};
    std::string name;    ///< The tool's name on the wire.
    std::string alias{}; ///< Its name in Python.
    std::string description{};
    std::vector<std::string> parameters{}; ///< Names, and descriptions if they help.
};

/// Ranked search over the tools of all servers (SQLite FTS5, in memory): best match first, tolerant of word
/// order, plural, and one typing error a word; 1,000 tools in milliseconds. May be used by several threads;
/// they take turns.
class ToolIndex {
public:
    ToolIndex();
    ~ToolIndex();
    ToolIndex(const ToolIndex&) = delete;
    ToolIndex& operator=(const ToolIndex&) = delete;

    /// The tools of one server, in place of those that it had.
    void replace(const std::string& server, const std::vector<IndexedTool>& tools);

    /// The tools of some servers, each in place of those that it had.
    using ToolsByServer = std::vector<std::pair<std::string, std::vector<IndexedTool>>>;

    /// Brings it to a generation of the catalogue, with what `tools` gives; nothing where it is there
    /// already, or beyond.
    void bring_to(std::uint64_t generation, const std::function<ToolsByServer()>& tools);

    struct Hit {
        std::string server;
        std::string name;
        double score = 0; ///< Higher is better.
    };

    /// At most `limit` hits among `servers`. The query is any text, of any length and with any characters;
    /// one without a word gives nothing.
    std::vector<Hit> search(const std::string& query, int limit,
                            const std::vector<std::string>& servers) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace search
