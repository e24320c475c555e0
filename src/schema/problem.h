#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/base/json_tree.h"

namespace schema {

/// One thing that is wrong with a value.
struct Problem {
    enum class Kind {
        type,    ///< Of another type; `allowed` are type names.
        value,   ///< Not one of the values; `allowed` are JSON texts.
        missing, ///< A member is not there; `path` is where it would be.
        extra,   ///< A member that may not be there; `allowed` are names.
        other,   ///< `expected` says what holds.
    };
    Kind kind = Kind::other;
    std::string path;    ///< "content[0].kind"; "" is the whole.
    std::string given{}; ///< As a person would be shown it.
    std::vector<std::string> allowed{};
    std::string expected{};
    std::string hint{}; ///< " (did you mean \"title\"?)"

    /// As one line of bounded length.
    std::string line() const;
};

/// A value as a message shows it: itself where it is short, else its beginning or its kind.
std::string show(const json::Tree& value);

/// The path of a member: "a.b", or `a["b c"]` where its name is no identifier.
std::string member_path(const std::string& path, std::string_view name);
std::string item_path(const std::string& path, std::size_t index);

/// What nearest_alternative() costs, in steps of the evaluator.
std::size_t cost_of_alternatives(const std::vector<std::vector<Problem>>& branches);

/// What is wrong with a value of which none of several alternatives holds: one problem that names all that is
/// allowed, where they differ in one place only; else the problems of the alternative that comes nearest.
/// `branches` hold at least one problem each.
std::vector<Problem> nearest_alternative(const std::string& path, std::vector<std::vector<Problem>> branches);

} // namespace schema
