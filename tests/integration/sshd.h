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

/// Debian's sshd on a port of loopback, with keys, a log and a configuration of its own; it ends with this
/// object. It needs openssh-server and openssh-client, and takes logins of the user that runs the test by key
/// only.
class Sshd {
public:
    explicit Sshd(Machine& machine, const std::string& more = "")
        : machine_(machine), more_(more), port_(free_port()) {
        for (const char* name : {"/host_key", "/key", "/other_key"})
            finish({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", machine.at(name)});
        machine.file("/authorized", content("/key.pub"));
        machine.file("/known", "[127.0.0.1]:" + std::to_string(port_) + ' ' + content("/host_key.pub"));
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
            "/sshd_config",
            "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " +
                machine_.at("/host_key") + "\nPidFile none\nAuthorizedKeysFile " +
                machine_.at("/authorized") +
                "\nStrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
                "KbdInteractiveAuthentication no\n" +
                more_);
        sshd_ = std::make_unique<runtime_api::QuietProcess>(
            std::vector<std::string>{"/usr/sbin/sshd", "-D", "-e", "-f", file}, machine_.at(""));
        for (int i = 0; i < 1000 && sshd_->running(); ++i) {
            if (answers()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        throw std::runtime_error("sshd does not listen: " + sshd_->errors());
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
        const std::string log = sshd_->errors();
        int count = 0;
        for (std::size_t at = 0; (at = log.find("Accepted publickey", at)) != std::string::npos; ++at)
            ++count;
        return count;
    }

    runtime_api::Endpoint endpoint(const std::string& far_path) const {
        runtime_api::Endpoint out;
        out.kind = runtime_api::Endpoint::Kind::ssh;
        out.user = ::getpwuid(::getuid())->pw_name;
        out.host = "127.0.0.1";
        out.port = port_;
        out.path = far_path;
        out.key_file = machine_.at("/key");
        return out;
    }

    /// Nothing of the user's own configuration, agent and known hosts.
    runtime_api::SshOptions options() const {
        runtime_api::SshOptions out;
        out.extra = {"-F", "/dev/null",
                     "-o", "IdentityAgent=none",
                     "-o", "GlobalKnownHostsFile=/dev/null",
                     "-o", "UserKnownHostsFile=" + machine_.at("/known")};
        out.first_back_off = std::chrono::milliseconds(1);
        return out;
    }

private:
    static std::uint16_t free_port() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                           ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
        ::close(fd);
        if (!bound) throw std::runtime_error("no free port");
        return ntohs(address.sin_port);
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

    void finish(const std::vector<std::string>& argv) const {
        runtime_api::QuietProcess process(argv, machine_.at(""));
        for (int i = 0; i < 1000 && process.running(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (process.ending() != "exited with status 0")
            throw std::runtime_error(argv[0] + ": " + process.errors());
    }

    std::string content(const std::string& path) const {
        std::ifstream file(machine_.at(path));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    Machine& machine_;
    std::string more_;
    std::uint16_t port_;
    bool made_separation_ = false;
    std::unique_ptr<runtime_api::QuietProcess> sshd_;
};
