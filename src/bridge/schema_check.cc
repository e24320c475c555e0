#include "src/bridge/schema_check.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

#include "src/bridge/schema_nulls.h"

// Ours, not a library: valijson (Debian has 1.0) runs patterns on std::regex, whose stack a hostile pattern
// overflows, knows nothing after draft-07, and has no bound on work or depth.

namespace bridge {

namespace {

constexpr std::size_t most_kept = 256;           // compiled schemas …
constexpr std::size_t most_kept_bytes = 8 << 20; // … and the length of their texts together
constexpr std::size_t most_lines = 8;
constexpr std::size_t most_values = 200'000; // of the arguments; there are no steps for more
constexpr int most_depth = 200;
constexpr std::size_t most_rewritten = 4 << 20; // bytes of arguments
constexpr std::size_t most_bytes = 8 << 20;     // of the arguments; a larger tree would double what they take

} // namespace

struct SchemaCheck::Impl {
    struct Kept {
        std::string text;
        std::unique_ptr<SchemaDocument> document; ///< nullptr: it cannot be used.
    };
    std::list<Kept> kept{}; ///< Used last, first.
    std::unordered_map<std::string_view, std::list<Kept>::iterator> by_text{};
    std::size_t bytes = 0;
    std::mutex turn{};

    const SchemaDocument* find(std::string_view text) {
        if (const auto found = by_text.find(text); found != by_text.end()) {
            kept.splice(kept.begin(), kept, found->second);
            return kept.front().document.get();
        }
        kept.push_front({std::string(text), compile(text)});
        by_text.emplace(kept.front().text, kept.begin());
        bytes += text.size();
        while (kept.size() > 1 && (kept.size() > most_kept || bytes > most_kept_bytes)) {
            bytes -= kept.back().text.size();
            by_text.erase(kept.back().text);
            kept.pop_back();
        }
        return kept.front().document.get();
    }

    static std::unique_ptr<SchemaDocument> compile(std::string_view text) {
        try {
            return std::make_unique<SchemaDocument>(text);
        } catch (const json::Error&) {
            return nullptr;
        }
    }
};

SchemaCheck::SchemaCheck() : impl_(std::make_unique<Impl>()) {}

SchemaCheck::~SchemaCheck() = default;

std::string SchemaCheck::without_nulls(std::string_view schema, std::string arguments) {
    if (arguments.size() > most_rewritten || arguments.find("null") == std::string::npos) return arguments;
    const std::lock_guard lock(impl_->turn);
    const SchemaDocument* document =
        schema.size() <= SchemaDocument::most_bytes ? impl_->find(schema) : nullptr;
    return document ? SchemaNulls(*document).without(arguments) : arguments;
}

std::vector<std::string> SchemaCheck::problems(std::string_view schema, std::string_view arguments) {
    std::vector<std::string> lines;
    if (arguments.size() > most_bytes) return lines;
    const std::lock_guard lock(impl_->turn);
    const SchemaDocument* document =
        schema.size() <= SchemaDocument::most_bytes ? impl_->find(schema) : nullptr;
    if (!document) return lines;
    SchemaEvaluator::Problems found;
    try {
        SchemaEvaluator(*document).check(read_tree(arguments, most_values, most_depth), &found);
    } catch (const json::Error&) {
        return lines; // more than we look at; the server will
    }
    for (const SchemaProblem& problem : found) {
        std::string line = problem.line();
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
    if (lines.size() > most_lines) {
        const std::size_t more = lines.size() - most_lines + 1;
        lines.resize(most_lines - 1);
        lines.push_back("… and " + std::to_string(more) + " more");
    }
    return lines;
}

} // namespace bridge
