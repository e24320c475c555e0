#include "src/base/json_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace json {

namespace {

/// Builds the tree from text that check has passed: no mistake is possible any more but too many
/// values.
class Builder {
public:
    Builder(std::string_view checked, std::size_t most) : text_(checked), left_(most) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    }

    Tree value() {
        if (left_-- == 0) throw Error("too many values");
        Tree out;
        skip_space();
        switch (text_[at_]) {
        case '{':
            read_object(out);
            break;
        case '[':
            read_array(out);
            break;
        case '"':
            out.kind = Kind::string;
            out.text = string();
            break;
        case 't':
        case 'f':
            out.kind = Kind::boolean;
            out.flag = word() == "true";
            break;
        case 'n':
            word();
            break;
        default:
            read_number(out);
            break;
        }
        return out;
    }

private:
    void read_object(Tree& out) {
        out.kind = Kind::object;
        ++at_;
        for (skip_space(); text_[at_] != '}'; skip_separator('}')) {
            std::string key = string();
            skip_space();
            ++at_; // the colon
            out.members.emplace_back(std::move(key), value());
        }
        ++at_;
    }

    void read_array(Tree& out) {
        out.kind = Kind::array;
        ++at_;
        for (skip_space(); text_[at_] != ']'; skip_separator(']')) out.items.push_back(value());
        ++at_;
    }

    void read_number(Tree& out) {
        out.kind = Kind::number;
        const std::string_view digits = word();
        out.text = digits;
        std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
        std::int64_t exact = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exact);
        if (read.ec == std::errc() && read.ptr == digits.data() + digits.size())
            out.integer = exact;
        else if (std::nearbyint(out.number) == out.number && std::abs(out.number) <= 9007199254740992.0)
            out.integer = static_cast<std::int64_t>(out.number);
    }

    std::string string() {
        const std::size_t begin = at_++;
        while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        ++at_;
        return unquote(text_.substr(begin, at_ - begin));
    }

    std::string_view word() {
        const std::size_t begin = at_;
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        return text_.substr(begin, at_ - begin);
    }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }

    void skip_separator(char end) {
        skip_space();
        if (text_[at_] == end) return;
        ++at_;
        skip_space();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t left_;
};

void write_canonical(const Tree& value, std::string& out) {
    switch (value.kind) {
    case Kind::null:
        out += "null";
        break;
    case Kind::boolean:
        out += value.flag ? "true" : "false";
        break;
    case Kind::string:
        out += quote(value.text);
        break;
    case Kind::number: {
        char digits[40];
        const auto end = value.integer ? std::to_chars(digits, digits + sizeof digits, *value.integer)
                                       : std::to_chars(digits, digits + sizeof digits, value.number);
        out.append(digits, end.ptr);
        break;
    }
    case Kind::array:
        out += '[';
        for (const Tree& each : value.items) {
            write_canonical(each, out);
            out += ',';
        }
        out += ']';
        break;
    case Kind::object: {
        std::vector<const std::pair<std::string, Tree>*> sorted;
        for (const auto& member : value.members) sorted.push_back(&member);
        std::sort(sorted.begin(), sorted.end(),
                  [](const auto* a, const auto* b) { return a->first < b->first; });
        out += '{';
        for (const auto* member : sorted) {
            out += quote(member->first) + ':';
            write_canonical(member->second, out);
            out += ',';
        }
        out += '}';
        break;
    }
    }
}

} // namespace

const Tree* Tree::find(std::string_view key) const {
    for (const auto& [name, value] : members)
        if (name == key) return &value;
    return nullptr;
}

std::string_view Tree::find_text(std::string_view key) const {
    const Tree* found = find(key);
    return found && found->is_string() ? std::string_view(found->text) : std::string_view();
}

Tree read_tree(std::string_view text, std::size_t most_values, int most_depth) {
    check(text, most_depth);
    return Builder(text, most_values).value();
}

std::string canonical(const Tree& value) {
    std::string out;
    write_canonical(value, out);
    return out;
}

std::size_t weight(const Tree& value) {
    std::size_t total = 1 + value.text.size() / 64;
    for (const Tree& each : value.items) total += weight(each);
    for (const auto& [name, each] : value.members) total += weight(each) + name.size() / 64;
    return total;
}

} // namespace json
