#include "src/sandbox/instance.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

#include "src/base/private_folder.h"

namespace sandbox {
namespace {

namespace fs = std::filesystem;

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Who we are for others on this machine. /etc/machine-id may be missing in a container: then the boot id
// stands in.
std::string machine() {
    std::string id = first_line("/etc/machine-id");
    if (id.empty()) id = first_line("/proc/sys/kernel/random/boot_id");
    return id.substr(0, 32);
}

// A lock can be trusted only by those who see the same processes and the same boot.
std::string boot_and_namespace() {
    struct stat info {};
    const bool there = ::stat("/proc/self/ns/pid", &info) == 0;
    return first_line("/proc/sys/kernel/random/boot_id").substr(0, 36) + '-' +
           (there ? std::to_string(info.st_ino) : "0");
}

// "pid-start time" of a process that lives, in the words of /proc/<pid>/stat; "" where there is none.
std::string living_process(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end_of_name = text.rfind(')'); // a name may hold anything
    if (end_of_name == std::string::npos) return {};
    std::istringstream fields(text.substr(end_of_name + 1));
    std::string state, field;
    fields >> state;
    for (int i = 4; i <= 22; ++i) fields >> field; // the 22nd is the start time
    return state == "Z" || state == "X" ? std::string() : pid + '-' + field;
}

std::string value_of(const std::map<std::string, std::string>& labels, const char* name) {
    const auto it = labels.find(name);
    return it == labels.end() ? std::string() : it->second;
}

constexpr std::string_view hex_digits = "0123456789abcdef", digits = "0123456789";

bool made_of(std::string_view text, std::string_view characters, std::size_t most) {
    return !text.empty() && text.size() <= most && text.find_first_not_of(characters) == text.npos;
}

bool is_hex(const std::string& text) { return made_of(text, hex_digits, 64); }

// "name-number"
bool is_numbered(const std::string& text, std::size_t most_name) {
    const std::size_t dash = text.rfind('-');
    return dash != std::string::npos && made_of(text.substr(dash + 1), digits, 20) &&
           made_of(text.substr(0, dash), "0123456789abcdef-", most_name);
}

// Seconds since 1970, as we write them; -1 where the text is none.
std::int64_t time_of(const std::string& text) {
    std::int64_t value = -1;
    if (made_of(text, digits, 12)) std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// A new file, locked for as long as its descriptor lives; -1 where somebody removed it meanwhile. Throws
// where it cannot be had.
int locked_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    // those who only look hold a shared lock for a moment, so this waits for no longer
    if (fd < 0 || ::flock(fd, LOCK_EX) != 0) {
        const int reason = errno;
        ::close(fd);
        throw std::system_error(reason, std::generic_category(), "instance file " + path);
    }
    struct stat info {};
    if (::fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
    ::close(fd);
    return -1;
}

std::int64_t seconds_since_1970(std::chrono::system_clock::time_point t) {
    return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
}

// What has passed since the machine's boot, sleep included.
std::chrono::system_clock::duration since_boot() {
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

} // namespace

std::string random_hex(int digits) {
    std::random_device device; // getrandom or /dev/urandom
    std::string text;
    while (static_cast<int>(text.size()) < digits) {
        char part[9];
        std::snprintf(part, sizeof part, "%08x", device());
        text += part;
    }
    text.resize(static_cast<std::size_t>(digits));
    return text;
}

Instance::Instance(const std::string& state_dir)
    : folder_(state_dir + "/instances"), id_(random_hex(16)),
      owner_(machine() + '-' + std::to_string(::getuid())), boot_(boot_and_namespace()),
      process_(living_process(std::to_string(::getpid()))),
      ahead_of_boot_(std::chrono::system_clock::now().time_since_epoch() - since_boot()) {
    base::make_private_folder(state_dir);
    base::make_private_folder(folder_);
    // A tidy() of another instance may take the new file for a dead one's and remove it before it is locked:
    // then once more.
    for (int tries = 0; lock_ < 0 && tries < 100; ++tries) lock_ = locked_file(folder_ + '/' + id_ + ".lock");
    if (lock_ < 0) throw std::system_error(EBUSY, std::generic_category(), "instance file in " + folder_);
}

Instance::~Instance() {
    ::unlink((folder_ + '/' + id_ + ".lock").c_str());
    ::close(lock_);
}

std::string Instance::new_name() const { return "cordon-" + id_.substr(0, 8) + '-' + random_hex(12); }

std::map<std::string, std::string> Instance::labels(std::chrono::seconds life) const {
    const std::int64_t now = seconds_since_1970(std::chrono::system_clock::now());
    return {{label::mark, "1"},
            {label::owner, owner_},
            {label::boot, boot_},
            {label::instance, id_},
            {label::process, process_},
            {label::created, std::to_string(now)},
            {label::deadline, std::to_string(now + life.count())}};
}

std::chrono::system_clock::time_point Instance::now() const {
    const auto without_jumps = std::chrono::system_clock::time_point(ahead_of_boot_ + since_boot());
    return std::min(std::chrono::system_clock::now(), without_jumps);
}

OwnerState Instance::state_of(const std::map<std::string, std::string>& labels) const {
    const std::string instance = value_of(labels, label::instance);
    if (value_of(labels, label::owner) != owner_) return OwnerState::unknown;
    if (instance == id_) return OwnerState::ours;
    const std::string boot = value_of(labels, label::boot);
    const std::string boot_id = boot.substr(0, 36);
    if (boot_id.size() == 36 && boot_id != boot_.substr(0, 36))
        return OwnerState::dead; // the machine was started anew since
    if (boot != boot_ || !is_hex(instance)) return OwnerState::unknown;
    const std::string process = value_of(labels, label::process);
    const std::string pid = process.substr(0, process.find('-'));
    const bool runs = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos &&
                      living_process(pid) == process;
    return runs || is_locked(instance) ? OwnerState::alive : OwnerState::dead;
}

bool Instance::is_locked(const std::string& instance) const {
    const int fd = ::open((folder_ + '/' + instance + ".lock").c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT; // a file that we may not open belongs to somebody
    const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) !=
                        0; // shared: two who look at once do not take each other for its owner
    ::close(fd);
    return locked;
}

bool Instance::remove_if_dead(const std::string& path) const {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    // held while it is removed, so that one who has just made the file and not yet locked it waits, and then
    // sees that it is gone
    const bool removed = ::flock(fd, LOCK_SH | LOCK_NB) == 0 && ::unlink(path.c_str()) == 0;
    ::close(fd);
    return removed;
}

int Instance::tidy() const {
    int removed = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".lock" || !is_hex(name) || name == id_) continue;
        removed += remove_if_dead(entry.path().string()) ? 1 : 0;
    }
    return removed;
}

bool is_ours(const std::string& name, const std::map<std::string, std::string>& labels) {
    const std::string instance = value_of(labels, label::instance),
                      process = value_of(labels, label::process);
    const std::int64_t created = time_of(value_of(labels, label::created)),
                       deadline = time_of(value_of(labels, label::deadline));
    const std::string begin = "cordon-" + instance.substr(0, 8) + '-';
    return value_of(labels, label::mark) == "1" && instance.size() == 16 && is_hex(instance) &&
           is_numbered(value_of(labels, label::owner), 32) &&
           is_numbered(value_of(labels, label::boot), 36) && (process.empty() || is_numbered(process, 20)) &&
           created >= 0 && deadline >= created && name.starts_with(begin) &&
           name.size() == begin.size() + 12 && is_hex(name.substr(begin.size()));
}

bool past_deadline(const std::map<std::string, std::string>& labels,
                   std::chrono::system_clock::time_point now) {
    const std::int64_t deadline = time_of(value_of(labels, label::deadline));
    return deadline >= 0 && seconds_since_1970(now) > deadline + 600;
}

} // namespace sandbox
