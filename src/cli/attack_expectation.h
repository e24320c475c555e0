#pragma once
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// What the header of an attack says must happen (tests/attack/README.md has its lines). Pure, as all in this
/// file.
struct AttackExpectation {
    std::string title;                ///< First line of the doc string.
    std::set<std::string> statuses{}; ///< Any of these: "success", "error", "timeout", …
    std::string output =
        "^HELD"; ///< RE2, line by line: the text of the result holds it. "any": whatever it is.
    std::string
        never_output{}; ///< RE2: the text does not hold it; empty: nothing beyond what no attack may say.
    std::string hits_limit{};         ///< The result names this limit.
    std::string needs_limit{};        ///< A row of the attestation without which it proves nothing.
    std::string machine{};            ///< Empty: any.
    std::chrono::seconds timeout{20}; ///< For the run.
    std::chrono::seconds within{40};  ///< For the result to be there.
    int runs = 1;                     ///< One after the other.
    bool alone = false; ///< Exhausts something: nothing runs beside it, and a plain call must work after it.
};

/// Reads an attack's header. Throws std::invalid_argument for one that is not understood to the last word, so
/// that a misspelt expectation is not taken for one that is met.
AttackExpectation read_expectation(std::string_view source);

/// For a host on which everything takes `times` as long: the result may come later, and code that has to get
/// to its end has more time to.
void be_patient(AttackExpectation& expectation, int times);

/// Why it makes no sense where these rows of the attestation are not enforced, or on this machine (`uname
/// -m`); empty where it does.
std::string cannot_be_tried(const AttackExpectation& expectation,
                            const std::vector<std::string>& not_enforced, std::string_view machine);

/// How one run ended, as far as it is judged.
struct AttackOutcome {
    std::string status; ///< As in `_meta`: "success", "out_of_memory", …
    std::string text;   ///< As a client gets it.
    std::vector<std::string> limits{};
    std::chrono::duration<double> took{};
};

/// What is wrong with it; empty: the attack was held.
std::vector<std::string> complaints(const AttackExpectation& expectation, const AttackOutcome& outcome);

} // namespace cli
