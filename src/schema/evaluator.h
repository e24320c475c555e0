#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/schema/document.h"
#include "src/schema/problem.h"

namespace schema {

/// Holds one value against a schema. Three answers: what a schema says in a way that we do not read (a
/// pattern beyond RE2, a reference to elsewhere) makes it `unknown`, which is never a fault. Depth is
/// bounded, and so is work, in steps of about half a microsecond: beyond, all is unknown. A pattern costs its
/// text times its compiled size; where that is more than what is left, its own answer is unknown and the
/// check goes on.
class Evaluator {
public:
    enum class Fit { yes, no, unknown };
    using Problems = std::vector<Problem>;

    static constexpr std::size_t all_steps = 200'000; ///< A tenth of a second at the worst.

    explicit Evaluator(const Document& document, std::size_t most_steps = all_steps)
        : document_(document), most_steps_(most_steps), steps_left_(most_steps) {}

    std::size_t steps_used() const { return most_steps_ - steps_left_; }
    /// Something was not looked at, since there were not the steps for it.
    bool gave_up() const { return gave_up_; }

    /// For one value. `problems` gets at least one where the answer is `no`, else stays empty; nullptr: only
    /// the answer counts.
    Fit check(const json::Tree& value, Problems* problems);

    /// The same by a schema within the document, without problems.
    Fit check(const json::Tree& schema, const json::Tree& value);

private:
    /// Which parts of a value have been looked at by some keyword, for `unevaluated…`.
    struct Seen {
        std::vector<bool> members{};
        std::vector<bool> items{};
        void add(const Seen& other);
        void member(std::size_t index);
        void item(std::size_t index);
    };

    /// One schema applied to one value, while its keywords are gone through.
    struct Frame {
        const json::Tree& schema;
        const json::Tree& value;
        const std::string& path;
        Problems* problems;
        Seen* seen; ///< Of this value; nullptr where nobody asks.
    };

    using Keyword = Fit (Evaluator::*)(const Frame&, const json::Tree& rule);
    static Keyword find_keyword(std::string_view name);

    struct GaveUp {}; // thrown when the bounds are reached

    void charge(std::size_t steps); ///< Throws GaveUp where they are not left.
    bool afford(std::size_t steps); ///< Takes the steps, or none and gives false.
    /// Whether a pattern is found in a text; nullopt where it cannot be read or afforded.
    std::optional<bool> matches(const std::string& expression, const std::string& text);
    /// base::did_you_mean(), where there are the steps for it.
    std::string hint(const std::string& given, const std::vector<std::string>& names);
    static Fit both(Fit a, Fit b);
    static Fit fail(const Frame& frame, Problem::Kind kind, std::string expected,
                    std::vector<std::string> allowed = {});
    static Fit expect(const Frame& frame, bool holds, const std::string& expected);

    Fit apply(const json::Tree& schema, const json::Tree& value, const std::string& path, Problems* problems,
              Seen* seen);
    Fit apply_keywords(const Frame& frame);
    /// The same value by another schema, whose problems and looked-at parts are those of the frame.
    Fit in_place(const Frame& frame, const json::Tree& schema);
    Fit on_member(const Frame& frame, std::size_t index, const json::Tree& schema);
    Fit on_item(const Frame& frame, std::size_t index, const json::Tree& schema);
    /// How many of the schemas in `rule` hold; what is wrong where none does.
    struct Count {
        std::size_t yes = 0, unknown = 0;
        std::vector<Problems> failed{};
    };
    Count count_matches(const Frame& frame, const json::Tree& rule);
    Fit none_matched(const Frame& frame, Count count);
    const json::Tree* dynamic_target(const json::Tree& reference);
    bool is_declared(const Frame& frame, const std::string& name, bool& is_sure);

    // One for each keyword.
    Fit ref(const Frame&, const json::Tree&);
    Fit dynamic_ref(const Frame&, const json::Tree&);
    Fit all_of(const Frame&, const json::Tree&);
    Fit any_of(const Frame&, const json::Tree&);
    Fit one_of(const Frame&, const json::Tree&);
    Fit is_not(const Frame&, const json::Tree&);
    Fit if_then_else(const Frame&, const json::Tree&);
    Fit type(const Frame&, const json::Tree&);
    Fit enumeration(const Frame&, const json::Tree&);
    Fit constant(const Frame&, const json::Tree&);
    Fit multiple_of(const Frame&, const json::Tree&);
    Fit minimum(const Frame&, const json::Tree&);
    Fit maximum(const Frame&, const json::Tree&);
    Fit exclusive_minimum(const Frame&, const json::Tree&);
    Fit exclusive_maximum(const Frame&, const json::Tree&);
    Fit min_length(const Frame&, const json::Tree&);
    Fit max_length(const Frame&, const json::Tree&);
    Fit pattern(const Frame&, const json::Tree&);
    Fit format(const Frame&, const json::Tree&);
    Fit prefix_items(const Frame&, const json::Tree&);
    Fit items(const Frame&, const json::Tree&);
    Fit additional_items(const Frame&, const json::Tree&);
    Fit contains(const Frame&, const json::Tree&);
    Fit min_items(const Frame&, const json::Tree&);
    Fit max_items(const Frame&, const json::Tree&);
    Fit unique_items(const Frame&, const json::Tree&);
    Fit properties(const Frame&, const json::Tree&);
    Fit pattern_properties(const Frame&, const json::Tree&);
    Fit additional_properties(const Frame&, const json::Tree&);
    Fit property_names(const Frame&, const json::Tree&);
    Fit required(const Frame&, const json::Tree&);
    Fit min_properties(const Frame&, const json::Tree&);
    Fit max_properties(const Frame&, const json::Tree&);
    Fit dependent_required(const Frame&, const json::Tree&);
    Fit dependent_schemas(const Frame&, const json::Tree&);
    Fit dependencies(const Frame&, const json::Tree&);
    Fit unevaluated_items(const Frame&, const json::Tree&);
    Fit unevaluated_properties(const Frame&, const json::Tree&);

    const Document& document_;
    std::size_t most_steps_;
    std::size_t steps_left_;
    bool gave_up_ = false;
    int depth_ = 0;
    std::vector<int> scope_{}; ///< Resources gone through to here, outermost first, for `$dynamicRef`.
};

} // namespace schema
