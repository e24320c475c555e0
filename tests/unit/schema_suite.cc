// Holds the schema check against the JSON Schema Test Suite as Debian installs it (package
// json-schema-test-suite), and prints the share of its cases on which they agree.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "src/base/json.h"
#include "src/schema/check.h"

namespace {

namespace fs = std::filesystem;

/// Debian's has the drafts up to 7; a copy of the whole may be named instead.
fs::path suite_folder() {
    const char* other = std::getenv("CORDON_SCHEMA_SUITE");
    return fs::path(other ? other : "/usr/share/json-schema-test-suite") / "tests";
}

struct Share {
    int agreed = 0;
    int cases = 0;
    int blocked_wrongly = 0; ///< Valid by the suite, refused by us: the kind that hurts.
    std::map<std::string, int> differing{};
};

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The suite says by folder which draft a schema is of; a tool's schema says it itself.
std::string with_dialect(std::string_view schema, std::string_view uri) {
    if (json::kind(schema) != json::Kind::object || json::member(schema, "$schema"))
        return std::string(schema);
    json::Writer out;
    out.object().field("$schema", uri);
    for (const json::Member& member : json::members(schema)) out.raw_field(member.key, member.value);
    return out.end().take();
}

void run_file(const fs::path& path, std::string_view dialect, Share& share) {
    schema::Check check;
    const std::string text = read_file(path);
    json::check(text);
    for (const std::string_view group : json::elements(text)) {
        const std::string schema = with_dialect(json::member(group, "schema").value(), dialect);
        for (const std::string_view each : json::elements(json::member(group, "tests").value())) {
            const bool valid = json::member(each, "valid") == "true";
            const bool passed = check.problems(schema, json::member(each, "data").value()).empty();
            ++share.cases;
            share.agreed += passed == valid ? 1 : 0;
            share.blocked_wrongly += valid && !passed ? 1 : 0;
            if (passed != valid) ++share.differing[path.stem().string()];
        }
    }
}

Share run_folder(const std::string& draft, std::string_view dialect) {
    Share share;
    for (const auto& entry : fs::directory_iterator(suite_folder() / draft))
        if (entry.path().extension() == ".json") run_file(entry.path(), dialect, share);
    std::string differing;
    for (const auto& [name, count] : share.differing) differing += " " + name + ":" + std::to_string(count);
    MESSAGE(draft << ": agrees in " << share.agreed << " of " << share.cases << " cases ("
                  << 100.0 * share.agreed / share.cases << " %), refuses " << share.blocked_wrongly
                  << " that are valid; differs in" << differing);
    return share;
}

} // namespace

TEST_CASE("SchemaCheck: agrees with the JSON Schema Test Suite, and hardly ever refuses what is valid") {
    REQUIRE_MESSAGE(fs::exists(suite_folder()),
                    "install the package json-schema-test-suite, or name a copy by CORDON_SCHEMA_SUITE");
    int folders = 0;
    for (const auto& [draft, dialect] :
         {std::pair("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
          std::pair("draft7", "http://json-schema.org/draft-07/schema#"),
          std::pair("draft6", "http://json-schema.org/draft-06/schema#")}) {
        if (!fs::exists(suite_folder() / draft)) continue;
        const Share share = run_folder(draft, dialect);
        CHECK(share.cases > 400);
        CHECK(share.agreed >= share.cases * 95 / 100);
        ++folders;
    }
    CHECK(folders > 0);
}
