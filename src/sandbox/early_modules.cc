#include "src/sandbox/early_modules.h"

#include <algorithm>

#include "src/base/json.h"
#include "src/base/module_name.h"
#include "src/base/private_file.h"
#include "src/base/small_file.h"

namespace sandbox {
namespace {

constexpr std::size_t most_file = 64 << 10;
constexpr std::size_t most_why = 100;

} // namespace

EarlyModules::EarlyModules(Options options) : options_(std::move(options)) {
    if (options_.learn && !options_.file.empty()) read();
}

void EarlyModules::read() {
    try {
        const std::optional<std::string> text = base::read_small_file(options_.file, most_file);
        if (!text) return;
        const json::Document document(*text);
        const json::Reader modules = document.root("file").at("modules");
        for (const std::string& name : modules.keys()) {
            if (!base::is_module_name(name) || modules_.size() >= most_known) continue;
            const json::Reader each = modules.at(name.c_str());
            Module module;
            each.read_optional("uses", module.uses);
            each.read_optional("unused", module.unused);
            each.read_optional("ms", module.ms);
            each.read_optional("kib", module.kib);
            each.read_optional("why_not", module.why_not);
            modules_.emplace(name, std::move(module));
        }
        written_ = *text;
    } catch (const std::exception&) { // learned anew
        modules_.clear();
    }
}

void EarlyModules::write() const {
    if (options_.file.empty() || !options_.learn) return;
    json::Writer w;
    w.object().key("modules").object();
    for (const auto& [name, module] : modules_) {
        w.key(name).object().field("uses", module.uses).field("unused", module.unused);
        w.field("ms", module.ms).field("kib", module.kib);
        if (!module.why_not.empty()) w.field("why_not", module.why_not);
        w.end();
    }
    std::string text = w.end().end().take();
    if (text == written_) return;
    try {
        base::write_private_file(options_.file, text);
        written_ = std::move(text);
    } catch (const std::exception&) { // the next Cordon learns it anew
    }
}

std::vector<std::string> EarlyModules::chosen() const {
    std::vector<std::string> names = options_.named;
    std::vector<std::pair<int, std::string>> learned;
    for (const auto& [name, module] : modules_)
        if (module.uses > 0 && module.why_not.empty() && !module.light())
            learned.emplace_back(-module.uses, name);
    std::sort(learned.begin(), learned.end());
    if (options_.learn)
        for (auto& [uses, name] : learned)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    if (names.size() > most_imported) names.resize(most_imported);
    return names;
}

std::string EarlyModules::for_guest() const {
    const std::vector<std::string> names = chosen();
    if (names.empty() || options_.most_bytes <= 0) return "";
    std::string text = std::to_string(options_.most_bytes);
    for (const std::string& name : names) text.append("\n").append(name);
    return text;
}

void EarlyModules::used(const std::vector<std::string>& names) {
    if (!options_.learn) return;
    for (auto each = modules_.begin(); each != modules_.end();)
        each = ++each->second.unused > forgotten_after ? modules_.erase(each) : std::next(each);
    bool is_new = false;
    for (const std::string& name : names) {
        const auto found = modules_.find(name);
        if (found == modules_.end() && (modules_.size() >= most_known || !base::is_module_name(name)))
            continue;
        is_new = is_new || found == modules_.end();
        Module& module = modules_[name];
        module.uses = std::min(module.uses + 1, 1000);
        module.unused = 0;
    }
    if (is_new) write(); // counts alone are not worth a disk
}

void EarlyModules::imported(const std::string& name, std::int64_t ms, std::int64_t kib) {
    const auto found = modules_.find(name);
    const bool is_named =
        std::find(options_.named.begin(), options_.named.end(), name) != options_.named.end();
    if (found == modules_.end() && !is_named) return;
    Module& module = modules_[name];
    if (module.ms >= 0) return; // what came after other modules of its own is told as less
    module.ms = std::clamp<std::int64_t>(ms, 0, 1'000'000);
    module.kib = std::clamp<std::int64_t>(kib, 0, std::int64_t{1} << 40);
    write();
}

void EarlyModules::failed(const std::string& name, const std::string& why) {
    const bool is_named =
        std::find(options_.named.begin(), options_.named.end(), name) != options_.named.end();
    if (!modules_.contains(name) && !is_named) return;
    modules_[name].why_not = why.substr(0, most_why);
    write();
}

} // namespace sandbox
