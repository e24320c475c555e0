#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// JSON from peers that are not trusted. Only json.cc knows RapidJSON; all others hold JSON either as
/// text that has been checked (`scan`, `members`) or read it into a struct at once (`Reader`).
///
/// What is refused everywhere: NUL bytes, invalid UTF-8, high surrogates alone in \u escapes
/// (see repair_surrogates), repeated keys, more depth than allowed, numbers beyond a double.
namespace json {

/// Bad input. what() names the place and the expectation: "arguments.args[1]: expected string".
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Depths allowed: of an engine's answers, and of what MCP peers and the guest send.
inline constexpr int engine_depth = 64;
inline constexpr int peer_depth = 512;

/// One member of an object: its key, unescaped, and the text of its value (a view into the text scanned).
struct Member {
    std::string key;
    std::string_view value;
};

/// Checks that text is one whole JSON value by the rules above; throws Error if not. Costs no memory to speak
/// of.
void check(std::string_view text, int max_depth = peer_depth);

/// The members of a *checked* object, in order, as views into text; the elements of a checked array likewise.
/// Empty for any other kind of value. Undefined for text that check() did not pass.
std::vector<Member> members(std::string_view checked);
std::vector<std::string_view> elements(std::string_view checked);

/// The value of one member of a checked object, or nullopt.
std::optional<std::string_view> member(std::string_view checked, std::string_view key);

enum class Kind { null, boolean, number, string, array, object };

/// The kind of a checked value, by its first character.
Kind kind(std::string_view checked);

class Reader;

/// A parsed document. Holds about four bytes for each byte of text; for large messages use check and members.
class Document {
public:
    /// Throws Error on anything that check() refuses.
    explicit Document(std::string_view text, int max_depth = peer_depth);
    ~Document();
    Document(Document&&) noexcept;
    Document& operator=(Document&&) noexcept;

    /// A reader of the whole; `name` is how errors call it ("arguments"). Valid while the document lives.
    Reader root(std::string_view name = "") const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A value inside a Document, which knows its place for errors. A small value type; valid while its Document
/// lives (and the name given to root()): use it on the stack, and never across a co_await.
class Reader {
public:
    Kind kind() const;
    bool is_null() const { return kind() == Kind::null; }
    bool is_object() const { return kind() == Kind::object; }
    bool is_array() const { return kind() == Kind::array; }
    bool is_string() const { return kind() == Kind::string; }

    /// Where this is: "arguments.args[1]". Built only when asked.
    std::string path() const;
    /// Throws Error("<path>: <what>").
    [[noreturn]] void fail(const std::string& what) const;

    /// Typed access; each throws Error naming the place where the kind differs.
    std::string as_string() const;
    bool as_bool() const;
    std::int64_t as_int() const; ///< An integer in range; 1.0 counts as 1.
    double as_number() const;

    /// Object access. `has` is false for null members too. `at` throws where the key is missing; `find` gives
    /// nullopt.
    bool has(std::string_view key) const;
    Reader at(std::string_view key) const;
    std::optional<Reader> find(std::string_view key) const;
    /// Array or object access; an error on any other kind.
    std::size_t size() const;
    Reader operator[](std::size_t index) const;
    std::vector<std::string> keys() const;

    /// The JSON text of this value, written anew on one line.
    std::string text() const;

    /// out = member `key`, which must be there and of the right kind.
    template <class T> void read(std::string_view key, T& out) const { convert(at(key), out); }
    /// The same where the member is there and not null; else out stays as it is. True if it was read.
    template <class T> bool read_optional(std::string_view key, T& out) const {
        const std::optional<Reader> value = find(key);
        if (!value || value->is_null()) return false;
        convert(*value, out);
        return true;
    }

private:
    friend class Document;
    Reader(const void* value, const void* root, std::string_view root_name)
        : value_(value), root_(root), root_name_(root_name) {}

    static void convert(const Reader& in, std::string& out) { out = in.as_string(); }
    static void convert(const Reader& in, bool& out) { out = in.as_bool(); }
    static void convert(const Reader& in, std::int64_t& out) { out = in.as_int(); }
    static void convert(const Reader& in, int& out);
    static void convert(const Reader& in, double& out) { out = in.as_number(); }
    template <class T> static void convert(const Reader& in, std::optional<T>& out) {
        T value{};
        convert(in, value);
        out = std::move(value);
    }
    template <class T> static void convert(const Reader& in, std::vector<T>& out) {
        if (!in.is_array()) in.fail("expected array");
        out.clear();
        for (std::size_t i = 0; i < in.size(); ++i) {
            T value{};
            convert(in[i], value);
            out.push_back(std::move(value));
        }
    }
    template <class T> static void convert(const Reader& in, std::map<std::string, T>& out) {
        if (!in.is_object()) in.fail("expected object");
        out.clear();
        for (const std::string& key : in.keys()) {
            T value{};
            convert(in.at(key), value);
            out.emplace(key, std::move(value));
        }
    }
    /// Structs of ours: found by argument-dependent look-up.
    template <class T>
    requires requires(const Reader& r, T& t) { from_json(r, t); }
    static void convert(const Reader& in, T& out) { from_json(in, out); }

    const void* value_;
    const void* root_; ///< Where path() searches for value_, so that nothing is built while all is well.
    std::string_view root_name_;
};

/// Builds one JSON text, on one line. Commas and escapes are its business; U+2028, U+2029 and U+0085 are
/// escaped, since some peers split lines there; bytes that are not UTF-8 become U+FFFD; a number that is not
/// finite becomes null.
///
///   json::Writer w;
///   w.object().field("id", 7).key("tags").array().value("a").end().end();
///   w.str()
class Writer {
public:
    Writer& object();
    Writer& array();
    Writer& end(); ///< Closes the innermost object or array.
    Writer& key(std::string_view name);

    Writer& value(std::string_view text);
    Writer& value(const char* text) { return value(std::string_view(text)); }
    Writer& value(const std::string& text) { return value(std::string_view(text)); }
    Writer& value(bool flag);
    Writer& value(double number);
    template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) Writer& value(T number) {
        return integer(std::to_string(number));
    }
    template <class T> Writer& value(const std::vector<T>& values) {
        array();
        for (const T& each : values) value(each);
        return end();
    }
    template <class T> Writer& value(const std::map<std::string, T>& values) {
        object();
        for (const auto& [name, each] : values) field(name, each);
        return end();
    }
    Writer& null();
    /// Text that is JSON already (checked, or written by a Writer), put in as it is.
    Writer& raw(std::string_view json);

    template <class T> Writer& field(std::string_view name, const T& v) { return key(name).value(v); }
    Writer& raw_field(std::string_view name, std::string_view json) { return key(name).raw(json); }
    /// Only if it holds something.
    template <class T> Writer& optional_field(std::string_view name, const std::optional<T>& v) {
        return v ? field(name, *v) : *this;
    }

    const std::string& str() const { return out_; }
    std::string take() { return std::move(out_); }
    void reserve(std::size_t bytes) { out_.reserve(bytes); }

private:
    Writer& integer(const std::string& digits);
    void separate();

    std::string out_;
    std::string open_; ///< '{' or '[' for each that is open.
    bool first_ = true;
    bool after_key_ = false;
};

/// A JSON string literal of text, quotes included.
std::string quote(std::string_view text);

/// text with each byte that is not part of valid UTF-8 replaced by U+FFFD. A lone surrogate in UTF-8 disguise
/// is invalid too.
std::string valid_utf8(std::string_view text);

/// Replaces \uD800 and its like by \uFFFD where they stand alone, in JSON text that has not been checked:
/// JavaScript peers send them when they cut a string in the middle of a character, and one such is no reason
/// to lose a message.
void repair_surrogates(std::string& text);

/// The string that a checked JSON string literal stands for. Lone surrogates become U+FFFD.
std::string unquote(std::string_view checked);

} // namespace json
