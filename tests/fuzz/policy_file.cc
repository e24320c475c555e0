#include "src/policy/policy_file.h"

#include "src/policy/decide.h"
#include "tests/fuzz/fuzz.h"

// A policy file, however broken, is read or has at least one error with its place; what was read decides.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const policy::Rules rules = policy::read_policy(std::string(fuzz::view(data, size)), "p", "/home/me");
        const policy::Target target{"files", "read_file", "{\"readOnlyHint\":true}"};
        const std::string arguments = R"({"path":"/home/me/a","paths":["/a",1],"n":7})";
        const policy::Match found = policy::match(rules, target, arguments);
        const policy::Outlook outlook = policy::outlook(rules, target);
        fuzz::promise(found.action != policy::Action::allow || outlook.may_pass);
        fuzz::promise(found.action != policy::Action::ask || outlook.may_ask);
        const bool hidden = !policy::server_refusal(rules, target.server).empty();
        fuzz::promise(!hidden || outlook.never());
    } catch (const policy::FileErrors& e) {
        fuzz::promise(std::string(e.what()).starts_with("p:"));
    }
    return 0;
}
