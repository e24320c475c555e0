#include "src/bridge/schema_nulls.h"

#include <algorithm>

namespace bridge {

namespace {

constexpr int most_depth = 32;      // of the arguments; deeper nulls stay
constexpr int most_references = 16; // on the way to one schema, and of schemas joined in one place

bool requires_name(const JsonTree& schema, const std::string& name) {
    const JsonTree* names = schema.find("required");
    return names && std::any_of(names->items.begin(), names->items.end(),
                                [&](const JsonTree& each) { return each.text == name; });
}

const JsonTree* property(const JsonTree& schema, const std::string& name) {
    const JsonTree* properties = schema.find("properties");
    return properties ? properties->find(name) : nullptr;
}

} // namespace

const JsonTree& SchemaNulls::resolved(const JsonTree& schema) const {
    const JsonTree* at = &schema;
    for (int steps = 0; steps < most_references; ++steps) {
        const JsonTree* reference = at->find("$ref");
        const JsonTree* target = reference ? document_.target(*reference) : nullptr;
        if (!target) break;
        at = target;
    }
    return *at;
}

// `Optional[Model]` is a choice between one object and null.
const JsonTree* SchemaNulls::only_object(const JsonTree& choices) {
    if (!afford(choices.items.size())) return nullptr;
    const JsonTree* found = nullptr;
    for (const JsonTree& each : choices.items) {
        const JsonTree& choice = resolved(each);
        const std::string_view type = choice.find_text("type");
        if (type == "null") continue;
        if (found || !choice.is_object()) return nullptr;
        found = &choice;
    }
    return found;
}

// The schemas that hold for a value whatever it is, as far as they are plain to see.
void SchemaNulls::add_plain(const JsonTree& given, Schemas& out, int depth) {
    if (depth > most_references || out.size() > most_references || !afford(1 + given.members.size())) return;
    out.push_back(&given);
    if (const JsonTree& target = resolved(given); &target != &given) add_plain(target, out, depth + 1);
    if (const JsonTree* all = given.find("allOf"))
        for (const JsonTree& each : all->items) {
            if (out.size() > most_references) break;
            add_plain(each, out, depth + 1);
        }
    for (const char* key : {"anyOf", "oneOf"})
        if (const JsonTree* choices = given.find(key))
            if (const JsonTree* only = only_object(*choices)) add_plain(*only, out, depth + 1);
}

// Looking up one name in these schemas; past the bound all nulls stay.
bool SchemaNulls::can_afford(const Schemas& schemas) {
    std::size_t cost = 1;
    for (const JsonTree* schema : schemas)
        for (const char* key : {"properties", "required"})
            if (const JsonTree* names = schema->find(key))
                cost += 1 + names->members.size() + names->items.size();
    return afford(cost);
}

bool SchemaNulls::afford(std::size_t cost) {
    steps_left_ -= std::min(cost, steps_left_);
    return steps_left_ > 0;
}

bool SchemaNulls::unwanted(const Schemas& schemas, const std::string& name) {
    bool refused = false;
    for (const JsonTree* schema : schemas) {
        if (requires_name(*schema, name)) return false;
        if (const JsonTree* rule = property(*schema, name))
            refused |= evaluator_.check(*rule, null_) == SchemaEvaluator::Fit::no;
    }
    return refused;
}

std::string SchemaNulls::object(std::string_view text, const Schemas& schemas, int depth) {
    std::string out = "{";
    for (const json::Member& member : json::members(text)) {
        const bool is_null = json::kind(member.value) == json::Kind::null;
        const bool looks = can_afford(schemas);
        if (looks && is_null && unwanted(schemas, member.key)) continue;
        Schemas inner;
        for (const JsonTree* schema : schemas)
            if (const JsonTree* rule = looks ? property(*schema, member.key) : nullptr) inner.push_back(rule);
        out += (out.size() > 1 ? "," : "") + json::quote(member.key) + ':';
        out += value(member.value, inner, depth + 1);
    }
    return out + '}';
}

std::string SchemaNulls::array(std::string_view text, const Schemas& schemas, int depth) {
    Schemas inner;
    for (const JsonTree* schema : schemas)
        if (const JsonTree* items = schema->find("items"); items && items->is_object())
            inner.push_back(items);
    if (inner.empty()) return std::string(text);
    std::string out = "[";
    for (const std::string_view each : json::elements(text))
        out += (out.size() > 1 ? "," : "") + value(each, inner, depth + 1);
    return out + ']';
}

std::string SchemaNulls::value(std::string_view text, const Schemas& given, int depth) {
    const json::Kind kind = json::kind(text);
    const bool may_hold_some = kind == json::Kind::object || kind == json::Kind::array;
    if (!may_hold_some || given.empty() || depth > most_depth || text.find("null") == std::string_view::npos)
        return std::string(text);
    Schemas schemas;
    for (const JsonTree* each : given) add_plain(*each, schemas, 0);
    return kind == json::Kind::object ? object(text, schemas, depth) : array(text, schemas, depth);
}

} // namespace bridge
