#include "src/cli/flags.h"

#include <algorithm>
// A file's name may hold a comma; cxxopts would cut it there.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>
#include <optional>

#include "src/base/nearest.h"
#include "src/base/text.h"
#include "src/cli/options.h"
#include "src/config/settings.h"

namespace cli {
namespace {

constexpr Flag table[] = {
    {"server", "NAME", " exec ", "a server that the code may use; give it once for each (default: all)"},
    {"session", "NAME", " exec ", "run several files and -c, one behind the other, in one interpreter"},
    {"json", "", " exec doctor self-test servers policy image ", "the result as JSON, for programs"},
    {"all", "", " servers ", "accept: every server that waits for it"},
    {"self-test", "", " doctor ", "attack this host's containers with the suite (some two minutes)"},
    {"suite", "RELEASE", " image ", "build: the Debian release, bookworm or trixie (default: this host's)"},
    {"http", "HOST:PORT", " serve ", "serve HTTP instead of stdio"},
    {"http-no-token", "", " serve ", "with --http: ask for no token; loopback only"},
    {"tls-cert", "FILE", " serve ", "with --http: our certificate, PEM"},
    {"tls-key", "FILE", " serve ", "with --http: its key, PEM"},
    {"settings-table", "", " help ", "the settings as Markdown"},
    {"help", "", "", "the flags of a command"},
    {"version", "", "", "the version"},
};

// What is known of a flag, ours or a setting's.
struct Known {
    bool is_switch = false;
};

std::optional<Known> find_flag(const std::string& name) {
    for (const Flag& flag : table)
        if (flag.name == name) return Known{flag.argument.empty()};
    for (const config::Setting& setting : config::settings_table())
        if (setting.flag == name || (!setting.old_flag.empty() && setting.old_flag == name))
            return Known{setting.argument.empty()};
    return std::nullopt;
}

// As a switch's value may be written behind it.
bool is_boolean(const std::string& text) {
    const std::string lower = base::lower(text);
    const char* all[] = {"0", "1", "true", "false", "yes", "no", "on", "off"};
    return std::find(std::begin(all), std::end(all), lower) != std::end(all);
}

// What of a command line is ours, and what is the program's: cxxopts knows no line that is two.
class Cut {
public:
    explicit Cut(const std::vector<std::string>& arguments) : in_(arguments) {
        while (at_ < in_.size()) step();
    }

    std::vector<std::string> ours{};    ///< As cxxopts reads it: each value with "=" behind its flag.
    std::vector<std::string> program{}; ///< From the first word behind exec's file that is none of ours.
    std::vector<std::string> notes{};
    std::vector<std::string> codes{}; ///< Behind each -c; the value of --code in `ours` is an index.

private:
    // The program is known: what is none of ours from now on is for it.
    bool has_program() const { return programs_ > 0 && !session_; }

    void step() {
        const std::string& word = in_[at_];
        if (!ended_ && word == "--")
            end_flags();
        else if (!ended_ && word == "-c" && !has_program())
            take_code();
        else if (!ended_ && word.starts_with("--code=") && !has_program())
            throw UsageError(
                "there is no flag --code; cordon exec -c 'print(1)' runs code; see cordon --help");
        else if (!ended_ && word.size() > 2 && word.starts_with("--"))
            take_flag(word.substr(2));
        else if (!ended_ && word.size() > 1 && word.front() == '-' && word != "-h" && !has_program())
            throw UsageError("there is no flag " + word + "; see cordon --help");
        else
            take_word(word);
    }

    void take(std::string word) {
        ours.push_back(std::move(word));
        ++at_;
    }

    void take_rest() {
        program.assign(in_.begin() + static_cast<std::ptrdiff_t>(at_), in_.end());
        at_ = in_.size();
    }

    void end_flags() {
        ended_ = true;
        if (!has_program()) return take("--");
        ++at_;
        take_rest();
    }

    void take_code() {
        if (at_ + 1 == in_.size())
            throw UsageError("-c: expected the code behind it: cordon exec -c 'print(1)'");
        ++at_;
        ++programs_;
        codes.push_back(in_[at_]); // cxxopts refuses a value with a line end
        take("--code=" + std::to_string(codes.size() - 1));
    }

    void take_word(const std::string& word) {
        const bool is_word = word != "-h" || ended_;
        if (is_word && has_program()) return take_rest();
        if (is_word && (command_ == "exec" || command_ == "run")) ++programs_;
        if (is_word && command_.empty()) command_ = word;
        take(word);
    }

    void take_flag(const std::string& text) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const std::optional<Known> known = find_flag(name);
        if (!known) return unknown(name);
        session_ = session_ || name == "session";
        if (equals != std::string::npos) return take("--" + text);
        const bool more = at_ + 1 < in_.size();
        if (known->is_switch && !(more && is_boolean(in_[at_ + 1]))) return take("--" + name + "=1");
        if (!more || in_[at_ + 1].starts_with("--"))
            throw UsageError("--" + name + ": expected a value behind it; see cordon --help");
        ++at_;
        take("--" + name + "=" + in_[at_]);
    }

    void unknown(const std::string& name) {
        const std::string near = nearest_flags(name);
        if (!has_program()) throw UsageError("there is no flag --" + name + near + "; see cordon --help");
        if (!near.empty())
            notes.push_back(
                "--" + name + " goes to the program" + near +
                "; Cordon's flags stand before the file, and -- before the program's ends this note");
        take_rest();
    }

    const std::vector<std::string>& in_;
    std::size_t at_ = 0;
    std::string command_{};
    std::size_t programs_ = 0;
    bool session_ = false;
    bool ended_ = false; ///< "--" was there.
};

cxxopts::Options make_parser() {
    cxxopts::Options parser("cordon");
    auto add = parser.add_options();
    const auto text = [] { return cxxopts::value<std::vector<std::string>>(); };
    for (const Flag& flag : table)
        add(flag.name == "help" ? "h,help" : std::string(flag.name), std::string(flag.help),
            flag.argument.empty() ? text()->implicit_value("1") : text());
    for (const config::Setting& setting : config::settings_table())
        for (const std::string_view name : {setting.flag, setting.old_flag})
            if (!name.empty()) add(std::string(name), std::string(setting.help), text());
    add("code", "exec: the program itself", text());
    add("words", "command and files", text());
    parser.parse_positional("words");
    return parser;
}

} // namespace

std::span<const Flag> flags_table() { return table; }

bool CommandLine::on(const std::string& flag) const {
    if (!has(flag)) return false;
    if (!is_boolean(last(flag))) throw UsageError("--" + flag + "=\"" + last(flag) + "\": expected 1 or 0");
    const char first = base::lower(last(flag).front());
    const bool off = first == '0' || first == 'f' || first == 'n' || (first == 'o' && last(flag).size() == 3);
    return !off;
}

std::string CommandLine::last(const std::string& flag) const {
    const auto found = values.find(flag);
    return found == values.end() ? std::string() : found->second.back();
}

std::string nearest_flags(const std::string& flag) {
    std::vector<std::string> all;
    for (const Flag& each : table) all.push_back("--" + std::string(each.name));
    for (const config::Setting& each : config::settings_table()) all.push_back("--" + std::string(each.flag));
    return base::did_you_mean("--" + flag, all);
}

CommandLine take_apart(const std::vector<std::string>& arguments) {
    Cut cut(arguments);
    std::vector<const char*> argv = {"cordon"};
    for (const std::string& each : cut.ours) argv.push_back(each.c_str());
    CommandLine line;
    line.arguments = std::move(cut.program);
    line.notes = std::move(cut.notes);
    try {
        cxxopts::Options parser = make_parser();
        const cxxopts::ParseResult read = parser.parse(static_cast<int>(argv.size()), argv.data());
        for (const cxxopts::KeyValue& each : read.arguments()) {
            const bool is_exec =
                !line.words.empty() && (line.words.front() == "exec" || line.words.front() == "run");
            if (each.key() == "code")
                line.programs.push_back({cut.codes.at(std::stoul(each.value())), true});
            else if (each.key() == "words" && is_exec)
                line.programs.push_back({each.value()});
            else if (each.key() == "words")
                line.words.push_back(each.value());
            else
                line.values[each.key()].push_back(each.value());
        }
    } catch (const std::exception& e) { // cxxopts names its own differently from version to version
        throw UsageError(std::string(e.what()) + "; see cordon --help");
    }
    return line;
}

} // namespace cli
