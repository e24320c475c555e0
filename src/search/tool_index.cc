#include "src/search/tool_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "src/search/words.h"
#include "src/sqlite/sqlite.h"

namespace search {

namespace {

constexpr std::size_t most_query_bytes = 2000;
constexpr std::size_t most_query_words = 24;
constexpr std::size_t most_field_bytes = 4000;
constexpr std::size_t most_candidates = 300;     // of FTS5's own ranking, which ours then sorts
constexpr std::size_t most_expansions = 24;      // of one word
constexpr std::size_t most_compared = 1'000'000; // known words, for the typing errors of one query
// Of the tools of one server; of those after it only the names are found. Ten thousand honest ones have as
// much.
constexpr std::size_t most_server_bytes = 6 << 20;

enum Field { in_name, in_server, in_parameters, in_description, in_server_description, fields };
// Found with the agreed questions (tests/unit/search_questions.h), among those that keep this order.
constexpr std::array<double, fields> field_weight = {3, 2, 1.5, 1, 0.3};

using Stem = std::uint32_t;

/// What is known of an indexed tool beyond what FTS5 keeps.
struct Entry {
    struct Use {
        Stem stem;
        unsigned fields; ///< A bit for each field that has it.
    };

    std::string server;
    std::string name;
    std::string joined;         ///< The name's letters and digits, in lower case.
    std::size_t name_words = 0; ///< Of which the name is made.
    std::vector<Use> uses{};    ///< Sorted by stem.

    unsigned fields_with(Stem stem) const {
        const auto at = std::lower_bound(uses.begin(), uses.end(), stem,
                                         [](const Use& use, Stem wanted) { return use.stem < wanted; });
        return at == uses.end() || at->stem != stem ? 0 : at->fields;
    }
};

/// What a word is worth that occurs in these fields: most of the best field, a little of the others.
double worth(unsigned in_fields) {
    double best = 0, all = 0;
    for (std::size_t field = 0; field < fields; ++field) {
        if (!(in_fields >> field & 1)) continue;
        best = std::max(best, field_weight[field]);
        all += field_weight[field];
    }
    return best + 0.2 * (all - best);
}

/// A word of a query may be met by itself, at full weight, or by something near it.
struct Variant {
    Stem stem;
    double weight;
    double value = 0; ///< Weight and rarity.
};

struct QueryWord {
    std::vector<Variant> variants{};
    std::set<std::string> texts{}; ///< For FTS5.
    bool begins = false;           ///< The text also stands for all words that begin so.
    std::string text{};
};

std::string join(const std::vector<Word>& words) {
    std::string text;
    for (const Word& word : words) text += word.text;
    return text;
}

} // namespace

struct ToolIndex::Impl {
    struct Known {
        Stem stem;
        int count = 0; ///< Uses, in all tools.
    };

    WordCutter cutter;
    sqlite::Database database{":memory:", 0};
    std::unordered_map<std::int64_t, Entry> entries{};
    std::map<std::string, std::vector<std::int64_t>> rows_of{}; ///< By server.
    std::map<std::string, Known> vocabulary{};
    std::unordered_map<std::string, Stem> stem_ids{};
    std::vector<int> tools_with{}; ///< By stem.
    std::int64_t next_row = 1;
    std::uint64_t generation = 0;
    std::mutex turn{};
    sqlite::Statement insert; ///< After the table is made.

    Impl()
        : insert(make_table(database),
                 "INSERT INTO tools (rowid, name, server, parameters, description, server_description)"
                 " VALUES (?1, ?2, ?3, ?4, ?5, ?6)") {}

    static sqlite3* make_table(sqlite::Database& database) {
        database.run("CREATE VIRTUAL TABLE tools USING fts5 (name, server, parameters, description, "
                     "server_description, server_id UNINDEXED,"
                     " tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3')");
        database.run("INSERT INTO tools (tools, rank) VALUES ('rank', 'bm25(3, 2, 1.5, 1, 0.3)')");
        return database.get();
    }

    Stem intern(const std::string& stem) {
        const auto [at, added] = stem_ids.emplace(stem, static_cast<Stem>(tools_with.size()));
        if (added) tools_with.push_back(0);
        return at->second;
    }

    double rarity(Stem stem) const {
        const double with = tools_with[stem];
        return std::log(1 + (static_cast<double>(entries.size()) - with + 0.5) / (with + 0.5));
    }

    void replace(const std::string& server, const std::vector<IndexedTool>& tools);
    void add(const IndexedTool& tool, const std::string& server);
    void remove(const std::string& server);
    void count(const Entry& entry, int by);
    std::vector<QueryWord> read_query(const std::string& query) const;
    std::vector<Word> query_words(const std::string& query) const;
    QueryWord expand(const Word& word, std::size_t& compared) const;
    void add_variant(QueryWord& to, const std::string& text, double weight) const;
    void correct(QueryWord& to, const std::string& text, std::size_t& compared) const;
    double score(const Entry& entry, const std::vector<QueryWord>& words, const std::string& joined) const;
};

namespace {

/// The text of each field as it is indexed. A name is there in words, joined, and in joined pairs of words,
/// so that readfile and cherrypick are found.
std::array<std::string, fields> field_texts(const IndexedTool& tool, const std::vector<Word>& name_words,
                                            const std::string& joined) {
    std::array<std::string, fields> texts;
    for (std::size_t i = 0; i < name_words.size(); ++i) {
        texts[in_name] += name_words[i].text + ' ';
        if (i > 0 && name_words.size() > 2)
            texts[in_name] += name_words[i - 1].text + name_words[i].text + ' ';
    }
    texts[in_name] += joined + ' ' + tool.alias.substr(0, 200);
    const std::string server = plain_text(tool.server, most_field_bytes);
    texts[in_server] = split_identifier(server) + ' ' + server;
    std::string parameters;
    for (const std::string& each : tool.parameters) {
        if (parameters.size() > most_field_bytes) break;
        parameters += each + ' ';
    }
    texts[in_parameters] = split_identifier(plain_text(parameters, most_field_bytes));
    texts[in_description] = plain_text(tool.description, most_field_bytes);
    texts[in_server_description] = plain_text(tool.server_description, most_field_bytes);
    return texts;
}

} // namespace

void ToolIndex::Impl::count(const Entry& entry, int by) {
    for (const Entry::Use& use : entry.uses) tools_with[use.stem] += by;
}

void ToolIndex::Impl::add(const IndexedTool& tool, const std::string& server) {
    const std::vector<Word> name_words =
        cutter.cut(split_identifier(plain_text(tool.name, most_field_bytes)));
    Entry entry{
        .server = server, .name = tool.name, .joined = join(name_words), .name_words = name_words.size()};
    const auto texts = field_texts(tool, name_words, entry.joined);
    const std::int64_t row = next_row++;
    insert.reset();
    insert.bind(1, row);
    std::map<Stem, unsigned> uses;
    for (std::size_t field = 0; field < fields; ++field) {
        insert.bind(static_cast<int>(field) + 2, texts[field]);
        for (const Word& word : cutter.cut(texts[field])) {
            const Stem stem = intern(word.stem);
            ++vocabulary.try_emplace(word.text, Known{stem}).first->second.count;
            uses[stem] |= 1u << field;
        }
    }
    insert.step();
    for (const auto& [stem, in_fields] : uses) entry.uses.push_back({stem, in_fields});
    count(entry, 1);
    entries.emplace(row, std::move(entry));
    rows_of[server].push_back(row);
}

void ToolIndex::Impl::remove(const std::string& server) {
    sqlite::Statement read(
        database.get(),
        "SELECT name, server, parameters, description, server_description FROM tools WHERE rowid = ?1");
    sqlite::Statement erase(database.get(), "DELETE FROM tools WHERE rowid = ?1");
    for (const std::int64_t row : rows_of[server]) {
        read.bind(1, row).step();
        for (int field = 0; field < fields; ++field)
            for (const Word& word : cutter.cut(read.text(field)))
                if (const auto at = vocabulary.find(word.text);
                    at != vocabulary.end() && --at->second.count == 0)
                    vocabulary.erase(at);
        read.reset();
        erase.bind(1, row).step();
        erase.reset();
        count(entries.at(row), -1);
        entries.erase(row);
    }
    rows_of.erase(server);
}

ToolIndex::ToolIndex() : impl_(std::make_unique<Impl>()) {}

ToolIndex::~ToolIndex() = default;

void ToolIndex::Impl::replace(const std::string& server, const std::vector<IndexedTool>& tools) {
    database.run("BEGIN");
    remove(server);
    std::size_t bytes = 0;
    for (const IndexedTool& tool : tools) {
        bytes += std::min(tool.description.size(), most_field_bytes) + tool.name.size();
        for (const std::string& each : tool.parameters) bytes += each.size();
        IndexedTool bare;
        if (bytes > most_server_bytes) bare.name = tool.name;
        add(bare.name.empty() ? tool : bare, server);
    }
    database.run("COMMIT");
}

void ToolIndex::replace(const std::string& server, const std::vector<IndexedTool>& tools) {
    const std::lock_guard lock(impl_->turn);
    impl_->replace(server, tools);
}

void ToolIndex::bring_to(std::uint64_t generation, const std::function<ToolsByServer()>& tools) {
    const std::lock_guard lock(impl_->turn);
    if (impl_->generation >= generation) return;
    for (const auto& [server, its_tools] : tools()) impl_->replace(server, its_tools);
    impl_->generation = generation;
}

/// The words of a query that say something; a word in camel case is taken apart where it is not known as a
/// whole (GitHub, but readFile).
std::vector<Word> ToolIndex::Impl::query_words(const std::string& query) const {
    std::string text;
    const std::string plain = plain_text(query, most_query_bytes);
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t end = std::min(plain.find(' ', at), plain.size());
        const std::string piece = plain.substr(at, end - at);
        const std::vector<Word> whole = cutter.cut(piece);
        const bool is_known = whole.size() == 1 && vocabulary.contains(whole.front().text);
        text += (is_known ? piece : split_identifier(piece)) + ' ';
        at = end + 1;
    }
    std::vector<Word> words, stop_words;
    std::set<std::string> seen;
    for (Word& word : cutter.cut(text)) {
        if (!seen.insert(word.stem).second) continue;
        const bool says_nothing = is_stop_word(word.text) ||
                                  (word.text.size() == 1 && static_cast<unsigned char>(word.text[0]) < 0x80);
        (says_nothing ? stop_words : words).push_back(std::move(word));
    }
    if (words.empty()) words = std::move(stop_words); // a tool may be called "all" or "do"
    if (words.size() > most_query_words) words.resize(most_query_words);
    return words;
}

void ToolIndex::Impl::add_variant(QueryWord& to, const std::string& text, double weight) const {
    const auto known = vocabulary.find(text);
    if (known == vocabulary.end() || to.texts.size() > most_expansions) return;
    to.texts.insert(text);
    to.variants.push_back({.stem = known->second.stem, .weight = weight});
}

/// Adds the known words that are one typing error away.
void ToolIndex::Impl::correct(QueryWord& to, const std::string& text, std::size_t& compared) const {
    if (text.size() < 3 || compared >= most_compared) return;
    compared += vocabulary.size();
    for (const auto& [known, unused] : vocabulary)
        if (known.size() >= 3 && within_one_edit(text, known))
            add_variant(to, known, known.front() == text.front() ? 0.8 : 0.6);
}

QueryWord ToolIndex::Impl::expand(const Word& word, std::size_t& compared) const {
    QueryWord out;
    out.text = word.text;
    const auto stem = stem_ids.find(word.stem);
    const bool is_known = stem != stem_ids.end() && tools_with[stem->second] > 0;
    if (is_known) {
        out.texts.insert(word.text);
        out.variants.push_back({.stem = stem->second, .weight = 1});
    }
    for (const std::string_view other : synonyms(word.text)) add_variant(out, std::string(other), 0.5);
    if (word.text.size() >= 3) {
        std::size_t added = 0;
        for (auto at = vocabulary.upper_bound(word.text); at != vocabulary.end() && added < most_expansions;
             ++at, ++added) {
            if (!at->first.starts_with(word.text)) break;
            out.variants.push_back({.stem = at->second.stem, .weight = 0.4});
            out.begins = true;
        }
    }
    if (!is_known && !out.begins) correct(out, word.text, compared);
    for (Variant& variant : out.variants) variant.value = variant.weight * rarity(variant.stem);
    std::sort(out.variants.begin(), out.variants.end(),
              [](const Variant& a, const Variant& b) { return a.value > b.value; });
    return out;
}

std::vector<QueryWord> ToolIndex::Impl::read_query(const std::string& query) const {
    std::vector<QueryWord> words;
    std::size_t compared = 0;
    for (const Word& word : query_words(query)) words.push_back(expand(word, compared));
    return words;
}

double ToolIndex::Impl::score(const Entry& entry, const std::vector<QueryWord>& words,
                              const std::string& joined) const {
    static const double most_worth = worth((1u << fields) - 1);
    double sum = 0, met = 0, name_met = 0;
    for (const QueryWord& word : words) {
        double best = 0;
        unsigned met_in = 0;
        for (const Variant& variant : word.variants) { // the most valuable first
            if (variant.value * most_worth <= best) break;
            const unsigned in_fields = entry.fields_with(variant.stem);
            if (in_fields == 0) continue;
            best = std::max(best, variant.value * worth(in_fields));
            met_in |= in_fields;
        }
        sum += best;
        met += best > 0 ? 1 : 0;
        name_met += met_in & 1u << in_name ? 1 : 0;
    }
    const double coverage = met / static_cast<double>(std::max<std::size_t>(1, words.size()));
    const double name_share =
        std::min(1.0, name_met / static_cast<double>(std::max<std::size_t>(1, entry.name_words)));
    const double is_name = entry.joined == joined ? 2 : 1;
    return sum * coverage * coverage * (1 + 0.1 * name_share) * is_name;
}

namespace {

/// The words as FTS5 takes them: any of them may occur. Tokens hold no quotation marks.
std::string match_expression(const std::vector<QueryWord>& words) {
    std::string match;
    for (const QueryWord& word : words) {
        for (const std::string& text : word.texts) match += (match.empty() ? "\"" : " OR \"") + text + '"';
        if (word.begins) match += (match.empty() ? "\"" : " OR \"") + word.text + "\"*";
    }
    return match;
}

} // namespace

std::vector<ToolIndex::Hit> ToolIndex::search(const std::string& query, int limit,
                                              const std::vector<std::string>& servers) const {
    const std::lock_guard lock(impl_->turn);
    std::vector<Hit> hits;
    const std::set<std::string_view> among(servers.begin(), servers.end());
    const std::vector<QueryWord> words = impl_->read_query(query);
    const std::string match = match_expression(words);
    if (match.empty() || among.empty() || limit <= 0) return hits;
    const std::string joined = join(impl_->cutter.cut(plain_text(query, most_query_bytes)));
    sqlite::Statement find(impl_->database.get(),
                           "SELECT rowid FROM tools WHERE tools MATCH ?1 ORDER BY rank");
    find.bind(1, match);
    while (hits.size() < most_candidates && find.step()) {
        const Entry& entry = impl_->entries.at(find.integer(0));
        if (among.contains(entry.server))
            hits.push_back(
                {.server = entry.server, .name = entry.name, .score = impl_->score(entry, words, joined)});
    }
    const auto before = [](const Hit& a, const Hit& b) {
        if (a.score != b.score) return a.score > b.score;
        return a.name != b.name ? a.name < b.name : a.server < b.server;
    };
    std::sort(hits.begin(), hits.end(), before);
    if (hits.size() > static_cast<std::size_t>(limit)) hits.resize(static_cast<std::size_t>(limit));
    return hits;
}

} // namespace search
