#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "src/sandbox/instance.h"

using sandbox::Instance;
using sandbox::OwnerState;
namespace label = sandbox::label;

namespace {

namespace fs = std::filesystem;
using Labels = std::map<std::string, std::string>;

/// A state folder of this test, gone with it.
struct StateFolder {
    fs::path path = fs::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    ~StateFolder() { fs::remove_all(path); }
    std::string str() const { return path.string(); }
    std::size_t lock_files() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(path / "instances"))
            count += entry.path().extension() == ".lock" ? 1 : 0;
        return count;
    }
};

/// Another process with an instance of its own, which lives until it is told to end, or is killed.
class OtherProcess {
public:
    explicit OtherProcess(const std::string& state_dir) {
        int labels[2], stop[2];
        REQUIRE(::pipe2(labels, O_CLOEXEC) == 0);
        REQUIRE(::pipe2(stop, O_CLOEXEC) == 0);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::close(stop[1]);
            std::signal(SIGTERM, SIG_DFL); // doctest's own reports a crash
            live(state_dir, labels[1], stop[0]);
        }
        ::close(labels[1]);
        ::close(stop[0]);
        stop_ = stop[1];
        read_labels(labels[0]);
    }
    ~OtherProcess() { end(SIGKILL); }

    const Labels& labels() const { return labels_; }

    /// Ends it: 0 asks, as an orderly exit does; a signal kills.
    void end(int signal) {
        if (pid_ <= 0) return;
        if (signal != 0) ::kill(pid_, signal);
        ::close(stop_);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    [[noreturn]] static void live(const std::string& state_dir, int to, int from) {
        {
            const Instance instance(state_dir);
            std::string text;
            for (const auto& [name, value] : instance.labels(std::chrono::seconds(60)))
                text += name + '\n' + value + '\n';
            if (::write(to, text.data(), text.size()) < 0) ::_exit(1);
            ::close(to);
            char unused = 0;
            while (::read(from, &unused, 1) > 0) {
            }
        }
        ::_exit(0);
    }
    void read_labels(int from) {
        std::string text;
        char part[512];
        for (ssize_t size = 0; (size = ::read(from, part, sizeof part)) > 0;)
            text.append(part, static_cast<std::size_t>(size));
        ::close(from);
        while (!text.empty()) {
            const std::size_t name = text.find('\n'), value = text.find('\n', name + 1);
            labels_[text.substr(0, name)] = text.substr(name + 1, value - name - 1);
            text.erase(0, value + 1);
        }
        REQUIRE(labels_.contains(label::process));
    }

    pid_t pid_ = -1;
    int stop_ = -1;
    Labels labels_;
};

Labels changed(Labels labels, const char* name, const std::string& value) {
    labels[name] = value;
    return labels;
}

} // namespace

TEST_CASE("Instance: its own labels are ours, with a deadline after their life") {
    const StateFolder state;
    const Instance instance(state.str());
    const Labels labels = instance.labels(std::chrono::seconds(100));
    CHECK(instance.state_of(labels) == OwnerState::ours);
    CHECK(labels.at(label::mark) == "1");
    CHECK(labels.at(label::instance) == instance.id());
    CHECK(std::stoll(labels.at(label::deadline)) - std::stoll(labels.at(label::created)) == 100);
    CHECK(instance.id().size() == 16);
}

TEST_CASE("Instance: names are of this instance, valid for an engine, and never the same") {
    const StateFolder state;
    const Instance instance(state.str());
    std::set<std::string> names;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = instance.new_name();
        CHECK(names.insert(name).second);
        CHECK(name.starts_with("cordon-" + instance.id().substr(0, 8) + '-'));
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
        CHECK(name.size() <= 63);
    }
}

TEST_CASE("Instance: another process's is alive while it lives, and dead after an end or a kill") {
    const StateFolder state;
    const Instance instance(state.str());
    for (const int signal : {0, SIGTERM, SIGKILL}) {
        CAPTURE(signal);
        OtherProcess other(state.str());
        for (int i = 0; i < 3; ++i)
            CHECK(instance.state_of(other.labels()) == OwnerState::alive); // looking does not disturb it
        CHECK(instance.tidy() == 0);
        CHECK(instance.state_of(other.labels()) == OwnerState::alive);
        other.end(signal);
        CHECK(instance.state_of(other.labels()) == OwnerState::dead);
        CHECK(instance.tidy() == (signal == 0 ? 0 : 1)); // an orderly end takes its file along
        CHECK(instance.state_of(other.labels()) == OwnerState::dead);
    }
    CHECK(state.lock_files() == 1);
}

TEST_CASE("Instance: two in one process are two, and live as long as it does") {
    const StateFolder state;
    const Instance first(state.str());
    auto second = std::make_unique<Instance>(state.str());
    const Labels labels = second->labels(std::chrono::seconds(1));
    CHECK(first.id() != second->id());
    CHECK(first.state_of(labels) == OwnerState::alive);
    CHECK(second->state_of(labels) == OwnerState::ours);
    second.reset();
    CHECK(first.state_of(labels) == OwnerState::alive);
    CHECK(first.state_of(changed(labels, label::process, "")) == OwnerState::dead);
}

TEST_CASE("Instance: one with another state folder is alive while its process is") {
    const StateFolder state, elsewhere;
    const Instance instance(state.str());
    OtherProcess other(elsewhere.str());
    CHECK(instance.state_of(other.labels()) == OwnerState::alive);
    const std::string process = other.labels().at(label::process);
    // a process id that was given anew to another process has another start time
    CHECK(instance.state_of(changed(other.labels(), label::process, process + "1")) == OwnerState::dead);
    other.end(SIGKILL);
    CHECK(instance.state_of(other.labels()) == OwnerState::dead);
}

TEST_CASE("Instance: a locked file says alive, whatever the label says of the process") {
    const StateFolder state;
    const Instance instance(state.str());
    OtherProcess other(state.str());
    for (const char* odd : {"", "1", "-", "99999999999-1", "self-1", "../1-1", "1-", "-5-1"}) {
        CAPTURE(odd);
        CHECK(instance.state_of(changed(other.labels(), label::process, odd)) == OwnerState::alive);
    }
    other.end(SIGKILL);
    for (const char* odd : {"", "-", "99999999999-1", "self-1", "../1-1", "-5-1"}) {
        CAPTURE(odd);
        CHECK(instance.state_of(changed(other.labels(), label::process, odd)) == OwnerState::dead);
    }
}

TEST_CASE("Instance: two who look at a dead one at once both see that it is dead") {
    const StateFolder state;
    const Instance instance(state.str());
    OtherProcess other(state.str());
    other.end(SIGKILL);
    const std::string file = state.str() + "/instances/" + other.labels().at(label::instance) + ".lock";
    const int looking = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(looking >= 0);
    REQUIRE(::flock(looking, LOCK_SH | LOCK_NB) == 0);
    CHECK(instance.state_of(other.labels()) == OwnerState::dead);
    ::close(looking);
}

TEST_CASE("Instance: one of an earlier boot is dead, whatever its file says") {
    const StateFolder state;
    const Instance instance(state.str());
    const OtherProcess other(state.str());
    const std::string boot = other.labels().at(label::boot);
    const std::string earlier = "00000000-0000-0000-0000-000000000000" + boot.substr(36);
    CHECK(instance.state_of(changed(other.labels(), label::boot, earlier)) == OwnerState::dead);
}

TEST_CASE("Instance: what is not certainly of this user, machine and namespace is unknown") {
    const StateFolder state;
    const Instance instance(state.str());
    OtherProcess other(state.str());
    const Labels labels = other.labels();
    other.end(SIGKILL);
    REQUIRE(instance.state_of(labels) == OwnerState::dead);
    const std::string boot = labels.at(label::boot).substr(0, 36);
    CHECK(instance.state_of({}) == OwnerState::unknown);
    CHECK(instance.state_of({{label::mark, "1"}}) == OwnerState::unknown);
    CHECK(instance.state_of(changed(labels, label::owner, "another-machine-1000")) == OwnerState::unknown);
    CHECK(instance.state_of(changed(labels, label::owner, "")) == OwnerState::unknown);
    CHECK(instance.state_of(changed(labels, label::boot, boot + "-1")) ==
          OwnerState::unknown); // another process namespace
    CHECK(instance.state_of(changed(labels, label::boot, "")) == OwnerState::unknown);
    CHECK(instance.state_of(changed(labels, label::boot, "short")) == OwnerState::unknown);
    for (const char* odd : {"", "../../etc/passwd", "ABC", "a/b", "x",
                            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"}) {
        CAPTURE(odd);
        CHECK(instance.state_of(changed(labels, label::instance, odd)) == OwnerState::unknown);
    }
    // our own id under another owner is not ours
    CHECK(instance.state_of(changed(changed(labels, label::instance, instance.id()), label::owner, "x")) ==
          OwnerState::unknown);
}

TEST_CASE("Instance: tidy removes the files of the dead, and nothing else") {
    const StateFolder state;
    const Instance instance(state.str());
    const OtherProcess living(state.str());
    const fs::path folder = state.path / "instances";
    for (const char* name :
         {"0123456789abcdef.lock", "fedcba9876543210.lock", "notes.txt", "NOT-HEX.lock", "0123.lock.bak"})
        std::ofstream(folder / name) << "x";
    CHECK(instance.tidy() == 2);
    CHECK(instance.tidy() == 0);
    for (const char* name : {"notes.txt", "NOT-HEX.lock", "0123.lock.bak"}) CHECK(fs::exists(folder / name));
    CHECK(fs::exists(folder / (instance.id() + ".lock")));
    CHECK(instance.state_of(living.labels()) == OwnerState::alive);
}

TEST_CASE("Instance: the files are their owner's alone") {
    const StateFolder state;
    const mode_t before = ::umask(0);
    const Instance instance(state.str());
    ::umask(before);
    struct stat about {};
    REQUIRE(::stat(state.str().c_str(), &about) == 0);
    CHECK((about.st_mode & 07777u) == 0700u);
    REQUIRE(::stat((state.str() + "/instances/" + instance.id() + ".lock").c_str(), &about) == 0);
    CHECK((about.st_mode & 07777u) == 0600u);
}

TEST_CASE("Instance: many that start and tidy at once never lose their files") {
    const StateFolder state;
    fs::create_directories(state.path);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            int lost = 0;
            for (int round = 0; round < 50; ++round) {
                const Instance instance(state.str());
                instance.tidy();
                lost += fs::exists(state.path / "instances" / (instance.id() + ".lock")) ? 0 : 1;
            }
            ::_exit(lost > 0 ? 1 : 0);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        REQUIRE(::waitpid(pid, &status, 0) == pid);
        CHECK(status == 0);
    }
    CHECK(state.lock_files() == 0);
}

TEST_CASE("Instance: a folder that cannot be made is an error") {
    const StateFolder state;
    fs::create_directories(state.path);
    std::ofstream(state.path / "file") << "x";
    CHECK_THROWS_AS(Instance((state.path / "file").string()), std::system_error);
}

TEST_CASE("past_deadline: ten minutes after it; one that cannot be read has not passed") {
    const auto at = [](std::int64_t seconds) {
        return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
    };
    const Labels labels = {{label::deadline, "1000000"}};
    CHECK_FALSE(sandbox::past_deadline(labels, at(0)));
    CHECK_FALSE(sandbox::past_deadline(labels, at(1000000)));
    CHECK_FALSE(sandbox::past_deadline(labels, at(1000600)));
    CHECK(sandbox::past_deadline(labels, at(1000601)));
    for (const char* unreadable : {"", "soon", "1e6", "1000000 ", " 1000000", "-1", "99999999999999999999"}) {
        CAPTURE(unreadable);
        CHECK_FALSE(sandbox::past_deadline({{label::deadline, unreadable}}, at(4'000'000'000)));
    }
    CHECK_FALSE(sandbox::past_deadline({}, at(4'000'000'000)));
}

TEST_CASE("is_ours: only a name and labels that are wholly as an instance makes them") {
    const StateFolder state;
    const Instance instance(state.str());
    const Labels labels = instance.labels(std::chrono::seconds(60));
    const std::string name = instance.new_name();
    CHECK(sandbox::is_ours(name, labels));
    CHECK(sandbox::is_ours(name, changed(labels, label::process, ""))); // /proc may not say
    const auto other_name = [&](const std::string& other) { return sandbox::is_ours(other, labels); };
    for (const std::string& other :
         {std::string(), std::string("cordon-database-and-much-data"), std::string("postgres"), name + "0",
          name.substr(0, 27), "/" + name, "cordon-00000000-" + name.substr(16),
          name.substr(0, 16) + "0123456789AB"})
        CHECK_FALSE(other_name(other));
    for (const char* each :
         {label::mark, label::owner, label::boot, label::instance, label::created, label::deadline}) {
        CAPTURE(each);
        Labels without = labels;
        without.erase(each);
        CHECK_FALSE(sandbox::is_ours(name, without));
        for (const char* bad : {"", "x", "-", "1 ", "../..", "-5", "1e9", "99999999999999999999"})
            CHECK_FALSE(sandbox::is_ours(name, changed(labels, each, bad)));
    }
    CHECK_FALSE(sandbox::is_ours(name, changed(labels, label::process, "no process")));
    CHECK_FALSE(sandbox::is_ours(name, changed(labels, label::deadline, "5"))); // before it was made
    CHECK_FALSE(sandbox::is_ours(name, {}));
}

TEST_CASE("random_hex: as many digits as asked for, never the same") {
    for (const int digits : {1, 7, 8, 9, 64}) {
        const std::string text = sandbox::random_hex(digits);
        CHECK(text.size() == static_cast<std::size_t>(digits));
        CHECK(text.find_first_not_of("0123456789abcdef") == std::string::npos);
    }
    CHECK(sandbox::random_hex(32) != sandbox::random_hex(32));
}

TEST_CASE("Instance: its time for deadlines is the host's") {
    const StateFolder state;
    const Instance instance(state.str());
    const auto host = std::chrono::system_clock::now();
    const auto apart = host - instance.now();
    CHECK(apart < std::chrono::seconds(60));
    CHECK(apart > -std::chrono::seconds(60));
}
