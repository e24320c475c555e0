#include "src/base/json.h"
#include "src/base/json_tree.h"
#include "tests/fuzz/fuzz.h"

// What check() passes can be walked by members, elements, the reader and the tree, and is written back to
// something that check() passes, with the same tree.
static void walk(std::string_view text, int depth) {
    for (const json::Member& m : json::members(text)) walk(m.value, depth + 1);
    for (const std::string_view each : json::elements(text)) walk(each, depth + 1);
    if (json::kind(text) == json::Kind::string) json::check(json::quote(json::unquote(text)));
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(fuzz::view(data, size));
    json::repair_surrogates(text);
    try {
        json::check(text, 64);
        walk(text, 0);
        const std::string tree = json::canonical(json::read_tree(text, size + 1, 64));
        const json::Document document(text, 64);
        const std::string again = document.root("root").text();
        json::check(again, 64);
        fuzz::promise(json::Document(again, 64).root().text() == again);
        fuzz::promise(json::canonical(json::read_tree(again, size + 1, 64)) == tree);
    } catch (const json::Error&) {
    }
    json::check(json::quote(fuzz::view(data, size)));
    return 0;
}
