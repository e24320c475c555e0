#include "src/search/words.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "src/base/json.h"
#include "src/sqlite/sqlite.h"

namespace search {

namespace {

/// One of FTS5's tokenizers.
class Tokenizer {
public:
    Tokenizer(fts5_api* api, const char* name, std::vector<const char*> arguments) {
        void* context = nullptr;
        if (api->xFindTokenizer(api, name, &context, &methods_) != SQLITE_OK ||
            methods_.xCreate(context, arguments.data(), static_cast<int>(arguments.size()), &self_) !=
                SQLITE_OK)
            throw sqlite::Error(SQLITE_ERROR, std::string("no FTS5 tokenizer ") + name);
    }
    ~Tokenizer() { methods_.xDelete(self_); }
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    std::vector<std::string> cut(std::string_view text) const {
        std::vector<std::string> words;
        const auto take = [](void* to, int, const char* token, int size, int, int) noexcept {
            static_cast<std::vector<std::string>*>(to)->emplace_back(token, static_cast<std::size_t>(size));
            return SQLITE_OK;
        };
        methods_.xTokenize(self_, &words, FTS5_TOKENIZE_DOCUMENT, text.data(), static_cast<int>(text.size()),
                           take);
        return words;
    }

private:
    fts5_tokenizer methods_{};
    Fts5Tokenizer* self_ = nullptr;
};

fts5_api* find_api(sqlite3* database) {
    fts5_api* api = nullptr;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    if (!api) throw sqlite::Error(SQLITE_ERROR, "this SQLite has no FTS5");
    return api;
}

/// Scripts that are written without spaces: kana, ideographs of the basic plane.
bool stands_alone(std::string_view three_bytes) {
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(three_bytes[i]));
    };
    const unsigned point = (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return (point >= 0x3040 && point <= 0x30FF) || (point >= 0x3400 && point <= 0x9FFF);
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

} // namespace

struct WordCutter::Impl {
    sqlite::Database database{":memory:", 0}; // lends its API
    Tokenizer plain{find_api(database.get()), "unicode61", {"remove_diacritics", "2"}};
    Tokenizer stemming{find_api(database.get()), "porter", {"unicode61", "remove_diacritics", "2"}};
};

WordCutter::WordCutter() : impl_(std::make_unique<Impl>()) {}

WordCutter::~WordCutter() = default;

std::vector<Word> WordCutter::cut(std::string_view text) const {
    std::vector<std::string> plain = impl_->plain.cut(text);
    std::vector<std::string> stems = impl_->stemming.cut(text);
    std::vector<Word> words;
    for (std::size_t i = 0; i < plain.size() && i < stems.size(); ++i)
        words.push_back({.text = std::move(plain[i]), .stem = std::move(stems[i])});
    return words;
}

std::string plain_text(std::string_view text, std::size_t most) {
    const std::string valid = json::valid_utf8(text.substr(0, most));
    std::string out;
    out.reserve(valid.size());
    for (std::size_t i = 0; i < valid.size();) {
        const auto first = static_cast<unsigned char>(valid[i]);
        const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        const std::string_view character = std::string_view(valid).substr(i, size);
        i += size;
        if (first < 0x20 || first == 0x7F)
            out += ' ';
        else if (size == 3 && stands_alone(character))
            out.append(" ").append(character).append(" ");
        else
            out += character;
    }
    return out;
}

std::string split_identifier(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool begins = i > 0 && is_upper(c) &&
                            (is_lower(text[i - 1]) ||
                             (is_upper(text[i - 1]) && i + 1 < text.size() && is_lower(text[i + 1])));
        if (begins) out += ' ';
        out += c == '_' || c == '-' || c == '.' || c == '/' ? ' ' : c;
    }
    return out;
}

bool within_one_edit(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > 1) return false;
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin());
    const std::string_view rest_a = a.substr(static_cast<std::size_t>(differ.first - a.begin()));
    const std::string_view rest_b = b.substr(static_cast<std::size_t>(differ.second - b.begin()));
    if (a.size() < b.size()) return rest_a == rest_b.substr(1);
    if (rest_a.empty() || rest_a.substr(1) == rest_b.substr(1)) return true;
    return rest_a.size() >= 2 && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0] &&
           rest_a.substr(2) == rest_b.substr(2);
}

bool is_stop_word(std::string_view word) {
    static const std::set<std::string_view> words = {
        "a",     "all",   "an",    "and",   "any",  "are",   "as",     "at",   "be",     "by",
        "can",   "could", "do",    "does",  "for",  "from",  "has",    "have", "how",    "i",
        "if",    "in",    "into",  "is",    "it",   "its",   "let",    "may",  "me",     "my",
        "need",  "of",    "on",    "one",   "or",   "our",   "please", "s",    "should", "some",
        "that",  "the",   "their", "them",  "then", "there", "these",  "this", "to",     "tool",
        "tools", "us",    "use",   "using", "want", "was",   "way",    "we",   "what",   "when",
        "where", "which", "who",   "will",  "with", "would", "you",    "your"};
    return words.contains(word);
}

std::vector<std::string_view> synonyms(std::string_view word) {
    static const std::initializer_list<std::initializer_list<std::string_view>> groups = {
        {"delete", "remove", "drop", "erase"},
        {"create", "add", "make", "new", "insert", "post"},
        {"list", "show", "display", "view"},
        {"search", "find", "query", "lookup"},
        {"get", "retrieve", "fetch", "read", "load"},
        {"update", "edit", "modify", "change", "patch"},
        {"folder", "directory", "dir"},
        {"move", "rename"},
        {"write", "save", "store"},
        {"send", "post"},
        {"combine", "merge", "join"},
        {"picture", "image", "photo"},
        {"repo", "repository"},
        {"undo", "revert"},
        {"text", "content", "contents"},
        {"several", "multiple", "many"},
        {"information", "info", "metadata", "details"},
        {"history", "log"},
        {"annotate", "blame"},
    };
    std::vector<std::string_view> found;
    for (const auto& group : groups)
        if (std::find(group.begin(), group.end(), word) != group.end())
            for (const std::string_view other : group)
                if (other != word) found.push_back(other);
    return found;
}

} // namespace search
