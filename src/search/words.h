#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace search {

/// A word of a text, and the stem under which its forms meet ("directories", "directory": "directori").
struct Word {
    std::string text; ///< Lower case, without diacritics.
    std::string stem;
};

/// Cuts text into words exactly as SQLite's FTS5 does with the tokenizer `porter unicode61 remove_diacritics
/// 2`, since it is that tokenizer.
class WordCutter {
public:
    WordCutter();
    ~WordCutter();
    WordCutter(const WordCutter&) = delete;
    WordCutter& operator=(const WordCutter&) = delete;

    std::vector<Word> cut(std::string_view text) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Text made ready for cut(): at most `most` bytes of it, valid UTF-8, no control characters, each ideograph
/// and kana a word of its own.
std::string plain_text(std::string_view text, std::size_t most);

/// An identifier's parts set apart: "getHTTPUrl-list" gives "get HTTP Url list".
std::string split_identifier(std::string_view text);

/// True where b comes of a by at most one insertion, deletion, replacement or swap of neighbours.
bool within_one_edit(std::string_view a, std::string_view b);

/// True for words that say nothing of what is sought: "the", "how", "please".
bool is_stop_word(std::string_view word);

/// Words that tools' authors use for the same thing ("delete", "remove"); without the word itself.
std::vector<std::string_view> synonyms(std::string_view word);

} // namespace search
