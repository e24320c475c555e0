#pragma once
#include <string>

namespace cli {

/// The text of --help: of one command with its flags, or ("") of all commands, with the table of settings.
/// Ends with a newline; "" for a word that is no command.
std::string help_text(const std::string& command);

/// The table of settings as README has it, in Markdown.
std::string settings_markdown();

} // namespace cli
