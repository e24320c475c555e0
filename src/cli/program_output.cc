#include "src/cli/program_output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "src/base/shown.h"
#include "src/base/text.h"

namespace cli {
namespace {

constexpr std::size_t most_sequence = 64; // bytes
constexpr char escape = '\x1b';

void write_raw(bool is_err, std::string_view text) {
    std::FILE* const to = is_err ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
}

bool is_number_or_divider(char c) { return base::is_digit(c) || c == ';' || c == ':'; }

} // namespace

// A sequence that has ended: ESC [ … and its last letter.
bool TerminalFilter::is_harmless() const {
    const std::string_view inner = std::string_view(sequence_).substr(2, sequence_.size() - 3);
    const char last = sequence_.back();
    if (inner == "?25") return last == 'h' || last == 'l'; // the cursor, shown or hidden
    if (!std::all_of(inner.begin(), inner.end(), is_number_or_divider)) return false;
    if (last == 'J')
        return inner.empty() || inner == "0" || inner == "1" || inner == "2"; // 3: what scrolled by
    return std::string_view("mABCDEFGHKf").find(last) != std::string_view::npos;
}

// The sequence is none that passes: it is shown.
void TerminalFilter::let_go(std::string& out) {
    if (sequence_.empty()) return;
    out += base::escape_of(U'\x1b') + sequence_.substr(1);
    sequence_.clear();
}

void TerminalFilter::take_text(std::string_view character, char32_t code, bool valid, std::string& out) {
    const bool moves = code == '\n' || code == '\r' || code == '\t' || code == '\b';
    if (!valid)
        out += "\xEF\xBF\xBD";
    else if (base::is_unfit(code) && !moves)
        out += base::escape_of(code);
    else
        out += character;
}

void TerminalFilter::take(std::string_view character, char32_t code, bool valid, std::string& out) {
    if (code == static_cast<char32_t>(escape)) {
        let_go(out);
        sequence_ = escape;
        return;
    }
    if (sequence_.empty()) return take_text(character, code, valid, out);
    const bool second = sequence_.size() == 1;
    const bool goes_on = second ? code == '[' : code >= 0x20 && code <= 0x7E;
    if (!goes_on || sequence_.size() >= most_sequence) {
        let_go(out);
        return take_text(character, code, valid, out);
    }
    sequence_ += character;
    if (second || code < 0x40) return;
    if (!is_harmless()) return let_go(out);
    out += sequence_;
    sequence_.clear();
    changed_ = true;
}

std::string TerminalFilter::pass(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const base::Character c = base::first_character(text);
        take(text.substr(0, c.bytes), c.code, c.valid, out);
        text.remove_prefix(c.bytes);
    }
    return out;
}

std::string TerminalFilter::end() {
    std::string out;
    let_go(out);
    if (changed_) out += "\x1b[0m\x1b[?25h";
    changed_ = false;
    return out;
}

ProgramOutput::ProgramOutput() : is_terminal_{::isatty(STDOUT_FILENO) == 1, ::isatty(STDERR_FILENO) == 1} {}

void ProgramOutput::write(bool is_err, std::string_view text) {
    if (is_terminal_[is_err])
        write_raw(is_err, filters_[is_err].pass(text));
    else
        write_raw(is_err, text);
}

void ProgramOutput::end() {
    for (const bool is_err : {false, true})
        if (is_terminal_[is_err]) write_raw(is_err, filters_[is_err].end());
}

} // namespace cli
