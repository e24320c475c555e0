#include "src/sandbox/attestation.h"

#include "src/base/shown.h"
#include "src/sandbox/attestation_rows.h"

namespace sandbox {
namespace rows {
namespace {

constexpr std::size_t most_shown = 200;
constexpr std::size_t most_listed = 6;

std::string in_units(std::int64_t bytes, std::int64_t unit, const char* name) {
    const std::int64_t tenths = bytes / (unit / 10);
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
    return text + " " + name;
}

} // namespace

void fall_short(Finding& row, const std::string& why, const std::string& advice) {
    row.ok = false;
    if (!why.empty() && row.why.find(why) == row.why.npos) row.why += (row.why.empty() ? "" : ", and ") + why;
    if (row.advice.empty()) row.advice = advice;
}

void not_said(Finding& row) {
    row.guest = "the guest does not say";
    fall_short(row, "what cannot be seen from inside is not believed",
               "use an image whose python3 can read /proc and /sys");
}

std::string shown(std::string_view text) { return base::Shown::line(text, most_shown).text(); }

std::string listed(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size() && i < most_listed; ++i)
        text += (i == 0 ? "" : ", ") + shown(items[i]);
    if (items.size() > most_listed) text += " and " + std::to_string(items.size() - most_listed) + " more";
    return text;
}

std::string size_text(std::int64_t bytes) {
    if (bytes >= 1LL << 30 && bytes % (1LL << 30) == 0) return in_units(bytes, 1LL << 30, "GiB");
    if (bytes >= 1LL << 20) return in_units(bytes, 1LL << 20, "MiB");
    if (bytes >= 1LL << 10) return in_units(bytes, 1LL << 10, "KiB");
    return std::to_string(bytes) + " bytes";
}

} // namespace rows

std::vector<Finding> judge(const runtime_api::ContainerSpec& spec, const runtime_api::EngineInfo& info,
                           const runtime_api::ContainerState& state, const std::vector<std::string>& warnings,
                           std::string_view facts) {
    const GuestFacts guest = parse_guest_facts(facts);
    const rows::Views v{spec, info, state, warnings, guest};
    return {
        rows::network(v),      rows::root_filesystem(v),
        rows::capabilities(v), rows::privileges(v),
        rows::seccomp(v),      rows::guest_filter(v),
        rows::landlock(v),     rows::lsm_label(v),
        rows::user(v),         rows::writable(v),
        rows::mounts(v),       rows::devices(v),
        rows::masked_paths(v), rows::memory(v),
        rows::processes(v),    rows::cpus(v),
        rows::rlimits(v),      rows::other_rlimits(v),
        rows::environment(v),  rows::python(v),
        rows::init(v),         rows::working_directory(v),
        rows::hostname(v),     rows::oci_runtime(v),
        rows::warnings(v),
    };
}

std::vector<Finding> shortfalls(const std::vector<Finding>& findings) {
    std::vector<Finding> bad;
    for (const Finding& each : findings)
        if (!each.ok) bad.push_back(each);
    return bad;
}

std::string describe(const std::vector<Finding>& shortfalls) {
    std::string text;
    for (const Finding& each : shortfalls) {
        if (!text.empty()) text += "\n";
        text += each.row + ": asked " + each.asked;
        if (!each.engine.empty() && each.engine != each.asked) text += ", the engine says " + each.engine;
        if (each.guest.starts_with("the guest "))
            text += ", " + each.guest;
        else if (!each.guest.empty())
            text += ", the guest sees " + each.guest;
        if (!each.why.empty()) text += ": " + each.why;
        if (!each.advice.empty()) text += "; " + each.advice;
    }
    return text;
}

} // namespace sandbox
