#include "src/bridge/secrets.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/base/percent.h"
#include "src/base/utf8.h"
#include "src/config/settings.h"

namespace bridge {
namespace {

constexpr std::size_t least_length = 8;   // a shorter value is a word, a port, a flag
constexpr std::size_t random_length = 16; // of a value that looks random
constexpr std::size_t most_length = 8192; // a longer one is a document
constexpr std::size_t most_spellings = 4000;
constexpr std::int64_t automaton_bytes = 64 << 20;
constexpr std::size_t most_pattern =
    200'000; // bytes of spellings in one automaton: a fifth of what RE2 takes

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

bool name_says_so(std::string_view name) {
    const std::string given = upper(name);
    constexpr std::string_view words[] = {"TOKEN", "KEY",  "SECRET", "PASS", "PWD",
                                          "AUTH",  "CRED", "COOKIE", "DSN",  "WEBHOOK"};
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return given.find(word) != std::string::npos; });
}

// Letters and digits mixed, in one piece: no path, no sentence, no host.
bool looks_random(std::string_view value) {
    bool letter = false, digit = false;
    for (const char c : value) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalpha(u))
            letter = true;
        else if (std::isdigit(u))
            digit = true;
        else if (std::string_view("-_+=~").find(c) == std::string_view::npos)
            return false;
    }
    return letter && digit && value.size() >= random_length;
}

bool is_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// What a header's value holds: "Bearer x" is x, "Basic x" also the password in it.
std::vector<std::string> parts_of_header(const std::string& line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return {};
    const std::string name = upper(std::string_view(line).substr(0, colon));
    for (const char* plain : {"CONTENT-TYPE", "ACCEPT", "USER-AGENT", "MCP-PROTOCOL-VERSION"})
        if (name == plain) return {};
    std::string value = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
    std::vector<std::string> parts = {value};
    const std::size_t blank = value.find(' ');
    if (blank == std::string::npos) return parts;
    const std::string rest = value.substr(blank + 1);
    parts.push_back(rest);
    if (upper(value.substr(0, blank)) != "BASIC") return parts;
    if (const auto pair = base::base64_decoded(rest)) {
        parts.push_back(*pair);
        const std::size_t middle = pair->find(':');
        if (middle != std::string::npos) parts.push_back(pair->substr(middle + 1));
    }
    return parts;
}

// The user's password, and long values of the query.
std::vector<std::string> parts_of_url(const std::string& url) {
    std::vector<std::string> parts;
    const std::size_t begin = url.find("://");
    if (begin == std::string::npos) return parts;
    const std::string_view rest = std::string_view(url).substr(begin + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
        const std::size_t colon = authority.find(':');
        parts.emplace_back(authority.substr(colon < at ? colon + 1 : 0, at - (colon < at ? colon + 1 : 0)));
    }
    std::string_view query = rest.substr(std::min(rest.find('?'), rest.size()));
    while (query.size() > 1) {
        query.remove_prefix(1);
        const std::string_view pair = query.substr(0, query.find_first_of("&#"));
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos) {
            const std::string_view value = pair.substr(equals + 1);
            if (name_says_so(pair.substr(0, equals)) || looks_random(value)) parts.emplace_back(value);
        }
        query.remove_prefix(pair.size());
    }
    return parts;
}

// Characters beyond ASCII as \uXXXX, in lower case as Python and JavaScript write them.
std::string ascii_json(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(json::utf8_length(text), 1);
        if (length == 1) {
            out += text[0];
        } else {
            std::uint32_t point = static_cast<unsigned char>(text[0]) & (0xFFu >> (length + 1));
            for (std::size_t i = 1; i < length; ++i)
                point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
            char units[16];
            if (point > 0xFFFF)
                std::snprintf(units, sizeof units, "\\u%04x\\u%04x", 0xD7C0u + (point >> 10),
                              0xDC00u | (point & 0x3FFu));
            else
                std::snprintf(units, sizeof units, "\\u%04x", point);
            out += units;
        }
        text.remove_prefix(length);
    }
    return out;
}

// The middle of its base64 for each of the three places where it may begin: the ends depend on what is
// around.
void add_base64(std::set<std::string>& spellings, const std::string& value) {
    for (std::size_t shift = 0; shift < 3; ++shift) {
        const std::string padded = std::string(shift, 'x') + value;
        for (const std::string& text : {base::base64(padded), base::base64url(padded)}) {
            const std::size_t begin = shift == 0 ? 0 : shift == 1 ? 2 : 3;
            const std::size_t end = padded.size() * 8 / 6;
            if (end > begin + least_length) spellings.insert(text.substr(begin, end - begin));
        }
    }
}

// As JSON writes it in a string; `ascii`: with \uXXXX for all else, as Python does.
std::string in_json(const std::string& value, bool ascii) {
    const std::string quoted = json::quote(value);
    const std::string inner = quoted.substr(1, quoted.size() - 2);
    return ascii ? ascii_json(inner) : inner;
}

void add_json(std::set<std::string>& spellings, const std::string& value) {
    for (const bool ascii : {false, true}) {
        const std::string once = in_json(value, ascii);
        spellings.insert(once);
        spellings.insert(in_json(once, false)); // JSON in a text of JSON, as tools often answer
    }
}

void add_spellings(std::set<std::string>& spellings, const std::string& value) {
    if (value.size() < least_length || value.size() > most_length || spellings.size() > most_spellings)
        return;
    spellings.insert(value);
    add_json(spellings, value);
    spellings.insert(base::percent_encode(value));
    add_base64(spellings, value);
    std::string hex;
    for (const char c : value) {
        constexpr char digits[] = "0123456789abcdef";
        hex += digits[static_cast<unsigned char>(c) >> 4];
        hex += digits[static_cast<unsigned char>(c) & 15];
    }
    spellings.insert(hex);
    spellings.insert(upper(hex));
}

std::set<std::string> spellings_of(const std::vector<Secrets::Server>& servers) {
    std::set<std::string> all;
    for (const Secrets::Server& server : servers) {
        for (const auto& [name, value] : server.env)
            if (name_says_so(name) || looks_random(value)) add_spellings(all, value);
        for (const std::string& header : server.headers)
            for (const std::string& part : parts_of_header(header)) add_spellings(all, part);
        for (const std::string& part : parts_of_url(server.url)) {
            add_spellings(all, part);
            if (const auto decoded = base::percent_decoded(part)) add_spellings(all, *decoded);
        }
    }
    return all;
}

} // namespace

struct Secrets::Impl {
    std::vector<std::unique_ptr<re2::RE2>> any{}; ///< Each for a part of the spellings.
};

Secrets::Secrets(const std::vector<Server>& servers) : impl_(std::make_unique<Impl>()) {
    std::vector<std::string> found;
    for (const std::string& each : spellings_of(servers)) found.push_back(each);
    if (found.empty()) return;
    // One that holds another comes first.
    std::stable_sort(found.begin(), found.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1); // bytes, whatever they mean
    options.set_max_mem(automaton_bytes);
    options.set_log_errors(false);
    std::string pattern;
    const auto add = [&] {
        if (pattern.empty()) return;
        impl_->any.push_back(std::make_unique<re2::RE2>(std::exchange(pattern, {}), options));
        if (!impl_->any.back()->ok()) // never without: rather no server than a door that stands open
            throw config::Error("the secrets of the configured servers cannot be looked for: " +
                                impl_->any.back()->error());
    };
    for (const std::string& each : found) {
        if (pattern.size() + each.size() > most_pattern) add();
        pattern += (pattern.empty() ? "" : "|") + re2::RE2::QuoteMeta(each);
    }
    add();
}

Secrets::~Secrets() = default;

namespace {

std::string replaced(const re2::RE2& any, std::string text) {
    std::string clean;
    std::size_t at = 0;
    re2::StringPiece match;
    const re2::StringPiece whole(text);
    while (any.Match(whole, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
        const auto begin = static_cast<std::size_t>(match.data() - text.data());
        clean.append(text, at, begin - at);
        const std::string_view found(match.data(), match.size());
        clean += is_digits(found) ? std::string(found.size(), '1') : "[secret]";
        at = begin + found.size();
    }
    if (at == 0) return text;
    clean.append(text, at);
    return clean;
}

} // namespace

std::string Secrets::without(std::string text) const {
    for (const auto& each : impl_->any) text = replaced(*each, std::move(text));
    return text;
}

} // namespace bridge
