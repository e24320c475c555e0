#include "src/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_set>

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "src/base/json_parse.h"
#include "src/base/json_repair.h"
#include "src/base/json_scan.h"
#include "src/base/text.h"
#include "src/base/utf8.h"

namespace json {
namespace {

using Size = rapidjson::SizeType;

constexpr const char* has_nul = "a NUL byte";
constexpr const char* too_big = "number out of range";

// More keys in one object than any real peer sends; the set below is what costs memory.
constexpr std::size_t max_keys = 100'000;

// Stands in for a Document where only the verdict is wanted.
struct Nowhere {
    bool Null() { return true; }
    bool Bool(bool) { return true; }
    bool Int(int) { return true; }
    bool Uint(unsigned) { return true; }
    bool Int64(std::int64_t) { return true; }
    bool Uint64(std::uint64_t) { return true; }
    bool Double(double) { return true; }
    bool RawNumber(const char*, Size, bool) { return true; }
    bool String(const char*, Size, bool) { return true; }
    bool Key(const char*, Size, bool) { return true; }
    bool StartObject() { return true; }
    bool EndObject(Size) { return true; }
    bool StartArray() { return true; }
    bool EndArray(Size) { return true; }
};

// Hands RapidJSON's events to a Handler.
struct ToHandler {
    static constexpr bool keeps_numbers =
        true; // the Guard gives RawNumber in place of Int64, Uint64 and Double
    Handler& to;

    bool Null() {
        to.null();
        return true;
    }
    bool Bool(bool flag) {
        to.boolean(flag);
        return true;
    }
    bool RawNumber(const char* s, Size n, bool) {
        to.number({s, n});
        return true;
    }
    bool String(const char* s, Size n, bool) {
        to.string({s, n});
        return true;
    }
    bool Key(const char* s, Size n, bool) {
        to.key({s, n});
        return true;
    }
    bool StartObject() {
        to.begin(Kind::object);
        return true;
    }
    bool EndObject(Size) {
        to.end();
        return true;
    }
    bool StartArray() {
        to.begin(Kind::array);
        return true;
    }
    bool EndArray(Size) {
        to.end();
        return true;
    }
};

template <class To>
concept KeepsNumbers = To::keeps_numbers;

// nullopt: beyond a double.
std::optional<double> real_number(const char* s, Size n) {
    double number = 0;
    const auto r = std::from_chars(s, s + n, number);
    if (r.ec == std::errc::result_out_of_range)
        number = std::strtod(std::string(s, n).c_str(),
                             nullptr); // too small is 0 or near it, too large infinite
    if (r.ptr != s + n || !std::isfinite(number)) return std::nullopt;
    return number;
}

// Forwards SAX events, refusing what we never want to hold.
template <class To> struct Guard {
    To& to;
    int max_depth;
    std::vector<std::unordered_set<std::string>>
        keys{}; // one set for each object that is open, empty for an array
    const char* refusal = nullptr;

    bool refuse(const char* why) {
        refusal = why;
        return false;
    }
    bool open() {
        keys.emplace_back();
        return static_cast<int>(keys.size()) <= max_depth || refuse("nested too deeply");
    }
    bool Key(const char* s, Size n, bool copy) {
        if (keys.back().size() >= max_keys) return refuse("too many keys in one object");
        return keys.back().emplace(s, n).second ? to.Key(s, n, copy) : refuse("repeated key");
    }
    bool StartObject() { return open() && to.StartObject(); }
    bool EndObject(Size n) {
        keys.pop_back();
        return to.EndObject(n);
    }
    bool StartArray() { return open() && to.StartArray(); }
    bool EndArray(Size n) {
        keys.pop_back();
        return to.EndArray(n);
    }
    bool Null() { return to.Null(); }
    bool Bool(bool v) { return to.Bool(v); }
    // Numbers come as text (below): RapidJSON's own reading is either off by the last bit or undefined for
    // some zeros.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(std::int64_t) { return false; }
    bool Uint64(std::uint64_t) { return false; }
    bool Double(double) { return false; }
    bool RawNumber(const char* s, Size n, bool copy) {
        if constexpr (KeepsNumbers<To>)
            return real_number(s, n) ? to.RawNumber(s, n, copy) : refuse(too_big);
        else
            return read_number(s, n);
    }
    bool read_number(const char* s, Size n) {
        const char* end = s + n;
        std::int64_t integer = 0;
        std::uint64_t large = 0;
        const bool minus_zero = n == 2 && s[0] == '-' && s[1] == '0';
        if (const auto r = std::from_chars(s, end, integer);
            r.ec == std::errc() && r.ptr == end && !minus_zero)
            return to.Int64(integer);
        if (const auto r = std::from_chars(s, end, large); r.ec == std::errc() && r.ptr == end)
            return to.Uint64(large);
        const std::optional<double> number = real_number(s, n);
        return number ? to.Double(*number) : refuse(too_big);
    }
    bool String(const char* s, Size n, bool copy) { return to.String(s, n, copy); }
};

// kParseIterative alone is no protection (a deep value kills whoever walks it later); the Guard bounds the
// depth as well.
constexpr unsigned parse_flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

template <class To> std::optional<Fault> parse_into(std::string_view text, To& to, int max_depth) {
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return Fault{nul, has_nul};                                    // RapidJSON would stop there, happily
    const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; // as some editors leave it
    text.remove_prefix(mark);
    rapidjson::Reader reader;
    Guard<To> guard{to, max_depth};
    rapidjson::MemoryStream stream(text.data(), text.size());
    reader.Parse<parse_flags>(stream, guard);
    if (!reader.HasParseError()) return std::nullopt;
    if (reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig) guard.refusal = too_big;
    return Fault{reader.GetErrorOffset() + mark,
                 guard.refusal ? guard.refusal : rapidjson::GetParseError_En(reader.GetParseErrorCode())};
}

void raise(const std::optional<Fault>& fault) {
    if (fault && fault->why == has_nul) throw Error(std::string("JSON contains ") + has_nul);
    if (fault) throw Error("bad JSON at byte " + std::to_string(fault->at) + ": " + fault->why);
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

// Past the string literal that starts at `at`. The text has been checked.
std::size_t skip_string(std::string_view text, std::size_t at) {
    std::size_t quote = at;
    for (++at;;) {
        if (quote < at) quote = text.find('"', at); // by memchr: a string may have megabytes
        if (quote == std::string_view::npos) return text.size();
        const std::size_t escape = text.substr(at, quote - at).find('\\');
        if (escape == std::string_view::npos) return quote + 1;
        at += escape + 2; // past what is escaped, a quote perhaps
        if (at > text.size()) return text.size();
    }
}

// What skip_value stops at. A table, since find_first_of looks through its list for each character.
constexpr std::array<bool, 256> structure = [] {
    std::array<bool, 256> table{};
    for (const char c : {'"', '[', ']', '{', '}', ','}) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

// Past the value that starts at `at`.
std::size_t skip_value(std::string_view text, std::size_t at) {
    int depth = 0;
    do {
        while (at < text.size() && !structure[static_cast<unsigned char>(text[at])]) ++at;
        if (at == text.size()) return at;
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth < 0 || (depth == 0 && c == ',')) return at; // the end of a number or a word
        ++at;
    } while (depth > 0);
    return at;
}

const rapidjson::Value& as_value(const void* p) { return *static_cast<const rapidjson::Value*>(p); }

// The way from `from` to the value at `target`, written behind `path`; false if it is not in there.
bool find_path(const rapidjson::Value& from, const void* target, std::string& path) {
    if (&from == target) return true;
    const std::size_t length = path.size();
    if (from.IsObject()) {
        for (const auto& m : from.GetObject()) {
            if (!path.empty()) path += '.';
            path.append(m.name.GetString(), m.name.GetStringLength());
            if (find_path(m.value, target, path)) return true;
            path.resize(length);
        }
    } else if (from.IsArray()) {
        for (Size i = 0; i < from.Size(); ++i) {
            path += '[' + std::to_string(i) + ']';
            if (find_path(from[i], target, path)) return true;
            path.resize(length);
        }
    }
    return false;
}

} // namespace

void check(std::string_view text, int max_depth) {
    Nowhere nowhere;
    raise(parse_into(text, nowhere, max_depth));
}

void parse(std::string_view text, Handler& handler, int max_depth) {
    ToHandler to{handler};
    raise(parse_into(text, to, max_depth));
}

std::optional<Fault> fault_in(std::string_view text, int max_depth, bool long_integers) {
    Nowhere nowhere;
    std::optional<Fault> fault = parse_into(text, nowhere, max_depth);
    if (fault && fault->why == too_big && long_integers)
        fault = parse_into(scan::without_long_integers(text), nowhere, max_depth);
    if (fault && fault->why.ends_with('.')) fault->why.pop_back(); // for the middle of a sentence
    return fault;
}

std::vector<Member> members(std::string_view checked) {
    std::vector<Member> found;
    std::size_t at = skip_space(checked, 0);
    if (at >= checked.size() || checked[at] != '{') return found;
    at = skip_space(checked, at + 1);
    while (at < checked.size() && checked[at] == '"') {
        const std::size_t key_end = skip_string(checked, at);
        std::string key = unquote(checked.substr(at, key_end - at));
        at = skip_space(checked, skip_space(checked, key_end) + 1); // past the colon
        const std::size_t end = skip_value(checked, at);
        found.push_back(Member{std::move(key), base::trimmed(checked.substr(at, end - at))});
        at = skip_space(checked, end);
        if (at < checked.size() && checked[at] == ',') at = skip_space(checked, at + 1);
    }
    return found;
}

std::vector<std::string_view> elements(std::string_view checked) {
    std::vector<std::string_view> found;
    std::size_t at = skip_space(checked, 0);
    if (at >= checked.size() || checked[at] != '[') return found;
    at = skip_space(checked, at + 1);
    while (at < checked.size() && checked[at] != ']') {
        const std::size_t end = skip_value(checked, at);
        found.push_back(base::trimmed(checked.substr(at, end - at)));
        at = skip_space(checked, end);
        if (at < checked.size() && checked[at] == ',') at = skip_space(checked, at + 1);
    }
    return found;
}

std::optional<std::string_view> member(std::string_view checked, std::string_view key) {
    for (const Member& each : members(checked))
        if (each.key == key) return each.value;
    return std::nullopt;
}

Kind kind(std::string_view checked) {
    switch (checked.empty() ? 'n' : checked[skip_space(checked, 0)]) {
    case '{':
        return Kind::object;
    case '[':
        return Kind::array;
    case '"':
        return Kind::string;
    case 't':
    case 'f':
        return Kind::boolean;
    case 'n':
        return Kind::null;
    default:
        return Kind::number;
    }
}

struct Document::Impl {
    rapidjson::Document document;
};

Document::Document(std::string_view text, int max_depth) : impl_(std::make_unique<Impl>()) {
    const auto generate = [&](rapidjson::Document& to) {
        raise(parse_into(text, to, max_depth));
        return true;
    };
    impl_->document.Populate(generate);
}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Reader Document::root(std::string_view name) const {
    return Reader(&impl_->document, &impl_->document, name);
}

Kind Reader::kind() const {
    switch (as_value(value_).GetType()) {
    case rapidjson::kNullType:
        return Kind::null;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
        return Kind::boolean;
    case rapidjson::kObjectType:
        return Kind::object;
    case rapidjson::kArrayType:
        return Kind::array;
    case rapidjson::kStringType:
        return Kind::string;
    case rapidjson::kNumberType:
        break;
    }
    return Kind::number;
}

std::string Reader::path() const {
    std::string path(root_name_);
    find_path(as_value(root_), value_, path);
    return path.empty() ? "value" : path;
}

void Reader::fail(const std::string& what) const { throw Error(path() + ": " + what); }

std::string Reader::as_string() const {
    const auto& v = as_value(value_);
    if (!v.IsString()) fail("expected string");
    return std::string(v.GetString(), v.GetStringLength());
}

bool Reader::as_bool() const {
    const auto& v = as_value(value_);
    if (!v.IsBool()) fail("expected true or false");
    return v.GetBool();
}

std::int64_t Reader::as_int() const {
    const auto& v = as_value(value_);
    if (v.IsInt64()) return v.GetInt64();
    // 1.0 is an integer to JSON Schema and to JavaScript peers; beyond 2^53 a double is no longer exact
    if (v.IsDouble() && std::nearbyint(v.GetDouble()) == v.GetDouble() &&
        std::abs(v.GetDouble()) <= 9007199254740992.0)
        return static_cast<std::int64_t>(v.GetDouble());
    fail(v.IsNumber() ? "expected an integer in range" : "expected integer");
}

double Reader::as_number() const {
    const auto& v = as_value(value_);
    if (!v.IsNumber()) fail("expected number");
    return v.GetDouble();
}

void Reader::convert(const Reader& in, int& out) {
    const std::int64_t wide = in.as_int();
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
        in.fail("expected an integer in range");
    out = static_cast<int>(wide);
}

bool Reader::has(std::string_view key) const {
    const auto found = find(key);
    return found && !found->is_null();
}

Reader Reader::at(std::string_view key) const {
    if (const auto found = find(key)) return *found;
    fail("missing \"" + std::string(key) + '"');
}

std::optional<Reader> Reader::find(std::string_view key) const {
    const auto& v = as_value(value_);
    if (!v.IsObject()) fail("expected object");
    const rapidjson::Value name(rapidjson::StringRef(key.data(), static_cast<Size>(key.size())));
    const auto it = v.FindMember(name);
    if (it == v.MemberEnd()) return std::nullopt;
    return Reader(&it->value, root_, root_name_);
}

std::size_t Reader::size() const {
    const auto& v = as_value(value_);
    if (v.IsArray()) return v.Size();
    if (v.IsObject()) return v.MemberCount();
    fail("expected array or object");
}

Reader Reader::operator[](std::size_t index) const {
    const auto& v = as_value(value_);
    if (!v.IsArray()) fail("expected array");
    if (index >= v.Size()) fail("has no element " + std::to_string(index));
    return Reader(&v[static_cast<Size>(index)], root_, root_name_);
}

std::vector<std::string> Reader::keys() const {
    const auto& v = as_value(value_);
    if (!v.IsObject()) fail("expected object");
    std::vector<std::string> names;
    for (const auto& m : v.GetObject()) names.emplace_back(m.name.GetString(), m.name.GetStringLength());
    return names;
}

std::string Reader::text() const {
    // Through our own Writer for strings, since RapidJSON's passes what it should not; numbers are
    // RapidJSON's.
    struct Walk {
        Writer& out;
        void operator()(const rapidjson::Value& v) {
            if (v.IsObject()) {
                out.object();
                for (const auto& m : v.GetObject()) {
                    out.key(std::string_view(m.name.GetString(), m.name.GetStringLength()));
                    (*this)(m.value);
                }
                out.end();
            } else if (v.IsArray()) {
                out.array();
                for (const auto& each : v.GetArray()) (*this)(each);
                out.end();
            } else if (v.IsString()) {
                out.value(std::string_view(v.GetString(), v.GetStringLength()));
            } else {
                rapidjson::StringBuffer buffer;
                rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
                v.Accept(writer);
                out.raw(std::string_view(buffer.GetString(), buffer.GetSize()));
            }
        }
    };
    Writer out;
    Walk{out}(as_value(value_));
    return out.take();
}

namespace {

// The value of the four hex digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at) {
    int code = -1;
    if (at + 4 > text.size()) return -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
    return error == std::errc() && end == text.data() + at + 4 ? code : -1;
}

} // namespace

void repair_surrogates(std::string& text) {
    // Walks from backslash to backslash, so that an escaped backslash before a 'u' is not taken for an
    // escape.
    for (std::size_t at = text.find('\\'); at != std::string::npos && at + 1 < text.size();
         at = text.find('\\', at)) {
        const int code = text[at + 1] == 'u' ? hex4(text, at + 2) : -1;
        const bool high = code >= 0xD800 && code <= 0xDBFF;
        const bool low = code >= 0xDC00 && code <= 0xDFFF;
        const int next = high && text.compare(at + 6, 2, "\\u") == 0 ? hex4(text, at + 8) : -1;
        if (next >= 0xDC00 && next <= 0xDFFF) {
            at += 12;
            continue;
        }
        if (high || low) text.replace(at + 2, 4, "fffd");
        at += 2;
    }
}

std::string unquote(std::string_view checked) {
    checked = base::trimmed(checked);
    if (checked.size() >= 2 && checked.front() == '"' && checked.find('\\') == std::string_view::npos &&
        checked.find('"', 1) ==
            checked.size() - 1) // as most are; the other way takes milliseconds a megabyte
        return std::string(checked.substr(1, checked.size() - 2));
    std::string text(checked);
    rapidjson::Document document; // in place: three times as fast as from a view
    document.ParseInsitu<rapidjson::kParseDefaultFlags>(text.data());
    if (document.HasParseError() || !document.IsString()) return {};
    return valid_utf8(std::string_view(document.GetString(), document.GetStringLength()));
}

} // namespace json
