// What each keyword asks of a value: types, numbers, texts, arrays.
#include <algorithm>
#include <cmath>
#include <set>

#include "src/schema/evaluator.h"
#include "src/schema/format.h"

namespace schema {

using Fit = Evaluator::Fit;
using Kind = Problem::Kind;

namespace {

bool is_of_type(const json::Tree& value, std::string_view type) {
    switch (value.kind) {
    case json::Kind::null:
        return type == "null";
    case json::Kind::boolean:
        return type == "boolean";
    case json::Kind::string:
        return type == "string";
    case json::Kind::array:
        return type == "array";
    case json::Kind::object:
        return type == "object";
    case json::Kind::number:
        return type == "number" || (type == "integer" && std::nearbyint(value.number) == value.number);
    }
    return false;
}

bool is_known_type(std::string_view type) {
    for (const char* known : {"null", "boolean", "string", "array", "object", "number", "integer"})
        if (type == known) return true;
    return false;
}

/// Less than zero, zero or more, as a is less than b, equal or more. Exact for integers beyond 2^53 too.
int compare(const json::Tree& a, const json::Tree& b) {
    if (a.integer && b.integer) return *a.integer < *b.integer ? -1 : *a.integer > *b.integer ? 1 : 0;
    return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
}

bool is_multiple(const json::Tree& value, const json::Tree& of) {
    if (value.integer && of.integer) return *of.integer == -1 || *value.integer % *of.integer == 0;
    const double ratio = value.number / of.number;
    return std::isfinite(ratio) &&
           std::abs(ratio - std::nearbyint(ratio)) <= 1e-9 * std::max(1.0, std::abs(ratio));
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// A number of things: "1 item", "2 items".
std::string amount(const json::Tree& rule, const std::string& thing) {
    return rule.text + " " + thing + (rule.number == 1 ? "" : "s");
}

bool fits_size(std::size_t size, const json::Tree& rule, int wanted) {
    const double have = static_cast<double>(size);
    return !rule.is_number() || (wanted < 0 ? have >= rule.number : have <= rule.number);
}

} // namespace

Fit Evaluator::type(const Frame& frame, const json::Tree& rule) {
    charge(rule.items.size());
    std::vector<std::string> names;
    if (rule.is_string()) names.push_back(rule.text);
    for (const json::Tree& each : rule.items) names.push_back(each.text);
    for (const std::string& name : names)
        if (is_of_type(frame.value, name)) return Fit::yes;
    if (names.empty() || !std::all_of(names.begin(), names.end(), is_known_type)) return Fit::unknown;
    return fail(frame, Kind::type, "", std::move(names));
}

Fit Evaluator::enumeration(const Frame& frame, const json::Tree& rule) {
    if (!rule.is_array()) return Fit::unknown;
    charge(json::weight(frame.value) + rule.items.size() / 16);
    const std::vector<std::string>& values = document_.canonical_items(rule);
    if (std::find(values.begin(), values.end(), json::canonical(frame.value)) != values.end())
        return Fit::yes;
    if (!frame.problems) return Fit::no;
    charge(rule.items.size());
    std::vector<std::string> shown, texts;
    for (const json::Tree& each : rule.items) {
        shown.push_back(show(each));
        if (each.is_string()) texts.push_back(each.text);
    }
    fail(frame, Kind::value, "", std::move(shown));
    if (frame.value.is_string() && texts.size() <= 1000)
        frame.problems->back().hint = hint(frame.value.text, texts);
    return Fit::no;
}

Fit Evaluator::constant(const Frame& frame, const json::Tree& rule) {
    charge(json::weight(frame.value) + json::weight(rule));
    if (json::canonical(frame.value) == json::canonical(rule)) return Fit::yes;
    return fail(frame, Kind::value, "", {show(rule)});
}

Fit Evaluator::multiple_of(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_number() || !rule.is_number() || rule.number <= 0) return Fit::yes;
    return expect(frame, is_multiple(frame.value, rule), "a multiple of " + rule.text);
}

Fit Evaluator::minimum(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_number() || !rule.is_number()) return Fit::yes;
    return expect(frame, compare(frame.value, rule) >= 0, "at least " + rule.text);
}

Fit Evaluator::maximum(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_number() || !rule.is_number()) return Fit::yes;
    return expect(frame, compare(frame.value, rule) <= 0, "at most " + rule.text);
}

Fit Evaluator::exclusive_minimum(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_number() || !rule.is_number()) return Fit::yes;
    return expect(frame, compare(frame.value, rule) > 0, "more than " + rule.text);
}

Fit Evaluator::exclusive_maximum(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_number() || !rule.is_number()) return Fit::yes;
    return expect(frame, compare(frame.value, rule) < 0, "less than " + rule.text);
}

Fit Evaluator::min_length(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_string()) return Fit::yes;
    charge(frame.value.text.size() / 64);
    return expect(frame, fits_size(characters(frame.value.text), rule, -1),
                  "at least " + amount(rule, "character"));
}

Fit Evaluator::max_length(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_string()) return Fit::yes;
    charge(frame.value.text.size() / 64);
    return expect(frame, fits_size(characters(frame.value.text), rule, 1),
                  "at most " + amount(rule, "character"));
}

Fit Evaluator::pattern(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_string() || !rule.is_string()) return Fit::yes;
    const std::optional<bool> matched = matches(rule.text, frame.value.text);
    return matched ? expect(frame, *matched, "text that matches " + rule.text) : Fit::unknown;
}

Fit Evaluator::format(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_string() || !rule.is_string()) return Fit::yes;
    charge(1 + frame.value.text.size() / 64);
    return expect(frame, fits_format(rule.text, frame.value.text), "text of the format " + rule.text);
}

Fit Evaluator::prefix_items(const Frame& frame, const json::Tree& rule) {
    if (document_.draft() == Document::Draft::draft7) return Fit::yes;
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.items.size() && i < rule.items.size(); ++i)
        fit = both(fit, on_item(frame, i, rule.items[i]));
    return fit;
}

Fit Evaluator::items(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    if (rule.is_array()) { // as before 2020; some servers still write it so
        for (std::size_t i = 0; i < frame.value.items.size() && i < rule.items.size(); ++i)
            fit = both(fit, on_item(frame, i, rule.items[i]));
        return fit;
    }
    const json::Tree* prefix =
        document_.draft() == Document::Draft::draft7 ? nullptr : frame.schema.find("prefixItems");
    for (std::size_t i = prefix ? prefix->items.size() : 0; i < frame.value.items.size(); ++i)
        fit = both(fit, on_item(frame, i, rule));
    return fit;
}

Fit Evaluator::additional_items(const Frame& frame, const json::Tree& rule) {
    const json::Tree* listed = frame.schema.find("items");
    if (!listed || !listed->is_array() || document_.draft() == Document::Draft::draft2020) return Fit::yes;
    Fit fit = Fit::yes;
    for (std::size_t i = listed->items.size(); i < frame.value.items.size(); ++i)
        fit = both(fit, on_item(frame, i, rule));
    return fit;
}

Fit Evaluator::contains(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_array()) return Fit::yes;
    const bool counts = document_.draft() != Document::Draft::draft7;
    const json::Tree* least = counts ? frame.schema.find("minContains") : nullptr;
    const json::Tree* most = counts ? frame.schema.find("maxContains") : nullptr;
    double yes = 0, unknown = 0;
    for (std::size_t i = 0; i < frame.value.items.size(); ++i) {
        const Fit fit = apply(rule, frame.value.items[i], frame.path, nullptr, nullptr);
        if (fit == Fit::yes && frame.seen && counts) frame.seen->item(i);
        (fit == Fit::yes ? yes : unknown) += fit == Fit::no ? 0 : 1;
    }
    const double wanted = least && least->is_number() ? least->number : 1;
    if (yes + unknown < wanted) return fail(frame, Kind::other, "more items of the kind in contains");
    if (most && most->is_number() && yes > most->number)
        return fail(frame, Kind::other, "fewer items of the kind in contains");
    return unknown > 0 ? Fit::unknown : Fit::yes;
}

Fit Evaluator::min_items(const Frame& frame, const json::Tree& rule) {
    return expect(frame, !frame.value.is_array() || fits_size(frame.value.items.size(), rule, -1),
                  "at least " + amount(rule, "item"));
}

Fit Evaluator::max_items(const Frame& frame, const json::Tree& rule) {
    return expect(frame, !frame.value.is_array() || fits_size(frame.value.items.size(), rule, 1),
                  "at most " + amount(rule, "item"));
}

Fit Evaluator::unique_items(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_array() || !rule.flag) return Fit::yes;
    charge(json::weight(frame.value));
    std::set<std::string> seen;
    for (const json::Tree& item : frame.value.items)
        if (!seen.insert(json::canonical(item)).second)
            return fail(frame, Kind::other, "items that differ, but " + show(item) + " is there twice");
    return Fit::yes;
}

Fit Evaluator::unevaluated_items(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.items.size() && frame.seen; ++i)
        if (i >= frame.seen->items.size() || !frame.seen->items[i]) fit = both(fit, on_item(frame, i, rule));
    return fit;
}

} // namespace schema
