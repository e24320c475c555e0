#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/shown.h"
#include "src/cli/self_test.h"
#include "src/engines/advice.h"
#include "src/engines/discovery.h"
#include "src/sandbox/attestation.h"
#include "src/sandbox/early_modules.h"
#include "src/sandbox/janitor.h"

namespace cli {

/// What doctor found, and its two forms. Pure.
struct DoctorReport {
    std::vector<engines::Tried> tried{};
    std::optional<runtime_api::EngineInfo> engine{};
    std::string engine_source{};
    std::string engine_url{};
    std::string image{};
    std::map<std::string, sandbox::EarlyModules::Module>
        early_modules{};     ///< That containers import while they wait.
    std::string image_pin{}; ///< "name@sha256:…"; empty: it is not known.
    bool image_there = false;
    std::string python{};
    std::vector<sandbox::Finding> findings{};    ///< Empty: no container could be looked at.
    std::vector<sandbox::Leftover> leftovers{};  ///< Of dead instances.
    std::vector<std::string> servers_unusable{}; ///< By name, those that are disabled as well.
    std::vector<std::string> server_faults{};    ///< Of files and entries, with file and line.
    std::vector<std::string> server_notes{};     ///< What breaks nothing.
    std::vector<std::string> server_reach{};     ///< What could change what Cordon takes commands from.
    std::vector<std::string> saved_tools{};
    std::vector<std::string> problems{};
    bool policy_broken = false;            ///< No code runs before it is mended; why is among the problems.
    std::vector<engines::Advice> advice{}; ///< On the engine, by its own description.
    std::optional<SelfTestReport>
        self_test{}; ///< Where it was asked for; in the JSON alone, since a terminal has it line by line.

    /// True where `--confinement strict` runs code on this host.
    bool strict_would_run() const;
    base::Shown text() const; ///< A table a person can act on.
    std::string json() const; ///< One line.
};

} // namespace cli
