#pragma once
#include <string>
#include <string_view>

namespace cli {

/// What a program prints, made fit for a terminal. Colours, moves of the cursor and erasing pass, since bars
/// and tables need them; all else that a terminal obeys (titles, clipboards, questions whose answers would be
/// typed into the shell, C1 controls) and all that reorders or hides text is written as an escape that a
/// person can read. A sequence may come in pieces. Pure.
class TerminalFilter {
public:
    /// What may be written now.
    std::string pass(std::string_view text);

    /// What was held back, and colours and the cursor as they were before.
    std::string end();

private:
    void take(std::string_view character, char32_t code, bool valid, std::string& out);
    void take_text(std::string_view character, char32_t code, bool valid, std::string& out);
    void let_go(std::string& out);
    bool is_harmless() const;

    std::string sequence_; ///< From its ESC on, while it has not ended.
    bool changed_ = false; ///< Colours or the cursor.
};

/// Writes what a program prints to our stdout and stderr: as it came to a file or a pipe, filtered to a
/// terminal.
class ProgramOutput {
public:
    ProgramOutput();
    void write(bool is_err, std::string_view text);
    void end(); ///< The program is over; another may follow.

private:
    bool is_terminal_[2];
    TerminalFilter filters_[2];
};

} // namespace cli
