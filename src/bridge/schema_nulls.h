#pragma once
#include <string>
#include <string_view>

#include "src/bridge/schema_evaluator.h"

namespace bridge {

/// Takes members out of arguments that are null where the schema does not allow null: a model writes them for
/// optional parameters that it leaves out. A member goes only where the schema names the property, does not
/// require it, and says for sure that null is wrong; also in nested objects and in objects within arrays, as
/// far as the schema says plainly what they are. Everything else stays as it is. One object a call.
class SchemaNulls {
public:
    explicit SchemaNulls(const SchemaDocument& document) : document_(document), evaluator_(document) {}

    /// `arguments`: JSON text of an object, checked.
    std::string without(std::string_view arguments) { return value(arguments, {&document_.root()}, 0); }

private:
    using Schemas = std::vector<const JsonTree*>;

    std::string value(std::string_view text, const Schemas& schemas, int depth);
    std::string object(std::string_view text, const Schemas& schemas, int depth);
    std::string array(std::string_view text, const Schemas& schemas, int depth);
    bool can_afford(const Schemas& schemas);
    bool unwanted(const Schemas& schemas, const std::string& name);
    void add_plain(const JsonTree& schema, Schemas& out, int depth) const;
    const JsonTree* only_object(const JsonTree& choices) const;
    const JsonTree& resolved(const JsonTree& schema) const;

    const SchemaDocument& document_;
    SchemaEvaluator evaluator_;
    const JsonTree null_{};
    std::size_t steps_left_ = 2'000'000; ///< Names compared.
};

} // namespace bridge
