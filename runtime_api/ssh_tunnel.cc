#include "runtime_api/ssh_tunnel.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime_api/error.h"
#include "runtime_api/pause.h"
#include "runtime_api/quiet_process.h"
#include "runtime_api/ssh_folder.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* install_ssh = " (ssh:// needs the OpenSSH client)";
constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::chrono::seconds steady_after{10}; ///< A tunnel that lived so long did not fail to start.

bool accepts(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

/// ssh -L splits at ':' and expands '%' and '$' in what it is given.
void check_far_path(const Endpoint& endpoint) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::strchr("/._-+@=,~", c);
    };
    if (std::all_of(endpoint.path.begin(), endpoint.path.end(), plain)) return;
    throw Error(Errc::bad_endpoint,
                endpoint.url() + ": ssh can forward only to paths of letters, digits and /._-+@=,~");
}

/// The last line that is a number: a shell there may greet before it.
std::string last_number(const std::string& text) {
    std::string found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const bool digits =
            !line.empty() && line.size() <= 10 && line.find_first_not_of("0123456789") == std::string::npos;
        if (digits) found = line;
        begin = end + 1;
    }
    return found;
}

/// ssh's words on one line, the last of them if they are many.
std::string one_line(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.size() > 600) text = "…" + text.substr(text.size() - 600);
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "; ";
        else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
            out += c;
    }
    return out;
}

std::string seconds(std::chrono::milliseconds time) { return std::to_string(time.count() / 1000) + " s"; }

} // namespace

class SshTunnel::Folder : public SshFolder {};

SshTunnel::SshTunnel(Endpoint endpoint, SshOptions options)
    : endpoint_(std::move(endpoint)), options_(std::move(options)) {
    if (endpoint_.kind != Endpoint::Kind::ssh || endpoint_.host.empty() || endpoint_.host.front() == '-')
        throw Error(Errc::bad_endpoint, endpoint_.url() + " is not an ssh:// URL");
    check_far_path(endpoint_);
    folder_ = std::make_unique<Folder>();
    local_path_ = folder_->socket();
}

SshTunnel::~SshTunnel() = default;

pid_t SshTunnel::pid() const { return ssh_ && ssh_->running() ? ssh_->pid() : 0; }

std::string SshTunnel::words(std::size_t since) const {
    const std::string all = ssh_ ? ssh_->errors() : "";
    return one_line(all.substr(std::min(since, all.size())));
}

std::size_t SshTunnel::words_size() const { return ssh_ ? ssh_->errors().size() : 0; }

asio::awaitable<void> SshTunnel::ready() {
    const std::size_t failed_before = starts_failed_;
    while (starting_) co_await pause(poll_interval);
    if (up()) co_return;
    if (starts_failed_ != failed_before)
        throw Error(Errc::unavailable, last_failure_); // we waited for that start
    struct Starting {
        bool& flag;
        explicit Starting(bool& f) : flag(f) { flag = true; }
        ~Starting() { flag = false; } // cancelled too: the next one waits for the same ssh
    };
    const Starting starting(starting_);
    co_await start();
}

bool SshTunnel::up() {
    if (!ssh_ || !listening_) return false;
    if (ssh_->running()) return true;
    listening_ = false;
    if (Clock::now() - launched_ >= steady_after)
        failures_ = 0;
    else
        ++failures_;
    failed_at_ = Clock::now();
    return false;
}

asio::awaitable<void> SshTunnel::start() {
    // By one who was cancelled; while the path is not known, it is only the ssh that was asking for it.
    const bool launched = ssh_ && ssh_->running() && !endpoint_.path.empty();
    if (!launched) {
        co_await back_off();
        if (endpoint_.path.empty()) co_await find_far_path();
        launch();
    }
    co_await wait_until_listening();
    listening_ = true;
}

asio::awaitable<void> SshTunnel::back_off() {
    if (failures_ == 0) co_return;
    const auto wait =
        std::min(options_.longest_back_off, options_.first_back_off * (1U << std::min(failures_ - 1, 10U)));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(failed_at_ + wait - Clock::now());
    if (left.count() > 0) co_await pause(left);
}

std::vector<std::string> SshTunnel::command(const std::vector<std::string>& more) const {
    std::vector<std::string> out{options_.program, "-T", "-a", "-x"};
    for (const char* option :
         {"BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no", "ExitOnForwardFailure=yes",
          "StreamLocalBindMask=0177", "StreamLocalBindUnlink=yes", "ServerAliveInterval=7",
          "ServerAliveCountMax=3", "ConnectTimeout=20", "LogLevel=INFO",
          // a connection of our own, which ends with us
          "ControlMaster=no", "ControlPath=none", "PermitLocalCommand=no", "RemoteCommand=none"}) {
        out.emplace_back("-o");
        out.emplace_back(option);
    }
    if (!endpoint_.key_file.empty())
        out.insert(out.end(), {"-i", endpoint_.key_file, "-o", "IdentitiesOnly=yes"});
    if (!endpoint_.user.empty()) out.insert(out.end(), {"-l", endpoint_.user});
    if (endpoint_.port != 0) out.insert(out.end(), {"-p", std::to_string(endpoint_.port)});
    out.insert(out.end(), options_.extra.begin(), options_.extra.end());
    out.insert(out.end(), more.begin(), more.end());
    out.insert(out.end(), {"--", endpoint_.host});
    return out;
}

asio::awaitable<void> SshTunnel::find_far_path() {
    std::vector<std::string> argv = command({});
    argv.insert(argv.end(), {"id", "-u"});
    try {
        ssh_ = std::make_unique<QuietProcess>(argv, folder_->path());
    } catch (const Error& e) {
        fail(std::string(e.what()) + install_ssh);
    }
    const auto end = Clock::now() + options_.start_limit;
    while (ssh_->running()) {
        if (Clock::now() > end) fail("ssh did not log in within " + seconds(options_.start_limit));
        co_await pause(poll_interval);
    }
    const std::string uid = last_number(ssh_->output());
    if (uid.empty()) fail("asking for the user's uid there, ssh " + ssh_->ending());
    endpoint_.path = uid == "0" ? "/run/podman/podman.sock" : "/run/user/" + uid + "/podman/podman.sock";
}

void SshTunnel::launch() {
    ::unlink(local_path_.c_str()); // of one that was killed
    try {
        ssh_ = std::make_unique<QuietProcess>(command({"-N", "-L", local_path_ + ':' + endpoint_.path}),
                                              folder_->path());
    } catch (const Error& e) {
        ssh_.reset();
        fail(std::string(e.what()) + install_ssh);
    }
    launched_ = Clock::now();
}

asio::awaitable<void> SshTunnel::wait_until_listening() {
    while (!accepts(local_path_)) {
        if (!ssh_->running()) fail("ssh " + ssh_->ending());
        if (Clock::now() - launched_ > options_.start_limit)
            fail("ssh did not set up the tunnel within " + seconds(options_.start_limit));
        co_await pause(poll_interval);
    }
}

void SshTunnel::fail(const std::string& why) {
    const std::string said = words();
    ssh_.reset();
    ++failures_;
    ++starts_failed_;
    failed_at_ = Clock::now();
    last_failure_ = "connect to " + endpoint_.url() + ": " + why + (said.empty() ? "" : ": " + said);
    throw Error(Errc::unavailable, last_failure_);
}

} // namespace runtime_api
