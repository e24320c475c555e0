#include "src/schema/document.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "src/base/percent.h"
#include "src/schema/uri.h"

namespace schema {

namespace {

constexpr std::size_t most_values = 50'000;
constexpr int most_depth = 64;
constexpr std::size_t most_patterns = 128;
constexpr std::size_t most_pattern_bytes = 4000;
constexpr std::int64_t most_pattern_memory = 256 << 10; // of one compiled pattern, and what searching adds
constexpr std::size_t failed_cost = 4000; // steps, for a pattern that grew to that memory [measured]
constexpr std::size_t most_uri = 2000; // bytes of a base, an anchor or a reference; longer ones lead nowhere
constexpr std::size_t most_looked_at = 2'000'000; // members gone through to resolve all references

// Which keywords hold schemas, and how. Elsewhere "$id" and "$ref" are data.
constexpr std::array<std::string_view, 13> with_schema = {"items",
                                                          "additionalItems",
                                                          "contains",
                                                          "additionalProperties",
                                                          "propertyNames",
                                                          "not",
                                                          "if",
                                                          "then",
                                                          "else",
                                                          "unevaluatedItems",
                                                          "unevaluatedProperties",
                                                          "contentSchema",
                                                          "dependencies"};
constexpr std::array<std::string_view, 5> with_array = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
constexpr std::array<std::string_view, 6> with_map = {"properties",  "patternProperties", "$defs",
                                                      "definitions", "dependentSchemas",  "dependencies"};

template <std::size_t N> bool among(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

Document::Draft draft_of(std::string_view uri) {
    if (uri.find("draft-0") != std::string_view::npos) return Document::Draft::draft7;
    if (uri.find("2019-09") != std::string_view::npos) return Document::Draft::draft2019;
    return Document::Draft::draft2020;
}

/// Follows a JSON pointer ("/$defs/a~1b/0") from a value.
const json::Tree* follow(const json::Tree* at, std::string_view pointer, std::size_t& looked_at) {
    while (at && !pointer.empty()) {
        looked_at += 1 + at->members.size();
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        std::string key;
        for (std::size_t i = 0; i < end; ++i) {
            const bool is_escape =
                pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
            key += is_escape ? (pointer[i + 1] == '0' ? '~' : '/') : pointer[i];
            if (is_escape) ++i;
        }
        pointer.remove_prefix(end);
        if (at->is_array()) {
            std::size_t index = 0;
            const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
            const bool is_index =
                read.ec == std::errc() && read.ptr == key.data() + key.size() && index < at->items.size();
            at = is_index ? &at->items[index] : nullptr;
        } else {
            at = at->find(key);
        }
    }
    return at;
}

} // namespace

Document::Document(std::string_view text) {
    if (text.size() > most_bytes) throw json::Error("the schema is too large");
    root_ = json::read_tree(text, most_values, most_depth);
    draft_ = draft_of(root_.find_text("$schema"));
    tracks_evaluated_ = text.find("unevaluated") != std::string_view::npos;
    resources_[""] = &root_;
    visit(root_, "");
    resolve_references();
}

void Document::visit(const json::Tree& schema, std::string base) {
    if (!schema.is_object() || resource_of_.contains(&schema)) return;
    const bool is_only_reference = draft_ == Draft::draft7 && schema.find("$ref");
    if (!is_only_reference) base = enter_resource(schema, base);
    const auto [number, added] = resource_numbers_.emplace(base, static_cast<int>(resource_names_.size()));
    if (added) resource_names_.push_back(base);
    resource_of_[&schema] = number->second;
    if (!is_only_reference) remember_anchors(schema, base);
    if (schema.find("$ref") || schema.find("$dynamicRef") || schema.find("$recursiveRef"))
        references_.push_back({&schema, base});
    visit_children(schema, base);
}

void Document::visit_children(const json::Tree& schema, const std::string& base) {
    for (const auto& [keyword, value] : schema.members) {
        if (value.is_object() && among(keyword, with_schema) && keyword != "dependencies") visit(value, base);
        if (value.is_array() && among(keyword, with_array))
            for (const json::Tree& each : value.items) visit(each, base);
        if (value.is_object() && among(keyword, with_map))
            for (const auto& [name, each] : value.members) visit(each, base);
    }
}

std::string Document::enter_resource(const json::Tree& schema, const std::string& base) {
    const std::string_view id = schema.find_text("$id");
    if (id.empty() || id.size() > most_uri) return base;
    std::string uri = resolve_uri(base, id);
    if (uri.size() > most_uri) return base; // each schema below would hold a copy
    const std::size_t hash = std::min(uri.find('#'), uri.size());
    const std::string fragment = uri.substr(hash);
    uri.erase(hash);
    if (fragment.size() > 1) { // draft-07 writes an anchor so
        anchors_.emplace(uri + fragment, &schema);
        return base;
    }
    resources_.emplace(uri, &schema);
    return uri;
}

void Document::remember_anchors(const json::Tree& schema, const std::string& base) {
    for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
        const std::string_view name = schema.find_text(keyword);
        if (name.empty() || name.size() > most_uri) continue;
        const std::string place = base + '#' + std::string(name);
        anchors_.emplace(place, &schema);
        if (std::string_view(keyword) == "$dynamicAnchor") dynamic_anchors_.emplace(place, &schema);
    }
}

void Document::resolve_references() {
    while (!references_.empty()) { // what a reference leads to may hold further ones
        const Place place = references_.back();
        references_.pop_back();
        for (const char* keyword : {"$ref", "$dynamicRef", "$recursiveRef"})
            if (const json::Tree* reference = place.schema->find(keyword);
                reference && reference->is_string()) {
                targets_[reference] = find(place.base, reference->text);
            }
    }
}

const json::Tree* Document::find(const std::string& base, std::string_view reference) {
    if (reference.size() > most_uri || looked_at_ > most_looked_at) return nullptr;
    std::string uri = resolve_uri(base, reference);
    const std::size_t hash = std::min(uri.find('#'), uri.size());
    const std::string fragment =
        hash == uri.size() ? "" : base::percent_decoded_leniently(std::string_view(uri).substr(hash + 1));
    uri.erase(hash);
    const auto resource = resources_.find(uri);
    if (resource == resources_.end()) return nullptr;
    if (!fragment.empty() && fragment.front() != '/') {
        const auto anchor = anchors_.find(uri + '#' + fragment);
        return anchor == anchors_.end() ? nullptr : anchor->second;
    }
    const json::Tree* found = follow(resource->second, fragment, looked_at_);
    if (found) visit(*found, uri); // it may lie where no schema was expected
    return found;
}

const json::Tree* Document::target(const json::Tree& reference) const {
    const auto found = targets_.find(&reference);
    return found == targets_.end() ? nullptr : found->second;
}

int Document::resource_of(const json::Tree& schema) const {
    const auto found = resource_of_.find(&schema);
    return found == resource_of_.end() ? -1 : found->second;
}

const json::Tree* Document::dynamic_anchor(int resource, std::string_view name) const {
    if (resource < 0) return nullptr;
    const auto found =
        dynamic_anchors_.find(resource_names_[static_cast<std::size_t>(resource)] + '#' + std::string(name));
    return found == dynamic_anchors_.end() ? nullptr : found->second;
}

Document::Pattern Document::pattern(const std::string& text) const {
    const auto found = patterns_.find(text);
    if (found != patterns_.end()) return {found->second.get()};
    if (patterns_.size() >= most_patterns || text.size() > most_pattern_bytes) return {};
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(most_pattern_memory);
    auto compiled = std::make_unique<re2::RE2>(text, options);
    const bool is_too_large = compiled->error_code() == re2::RE2::ErrorPatternTooLarge;
    Pattern pattern{nullptr, is_too_large ? failed_cost : 0};
    if (!compiled->ok()) compiled.reset();
    if (compiled) pattern.cost = static_cast<std::size_t>(std::max(0, compiled->ProgramSize())) / 2;
    pattern.compiled = compiled.get();
    patterns_.emplace(text, std::move(compiled));
    return pattern;
}

// [measured]: a plain byte of a pattern takes up to 2 microseconds; a class of Unicode's (\pL), above all
// without case, twelve for each byte.
std::size_t Document::cost_to_read(const std::string& text) const {
    if (patterns_.contains(text) || text.size() > most_pattern_bytes) return 0;
    const bool has_classes = text.find("\\p") != std::string::npos || text.find("\\P") != std::string::npos ||
                             text.find("(?") != std::string::npos;
    return 20 + text.size() * (has_classes ? 24 : 4);
}

const std::vector<std::string>& Document::canonical_items(const json::Tree& array) const {
    const auto [at, added] = canonical_.try_emplace(&array);
    if (added)
        for (const json::Tree& each : array.items) at->second.push_back(json::canonical(each));
    return at->second;
}

} // namespace schema
