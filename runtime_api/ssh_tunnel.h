#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime_api/endpoint.h"
#include "runtime_api/http.h"
#include "runtime_api/ssh_command.h"

namespace runtime_api {

class QuietProcess;

struct SshOptions {
    std::string program = "ssh"; ///< OpenSSH's client, looked for in PATH.
    /// The user's configuration, in the order in which ssh reads it; what is not there is passed over.
    std::vector<std::string> config{"~/.ssh/config", "/etc/ssh/ssh_config"};
    std::chrono::milliseconds start_limit{30'000}; ///< From starting ssh until the tunnel listens.
    std::chrono::milliseconds first_back_off{
        250}; ///< Before the start that follows a failed one; doubles each time.
    std::chrono::milliseconds longest_back_off{5'000};
};

/// Forwards a socket of a far host to one here, by the user's own OpenSSH client with its configuration,
/// agent, jump hosts and known hosts; host keys are checked strictly, those of jump hosts too, and nothing is
/// ever asked. One login carries all connections, and it is our own: no ControlMaster of the user's carries
/// it, and it leaves none. It is started at first use, and again at the next use after it died. On the loop's
/// thread; keeps nothing on the loop while idle, and must outlive its calls.
class SshTunnel {
public:
    /// Makes a private folder for the socket; starts nothing. Throws Error(bad_endpoint) where endpoint is
    /// not ssh or has a path that ssh cannot forward, Error(unavailable) where no folder can be made.
    SshTunnel(Endpoint endpoint, SshOptions options);
    ~SshTunnel(); ///< Ends ssh and with it every connection; removes the folder.
    SshTunnel(const SshTunnel&) = delete;
    SshTunnel& operator=(const SshTunnel&) = delete;

    /// Sees to it that the tunnel listens. Many may wait at once. Throws Error(unavailable) with ssh's own
    /// words. Cancellable. An empty path in the endpoint means the podman socket of the user there, whose uid
    /// is asked for over the same login.
    boost::asio::awaitable<void> ready();

    /// The socket here, the same for as long as this lives.
    const std::string& local_path() const { return places_.socket; }

    /// What ssh has said since it was started, and how much that is: for what was said since then.
    std::string words(std::size_t since = 0) const;
    std::size_t words_size() const;

    pid_t pid() const; ///< Of ssh; 0 if it does not run.

private:
    bool up();
    boost::asio::awaitable<void> start();
    boost::asio::awaitable<void> back_off();
    void launch();
    std::unique_ptr<QuietProcess> process(const std::vector<std::string>& argv);
    boost::asio::awaitable<void> wait_for_login();
    boost::asio::awaitable<void> find_far_path();
    boost::asio::awaitable<void> forward();
    boost::asio::awaitable<void> wait_for_end(QuietProcess& asking);
    void check_start();
    [[noreturn]] void fail(const std::string& why, const std::string& more = "");

    class Folder;
    Endpoint endpoint_;
    SshOptions options_;
    std::unique_ptr<Folder> folder_; ///< Goes after ssh.
    SshPlaces places_;
    std::unique_ptr<QuietProcess> ssh_;
    std::chrono::steady_clock::time_point launched_{};
    bool listening_ = false;
    bool starting_ = false;         ///< Someone waits in start(); others wait for that.
    unsigned failures_ = 0;         ///< In a row, for the back-off.
    std::size_t starts_failed_ = 0; ///< Ever, so that those who waited know.
    std::chrono::steady_clock::time_point failed_at_{};
    std::string last_failure_;
};

/// The Http that goes through a tunnel, which it owns. Errors carry ssh's words. Must outlive its calls.
std::unique_ptr<Http> make_tunnel_http(boost::asio::any_io_executor executor, Endpoint endpoint,
                                       std::chrono::milliseconds connect_limit, SshOptions options = {});

} // namespace runtime_api
