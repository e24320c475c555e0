#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/json.h"

namespace json {

/// A JSON value as a tree of plain values, for code that walks one value by the word of another (a schema, a
/// text form). Bounded when it is read; elsewhere Reader serves better.
struct Tree {
    Kind kind = Kind::null;
    bool flag = false;
    double number = 0;
    std::optional<std::int64_t> integer{}; ///< Where a number is one, and exact (1.0 counts as 1).
    std::string text{};                    ///< A string's characters; a number as it was written.
    std::vector<std::pair<std::string, Tree>> members{}; ///< In the order of the text.
    std::vector<Tree> items{};

    bool is_object() const { return kind == Kind::object; }
    bool is_array() const { return kind == Kind::array; }
    bool is_string() const { return kind == Kind::string; }
    bool is_number() const { return kind == Kind::number; }

    /// The member of that key, or nullptr; also for what is no object.
    const Tree* find(std::string_view key) const;
    /// The same where it is a string; "" otherwise.
    std::string_view find_text(std::string_view key) const;
};

/// Reads a whole JSON text. Throws Error where it is not one, is deeper than `most_depth` or has more
/// than `most_values` values.
Tree read_tree(std::string_view text, std::size_t most_values, int most_depth);

/// One text for all values that JSON Schema calls equal: keys sorted, 1.0 as 1.
std::string canonical(const Tree& value);

/// How many values it is made of, plus one for each 64 bytes of text: what walking it costs.
std::size_t weight(const Tree& value);

} // namespace json
