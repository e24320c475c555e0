#include "src/schema/evaluator.h"

#include <algorithm>
#include <map>

#include "src/base/nearest.h"

namespace schema {

using Fit = Evaluator::Fit;

namespace {

constexpr int most_depth = 200; // schemas applied within each other; each takes a few hundred bytes of stack

// RE2 takes 5 ns for each byte and instruction where its automaton grows too large to keep [measured], which
// a pattern like [ab]*a[ab]{900}c brings about; so many of them are one step.
constexpr std::size_t pattern_work = 100;
constexpr std::size_t pattern_start = 16; // bytes; what the search costs before it begins

constexpr std::size_t seen_work = 256; // marks that are gone through in one step

// OpenAPI's word for "or null", which many servers leave in their schemas.
bool is_nullable(const json::Tree& schema) {
    const json::Tree* nullable = schema.find("nullable");
    return nullable && nullable->kind == json::Kind::boolean && nullable->flag;
}

} // namespace

void Evaluator::Seen::member(std::size_t index) {
    if (members.size() <= index) members.resize(index + 1);
    members[index] = true;
}

void Evaluator::Seen::item(std::size_t index) {
    if (items.size() <= index) items.resize(index + 1);
    items[index] = true;
}

void Evaluator::Seen::add(const Seen& other) {
    for (std::size_t i = 0; i < other.members.size(); ++i)
        if (other.members[i]) member(i);
    for (std::size_t i = 0; i < other.items.size(); ++i)
        if (other.items[i]) item(i);
}

Evaluator::Keyword Evaluator::find_keyword(std::string_view name) {
    using E = Evaluator;
    static const std::map<std::string_view, Keyword> keywords = {
        {"$ref", &E::ref},
        {"$dynamicRef", &E::dynamic_ref},
        {"$recursiveRef", &E::ref},
        {"allOf", &E::all_of},
        {"anyOf", &E::any_of},
        {"oneOf", &E::one_of},
        {"not", &E::is_not},
        {"if", &E::if_then_else},
        {"type", &E::type},
        {"enum", &E::enumeration},
        {"const", &E::constant},
        {"multipleOf", &E::multiple_of},
        {"minimum", &E::minimum},
        {"maximum", &E::maximum},
        {"exclusiveMinimum", &E::exclusive_minimum},
        {"exclusiveMaximum", &E::exclusive_maximum},
        {"minLength", &E::min_length},
        {"maxLength", &E::max_length},
        {"pattern", &E::pattern},
        {"format", &E::format},
        {"prefixItems", &E::prefix_items},
        {"items", &E::items},
        {"additionalItems", &E::additional_items},
        {"contains", &E::contains},
        {"minItems", &E::min_items},
        {"maxItems", &E::max_items},
        {"uniqueItems", &E::unique_items},
        {"properties", &E::properties},
        {"patternProperties", &E::pattern_properties},
        {"additionalProperties", &E::additional_properties},
        {"propertyNames", &E::property_names},
        {"required", &E::required},
        {"minProperties", &E::min_properties},
        {"maxProperties", &E::max_properties},
        {"dependentRequired", &E::dependent_required},
        {"dependentSchemas", &E::dependent_schemas},
        {"dependencies", &E::dependencies},
        {"unevaluatedItems", &E::unevaluated_items},
        {"unevaluatedProperties", &E::unevaluated_properties},
    };
    const auto found = keywords.find(name);
    return found == keywords.end() ? nullptr : found->second;
}

Fit Evaluator::check(const json::Tree& value, Problems* problems) {
    try {
        const Fit fit = apply(document_.root(), value, "", problems, nullptr);
        if (fit != Fit::no && problems) problems->clear();
        return fit;
    } catch (const GaveUp&) {
        gave_up_ = true;
        if (problems) problems->clear();
        return Fit::unknown;
    }
}

Fit Evaluator::check(const json::Tree& schema, const json::Tree& value) {
    try {
        return apply(schema, value, "", nullptr, nullptr);
    } catch (const GaveUp&) { // it left the way to where it was in the midst
        gave_up_ = true;
        depth_ = 0;
        scope_.clear();
        return Fit::unknown;
    }
}

void Evaluator::charge(std::size_t steps) {
    if (!afford(steps)) throw GaveUp{};
}

bool Evaluator::afford(std::size_t steps) {
    if (steps > steps_left_) {
        gave_up_ = true;
        return false;
    }
    steps_left_ -= steps;
    return true;
}

std::optional<bool> Evaluator::matches(const std::string& expression, const std::string& text) {
    if (!afford(1 + document_.cost_to_read(expression))) return std::nullopt;
    const Document::Pattern pattern = document_.pattern(expression);
    steps_left_ -= std::min(steps_left_, pattern.cost);
    if (!pattern.compiled) return std::nullopt;
    const auto size = static_cast<std::size_t>(std::max(1, pattern.compiled->ProgramSize()));
    if (!afford((text.size() + pattern_start) * size / pattern_work)) return std::nullopt;
    return re2::RE2::PartialMatch(text, *pattern.compiled);
}

std::string Evaluator::hint(const std::string& given, const std::vector<std::string>& names) {
    return afford(base::nearest_cost(given, names)) ? base::did_you_mean(given, names) : "";
}

Fit Evaluator::both(Fit a, Fit b) {
    if (a == Fit::no || b == Fit::no) return Fit::no;
    return a == Fit::unknown ? a : b;
}

Fit Evaluator::fail(const Frame& frame, Problem::Kind kind, std::string expected,
                    std::vector<std::string> allowed) {
    if (frame.problems)
        frame.problems->push_back({.kind = kind,
                                   .path = frame.path,
                                   .given = show(frame.value),
                                   .allowed = std::move(allowed),
                                   .expected = std::move(expected)});
    return Fit::no;
}

Fit Evaluator::expect(const Frame& frame, bool holds, const std::string& expected) {
    return holds ? Fit::yes : fail(frame, Problem::Kind::other, expected);
}

Fit Evaluator::apply(const json::Tree& schema, const json::Tree& value, const std::string& path,
                     Problems* problems, Seen* seen) {
    charge(1);
    if (schema.kind == json::Kind::boolean)
        return schema.flag
                   ? Fit::yes
                   : fail({schema, value, path, problems, seen}, Problem::Kind::other, "nothing here");
    if (!schema.is_object()) return Fit::unknown;
    if (value.kind == json::Kind::null && is_nullable(schema)) return Fit::yes;
    if (++depth_ > most_depth) throw GaveUp{};
    const int resource = document_.resource_of(schema);
    const bool enters = scope_.empty() || scope_.back() != resource;
    if (enters) scope_.push_back(resource);
    Seen own;
    const Fit fit =
        apply_keywords({schema, value, path, problems, document_.tracks_evaluated() ? &own : nullptr});
    charge((own.members.size() + own.items.size()) / seen_work);
    if (fit != Fit::no && seen) seen->add(own);
    if (enters) scope_.pop_back();
    --depth_;
    return fit;
}

Fit Evaluator::apply_keywords(const Frame& frame) {
    if (const json::Tree* reference = frame.schema.find("$ref");
        reference && document_.draft() == Document::Draft::draft7)
        return ref(frame, *reference); // what stands beside it does not count there
    Fit fit = Fit::yes;
    for (const bool last : {false, true}) { // `unevaluated…` look at what all others have left
        for (const auto& [name, rule] : frame.schema.members) {
            if (name.starts_with("unevaluated") != last) continue;
            if (last && fit != Fit::yes) continue;
            charge(1);
            if (const Keyword keyword = find_keyword(name)) fit = both(fit, (this->*keyword)(frame, rule));
            if (fit == Fit::no && !frame.problems) return fit;
        }
    }
    return fit;
}

Fit Evaluator::in_place(const Frame& frame, const json::Tree& schema) {
    return apply(schema, frame.value, frame.path, frame.problems, frame.seen);
}

Fit Evaluator::on_member(const Frame& frame, std::size_t index, const json::Tree& schema) {
    const auto& [name, value] = frame.value.members[index];
    if (frame.seen) frame.seen->member(index);
    const std::string path = frame.problems ? member_path(frame.path, name) : std::string();
    return apply(schema, value, path, frame.problems, nullptr);
}

Fit Evaluator::on_item(const Frame& frame, std::size_t index, const json::Tree& schema) {
    if (frame.seen) frame.seen->item(index);
    const std::string path = frame.problems ? item_path(frame.path, index) : std::string();
    return apply(schema, frame.value.items[index], path, frame.problems, nullptr);
}

Fit Evaluator::ref(const Frame& frame, const json::Tree& rule) {
    const json::Tree* target = document_.target(rule);
    return target ? in_place(frame, *target) : Fit::unknown;
}

const json::Tree* Evaluator::dynamic_target(const json::Tree& reference) {
    const json::Tree* target = document_.target(reference);
    const std::size_t hash = reference.text.rfind('#');
    if (!target || hash == std::string::npos) return target;
    const std::string_view name = std::string_view(reference.text).substr(hash + 1);
    if (name.empty() || target->find_text("$dynamicAnchor") != name) return target;
    charge(scope_.size());
    for (const int resource : scope_)
        if (const json::Tree* outer = document_.dynamic_anchor(resource, name)) return outer;
    return target;
}

Fit Evaluator::dynamic_ref(const Frame& frame, const json::Tree& rule) {
    const json::Tree* target = dynamic_target(rule);
    return target ? in_place(frame, *target) : Fit::unknown;
}

Fit Evaluator::all_of(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (const json::Tree& schema : rule.items) fit = both(fit, in_place(frame, schema));
    return fit;
}

Evaluator::Count Evaluator::count_matches(const Frame& frame, const json::Tree& rule) {
    Count count;
    for (const json::Tree& schema : rule.items) {
        Problems problems;
        const Fit fit =
            apply(schema, frame.value, frame.path, frame.problems ? &problems : nullptr, frame.seen);
        count.yes += fit == Fit::yes ? 1 : 0;
        count.unknown += fit == Fit::unknown ? 1 : 0;
        if (fit == Fit::no && !problems.empty() && count.failed.size() < 64)
            count.failed.push_back(std::move(problems));
    }
    return count;
}

Fit Evaluator::none_matched(const Frame& frame, Count count) {
    if (frame.problems && count.failed.empty())
        return fail(frame, Problem::Kind::other, "one of several shapes");
    if (frame.problems) charge(cost_of_alternatives(count.failed));
    if (frame.problems)
        for (Problem& problem : nearest_alternative(frame.path, std::move(count.failed)))
            frame.problems->push_back(std::move(problem));
    return Fit::no;
}

Fit Evaluator::any_of(const Frame& frame, const json::Tree& rule) {
    Count count = count_matches(frame, rule);
    if (count.yes > 0) return Fit::yes;
    return count.unknown > 0 || rule.items.empty() ? Fit::unknown : none_matched(frame, std::move(count));
}

Fit Evaluator::one_of(const Frame& frame, const json::Tree& rule) {
    Count count = count_matches(frame, rule);
    if (count.yes > 1)
        return fail(frame, Problem::Kind::other,
                    "exactly one of the shapes in oneOf, but it has " + std::to_string(count.yes));
    if (count.unknown > 0 || rule.items.empty()) return Fit::unknown;
    return count.yes == 1 ? Fit::yes : none_matched(frame, std::move(count));
}

Fit Evaluator::is_not(const Frame& frame, const json::Tree& rule) {
    const Fit fit = apply(rule, frame.value, frame.path, nullptr, nullptr);
    if (fit == Fit::yes) return fail(frame, Problem::Kind::other, "something else (the schema says not)");
    return fit == Fit::no ? Fit::yes : fit;
}

Fit Evaluator::if_then_else(const Frame& frame, const json::Tree& rule) {
    const Fit fit = apply(rule, frame.value, frame.path, nullptr, frame.seen);
    if (fit == Fit::unknown) return fit;
    const json::Tree* next = frame.schema.find(fit == Fit::yes ? "then" : "else");
    return next ? in_place(frame, *next) : Fit::yes;
}

} // namespace schema
