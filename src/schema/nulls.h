#pragma once
#include <string>
#include <string_view>

#include "src/schema/evaluator.h"

namespace schema {

/// Takes members out of arguments that are null where the schema does not allow null: a model writes them for
/// optional parameters that it leaves out. A member goes only where the schema names the property, does not
/// require it, and says for sure that null is wrong; also in nested objects and in objects within arrays, as
/// far as the schema says plainly what they are. Everything else stays as it is. One object a call.
class Nulls {
public:
    explicit Nulls(const Document& document, std::size_t most_steps = Evaluator::all_steps)
        : document_(document), evaluator_(document, most_steps), steps_left_(most_steps * names_in_step) {}

    /// Some nulls were not looked at, since there were not the steps for it.
    bool gave_up() const { return steps_left_ == 0 || evaluator_.gave_up(); }

    /// `arguments`: JSON text of an object, checked.
    std::string without(std::string_view arguments) { return value(arguments, {&document_.root()}, 0); }

private:
    using Schemas = std::vector<const json::Tree*>;

    std::string value(std::string_view text, const Schemas& schemas, int depth);
    std::string object(std::string_view text, const Schemas& schemas, int depth);
    std::string array(std::string_view text, const Schemas& schemas, int depth);
    bool can_afford(const Schemas& schemas);
    bool unwanted(const Schemas& schemas, const std::string& name);
    void add_plain(const json::Tree& schema, Schemas& out, int depth);
    const json::Tree* only_object(const json::Tree& choices);
    bool afford(std::size_t cost);
    const json::Tree& resolved(const json::Tree& schema) const;

    const Document& document_;
    Evaluator evaluator_;
    const json::Tree null_{};
    static constexpr std::size_t names_in_step = 10;
    std::size_t steps_left_; ///< Names compared, and schemas gone through.
};

} // namespace schema
