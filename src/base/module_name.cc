#include "src/base/module_name.h"

#include "src/base/text.h"

namespace base {
namespace {

constexpr std::size_t most = 100;

bool may_begin(char c) { return is_letter(c) || c == '_'; }

} // namespace

bool is_module_name(std::string_view text) {
    if (text.empty() || text.size() > most) return false;
    bool begins = true; // one of its parts
    for (const char c : text) {
        if (c == '.' && begins) return false;
        if (c != '.' && !may_begin(c) && (begins || !is_digit(c))) return false;
        begins = c == '.';
    }
    return !begins;
}

} // namespace base
