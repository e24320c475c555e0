#pragma once
#include <string>

#include "runtime_api/error.h"
#include "runtime_api/http.h"

namespace runtime_api {

/// What an engine said went wrong: the "message" of its JSON, else its plain text, on one line, printable, at
/// most 1,000 bytes.
std::string engine_words(const std::string& body);

/// text on one line: control characters become spaces, what is not UTF-8 U+FFFD, and what is beyond max_bytes
/// "…".
std::string one_line(const std::string& text, std::size_t max_bytes = 1000);

/// What a status that is not success means. Goes by the words too where podman's status says less: before 4.8
/// it answers 500 to a missing image, a name that is taken and a container that is not in the state asked
/// for.
Errc answer_errc(int status, const std::string& words);

/// Error: "create container x: HTTP 404: no such image: y".
Error answer_error(const std::string& attempted, const HttpResponse& answer);

} // namespace runtime_api
