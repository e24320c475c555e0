#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace policy {

/// `maybe`: it cannot be told. A rule that allows takes it for no, one that refuses or asks for yes.
enum class Truth { no, maybe, yes };

Truth both(Truth a, Truth b); ///< The lesser of the two.

/// What must hold of one place in a call's arguments.
struct Condition {
    std::string at{}; ///< JSON Pointer (RFC 6901) as the user wrote it, in which a step `*` is every element
                      ///< or member.
    std::vector<std::string> steps{};          ///< Its steps, unescaped.
    std::vector<std::string> under{};          ///< Folders, absolute and normal; in or below one of them.
    std::vector<std::string> one_of{};         ///< Each a JSON text, as json::canonical writes it.
    std::string pattern{};                     ///< RE2's syntax; must fit the whole string.
    std::shared_ptr<const re2::RE2> matches{}; ///< The pattern, compiled; null: there is none.
    bool optional = false;                     ///< Holds also where nothing is at that place.
};

/// Whether it holds of the arguments, a checked JSON object. One pass over them for each step; string values
/// may be as large as they are. Any thread may call it.
///
/// A place that is not there: no (yes if `optional`). A `*` over several values: yes if it holds of all, no
/// if of none, else maybe. A value of another kind than the test wants, a path that is not absolute or has a
/// NUL: maybe.
Truth holds(const Condition& condition, std::string_view arguments);

/// In words, for messages: `/path is under /home/me/notes`.
std::string in_words(const Condition& condition);

/// The steps of a JSON Pointer; nullopt for what is not one ("" is the whole, and has no steps).
std::optional<std::vector<std::string>> pointer_steps(std::string_view pointer);

/// An absolute path without ".", "..", doubled and last slashes. By its text alone: links are not followed,
/// so a link inside of a folder can lead out of it. nullopt: not absolute, or it has a NUL.
std::optional<std::string> normal_path(std::string_view path);

} // namespace policy
