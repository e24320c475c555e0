#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schema {

/// Checks arguments against a tool's input schema (JSON Schema 2020-12 and draft-07) before they are sent.
/// The schema is hostile text: everything is bounded (size, depth, references, work), patterns run on RE2. A
/// schema that cannot be read or is too large never blocks a call, nor does what there are not the steps to
/// check. May be used by several threads; those with the same schema take turns.
class Check {
public:
    Check();
    ~Check();
    Check(const Check&) = delete;
    Check& operator=(const Check&) = delete;

    /// What is wrong with `arguments` (JSON text of an object), at most 8 lines fit for a person, each with
    /// the path, what was given, what is allowed, and for a name the nearest valid one: "content[0].kind: got
    /// \"txt\", expected one of \"text\", \"image\"". Empty: nothing, the schema could not be used, or there
    /// are more than 8 MiB of arguments, which are left to the server. Schemas are compiled once and kept (by
    /// their text, a bounded number).
    std::vector<std::string> problems(std::string_view schema, std::string_view arguments);

    /// The same, with what it took: a count of steps, of which a tenth of a second holds all_steps at the
    /// worst; and whether there were too few for some of it.
    struct Outcome {
        std::vector<std::string> problems{};
        std::size_t steps = 0;
        bool gave_up = false;
    };
    static constexpr std::size_t all_steps = 200'000;
    Outcome check(std::string_view schema, std::string_view value, std::size_t most_steps = all_steps);

    /// For the thread of the loop: what check() gives where that takes some milliseconds at most and no other
    /// thread has the schema; nullopt where it must be asked on another thread.
    std::optional<std::vector<std::string>> problems_at_once(std::string_view schema, std::string_view value);
    /// The same of without_nulls() and problems() together; `arguments` change only where something is given.
    std::optional<std::vector<std::string>> clean_at_once(std::string_view schema, std::string* arguments);

    /// The arguments without the members that are null where the schema does not allow null and does not
    /// require them (schema_nulls.h): what code writes for a parameter that it leaves out. As they are where
    /// the schema cannot be used or they are larger than 4 MiB.
    std::string without_nulls(std::string_view schema, std::string arguments);

private:
    struct Impl;
    class InUse;
    std::unique_ptr<Impl> impl_;
};

} // namespace schema
