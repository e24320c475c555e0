#pragma once
#include <string>

#include "src/bridge/run_report.h"

namespace bridge {

enum class OutputMode { compact, structured, toon };

/// The result line is at most this long, 8 MiB with what is around it; what does not fit is
/// cut, and said.
inline constexpr std::size_t most_result_bytes = (8u << 20) - 65536;

/// What a terminal would show: a first line where something went wrong, stdout, stderr, the last value, then
/// notes.
std::string render_text(const RunReport& report);

/// How it ended, as `_meta` has it: "success", "error", "timeout", "out_of_memory", "cancelled", "refused".
const char* status_name(const RunReport& report);

/// "exit status 3", "timed out after 30 s", "killed: out of memory (512 MiB)"; empty after a successful end.
base::Shown headline(const RunReport& report);

/// "still waiting for github.create_issue (28.1 s) and 2 more", of a run that was ended; empty where nothing
/// waited.
base::Shown waiting_for(const RunReport& report);

/// How a line begins that tells what the code's own process says, and nobody else saw.
inline const base::Shown claimed = "noted in the container: ";

/// These lines, without their beginning: its notes, and limits that it says were hit.
std::vector<base::Shown> claims(const RunReport& report);

/// "artifacts/a.csv: resource://…"
base::Shown artifact_line(const std::string& name, const std::string& uri);

/// The JSON text of a CallToolResult: one text block, the pictures, `_meta["cordon/result"]`, and by mode
/// structuredContent or a TOON text. `no_bare_json`: a text that is a JSON value other than an object has a
/// line more.
std::string render_result(const RunReport& report, OutputMode mode, bool no_bare_json = false);

/// Gemini's CLI (0.61): where there is no structuredContent it makes some of a text that is JSON, and then
/// fails the call because that is no object: of `print(6 * 7)`, say.
bool takes_json_for_structure(const std::string& client_name);

/// The facts of `_meta["cordon/result"]` with stdout, stderr and value, which are always there, and what else
/// there is to show, as one JSON object: what `cordon exec --json` prints.
std::string render_json(const RunReport& report);

/// A result with isError that says why nothing ran.
std::string render_refusal(const std::string& why);

/// "512 MiB", "1.5 GiB", "300 bytes"
std::string human_size(std::int64_t bytes);

} // namespace bridge
