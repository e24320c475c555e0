#include "src/search/python_name.h"

#include <algorithm>
#include <array>

#include "src/base/text.h"

namespace search {

namespace {

constexpr std::array<std::string_view, 35> keywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return c == '_' || base::is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

} // namespace

bool is_python_keyword(std::string_view word) {
    return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

std::string parameter_alias(std::string_view name) {
    std::string alias(name);
    for (char& c : alias)
        if (!is_letter(c) && !is_digit(c)) c = '_';
    if (alias.empty() || is_digit(alias.front())) alias.insert(alias.begin(), '_');
    if (is_python_keyword(alias)) alias += '_';
    return alias;
}

} // namespace search
