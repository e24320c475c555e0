#include "src/base/json_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/json_parse.h"

namespace json {

namespace {

/// Builds the tree from the parser's events.
class Builder final : public Handler {
public:
    explicit Builder(std::size_t most) : left_(most) {}

    Tree take() { return std::move(root_); }

    void null() override { add(Kind::null); }
    void boolean(bool flag) override { add(Kind::boolean).flag = flag; }
    void number(std::string_view digits) override { set_number(add(Kind::number), digits); }
    void string(std::string_view text) override { add(Kind::string).text = valid_utf8(text); }
    void key(std::string_view text) override { open_.back()->members.emplace_back(valid_utf8(text), Tree()); }
    void begin(Kind kind) override { open_.push_back(&add(kind)); }
    void end() override { open_.pop_back(); }

private:
    /// Where the next value belongs.
    Tree& add(Kind kind) {
        if (left_ == 0) throw Error("too many values");
        --left_;
        Tree* value = &root_;
        if (!open_.empty()) {
            Tree& parent = *open_.back();
            value = parent.is_object() ? &parent.members.back().second : &parent.items.emplace_back();
        }
        value->kind = kind;
        return *value;
    }
    static void set_number(Tree& out, std::string_view digits) {
        const char* const end = digits.data() + digits.size();
        out.text = digits;
        std::from_chars(digits.data(), end, out.number);
        std::int64_t exact = 0;
        const auto read = std::from_chars(digits.data(), end, exact);
        if (read.ec == std::errc() && read.ptr == end)
            out.integer = exact;
        else if (std::nearbyint(out.number) == out.number && std::abs(out.number) <= 9007199254740992.0)
            out.integer = static_cast<std::int64_t>(out.number);
    }

    Tree root_{};
    std::vector<Tree*>
        open_{}; ///< From the root to the innermost. Only the innermost grows, so that none moves.
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
    Builder builder(most_values);
    parse(text, builder, most_depth);
    return builder.take();
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
