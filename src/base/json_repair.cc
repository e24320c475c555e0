#include "src/base/json_repair.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/base/json_scan.h"
#include "src/base/utf8.h"

namespace json {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t most_keys = 100'000; // in one object, as check() has it
constexpr std::string_view mark = "\xEF\xBB\xBF";
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Windows-1252 from 0x80 on, as Unicode; 0 where it has no character.
constexpr unsigned windows_1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                       0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

std::string utf8_of(unsigned code) {
    std::string out;
    if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
    } else {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    return out += static_cast<char>(0x80 | (code & 0x3F));
}

// A surrogate in UTF-8 disguise.
bool is_surrogate(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return text.size() >= 3 && byte(0) == 0xED && (byte(1) & 0xE0) == 0xA0 && (byte(2) & 0xC0) == 0x80;
}

bool has_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if (static_cast<unsigned char>(text[at]) >= 0x80 &&
            (utf8_length(text.substr(at)) > 1 || is_surrogate(text.substr(at))))
            return true;
    return false;
}

// Goes through a text, word by word.
class Mender {
public:
    Mender(std::string_view in, Repairs& repairs, std::size_t watched = npos)
        : in_(in), repairs_(repairs), latin1_(!has_utf8(in)), watched_(watched) {
        out_.reserve(in.size() + in.size() / 16);
    }

    void run() {
        while (in_.substr(at_).starts_with(mark)) // some programs write one before the other's
            put(mark.size(), "", "a byte order mark before them: dropped");
        while (at_ < in_.size()) {
            copy(std::min(in_.find_first_of("\"NI-0123456789", at_), in_.size()) - at_);
            if (at_ == in_.size()) return;
            if (in_[at_] == '"')
                string();
            else
                number();
        }
    }

    std::string take() { return std::move(out_); }
    // Where in the text stood what was written at `watched`.
    std::size_t found() const { return found_; }

private:
    void note(const char* what) {
        if (std::find(repairs_.what.begin(), repairs_.what.end(), what) == repairs_.what.end())
            repairs_.what.emplace_back(what);
    }
    void copy(std::size_t bytes) {
        if (watched_ - out_.size() < bytes) found_ = at_ + watched_ - out_.size();
        out_.append(in_, at_, bytes);
        at_ += bytes;
    }
    void put(std::size_t bytes, std::string_view instead, const char* why) {
        note(why);
        if (watched_ - out_.size() < instead.size()) found_ = at_;
        out_ += instead;
        at_ += bytes;
    }

    void not_finite(std::size_t bytes, NotFinite::Kind kind, const char* why) {
        if (out_.size() > NotFinite::most) return copy(bytes);
        repairs_.not_finite.emplace_back(out_.size(), kind);
        put(bytes, "null", why);
    }

    void number() {
        constexpr const char* why = "NaN or Infinity, which JSON does not have";
        const std::string_view rest = in_.substr(at_);
        if (rest.starts_with("NaN")) return not_finite(3, NotFinite::Kind::nan, why);
        if (rest.starts_with("Infinity")) return not_finite(8, NotFinite::Kind::infinite, why);
        if (rest.starts_with("-Infinity")) return not_finite(9, NotFinite::Kind::minus_infinite, why);
        const std::size_t end = std::min(rest.find_first_not_of("+-.0123456789eE"), rest.size());
        if (end == 0) return copy(1);
        const std::string_view digits = rest.substr(0, end);
        const bool large = digits.find_first_of("eE") != npos ||
                           (end > 300 && digits.find('.') != npos); // what may be beyond a double
        const auto fault = large ? fault_in(digits) : std::nullopt;
        if (!fault || fault->why != "number out of range") return copy(end);
        not_finite(end, digits[0] == '-' ? NotFinite::Kind::minus_infinite : NotFinite::Kind::infinite,
                   "numbers beyond a double: taken as infinite");
    }

    void string() {
        std::size_t bytes = 1;
        for (; at_ + bytes < in_.size(); ++bytes) {
            const auto c = static_cast<unsigned char>(in_[at_ + bytes]);
            if (c == '"') return copy(bytes + 1);
            if (c == '\\') {
                ++bytes; // whatever follows: a wrong escape stays one
            } else if (c < 0x20) {
                copy(std::exchange(bytes, 0));
                control(c);
                --bytes;
            } else if (c >= 0x80) {
                const std::size_t whole = utf8_length(in_.substr(at_ + bytes));
                if (whole == 0) {
                    copy(std::exchange(bytes, 0));
                    bad_byte(c);
                    --bytes;
                } else {
                    bytes += whole - 1;
                }
            }
        }
        copy(std::min(bytes, in_.size() - at_));
    }

    void control(unsigned char c) {
        constexpr const char* digits = "0123456789abcdef";
        std::string escape = std::string("\\u00") + digits[c >> 4] + digits[c & 15];
        if (c == '\t') escape = "\\t";
        if (c == '\n') escape = "\\n";
        if (c == '\r') escape = "\\r";
        put(1, escape, "raw control characters in strings");
    }

    void bad_byte(unsigned char c) {
        constexpr const char* lost = "bytes that are not UTF-8: replaced by U+FFFD";
        if (is_surrogate(in_.substr(at_))) return put(3, replacement, lost);
        const unsigned code = c < 0xA0 && windows_1252[c - 0x80] != 0 ? windows_1252[c - 0x80] : c;
        if (!latin1_) return put(1, replacement, lost);
        put(1, utf8_of(code), "bytes that are not UTF-8: taken as Latin-1");
    }

    std::string_view in_;
    Repairs& repairs_;
    bool latin1_;
    std::size_t at_ = 0;
    std::string out_{};
    std::size_t watched_;
    std::size_t found_ = npos;
};

using Range = std::pair<std::size_t, std::size_t>;

// An object or array that is open.
struct Open {
    bool object;
    bool key_next;                                       // of an object
    std::vector<std::size_t> begins{};                   // of its members
    std::unordered_map<std::string, std::size_t> keys{}; // which member has it
};

std::string key_of(std::string_view literal) {
    if (literal.find('\\') == npos) return std::string(literal.substr(1, literal.size() - 2));
    return fault_in(literal) ? std::string(literal) : unquote(literal);
}

// Takes a key in; what came before under the same one is to go.
bool take_key(Open& open, std::size_t at, std::string_view literal, std::vector<Range>& gone) {
    open.key_next = false;
    open.begins.push_back(at);
    if (open.begins.size() > most_keys) return false;
    const std::size_t index = open.begins.size() - 1;
    const auto [it, fresh] = open.keys.try_emplace(key_of(literal), index);
    if (!fresh) {
        const std::size_t before = std::exchange(it->second, index);
        gone.emplace_back(open.begins[before], open.begins[before + 1]);
    }
    return true;
}

// The members whose key comes again later in the same object. None where the text is no JSON.
std::vector<Range> repeated_members(std::string_view text, int max_depth) {
    std::vector<Range> gone;
    std::vector<Open> open;
    for (std::size_t at = 0; (at = text.find_first_of("\"{}[],", at)) != npos;) {
        const char c = text[at];
        if (c == '"') {
            const std::size_t end = scan::string_end(text, at);
            const bool key = !open.empty() && open.back().object && open.back().key_next;
            if (key && !take_key(open.back(), at, text.substr(at, end - at), gone)) return {};
            at = end;
            continue;
        }
        if (c == '{' || c == '[') open.push_back({c == '{', c == '{'});
        if (open.empty() || static_cast<int>(open.size()) > max_depth) return {};
        if (c == ',') open.back().key_next = open.back().object;
        if (c == '}' || c == ']') {
            if (open.back().object != (c == '}')) return {};
            open.pop_back();
        }
        ++at;
    }
    return open.empty() ? gone : std::vector<Range>();
}

// Takes the ranges out, and moves what is noted of places behind them.
void take_out(std::string& text, std::vector<Range> gone, Repairs& repairs) {
    std::sort(gone.begin(), gone.end());
    std::string kept;
    kept.reserve(text.size());
    std::vector<NotFinite> moved;
    auto place = repairs.not_finite.begin();
    std::size_t at = 0;
    gone.emplace_back(text.size(), text.size());
    for (const auto& [begin, end] : gone) {
        for (; place != repairs.not_finite.end() && place->at < std::max(end, begin); ++place)
            if (place->at >= at && place->at < begin)
                moved.push_back(NotFinite(kept.size() + place->at - at, place->kind));
        if (begin > at) kept.append(text, at, begin - at);
        at = std::max(at, end);
    }
    text = std::move(kept);
    repairs.not_finite = std::move(moved);
}

} // namespace

Repairs repair(std::string_view text, std::string& out, int max_depth) {
    Repairs repairs;
    Mender mender(text, repairs);
    mender.run();
    out = mender.take();
    repair_surrogates(out);
    std::vector<Range> gone = repeated_members(out, max_depth);
    if (gone.empty()) return repairs;
    take_out(out, std::move(gone), repairs);
    repairs.what.emplace_back("repeated keys: the last counts");
    return repairs;
}

std::string with_not_finite(std::string_view text, std::size_t offset, const std::vector<NotFinite>& all) {
    constexpr std::string_view names[] = {"NaN", "Infinity", "-Infinity"};
    std::string out;
    std::size_t done = 0;
    for (const NotFinite& each : all) {
        if (each.at < offset || each.at - offset + 4 > text.size() || each.at - offset < done) continue;
        out.append(text, done, each.at - offset - done);
        out += names[static_cast<std::size_t>(each.kind)];
        done = each.at - offset + 4;
    }
    return out.append(text, done);
}

std::size_t before_repair(std::string_view text, std::size_t at) {
    Repairs ignored;
    Mender mender(text, ignored, at);
    mender.run();
    return std::min(mender.found(), text.size());
}

std::string excerpt(std::string_view text, std::size_t at) {
    constexpr std::size_t before = 24, most = 60;
    std::size_t begin = std::min(at, text.size()) - std::min({before, at, text.size()});
    while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
        ++begin;
    std::string shown;
    std::size_t count = 0;
    for (; begin < text.size() && count < most; ++count) {
        const std::size_t bytes = utf8_length(text.substr(begin));
        const auto c = static_cast<unsigned char>(text[begin]);
        const bool control = bytes == 2 && c == 0xC2 && static_cast<unsigned char>(text[begin + 1]) < 0xA0;
        const bool fit = bytes > 0 && c >= 0x20 && c != 0x7F && !control;
        shown += fit ? text.substr(begin, bytes) : "?";
        begin += std::max<std::size_t>(bytes, 1);
    }
    return shown;
}

} // namespace json
