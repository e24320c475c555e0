#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// A flag that belongs to single commands; those of every command are settings (src/config/settings.h).
struct Flag {
    std::string_view name;     ///< "suite"
    std::string_view argument; ///< "RELEASE"; empty for a switch.
    std::string_view commands; ///< " image " or " exec doctor ": the commands that take it, between blanks.
    std::string_view help;     ///< One line.
};

std::span<const Flag> flags_table();

/// A command line, taken apart.
struct CommandLine {
    /// A program that exec is to run: a file's name, or its text.
    struct Program {
        std::string text;
        bool is_code = false; ///< It came by -c.
    };
    std::vector<std::string> words{}; ///< The command first; without exec's programs.
    std::map<std::string, std::vector<std::string>>
        values{}; ///< By flag, without dashes; a switch has "1" or "0".
    std::vector<Program> programs{};
    std::vector<std::string> arguments{}; ///< What exec's program gets.
    std::vector<std::string> notes{};

    bool has(const std::string& flag) const { return values.contains(flag); }
    bool on(const std::string& flag) const;          ///< A switch that is given, and not as 0.
    std::string last(const std::string& flag) const; ///< "" where it is not given.
};

/// Takes one apart. Flags may stand before and behind the command and directly behind exec's file; from the
/// first word behind the file that is none of ours, or from "--" on, all is the program's. Throws UsageError
/// (src/cli/options.h) for a flag that is none, with the nearest ones, and for a value that is missing.
CommandLine take_apart(const std::vector<std::string>& arguments);

/// " (did you mean \"--server\"?)", or "".
std::string nearest_flags(const std::string& flag);

} // namespace cli
