#include "runtime_api/ssh_tunnel.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "runtime_api/error.h"
#include "runtime_api/pause.h"
#include "runtime_api/quiet_process.h"
#include "runtime_api/ssh_folder.h"
#include "src/base/text.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* install_ssh = " (ssh:// needs the OpenSSH client)";
constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::chrono::seconds steady_after{10}; ///< A tunnel that lived so long did not fail to start.
constexpr std::size_t most_words = 600;

/// ssh -L splits at ':' and expands '%' and '$' in what it is given.
void check_far_path(const Endpoint& endpoint) {
    const auto plain = [](char c) {
        return base::is_letter(c) || base::is_digit(c) || std::strchr("/._-+@=,~", c);
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
    if (text.size() > most_words) {
        std::size_t begin = text.size() - most_words;
        while ((static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80) ++begin; // not within a character
        text = "…" + text.substr(begin);
    }
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

/// A part of the limit, but for ssh no less than a second.
std::chrono::seconds part(std::chrono::milliseconds limit, int of_six) {
    return std::max(std::chrono::seconds(1),
                    std::chrono::duration_cast<std::chrono::seconds>(limit * of_six / 6));
}

} // namespace

class SshTunnel::Folder : public SshFolder {};

SshTunnel::SshTunnel(Endpoint endpoint, SshOptions options)
    : endpoint_(std::move(endpoint)), options_(std::move(options)) {
    if (endpoint_.kind != Endpoint::Kind::ssh || endpoint_.host.empty() || endpoint_.host.front() == '-')
        throw Error(Errc::bad_endpoint, endpoint_.url() + " is not an ssh:// URL");
    check_far_path(endpoint_);
    folder_ = std::make_unique<Folder>();
    places_ = {folder_->path() + "/config", folder_->path() + "/c", folder_->path() + "/s"};
    std::ofstream config(places_.config);
    // a jump host gives up before the ssh that waits for it does, so that there is a word about which it was
    config << ssh_config(options_.config, part(options_.start_limit, 4));
    if (!config.flush())
        throw Error(Errc::unavailable, "write " + places_.config + ": " + std::strerror(errno));
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
    if (!ssh_ || !ssh_->running()) { // else it is that of one who was cancelled
        co_await back_off();
        launch();
    }
    co_await wait_for_login();
    if (endpoint_.path.empty()) co_await find_far_path();
    co_await forward();
    listening_ = true;
}

asio::awaitable<void> SshTunnel::back_off() {
    if (failures_ == 0) co_return;
    const auto wait =
        std::min(options_.longest_back_off, options_.first_back_off * (1U << std::min(failures_ - 1, 10U)));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(failed_at_ + wait - Clock::now());
    if (left.count() > 0) co_await pause(left);
}

std::unique_ptr<QuietProcess> SshTunnel::process(const std::vector<std::string>& argv) {
    try {
        return std::make_unique<QuietProcess>(argv, folder_->path());
    } catch (const Error& e) {
        fail(std::string(e.what()) + install_ssh);
    }
}

void SshTunnel::launch() {
    ssh_.reset(); // what the last one said is no word about this one
    for (const std::string& socket : {places_.control, places_.socket})
        ::unlink(socket.c_str()); // of one that was killed
    ssh_ = process(ssh_login(options_.program, endpoint_, places_, part(options_.start_limit, 5)));
    launched_ = Clock::now();
}

asio::awaitable<void> SshTunnel::wait_for_login() {
    while (::access(places_.control.c_str(), F_OK) != 0) {
        check_start();
        co_await pause(poll_interval);
    }
}

asio::awaitable<void> SshTunnel::find_far_path() {
    const std::vector<std::string> words{"id", "-u"};
    const std::unique_ptr<QuietProcess> asking =
        process(ssh_run(options_.program, endpoint_, places_, words));
    co_await wait_for_end(*asking);
    const std::string uid = last_number(asking->output());
    if (uid.empty())
        fail("a URL without a path means the podman socket of the user there, and asking for the user's uid "
             "there, ssh " +
                 asking->ending(),
             asking->errors());
    endpoint_.path = uid == "0" ? "/run/podman/podman.sock" : "/run/user/" + uid + "/podman/podman.sock";
}

asio::awaitable<void> SshTunnel::forward() {
    const std::unique_ptr<QuietProcess> asking =
        process(ssh_forward(options_.program, endpoint_, places_, endpoint_.path));
    co_await wait_for_end(*asking);
    if (::access(places_.socket.c_str(), F_OK) != 0)
        fail("told to forward " + endpoint_.path + ", ssh " + asking->ending(), asking->errors());
}

asio::awaitable<void> SshTunnel::wait_for_end(QuietProcess& asking) {
    while (asking.running()) {
        check_start();
        co_await pause(poll_interval);
    }
    check_start(); // if the one that is logged in has ended, its words say why
}

void SshTunnel::check_start() {
    if (!ssh_->running()) fail("ssh " + ssh_->ending());
    if (Clock::now() - launched_ > options_.start_limit)
        fail("ssh did not set up the tunnel within " + seconds(options_.start_limit));
}

void SshTunnel::fail(const std::string& why, const std::string& more) {
    const std::string said = one_line((ssh_ ? ssh_->errors() : "") + more);
    ssh_.reset();
    ++failures_;
    ++starts_failed_;
    failed_at_ = Clock::now();
    last_failure_ = "connect to " + endpoint_.url() + ": " + why + (said.empty() ? "" : ": " + said);
    throw Error(Errc::unavailable, last_failure_);
}

} // namespace runtime_api
