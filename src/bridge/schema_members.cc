// What keywords ask of an object and its members.
#include <algorithm>

#include "src/bridge/nearest.h"
#include "src/bridge/schema_evaluator.h"

namespace bridge {

using Fit = SchemaEvaluator::Fit;
using Kind = SchemaProblem::Kind;

namespace {

constexpr std::size_t most_names = 1000; // that a hint is sought among

std::vector<std::string> names_of(const JsonTree* object) {
    std::vector<std::string> names;
    if (object)
        for (const auto& [name, unused] : object->members)
            if (names.size() < most_names) names.push_back(name);
    return names;
}

/// What a property should be, in a word or two: "string", "one of …"; "" where its schema does not say so
/// plainly.
std::string summary(const JsonTree* schema) {
    if (!schema) return "";
    const JsonTree* type = schema->find("type");
    if (type && type->is_string()) return type->text;
    std::string text;
    if (type)
        for (const JsonTree& each : type->items) text += (text.empty() ? "" : " or ") + each.text;
    if (const JsonTree* values = schema->find("enum"); values && values->items.size() <= 8)
        for (const JsonTree& each : values->items) text += (text.empty() ? "one of " : ", ") + show(each);
    return text;
}

/// Of the names that were given, those that are not in the schema.
std::vector<std::string> unknown_names(const JsonTree& value, const JsonTree* properties) {
    std::vector<std::string> unknown;
    for (const std::string& name : names_of(&value))
        if (!properties || !properties->find(name)) unknown.push_back(name);
    return unknown;
}

/// Which of those may have been meant for `wanted`.
std::string meant_for(const std::string& wanted, const std::vector<std::string>& unknown) {
    const std::vector<std::string> near = nearest(wanted, unknown, 1);
    return near.empty() ? "" : " (" + json::quote(near.front().substr(0, 60)) + " was given)";
}

} // namespace

Fit SchemaEvaluator::properties(const Frame& frame, const JsonTree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size(); ++i) {
        charge(1 + rule.members.size() / 16);
        if (const JsonTree* schema = rule.find(frame.value.members[i].first))
            fit = both(fit, on_member(frame, i, *schema));
    }
    return fit;
}

Fit SchemaEvaluator::pattern_properties(const Frame& frame, const JsonTree& rule) {
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
bool SchemaEvaluator::is_declared(const Frame& frame, const std::string& name, bool& is_sure) {
    const JsonTree* named = frame.schema.find("properties");
    charge(1 + (named ? named->members.size() / 16 : 0));
    if (named && named->find(name)) return true;
    const JsonTree* patterns = frame.schema.find("patternProperties");
    if (!patterns) return false;
    for (const auto& [expression, unused] : patterns->members) {
        charge(1);
        const std::optional<bool> matched = matches(expression, name);
        if (matched == true) return true;
        if (!matched) is_sure = false;
    }
    return false;
}

Fit SchemaEvaluator::additional_properties(const Frame& frame, const JsonTree& rule) {
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
            SchemaProblem problem{
                .kind = Kind::extra, .path = member_path(frame.path, name), .given = show(value)};
            problem.hint = hint(name, names);
            for (const std::string& each : names) problem.allowed.push_back(json::quote(each.substr(0, 64)));
            frame.problems->push_back(std::move(problem));
        } else {
            fit = both(fit, on_member(frame, i, rule));
        }
    }
    return fit;
}

Fit SchemaEvaluator::property_names(const Frame& frame, const JsonTree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, unused] : frame.value.members) {
        charge(name.size() / 64);
        JsonTree text;
        text.kind = json::Kind::string;
        text.text = name;
        const std::string path =
            frame.problems ? member_path(frame.path, name) + " (its name)" : std::string();
        fit = both(fit, apply(rule, text, path, frame.problems, nullptr));
    }
    return fit;
}

Fit SchemaEvaluator::required(const Frame& frame, const JsonTree& rule) {
    if (!frame.value.is_object()) return Fit::yes;
    Fit fit = Fit::yes;
    for (const JsonTree& name : rule.items) {
        charge(1 + frame.value.members.size() / 16);
        if (!name.is_string() || frame.value.find(name.text)) continue;
        fit = Fit::no;
        if (!frame.problems) return fit;
        const JsonTree* properties = frame.schema.find("properties");
        charge(std::min(frame.value.members.size(), most_names) *
               (1 + (properties ? properties->members.size() / 16 : 0)));
        const std::vector<std::string> unknown = unknown_names(frame.value, properties);
        SchemaProblem problem{.kind = Kind::missing, .path = member_path(frame.path, name.text)};
        problem.expected = summary(properties ? properties->find(name.text) : nullptr);
        if (afford(nearest_cost(name.text, unknown))) problem.hint = meant_for(name.text, unknown);
        frame.problems->push_back(std::move(problem));
    }
    return fit;
}

Fit SchemaEvaluator::min_properties(const Frame& frame, const JsonTree& rule) {
    const bool holds = !frame.value.is_object() || !rule.is_number() ||
                       static_cast<double>(frame.value.members.size()) >= rule.number;
    return expect(frame, holds, "at least " + rule.text + " members");
}

Fit SchemaEvaluator::max_properties(const Frame& frame, const JsonTree& rule) {
    const bool holds = !frame.value.is_object() || !rule.is_number() ||
                       static_cast<double>(frame.value.members.size()) <= rule.number;
    return expect(frame, holds, "at most " + rule.text + " members");
}

Fit SchemaEvaluator::dependent_required(const Frame& frame, const JsonTree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, needed] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name)) fit = both(fit, required(frame, needed));
    }
    return fit;
}

Fit SchemaEvaluator::dependent_schemas(const Frame& frame, const JsonTree& rule) {
    Fit fit = Fit::yes;
    for (const auto& [name, schema] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name)) fit = both(fit, in_place(frame, schema));
    }
    return fit;
}

Fit SchemaEvaluator::dependencies(const Frame& frame, const JsonTree& rule) {
    if (document_.draft() == SchemaDocument::Draft::draft2020) return Fit::yes; // no longer a keyword
    Fit fit = Fit::yes;
    for (const auto& [name, needed] : rule.members) {
        charge(1 + frame.value.members.size() / 16);
        if (frame.value.find(name))
            fit = both(fit, needed.is_array() ? required(frame, needed) : in_place(frame, needed));
    }
    return fit;
}

Fit SchemaEvaluator::unevaluated_properties(const Frame& frame, const JsonTree& rule) {
    Fit fit = Fit::yes;
    for (std::size_t i = 0; i < frame.value.members.size() && frame.seen; ++i)
        if (i >= frame.seen->members.size() || !frame.seen->members[i])
            fit = both(fit, on_member(frame, i, rule));
    return fit;
}

} // namespace bridge
