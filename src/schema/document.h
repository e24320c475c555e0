#pragma once
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/json_tree.h"

namespace schema {

/// A JSON Schema, read once: its references resolved within itself, its patterns compiled as they are needed.
/// Nothing is ever fetched. The text is hostile: more than half a megabyte, 64 levels or 50,000 values are
/// refused by the constructor. Not for several threads at once.
class Document {
public:
    enum class Draft { draft7, draft2019, draft2020 };
    static constexpr std::size_t most_bytes = 512 << 10;

    /// Throws json::Error where it is no JSON or too large.
    explicit Document(std::string_view text);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    const json::Tree& root() const { return root_; }
    Draft draft() const { return draft_; }

    /// What a reference (the value of `$ref`, or of `$dynamicRef` before its scope is looked at) leads to;
    /// nullptr where that is not within this document.
    const json::Tree* target(const json::Tree& reference) const;

    /// The number of the resource (the part under one `$id`) that a schema belongs to.
    int resource_of(const json::Tree& schema) const;
    /// The schema of that resource with that `$dynamicAnchor`, or nullptr.
    const json::Tree* dynamic_anchor(int resource, std::string_view name) const;

    /// True where `unevaluatedProperties` or `unevaluatedItems` occur: only then what was evaluated must be
    /// remembered.
    bool tracks_evaluated() const { return tracks_evaluated_; }

    /// A pattern as RE2 takes it, kept from then on.
    struct Pattern {
        const re2::RE2* compiled = nullptr; ///< nullptr: it uses what RE2 does not have (back references,
                                            ///< look-around), is too large, or is one too many.
        std::size_t cost = 0; ///< In steps of the evaluator, beyond cost_to_read(); 0 where it was kept.
    };
    Pattern pattern(const std::string& text) const;
    /// What reading a pattern costs at the worst, in steps; 0 where it was read before.
    std::size_t cost_to_read(const std::string& text) const;
    /// How many are kept; each may hold 256 KiB.
    std::size_t patterns() const { return patterns_.size(); }

    /// The canonical texts of an `enum`'s values.
    const std::vector<std::string>& canonical_items(const json::Tree& array) const;

private:
    struct Place {
        const json::Tree* schema;
        std::string base; ///< The URI that references in it are relative to.
    };

    void visit(const json::Tree& schema, std::string base);
    void visit_children(const json::Tree& schema, const std::string& base);
    std::string enter_resource(const json::Tree& schema, const std::string& base);
    void remember_anchors(const json::Tree& schema, const std::string& base);
    void resolve_references();
    const json::Tree* find(const std::string& base, std::string_view reference);

    json::Tree root_;
    Draft draft_ = Draft::draft2020;
    bool tracks_evaluated_ = false;
    std::unordered_map<std::string, const json::Tree*> resources_{}; ///< By URI, without fragment.
    std::unordered_map<std::string, const json::Tree*> anchors_{};   ///< By URI#name.
    std::unordered_map<std::string, const json::Tree*> dynamic_anchors_{};
    std::unordered_map<std::string, int> resource_numbers_{};
    std::vector<std::string> resource_names_{};
    std::unordered_map<const json::Tree*, int> resource_of_{}; ///< Of each schema visited.
    std::vector<Place> references_{};                          ///< Schemas with a reference not yet resolved.
    std::size_t looked_at_ = 0;                                ///< Members gone through for references.
    std::unordered_map<const json::Tree*, const json::Tree*> targets_{};
    mutable std::unordered_map<std::string, std::unique_ptr<re2::RE2>> patterns_{};
    mutable std::unordered_map<const json::Tree*, std::vector<std::string>> canonical_{};
};

} // namespace schema
