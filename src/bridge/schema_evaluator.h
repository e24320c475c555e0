#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/bridge/schema_document.h"
#include "src/bridge/schema_problem.h"

namespace bridge {

/// Holds one value against a schema. Three answers: what a schema says in a way that we do not read (a
/// pattern beyond RE2, a reference to elsewhere) makes it `unknown`, which is never a fault. Depth is
/// bounded, and so is work, in steps of about half a microsecond: beyond, all is unknown. A pattern costs its
/// text times its compiled size; where that is more than what is left, its own answer is unknown and the
/// check goes on.
class SchemaEvaluator {
public:
    enum class Fit { yes, no, unknown };
    using Problems = std::vector<SchemaProblem>;

    static constexpr std::size_t all_steps = 200'000; ///< A tenth of a second at the worst.

    explicit SchemaEvaluator(const SchemaDocument& document, std::size_t most_steps = all_steps)
        : document_(document), most_steps_(most_steps), steps_left_(most_steps) {}

    std::size_t steps_used() const { return most_steps_ - steps_left_; }
    /// Something was not looked at, since there were not the steps for it.
    bool gave_up() const { return gave_up_; }

    /// For one value. `problems` gets at least one where the answer is `no`, else stays empty; nullptr: only
    /// the answer counts.
    Fit check(const JsonTree& value, Problems* problems);

    /// The same by a schema within the document, without problems.
    Fit check(const JsonTree& schema, const JsonTree& value);

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
        const JsonTree& schema;
        const JsonTree& value;
        const std::string& path;
        Problems* problems;
        Seen* seen; ///< Of this value; nullptr where nobody asks.
    };

    using Keyword = Fit (SchemaEvaluator::*)(const Frame&, const JsonTree& rule);
    static Keyword find_keyword(std::string_view name);

    struct GaveUp {}; // thrown when the bounds are reached

    void charge(std::size_t steps); ///< Throws GaveUp where they are not left.
    bool afford(std::size_t steps); ///< Takes the steps, or none and gives false.
    /// Whether a pattern is found in a text; nullopt where it cannot be read or afforded.
    std::optional<bool> matches(const std::string& expression, const std::string& text);
    /// did_you_mean(), where there are the steps for it.
    std::string hint(const std::string& given, const std::vector<std::string>& names);
    static Fit both(Fit a, Fit b);
    static Fit fail(const Frame& frame, SchemaProblem::Kind kind, std::string expected,
                    std::vector<std::string> allowed = {});
    static Fit expect(const Frame& frame, bool holds, const std::string& expected);

    Fit apply(const JsonTree& schema, const JsonTree& value, const std::string& path, Problems* problems,
              Seen* seen);
    Fit apply_keywords(const Frame& frame);
    /// The same value by another schema, whose problems and looked-at parts are those of the frame.
    Fit in_place(const Frame& frame, const JsonTree& schema);
    Fit on_member(const Frame& frame, std::size_t index, const JsonTree& schema);
    Fit on_item(const Frame& frame, std::size_t index, const JsonTree& schema);
    /// How many of the schemas in `rule` hold; what is wrong where none does.
    struct Count {
        std::size_t yes = 0, unknown = 0;
        std::vector<Problems> failed{};
    };
    Count count_matches(const Frame& frame, const JsonTree& rule);
    Fit none_matched(const Frame& frame, Count count);
    const JsonTree* dynamic_target(const JsonTree& reference);
    bool is_declared(const Frame& frame, const std::string& name, bool& is_sure);

    // One for each keyword.
    Fit ref(const Frame&, const JsonTree&);
    Fit dynamic_ref(const Frame&, const JsonTree&);
    Fit all_of(const Frame&, const JsonTree&);
    Fit any_of(const Frame&, const JsonTree&);
    Fit one_of(const Frame&, const JsonTree&);
    Fit is_not(const Frame&, const JsonTree&);
    Fit if_then_else(const Frame&, const JsonTree&);
    Fit type(const Frame&, const JsonTree&);
    Fit enumeration(const Frame&, const JsonTree&);
    Fit constant(const Frame&, const JsonTree&);
    Fit multiple_of(const Frame&, const JsonTree&);
    Fit minimum(const Frame&, const JsonTree&);
    Fit maximum(const Frame&, const JsonTree&);
    Fit exclusive_minimum(const Frame&, const JsonTree&);
    Fit exclusive_maximum(const Frame&, const JsonTree&);
    Fit min_length(const Frame&, const JsonTree&);
    Fit max_length(const Frame&, const JsonTree&);
    Fit pattern(const Frame&, const JsonTree&);
    Fit format(const Frame&, const JsonTree&);
    Fit prefix_items(const Frame&, const JsonTree&);
    Fit items(const Frame&, const JsonTree&);
    Fit additional_items(const Frame&, const JsonTree&);
    Fit contains(const Frame&, const JsonTree&);
    Fit min_items(const Frame&, const JsonTree&);
    Fit max_items(const Frame&, const JsonTree&);
    Fit unique_items(const Frame&, const JsonTree&);
    Fit properties(const Frame&, const JsonTree&);
    Fit pattern_properties(const Frame&, const JsonTree&);
    Fit additional_properties(const Frame&, const JsonTree&);
    Fit property_names(const Frame&, const JsonTree&);
    Fit required(const Frame&, const JsonTree&);
    Fit min_properties(const Frame&, const JsonTree&);
    Fit max_properties(const Frame&, const JsonTree&);
    Fit dependent_required(const Frame&, const JsonTree&);
    Fit dependent_schemas(const Frame&, const JsonTree&);
    Fit dependencies(const Frame&, const JsonTree&);
    Fit unevaluated_items(const Frame&, const JsonTree&);
    Fit unevaluated_properties(const Frame&, const JsonTree&);

    const SchemaDocument& document_;
    std::size_t most_steps_;
    std::size_t steps_left_;
    bool gave_up_ = false;
    int depth_ = 0;
    std::vector<int> scope_{}; ///< Resources gone through to here, outermost first, for `$dynamicRef`.
};

} // namespace bridge
