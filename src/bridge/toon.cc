#include "src/bridge/toon.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "src/base/json_tree.h"
#include "src/base/text.h"

namespace bridge {

namespace {

constexpr std::size_t most_values = 1'000'000;
constexpr int most_depth = 128; // each level costs two more spaces on each of its lines

using base::is_digit;

bool is_primitive(const json::Tree& value) { return !value.is_object() && !value.is_array(); }

/// What a reader would take for a number: also "05", which is none in JSON.
bool looks_like_number(std::string_view text) {
    const auto skip_digits = [&] {
        const std::size_t before = text.size();
        while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
        return before != text.size();
    };
    if (text.starts_with('-')) text.remove_prefix(1);
    if (!skip_digits()) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!skip_digits()) return false;
    }
    if (text.empty()) return true;
    if (text.front() != 'e' && text.front() != 'E') return false;
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return skip_digits() && text.empty();
}

/// White space beyond ASCII that readers may trim from a value's ends.
bool has_space_at_end(std::string_view text) {
    constexpr std::array<std::string_view, 8> spaces = {
        " ",           "\xC2\xA0", "\xC2\x85", "\xEF\xBB\xBF", "\xE3\x80\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
        "\xE2\x80\xAF"};
    return std::any_of(spaces.begin(), spaces.end(), [&](std::string_view space) {
        return text.starts_with(space) || text.ends_with(space);
    });
}

bool needs_quotes(std::string_view text) {
    if (text.empty() || text.front() == '-' || has_space_at_end(text)) return true;
    if (text == "true" || text == "false" || text == "null" || looks_like_number(text)) return true;
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 ||
               std::string_view(":\"\\[]{},").find(c) != std::string_view::npos;
    });
}

std::string quoted(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
        case '\\':
            out += "\\\\";
            break;
        case '"':
            out += "\\\"";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (byte < 0x20)
                (out += "\\u00").append({hex[byte >> 4], hex[byte & 0xF]});
            else
                out += c;
        }
    }
    return out + '"';
}

std::string number(const json::Tree& value) {
    if (value.text.find_first_not_of("-0123456789") == std::string::npos)
        return value.text == "-0" ? "0" : value.text;
    if (value.number == 0) return "0";
    const double size = std::abs(value.number);
    const auto format =
        size >= 1e-6 && size < 1e21 ? std::chars_format::fixed : std::chars_format::scientific;
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value.number, format);
    std::string text(digits.data(), end.ptr);
    if (const std::size_t e = text.find('e'); e != std::string::npos && text[e + 2] == '0')
        text.erase(e + 2, 1); // 1e-07
    return text;
}

std::string primitive(const json::Tree& value) {
    switch (value.kind) {
    case json::Kind::boolean:
        return value.flag ? "true" : "false";
    case json::Kind::number:
        return number(value);
    case json::Kind::string:
        return needs_quotes(value.text) ? quoted(value.text) : value.text;
    default:
        return "null";
    }
}

std::string key_text(std::string_view key) {
    const auto letter = [](char c) { return c == '_' || base::is_letter(c); };
    const bool is_plain =
        !key.empty() && letter(key.front()) &&
        std::all_of(key.begin(), key.end(), [&](char c) { return letter(c) || is_digit(c) || c == '.'; });
    return is_plain ? std::string(key) : quoted(key);
}

/// All elements are objects with the same keys and nothing nested: then the keys are written once, and each
/// object is a row.
bool is_table(const json::Tree& array) {
    const json::Tree& first = array.items.front();
    if (!first.is_object() || first.members.empty()) return false;
    return std::all_of(array.items.begin(), array.items.end(), [&](const json::Tree& row) {
        if (row.members.size() != first.members.size()) return false; // also what is no object
        for (std::size_t i = 0; i < first.members.size(); ++i) {
            const bool in_place = row.members[i].first == first.members[i].first;
            const json::Tree* cell = in_place ? &row.members[i].second : row.find(first.members[i].first);
            if (!cell || !is_primitive(*cell)) return false;
        }
        return true;
    });
}

class Encoder {
public:
    std::string encode(const json::Tree& root) {
        if (root.is_object())
            fields(root, 0);
        else if (root.is_array() && root.items.empty())
            line(0, "[]");
        else if (root.is_array())
            array("", root, 0, indent(0));
        else
            line(0, primitive(root));
        return std::move(out_);
    }

private:
    static std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 2, ' '); }

    void put(const std::string& text) {
        if (!out_.empty()) out_ += '\n';
        out_ += text;
    }
    void line(int depth, const std::string& text) { put(indent(depth) + text); }

    void fields(const json::Tree& object, int depth) {
        for (const auto& [key, value] : object.members) field(key, value, depth, indent(depth));
    }

    /// One field at `depth`; its first line begins with `start`, which in a list item is less deep and holds
    /// the hyphen.
    void field(const std::string& key, const json::Tree& value, int depth, const std::string& start) {
        const std::string head = key_text(key);
        if (value.is_object()) {
            put(start + head + ':');
            fields(value, depth + 1);
        } else if (value.is_array() && value.items.empty()) {
            put(start + head + ": []");
        } else if (value.is_array()) {
            array(head, value, depth, start);
        } else {
            put(start + head + ": " + primitive(value));
        }
    }

    void array(const std::string& head, const json::Tree& value, int depth, const std::string& start) {
        const std::string opening = start + head + '[' + std::to_string(value.items.size()) + ']';
        if (std::all_of(value.items.begin(), value.items.end(), is_primitive)) {
            put(opening + ": " + inline_values(value));
        } else if (is_table(value)) {
            table(opening, value, depth + 1);
        } else {
            put(opening + ':');
            for (const json::Tree& item : value.items) list_item(item, depth + 1);
        }
    }

    static std::string inline_values(const json::Tree& array) {
        std::string text;
        for (const json::Tree& item : array.items) {
            if (&item != &array.items.front()) text += ',';
            text += primitive(item);
        }
        return text;
    }

    void table(const std::string& opening, const json::Tree& array, int depth) {
        const auto& columns = array.items.front().members;
        std::string names;
        for (const auto& [name, unused] : columns) names += (names.empty() ? "" : ",") + key_text(name);
        put(opening + '{' + names + "}:");
        for (const json::Tree& row : array.items) {
            std::string cells = indent(depth);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const bool in_place = row.members[i].first == columns[i].first;
                const json::Tree& cell = in_place ? row.members[i].second : *row.find(columns[i].first);
                cells += (i == 0 ? "" : ",") + primitive(cell);
            }
            put(cells);
        }
    }

    void list_item(const json::Tree& item, int depth) {
        const std::string start = indent(depth) + "- ";
        if (item.is_array()) {
            nested_list(item, depth, start);
        } else if (!item.is_object()) {
            put(start + primitive(item));
        } else if (item.members.empty()) {
            line(depth, "-");
        } else {
            for (const auto& member : item.members)
                field(member.first, member.second, depth + 1,
                      &member == &item.members.front() ? start : indent(depth + 1));
        }
    }

    /// An array as an item of a list: it has no place for column names, so it is never a table.
    void nested_list(const json::Tree& array, int depth, const std::string& start) {
        const std::string opening = start + '[' + std::to_string(array.items.size()) + "]:";
        if (std::all_of(array.items.begin(), array.items.end(), is_primitive)) {
            put(array.items.empty() ? opening : opening + ' ' + inline_values(array));
            return;
        }
        put(opening);
        for (const json::Tree& item : array.items) list_item(item, depth + 1);
    }

    std::string out_;
};

} // namespace

std::string to_toon(std::string_view json) {
    return Encoder().encode(json::read_tree(json, most_values, most_depth));
}

} // namespace bridge
