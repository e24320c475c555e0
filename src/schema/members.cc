// What keywords ask of an object and its members.
#include <algorithm>

#include "src/base/nearest.h"
#include "src/schema/evaluator.h"

namespace schema {

using Fit = Evaluator::Fit;
using Kind = Problem::Kind;

namespace {

constexpr std::size_t most_names = 1000; // that a hint is sought among

std::vector<std::string> names_of(const json::Tree* object) {
    std::vector<std::string> names;
    if (object)
        for (const auto& [name, unused] : object->members)
            if (names.size() < most_names) names.push_back(name);
    return names;
}

/// What a property should be, in a word or two: "string", "one of …"; "" where its schema does not say so
/// plainly.
std::string summary(const json::Tree* schema) {
    if (!schema) return "";
    const json::Tree* type = schema->find("type");
    if (type && type->is_string()) return type->text;
    std::string text;
    if (type)
        for (const json::Tree& each : type->items) text += (text.empty() ? "" : " or ") + each.text;
    if (const json::Tree* values = schema->find("enum"); values && values->items.size() <= 8)
        for (const json::Tree& each : values->items) text += (text.empty() ? "one of " : ", ") + show(each);
    return text;
}

/// Of the names that were given, those that are not in the schema.
std::vector<std::string> unknown_names(const json::Tree& value, const json::Tree* properties) {
    std::vector<std::string> unknown;
    for (const std::string& name : names_of(&value))
        if (!properties || !properties->find(name)) unknown.push_back(name);
    return unknown;
}

/// Which of those may have been meant for `wanted`.
std::string meant_for(const std::string& wanted, const std::vector<std::string>& unknown) {
    const std::vector<std::string> near = base::nearest(wanted, unknown, 1);
    return near.empty() ? "" : " (" + json::quote(near.front().substr(0, 60)) + " was given)";
}

} // namespace

Fit Evaluator::properties(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size(); ++i) {
        charge(1 + rule.members.size() / 16);
        if (const json::Tree* schema = rule.find(frame.value.members[i].first))
            fit = both(fit, on_member(frame, i, *schema));
    }
    return fit;
}

Fit Evaluator::pattern_properties(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size(); ++i) {
        for (const auto& [expression, schema] : rule.members) {
            charge(1);
            const std::optional<bool> matched = matches(expression, frame.value.members[i].first);
            if (!matched)
                fit = both(fit, Fit::unknown);
            else if (*matched)
                fit = both(fit, on_member(frame, i, schema));
        }
    }
    return fit;
}

/// Whether `properties` or `patternProperties` beside it speak of a name. Not sure where a pattern cannot be
/// read.
bool Evaluator::is_declared(const Frame& frame, const std::string& name, bool& is_sure) {
    const json::Tree* named = frame.schema.find("properties");
    charge(1 + (named ? named->members.size() / 16 : 0));
    if (named && named->find(name)) return true;
    const json::Tree* patterns = frame.schema.find("patternProperties");
    if (!patterns) return false;
    for (const auto& [expression, unused] : patterns->members) {
        charge(1);
        const std::optional<bool> matched = matches(expression, name);
        if (matched == true) return true;
        if (!matched) is_sure = false;
    }
    return false;
}

Fit Evaluator::additional_properties(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size(); ++i) {
        const auto& [name, value] = frame.value.members[i];
        bool is_sure = true;
        if (is_declared(frame, name, is_sure)) continue;
        if (!is_sure) {
            fit = both(fit, Fit::unknown);
        } else if (rule.kind == json::Kind::boolean && !rule.flag) {
            fit = Fit::no;
            if (!frame.problems) return fit;
            std::vector<std::string> names = names_of(frame.schema.find("properties"));
            charge(names.size());
            Problem problem{.kind = Kind::extra, .path = member_path(frame.path, name), .given = show(value)};
            problem.hint = hint(name, names);
            for (const std::string& each : names) problem.allowed.push_back(json::quote(each.substr(0, 64)));
            frame.problems->push_back(std::move(problem));
        } else {
            fit = both(fit, on_member(frame, i, rule));
        }
    }
    return fit;
}

Fit Evaluator::property_names(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, unused] : frame.value.members) {
        charge(name.size() / 64);
        json::Tree text;
        text.kind = json::Kind::string;
        text.text = name;
        const std::string path =
            frame.problems ? member_path(frame.path, name) + " (its name)" : std::string();
        fit = both(fit, apply(rule, text, path, frame.problems, nullptr));
    }
    return fit;
}

Fit Evaluator::required(const Frame& frame, const json::Tree& rule) {
    if (!frame.value.is_object()) return Fit::yes;
    Fit fit = Fit::yes;
    for (const json::Tree& name : rule.items) {
        charge(1 + frame.value.members.size() / 16);
        if (!name.is_string() || frame.value.find(name.text)) continue;
        fit = Fit::no;
        if (!frame.problems) return fit;
        const json::Tree* properties = frame.schema.find("properties");
        charge(std::min(frame.value.members.size(), most_names) *
               (1 + (properties ? properties->members.size() / 16 : 0)));
        const std::vector<std::string> unknown = unknown_names(frame.value, properties);
        Problem problem{.kind = Kind::missing, .path = member_path(frame.path, name.text)};
        problem.expected = summary(properties ? properties->find(name.text) : nullptr);
        if (afford(base::nearest_cost(name.text, unknown))) problem.hint = meant_for(name.text, unknown);
        frame.problems->push_back(std::move(problem));
    }
    return fit;
}

Fit Evaluator::min_properties(const Frame& frame, const json::Tree& rule) {
    const bool holds = !frame.value.is_object() || !rule.is_number() ||
                       static_cast<double>(frame.value.members.size()) >= rule.number;
    return expect(frame, holds, "at least " + rule.text + " members");
}

Fit Evaluator::max_properties(const Frame& frame, const json::Tree& rule) {
    const bool holds = !frame.value.is_object() || !rule.is_number() ||
                       static_cast<double>(frame.value.members.size()) <= rule.number;
    return expect(frame, holds, "at most " + rule.text + " members");
}

Fit Evaluator::dependent_required(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, needed] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name)) fit = both(fit, required(frame, needed));
    }
    return fit;
}

Fit Evaluator::dependent_schemas(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, schema] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name)) fit = both(fit, in_place(frame, schema));
    }
    return fit;
}

Fit Evaluator::dependencies(const Frame& frame, const json::Tree& rule) {
    if (document_.draft() == Document::Draft::draft2020) return Fit::yes; // no longer a keyword
    Fit fit = Fit::yes;
    for (const auto& [name, needed] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name))
            fit = both(fit, needed.is_array() ? required(frame, needed) : in_place(frame, needed));
    }
    return fit;
}

Fit Evaluator::unevaluated_properties(const Frame& frame, const json::Tree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size() && frame.seen; ++i)
        if (i >= frame.seen->members.size() || !frame.seen->members[i])
            fit = both(fit, on_member(frame, i, rule));
    return fit;
}

} // namespace schema
