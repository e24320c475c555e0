#include "src/base/json_repair.h"
#include "tests/fuzz/fuzz.h"

// What check() passes is not changed; what is repaired stays as it is when it is repaired again; places stay
// in the text.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::view(data, size));
    std::string out;
    const json::Repairs repairs = json::repair(text, out, 64);
    const auto fault = json::fault_in(out, 64, true);
    const bool marked = text.starts_with("\xEF\xBB\xBF");
    std::string whole = text;
    json::repair_surrogates(whole);
    if (!marked && !json::fault_in(whole, 64)) fuzz::promise(out == whole && repairs.what.empty());
    fuzz::promise(out.size() <= 6 * text.size());
    for (const json::NotFinite& each : repairs.not_finite)
        fuzz::promise(out.compare(each.at, 4, "null") == 0);
    if (fault) {
        const std::size_t at = json::before_repair(text, fault->at);
        fuzz::promise(at <= text.size());
        json::check(json::quote(json::excerpt(text, at)));
    } else {
        std::string again;
        json::repair(out, again, 64);
        fuzz::promise(again == out);
    }
    const std::string id = json::answer_id(text);
    if (!id.empty()) json::check(id);
    json::drop_bad_tools(out, 64);
    return 0;
}
