#include "src/policy/store.h"

#include <sys/stat.h>

#include <filesystem>

#include "src/base/changeable.h"
#include "src/base/private_file.h"
#include "src/base/small_file.h"
#include "src/policy/append.h"
#include "src/policy/policy_file.h"

namespace policy {

Store::Store(Options options) : options_(std::move(options)) {
    stamp_ = stamp();
    if (options_.must_be_there && !stamp_.there)
        throw std::runtime_error(options_.file + ": the policy file is not there");
    rules_ = read();
    looked_ = std::chrono::steady_clock::now();
}

Store::Stamp Store::stamp() const {
    struct stat about {};
    Stamp seen;
    if (options_.file.empty() || ::stat(options_.file.c_str(), &about) != 0) return seen;
    seen.there = true;
    seen.seconds = about.st_mtim.tv_sec;
    seen.nanoseconds = about.st_mtim.tv_nsec;
    seen.size = about.st_size;
    seen.inode = about.st_ino;
    return seen;
}

// Whoever can write the file decides what code may call.
std::shared_ptr<const Rules> Store::read() const {
    const std::vector<Rule> flags = rules_of_flags(options_.deny, options_.ask, options_.allow);
    Rules rules;
    const std::string& file = options_.file;
    if (!file.empty() && stamp().there) { // where there is none, it does not matter who could make one
        if (const auto changeable = base::changeable_by_others(file))
            throw std::runtime_error(file + ": not read, since others could have written it: " +
                                     changeable->why + "; to mend that: " + changeable->mend);
        if (const auto text = base::read_small_file(file, most_policy_file))
            rules = read_policy(*text, file, options_.home);
    }
    rules.rules.insert(rules.rules.begin(), flags.begin(), flags.end());
    return std::make_shared<const Rules>(std::move(rules));
}

void Store::read_anew(const Stamp& seen) {
    const auto say = [this](bool is_error, const std::string& line) {
        if (options_.say) options_.say(is_error, line);
    };
    stamp_ = seen;
    try {
        const bool had = !rules_->file.empty();
        if (!seen.there && had) throw std::runtime_error(options_.file + ": the policy file is gone");
        rules_ = read();
        trouble_.clear();
        say(false, "the policy in " + options_.file + " was read anew");
    } catch (const std::runtime_error& e) {
        trouble_ = std::string(e.what()) + "\nThe policy as it was before stays in force.";
        say(true, trouble_);
    }
}

std::shared_ptr<const Rules> Store::current(std::chrono::steady_clock::time_point now) {
    if (options_.file.empty() || now - looked_ < std::chrono::seconds(1)) return rules_;
    looked_ = now;
    const Stamp seen = stamp();
    if (seen != stamp_) read_anew(seen);
    return rules_;
}

// A link is followed, and stays one.
void Store::add_allowing(const Rule* asking, const Target& target) {
    const auto text = base::read_small_file(options_.file, most_policy_file);
    if (!text) throw std::runtime_error(options_.file + " cannot be read");
    const std::string fresh = with_allowing_rule(*text, options_.file, options_.home, asking, target);
    if (fresh.size() > most_policy_file) throw std::runtime_error(options_.file + " is full");
    base::write_private_file(std::filesystem::canonical(options_.file).string(), fresh);
    looked_ = {};
}

std::string usual_policy_file(const std::string& home) {
    return home.starts_with('/') ? home + "/.config/cordon/policy.toml" : std::string();
}

} // namespace policy
