#pragma once
#include <span>

#include "src/cli/embedded_file.h"

namespace cli {

/// The files of tests/attack, by name: "net_tcp".
std::span<const EmbeddedFile> attack_suite();

} // namespace cli
