#include "src/schema/nulls.h"

#include <algorithm>

namespace schema {

namespace {

constexpr int most_depth = 32;      // of the arguments; deeper nulls stay
constexpr int most_references = 16; // on the way to one schema, and of schemas joined in one place

bool requires_name(const json::Tree& schema, const std::string& name) {
    const json::Tree* names = schema.find("required");
    return names && std::any_of(names->items.begin(), names->items.end(),
                                [&](const json::Tree& each) { return each.text == name; });
}

const json::Tree* property(const json::Tree& schema, const std::string& name) {
    const json::Tree* properties = schema.find("properties");
    return properties ? properties->find(name) : nullptr;
}

} // namespace

const json::Tree& Nulls::resolved(const json::Tree& schema) const {
    const json::Tree* at = &schema;
    for (int steps = 0; steps < most_references; ++steps) {
        const json::Tree* reference = at->find("$ref");
        const json::Tree* target = reference ? document_.target(*reference) : nullptr;
        if (!target) break;
        at = target;
    }
    return *at;
}

// `Optional[Model]` is a choice between one object and null.
const json::Tree* Nulls::only_object(const json::Tree& choices) {
    if (!afford(choices.items.size())) return nullptr;
    const json::Tree* found = nullptr;
    for (const json::Tree& each : choices.items) {
        const json::Tree& choice = resolved(each);
        const std::string_view type = choice.find_text("type");
        if (type == "null") continue;
        if (found || !choice.is_object()) return nullptr;
        found = &choice;
    }
    return found;
}

// The schemas that hold for a value whatever it is, as far as they are plain to see.
void Nulls::add_plain(const json::Tree& given, Schemas& out, int depth) {
    if (depth > most_references || out.size() > most_references || !afford(1 + given.members.size())) return;
    out.push_back(&given);
    if (const json::Tree& target = resolved(given); &target != &given) add_plain(target, out, depth + 1);
    if (const json::Tree* all = given.find("allOf"))
        for (const json::Tree& each : all->items) {
            if (out.size() > most_references) break;
            add_plain(each, out, depth + 1);
        }
    for (const char* key : {"anyOf", "oneOf"})
        if (const json::Tree* choices = given.find(key))
            if (const json::Tree* only = only_object(*choices)) add_plain(*only, out, depth + 1);
}

// Looking up one name in these schemas; past the bound all nulls stay.
bool Nulls::can_afford(const Schemas& schemas) {
    std::size_t cost = 1;
    for (const json::Tree* schema : schemas)
        for (const char* key : {"properties", "required"})
            if (const json::Tree* names = schema->find(key))
                cost += 1 + names->members.size() + names->items.size();
    return afford(cost);
}

bool Nulls::afford(std::size_t cost) {
    steps_left_ -= std::min(cost, steps_left_);
    return steps_left_ > 0;
}

bool Nulls::unwanted(const Schemas& schemas, const std::string& name) {
    bool refused = false;
    for (const json::Tree* schema : schemas) {
        if (requires_name(*schema, name)) return false;
        if (const json::Tree* rule = property(*schema, name))
            refused |= evaluator_.check(*rule, null_) == Evaluator::Fit::no;
    }
    return refused;
}

std::string Nulls::object(std::string_view text, const Schemas& schemas, int depth) {
    std::string out = "{";
    for (const json::Member& member : json::members(text)) {
        const bool is_null = json::kind(member.value) == json::Kind::null;
        const bool looks = can_afford(schemas);
        if (looks && is_null && unwanted(schemas, member.key)) continue;
        Schemas inner;
        for (const json::Tree* schema : schemas)
            if (const json::Tree* rule = looks ? property(*schema, member.key) : nullptr)
                inner.push_back(rule);
        out += (out.size() > 1 ? "," : "") + json::quote(member.key) + ':';
        out += value(member.value, inner, depth + 1);
    }
    return out + '}';
}

std::string Nulls::array(std::string_view text, const Schemas& schemas, int depth) {
    Schemas inner;
    for (const json::Tree* schema : schemas)
        if (const json::Tree* items = schema->find("items"); items && items->is_object())
            inner.push_back(items);
    if (inner.empty()) return std::string(text);
    std::string out = "[";
    for (const std::string_view each : json::elements(text))
        out += (out.size() > 1 ? "," : "") + value(each, inner, depth + 1);
    return out + ']';
}

std::string Nulls::value(std::string_view text, const Schemas& given, int depth) {
    const json::Kind kind = json::kind(text);
    const bool may_hold_some = kind == json::Kind::object || kind == json::Kind::array;
    if (!may_hold_some || given.empty() || depth > most_depth || text.find("null") == std::string_view::npos)
        return std::string(text);
    Schemas schemas;
    for (const json::Tree* each : given) add_plain(*each, schemas, 0);
    return kind == json::Kind::object ? object(text, schemas, depth) : array(text, schemas, depth);
}

} // namespace schema
