#pragma once
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime_api/endpoint.h"
#include "runtime_api/quiet_process.h"
#include "runtime_api/ssh_tunnel.h"
#include "tests/unit/discovery_machine.h"

/// Debian's sshd on a port of loopback, with keys, a log and a configuration of its own, below the machine's
/// folder of that name; it ends with this object. It needs openssh-server and openssh-client, and takes
/// logins of the user that runs the test by key only.
class Sshd {
public:
    explicit Sshd(Machine& machine, const std::string& more = "", const std::string& name = "far")
        : machine_(machine), folder_('/' + name), more_(more), port_(free_port()) {
        std::filesystem::create_directory(at(""));
        for (const char* key : {"/host_key", "/key", "/other_key"}) make_key(at(key));
        authorize(content("/key.pub"));
        know(content("/host_key.pub"));
        start();
    }
    ~Sshd() {
        stop();
        if (made_separation_) std::filesystem::remove("/run/sshd");
    }
    Sshd(const Sshd&) = delete;
    Sshd& operator=(const Sshd&) = delete;

    void start() {
        // As root sshd wants a folder to lock itself into; where there is none it goes with us.
        if (::getuid() == 0 && std::filesystem::create_directory("/run/sshd")) made_separation_ = true;
        const std::string file = machine_.file(
            folder_ + "/sshd_config",
            more_ + "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " +
                at("/host_key") + "\nPidFile none\nAuthorizedKeysFile " + at("/authorized") +
                "\nStrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
                "KbdInteractiveAuthentication no\n");
        sshd_ = std::make_unique<runtime_api::QuietProcess>(
            std::vector<std::string>{"/usr/sbin/sshd", "-D", "-e", "-f", file}, machine_.at(""));
        for (int i = 0; i < 1000 && sshd_->running(); ++i) {
            if (answers()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        throw std::runtime_error("sshd does not listen: " + sshd_->errors());
    }

    /// Starts it anew with these words before ours.
    void configure(const std::string& more) {
        stop();
        more_ = more;
        start();
    }

    /// Every connection breaks.
    void stop() {
        if (!sshd_) return;
        const std::vector<pid_t> sessions = children(sshd_->pid()); // they have left its process group
        sshd_.reset();
        for (const pid_t each : sessions) ::kill(each, SIGKILL);
    }

    /// How many logins there have been since it was started.
    int logins() const {
        const std::string all = log();
        int count = 0;
        for (std::size_t found = 0; (found = all.find("Accepted publickey", found)) != std::string::npos;
             ++found)
            ++count;
        return count;
    }

    std::string log() const { return sshd_->errors(); }
    std::uint16_t port() const { return port_; }
    std::string at(const std::string& path) const { return machine_.at(folder_ + path); }

    std::string content(const std::string& path) const {
        std::ifstream file(at(path));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    /// Whose keys are taken, and what host key its clients expect.
    void authorize(const std::string& keys) const { machine_.file(folder_ + "/authorized", keys); }
    void know(const std::string& host_key) const {
        machine_.file(folder_ + "/known",
                      host_key.empty() ? "" : "[127.0.0.1]:" + std::to_string(port_) + ' ' + host_key);
    }

    void make_key(const std::string& path, const std::string& passphrase = "") const {
        finish({"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", path});
    }

    /// Runs a program to its good end.
    void finish(const std::vector<std::string>& argv) const {
        runtime_api::QuietProcess process(argv, machine_.at(""));
        for (int i = 0; i < 3000 && process.running(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (process.ending() != "exited with status 0")
            throw std::runtime_error(argv[0] + ": " + process.errors());
    }

    runtime_api::Endpoint endpoint(const std::string& far_path) const {
        runtime_api::Endpoint out;
        out.kind = runtime_api::Endpoint::Kind::ssh;
        out.user = ::getpwuid(::getuid())->pw_name;
        out.host = "127.0.0.1";
        out.port = port_;
        out.path = far_path;
        out.key_file = at("/key");
        return out;
    }

    /// A Host of a user's configuration: this one, with its port, user, key and known hosts.
    std::string host(const std::string& name, const std::string& more = "") const {
        return "Host " + name + "\n  HostName 127.0.0.1\n  Port " + std::to_string(port_) + "\n  User " +
               ::getpwuid(::getuid())->pw_name + "\n  IdentityFile " + at("/key") +
               "\n  UserKnownHostsFile " + at("/known") + '\n' + more;
    }

    /// Nothing of the user's own configuration, agent and known hosts, but this.
    static runtime_api::SshOptions options(Machine& machine, const std::string& config) {
        runtime_api::SshOptions out;
        out.config = {machine.file("/ssh_config", config),
                      machine.file("/ssh_config_of_all",
                                   "Host *\n  IdentityAgent none\n  GlobalKnownHostsFile /dev/null\n")};
        out.first_back_off = std::chrono::milliseconds(1);
        return out;
    }
    runtime_api::SshOptions options() const {
        return options(machine_, "UserKnownHostsFile " + at("/known") + '\n');
    }

    /// Takes connections at its port, while it is stopped, and says nothing. To be closed.
    int listen() const {
        std::uint16_t port = port_;
        return listen_at(port);
    }

    /// A port of loopback that is taken; 0 becomes a free one.
    static int listen_at(std::uint16_t& port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        socklen_t size = sizeof address;
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, 16) != 0 ||
            ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            throw std::runtime_error("no free port");
        port = ntohs(address.sin_port);
        return fd;
    }

private:
    static std::uint16_t free_port() {
        std::uint16_t port = 0;
        ::close(listen_at(port));
        return port;
    }

    bool answers() const {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port_);
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        ::close(fd);
        return connected;
    }

    /// All of its descendants.
    static std::vector<pid_t> children(pid_t pid) {
        std::vector<pid_t> out;
        std::ifstream list("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
        for (pid_t each = 0; list >> each;) {
            out.push_back(each);
            for (const pid_t more : children(each)) out.push_back(more);
        }
        return out;
    }

    Machine& machine_;
    std::string folder_;
    std::string more_;
    std::uint16_t port_;
    bool made_separation_ = false;
    std::unique_ptr<runtime_api::QuietProcess> sshd_;
};
