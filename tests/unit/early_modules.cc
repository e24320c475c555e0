#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "src/base/module_name.h"
#include "src/base/random_name.h"
#include "src/sandbox/early_modules.h"

using sandbox::EarlyModules;

namespace {

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("cordon-early-" + base::random_name());
    std::string file = (path / "x.json").string();
    ~Folder() { std::filesystem::remove_all(path); }
};

EarlyModules::Options options(std::string file = {}) {
    EarlyModules::Options o;
    o.most_bytes = 1000;
    o.file = std::move(file);
    return o;
}

} // namespace

TEST_CASE("EarlyModules: names that programs give are names of modules, or nothing") {
    for (const char* good : {"numpy", "matplotlib.pyplot", "_x", "a1.b2", "A"})
        CHECK(base::is_module_name(good));
    for (const char* bad :
         {"", ".", "a.", ".a", "a..b", "1a", "a.1", "a b", "a\nb", "a/b", "../a", "a;b", "ä"})
        CHECK_FALSE(base::is_module_name(bad));
    CHECK(base::is_module_name(std::string(100, 'a')));
    CHECK_FALSE(base::is_module_name(std::string(101, 'a')));
}

TEST_CASE("EarlyModules: what is used is imported early, what is light or fails is not") {
    EarlyModules early(options());
    CHECK(early.for_guest().empty());
    early.used({"numpy", "json", "bad name", "gone"});
    CHECK(early.for_guest() == "1000\ngone\njson\nnumpy");
    early.imported("numpy", 60, 15000);
    early.imported("json", 3, 10);
    early.failed("gone", "ModuleNotFoundError");
    CHECK(early.for_guest() == "1000\nnumpy");
    early.used({"pandas"});
    early.used({"pandas"});
    CHECK(early.for_guest() == "1000\npandas\nnumpy"); // the most used one first
    early.imported("numpy", 1, 1);                     // beside pandas it is light; its own cost stays
    CHECK(early.for_guest() == "1000\npandas\nnumpy");
}

TEST_CASE("EarlyModules: a guest cannot name what nobody used, and numbers are bounded") {
    EarlyModules early(options());
    early.imported("evil", 60, 1);
    early.failed("evil", "x");
    CHECK(early.modules().empty());
    for (int i = 0; i < 1000; ++i) early.used({"m" + std::to_string(i)});
    CHECK(early.modules().size() <= EarlyModules::most_known);
    const std::string text = early.for_guest();
    CHECK(std::count(text.begin(), text.end(), '\n') == static_cast<long>(EarlyModules::most_imported));
}

TEST_CASE("EarlyModules: what no run uses any more is forgotten") {
    EarlyModules early(options());
    early.used({"numpy"});
    for (int i = 0; i <= EarlyModules::forgotten_after; ++i) early.used({});
    CHECK(early.for_guest().empty());
}

TEST_CASE("EarlyModules: named by the user, nothing is learned") {
    EarlyModules::Options named = options();
    named.learn = false;
    named.named = {"b", "a"};
    EarlyModules early(named);
    early.used({"numpy"});
    CHECK(early.for_guest() == "1000\nb\na");
    EarlyModules::Options none = options();
    none.most_bytes = 0;
    CHECK(EarlyModules(none).for_guest().empty());
}

TEST_CASE("EarlyModules: the next Cordon knows, and a damaged file is as none") {
    Folder folder;
    {
        EarlyModules early(options(folder.file));
        early.used({"numpy", "gone"});
        early.imported("numpy", 60, 15000);
        early.failed("gone", "it took too long");
    }
    CHECK(EarlyModules(options(folder.file)).for_guest() == "1000\nnumpy");
    CHECK(EarlyModules(options(folder.file)).modules().at("gone").why_not == "it took too long");
    for (const char* damaged : {"", "{", "[]", R"({"modules":7})", R"({"modules":{"a":{"uses":"x"}}})",
                                R"({"modules":{"../x":{"uses":1}}})"}) {
        std::ofstream(folder.file) << damaged;
        CHECK(EarlyModules(options(folder.file)).for_guest().empty());
    }
}
