#pragma once
#include <optional>
#include <string_view>

#include "src/base/json.h"
#include "src/base/json_repair.h"

namespace json {

/// What a text is made of, in its order, told while it is read: the text may still turn out to be broken. The
/// views are valid during the call. What a function throws ends the reading and comes out of parse().
class Handler {
public:
    virtual void null() = 0;
    virtual void boolean(bool flag) = 0;
    virtual void number(std::string_view digits) = 0; ///< As it is written; it is within a double.
    virtual void string(std::string_view text) = 0; ///< Unescaped. Half a character in an escape is no UTF-8.
    virtual void key(std::string_view text) = 0;    ///< Likewise.
    virtual void begin(Kind kind) = 0;              ///< An object or an array.
    virtual void end() = 0;                         ///< Of the innermost.

protected:
    ~Handler() = default;
};

/// Reads a text by the rules of check(), without recursion. Throws Error if it breaks them.
void parse(std::string_view text, Handler& handler, int max_depth = peer_depth);

} // namespace json
