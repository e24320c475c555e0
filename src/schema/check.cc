#include "src/schema/check.h"

#include <atomic>
#include <list>
#include <mutex>
#include <set>
#include <unordered_map>

#include "src/schema/nulls.h"

// Ours, not a library: valijson (Debian has 1.0) runs patterns on std::regex, whose stack a hostile pattern
// overflows, knows nothing after draft-07, and has no bound on work or depth.

namespace schema {

namespace {

constexpr std::size_t most_kept = 256;           // compiled schemas …
constexpr std::size_t most_kept_bytes = 8 << 20; // … and the length of their texts together …
constexpr std::size_t most_kept_patterns = 256;  // … and their patterns, each of 256 KiB at the most
constexpr std::size_t most_lines = 8;
constexpr std::size_t most_named = 1000;     // problems that are told apart, to count them
constexpr std::size_t most_values = 200'000; // of the arguments; there are no steps for more
constexpr int most_depth = 200;
constexpr std::size_t most_rewritten = 4 << 20; // bytes of arguments
constexpr std::size_t most_bytes = 8 << 20;     // of the arguments; a larger tree would double what they take
constexpr std::size_t steps_at_once = 10'000;   // five milliseconds
constexpr std::size_t most_at_once = 4 << 10;   // bytes of a schema and a value together

std::vector<std::string> lines_of(const Evaluator::Problems& found) {
    std::vector<std::string> lines;
    std::set<std::string> known;
    std::size_t count = 0;
    for (const Problem& problem : found) {
        std::string line = problem.line();
        if (known.size() >= most_named || !known.insert(line).second) continue;
        if (++count <= most_lines) lines.push_back(std::move(line));
    }
    if (count > most_lines) lines.back() = "… and " + std::to_string(count - most_lines + 1) + " more";
    return lines;
}

} // namespace

// A schema as it is kept. Its document is read, and used, by whoever holds `turn`.
struct KeptSchema {
    std::mutex turn{};
    bool is_read = false;
    std::unique_ptr<Document> document{}; ///< nullptr: it cannot be used.
    std::atomic<std::size_t> patterns{0};

    const Document* read(std::string_view text) {
        if (is_read) return document.get();
        is_read = true;
        try {
            document = std::make_unique<Document>(text);
        } catch (const json::Error&) { // it never blocks a call
        }
        return document.get();
    }
};

struct Check::Impl {
    struct Kept {
        std::string text;
        std::shared_ptr<KeptSchema> schema;
    };
    std::list<Kept> kept{}; ///< Used last, first.
    std::unordered_map<std::string_view, std::list<Kept>::iterator> by_text{};
    std::size_t bytes = 0;
    std::mutex turn{}; ///< Held for moments only.

    std::shared_ptr<KeptSchema> find(std::string_view text) {
        const std::lock_guard lock(turn);
        if (const auto found = by_text.find(text); found != by_text.end()) {
            kept.splice(kept.begin(), kept, found->second);
        } else {
            kept.push_front({std::string(text), std::make_shared<KeptSchema>()});
            by_text.emplace(kept.front().text, kept.begin());
            bytes += text.size();
        }
        while (kept.size() > 1 &&
               (kept.size() > most_kept || bytes > most_kept_bytes || too_many_patterns())) {
            bytes -= kept.back().text.size();
            by_text.erase(kept.back().text);
            kept.pop_back();
        }
        return kept.front().schema;
    }

    bool too_many_patterns() const {
        std::size_t sum = 0;
        for (const Kept& each : kept) sum += each.schema->patterns;
        return sum > most_kept_patterns;
    }
};

// A schema that this thread has for itself; its document is nullptr where that cannot be used.
class Check::InUse {
public:
    InUse(Impl& impl, std::string_view text, bool waits)
        : schema_(text.size() <= Document::most_bytes ? impl.find(text) : nullptr) {
        if (!schema_) return;
        lock_ = std::unique_lock(schema_->turn, std::defer_lock);
        if (waits)
            lock_.lock();
        else if (!lock_.try_lock())
            is_busy_ = true;
        if (lock_.owns_lock()) document_ = schema_->read(text);
    }
    ~InUse() {
        if (document_) schema_->patterns = document_->patterns();
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

    bool is_busy() const { return is_busy_; }
    const Document* document() const { return document_; }

private:
    std::shared_ptr<KeptSchema> schema_; ///< Before the lock, which must be let go first.
    std::unique_lock<std::mutex> lock_{};
    bool is_busy_ = false;
    const Document* document_ = nullptr;
};

namespace {

Check::Outcome check_by(const Document& document, std::string_view value, std::size_t most_steps) {
    Check::Outcome outcome;
    if (value.size() > most_bytes) return outcome;
    Evaluator evaluator(document, most_steps);
    Evaluator::Problems found;
    try {
        evaluator.check(json::read_tree(value, most_values, most_depth), &found);
    } catch (const json::Error&) {
        return outcome; // more than we look at; the server will
    }
    outcome.steps = evaluator.steps_used();
    outcome.gave_up = evaluator.gave_up();
    outcome.problems = lines_of(found);
    return outcome;
}

bool has_nulls(std::string_view arguments) {
    return arguments.size() <= most_rewritten && arguments.find("null") != std::string::npos;
}

} // namespace

Check::Check() : impl_(std::make_unique<Impl>()) {}

Check::~Check() = default;

std::string Check::without_nulls(std::string_view schema, std::string arguments) {
    if (!has_nulls(arguments)) return arguments;
    const InUse used(*impl_, schema, true);
    return used.document() ? Nulls(*used.document()).without(arguments) : arguments;
}

Check::Outcome Check::check(std::string_view schema, std::string_view value, std::size_t most_steps) {
    const InUse used(*impl_, schema, true);
    return used.document() ? check_by(*used.document(), value, most_steps) : Outcome{};
}

std::vector<std::string> Check::problems(std::string_view schema, std::string_view arguments) {
    return check(schema, arguments).problems;
}

std::optional<std::vector<std::string>> Check::problems_at_once(std::string_view schema,
                                                                std::string_view value) {
    if (schema.size() + value.size() > most_at_once) return std::nullopt;
    const InUse used(*impl_, schema, false);
    if (used.is_busy()) return std::nullopt;
    if (!used.document()) return std::vector<std::string>();
    Outcome outcome = check_by(*used.document(), value, steps_at_once);
    if (outcome.gave_up) return std::nullopt;
    return std::move(outcome.problems);
}

std::optional<std::vector<std::string>> Check::clean_at_once(std::string_view schema,
                                                             std::string* arguments) {
    if (schema.size() + arguments->size() > most_at_once) return std::nullopt;
    if (!has_nulls(*arguments)) return problems_at_once(schema, *arguments);
    std::string clean;
    {
        const InUse used(*impl_, schema, false);
        if (used.is_busy()) return std::nullopt;
        if (!used.document()) return std::vector<std::string>();
        Nulls nulls(*used.document(), steps_at_once);
        clean = nulls.without(*arguments);
        if (nulls.gave_up()) return std::nullopt;
    }
    std::optional<std::vector<std::string>> problems = problems_at_once(schema, clean);
    if (problems) arguments->swap(clean);
    return problems;
}

} // namespace schema
