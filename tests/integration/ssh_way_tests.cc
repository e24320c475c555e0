// ssh:// by the ways that a user's configuration can describe: jump hosts, proxy commands, agents, and all
// the rest that is there for other logins. Real sshds and the real client.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "src/engines/advice.h"
#include "tests/integration/ssh_case.h"

namespace asio = boost::asio;
using runtime_api::Endpoint;
using runtime_api::HttpRequest;
using runtime_api::QuietProcess;
using runtime_api::SshOptions;
using namespace std::chrono_literals;

namespace {

/// A variable of the environment, as it was again at the end.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (before_)
            ::setenv(name_, before_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_{};
};

bool soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

/// All processes of which the command line has this in it.
std::vector<pid_t> processes_with(const std::string& part) {
    std::vector<pid_t> out;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
        const std::string name = each.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(each.path() / "cmdline");
        std::string line; // words with NUL between; nothing if it has just gone
        std::getline(file, line);
        if (line.find(part) != std::string::npos) out.push_back(std::stoi(name));
    }
    return out;
}

/// An engine behind a far host behind a jump host. The user's configuration knows them as "far" and "jump";
/// each has a host key, a user's key and known hosts of its own.
class Way {
public:
    explicit Way(const std::string& far_more = "", const std::string& jump_more = "")
        : jump(machine, jump_more, "jump"), far(machine, far_more, "far"),
          podman_(machine.listen("/far.sock"), rootless), folders_("XDG_RUNTIME_DIR", machine.at("")) {}

    /// What a user writes.
    std::string config(const std::string& far_more = "  ProxyJump jump\n",
                       const std::string& jump_more = "") const {
        return far.host("far", far_more) + jump.host("jump", jump_more);
    }
    SshOptions options(const std::string& config) { return Sshd::options(machine, config); }
    SshOptions options() { return options(config()); }

    Endpoint endpoint() const { return runtime_api::parse_endpoint("ssh://far" + machine.at("/far.sock")); }
    std::string failure(const std::string& config) { return failure_of(endpoint(), options(config)); }

    /// Of all connections of this test: the ssh that is logged in, and those of its jump hosts.
    std::vector<pid_t> clients() const { return processes_with(machine.at("/cordon-ssh-")); }

    /// That of a jump host is killed, and gone a moment after.
    bool no_clients() const {
        return soon([&] { return clients().empty(); });
    }

    Machine machine;
    Sshd jump;
    Sshd far;

private:
    FakePodman podman_;
    Variable folders_;
};

std::string remedy(const Way& way, const std::string& words) {
    const auto advice = engines::advice_on_error(engines::Host(), way.endpoint(), words);
    return advice ? advice->trouble + ": " + advice->remedy : "";
}

constexpr const char* works = "status 200";

} // namespace

TEST_CASE("ssh: through a jump host of the user's configuration, by one login at each, and nothing is left") {
    Way way;
    {
        asio::io_context loop;
        const auto http = http_to(loop, way.endpoint(), way.options());
        for (int i = 0; i < 3; ++i) CHECK(failure_of(loop, *http) == works);
        CHECK(way.clients().size() == 2);
        CHECK(way.jump.logins() == 1);
        CHECK(way.far.logins() == 1);
    }
    CHECK(way.no_clients());
}

TEST_CASE("ssh: through two jump hosts") {
    Way way;
    CHECK(way.failure(way.config("  ProxyJump jump,second\n") + way.jump.host("second")) == works);
    CHECK(way.jump.logins() == 2);
}

TEST_CASE("ssh: by a ProxyCommand, and by one that fails") {
    Way way;
    const std::string file = way.machine.file("/proxy_config", way.config(""));
    CHECK(way.failure(way.config("  ProxyCommand ssh -F " + file +
                                 " -o IdentityAgent=none -W %h:%p jump\n")) == works);
    CHECK(way.jump.logins() == 1);
    const std::string failure =
        way.failure(way.config("  ProxyCommand sh -c 'echo no such bastion >&2; exit 3'\n"));
    CHECK_HAS(failure, "no such bastion");
    CHECK_HAS(remedy(way, failure), "ssh far true");
    CHECK(way.no_clients());
}

TEST_CASE("ssh: with a key that only the agent has") {
    Way way;
    const std::string socket = way.machine.at("/agent");
    const QuietProcess agent({"ssh-agent", "-D", "-a", socket}, way.machine.at(""));
    const Variable variable("SSH_AUTH_SOCK", socket);
    REQUIRE(soon([&] { return std::filesystem::exists(socket); }));
    for (const Sshd* each : {&way.jump, &way.far}) {
        each->finish({"ssh-add", "-q", each->at("/key")});
        std::filesystem::remove(each->at("/key"));
    }
    SshOptions options = way.options();
    options.config.pop_back(); // the rest would forbid the agent
    CHECK(failure_of(way.endpoint(), options) == works);
}

TEST_CASE("ssh: a key with a passphrase and no agent fails at once, at the far host and at the jump host") {
    Way way;
    for (Sshd* each : {&way.far, &way.jump}) {
        each->finish({"ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", each->at("/key")});
        const std::string failure = way.failure(way.config());
        CHECK_HAS(failure, "127.0.0.1: Permission denied (publickey");
        CHECK_HAS(remedy(way, failure), "ssh-add");
        each->finish({"ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", each->at("/key")});
    }
    CHECK(way.failure(way.config()) == works);
}

TEST_CASE("ssh: a jump host that would take a password is sent none") {
    Way way("", "PasswordAuthentication yes\nPermitRootLogin yes\nLogLevel VERBOSE\n");
    way.jump.authorize("");
    CHECK_HAS(way.failure(way.config()), "Permission denied (publickey,password)");
    CHECK(way.jump.log().find("Failed password") == std::string::npos);
    CHECK(way.jump.log().find("Failed none") == std::string::npos);
}

TEST_CASE(
    "ssh: the host keys of the far host and of the jump host must be known and the same, whatever the user's "
    "configuration would take") {
    Way way;
    for (const Sshd* each : {&way.far, &way.jump}) {
        const std::string address = "[127.0.0.1]:" + std::to_string(each->port());
        for (const char* checking : {"ask", "accept-new", "no"}) {
            CAPTURE(checking);
            const std::string config = "Host *\n  UpdateHostKeys yes\n  StrictHostKeyChecking " +
                                       std::string(checking) + '\n' + way.config();
            each->know("");
            const std::string unknown = way.failure(config);
            CHECK_HAS(unknown,
                      "host key is known for " + address + " and you have requested strict checking.; Host");
            CHECK_HAS(remedy(way, unknown), "compare the key and accept it once by hand: ssh far");
            CHECK(each->content("/known").empty());
        }
        each->know(each->content("/other_key.pub"));
        const std::string changed = way.failure("StrictHostKeyChecking no\n" + way.config());
        for (const std::string& part :
             {std::string("ssh-keygen -f "), each->at("/known"), std::string(" -R "), address})
            CHECK_HAS(changed, part);
        CHECK_HAS(changed, "ost key for " + address + " has changed"); // OpenSSH 8.4 has "ED25519 host"
        CHECK_HAS(remedy(way, changed), "ssh-keygen -R");
        each->know(each->content("/host_key.pub"));
    }
    CHECK(way.failure(way.config()) == works);
}

TEST_CASE("ssh: a jump host that is down, that does not answer, and that cannot reach the far "
          "host") {
    Way way;
    SUBCASE("down") {
        way.jump.stop();
        const std::string failure = way.failure(way.config());
        CHECK_HAS(failure, "connect to host 127.0.0.1 port " + std::to_string(way.jump.port()) +
                               ": Connection refused");
        CHECK_HAS(remedy(way, failure), "ssh far true");
    }
    SUBCASE("no answer") {
        way.jump.stop();
        const int silent = way.jump.listen();
        SshOptions options = way.options();
        options.start_limit = 6s;
        const std::string failure = failure_of(way.endpoint(), options);
        ::close(silent);
        CHECK_HAS(failure, "Connection to 127.0.0.1 port " + std::to_string(way.jump.port()) + " timed out");
        CHECK_HAS(remedy(way, failure), "ssh far true");
    }
    SUBCASE("down behind it") {
        way.far.stop();
        const std::string failure = way.failure(way.config());
        CHECK_HAS(failure, "open failed: connect failed: Connection refused");
        CHECK_HAS(remedy(way, failure), "jump host");
    }
    CHECK(way.no_clients());
}

TEST_CASE("ssh: a jump host that may not forward") {
    Way way("", "AllowTcpForwarding no\n");
    const std::string failure = way.failure(way.config());
    CHECK_HAS(failure, "administratively prohibited");
    CHECK_HAS(remedy(way, failure), "AllowTcpForwarding yes");
}

TEST_CASE(
    "ssh: a far host that may not forward, a key there that may not, and a far path that is no socket") {
    Way way;
    const std::string direct = way.config("");
    way.far.authorize("restrict " + way.far.content("/key.pub"));
    std::string failure = way.failure(direct);
    CHECK_HAS(failure, "open failed");
    CHECK_HAS(remedy(way, failure), "its sshd or the key's options there refuse");
    way.far.authorize(way.far.content("/key.pub"));
    for (const char* refusal :
         {"AllowStreamLocalForwarding no\n", "AllowTcpForwarding no\n", "DisableForwarding yes\n"}) {
        CAPTURE(refusal);
        way.far.configure(refusal);
        failure = way.failure(direct);
        CHECK_HAS(failure, "open failed");
        CHECK_HAS(remedy(way, failure), "AllowStreamLocalForwarding yes and AllowTcpForwarding yes");
    }
    way.far.configure("");
    for (const char* path : {"/far/sshd_config", "/none", "/far/key/below"}) {
        CAPTURE(path);
        failure =
            failure_of(runtime_api::parse_endpoint("ssh://far" + way.machine.at(path)), way.options(direct));
        CHECK_HAS(failure, "(forwarded by ssh to ssh://far" + way.machine.at(path) + ": channel");
        CHECK_HAS(remedy(way, failure), "nothing listens at that path");
    }
    CHECK(way.failure(direct) == works);
}

TEST_CASE("ssh: the user's ControlMaster neither carries our connections nor is made by them") {
    Way way;
    const std::string path = way.machine.at("/users-");
    const std::string config =
        "Host *\n  ControlMaster auto\n  ControlPersist 600\n  ControlPath " + path + "%p\n" + way.config();
    asio::io_context loop;
    auto http = http_to(loop, way.endpoint(), way.options(config));
    CHECK(failure_of(loop, *http) == works);
    http.reset();
    CHECK(way.no_clients());
    CHECK(processes_with(path).empty());
    for (const Sshd* each : {&way.jump, &way.far})
        CHECK_FALSE(std::filesystem::exists(path + std::to_string(each->port())));

    // the user's own, which end while ours are in use
    const std::string file = way.machine.file(
        "/users_config", way.config("", "  ControlMaster yes\n  ControlPath " + path + "%p\n"));
    auto users = std::make_unique<QuietProcess>(
        std::vector<std::string>{"ssh", "-F", file, "-o", "IdentityAgent=none", "-N", "jump"},
        way.machine.at(""));
    const std::string control = path + std::to_string(way.jump.port());
    REQUIRE(soon([&] { return std::filesystem::exists(control); }));
    const int before = way.jump.logins();
    http = http_to(loop, way.endpoint(), way.options(config));
    CHECK(failure_of(loop, *http) == works);
    CHECK(way.jump.logins() == before + 1);
    users.reset();
    CHECK(failure_of(loop, *http) == works);
    CHECK(way.far.logins() == 2);
}

TEST_CASE("ssh: what the user's configuration has for other logins does nothing here") {
    Way way;
    std::uint16_t port = 0;
    const int taken = Sshd::listen_at(port);
    const std::string number = std::to_string(port);
    const std::string here = way.machine.at("/forwarded"), ran = way.machine.at("/ran");
    const std::string all =
        "Host *\n  RemoteCommand tmux attach\n  RequestTTY force\n  ForwardAgent yes\n  ForwardX11 yes\n"
        "  LocalForward " +
        here + " /x\n  LocalForward 127.0.0.1:" + number +
        " 127.0.0.1:1\n"
        "  RemoteForward " +
        here + " /x\n  DynamicForward 127.0.0.1:" + number +
        "\n"
        "  ExitOnForwardFailure yes\n  PermitLocalCommand yes\n  LocalCommand touch " +
        ran +
        "\n"
        "  BatchMode no\n  LogLevel QUIET\n  VisualHostKey yes\n  StdinNull yes\n"
        "  ForkAfterAuthentication yes\n  SessionType none\n  ServerAliveInterval 0\n"
        "  Compression yes\n  AddKeysToAgent yes\n  EscapeChar none\n  ConnectTimeout 1000\n"
        "  ConnectionAttempts 3\n  SendEnv LANG\n  SetEnv A=B\n";
    asio::io_context loop;
    Endpoint without_path = way.endpoint();
    without_path.path.clear();
    {
        runtime_api::SshTunnel tunnel(without_path, way.options(all + way.config()));
        const auto wait = [&]() -> asio::awaitable<bool> {
            co_await tunnel.ready();
            co_return true;
        };
        CHECK(run(loop, wait()));
    }
    CHECK(way.failure(all + way.config()) == works);
    CHECK_FALSE(std::filesystem::exists(here));
    CHECK_FALSE(std::filesystem::exists(ran));
    CHECK(way.no_clients());
    const std::string failure =
        failure_of(runtime_api::parse_endpoint("ssh://far/none"), way.options(all + way.config()));
    CHECK_HAS(failure, "(forwarded by ssh to ssh://far/none: channel 1: open failed");
    ::close(taken);
}

TEST_CASE("ssh: words of an older ssh, and of a newer one") {
    Way way;
    CHECK(way.failure(
              "Protocol 2\nCipher blowfish\nRSAAuthentication yes\nUsePrivilegedPort no\nUseKeychain yes\n"
              "WordOfTomorrow yes\n" +
              way.config()) == works);
}

TEST_CASE("ssh: Match exec is obeyed, and one that hangs is given up and ended") {
    Way way;
    const std::string sign = way.machine.at("/at-work");
    const std::string config =
        way.config("") + "Match originalhost far exec \"test -e " + sign + "\"\n  ProxyJump jump\n";
    CHECK(way.failure(config) == works);
    CHECK(way.jump.logins() == 0);
    way.machine.file("/at-work", "");
    CHECK(way.failure(config) == works);
    CHECK(way.jump.logins() == 1);
    SshOptions options = way.options("Match exec \"sleep 1000 #" + sign + "\"\n" + way.config());
    options.start_limit = 2s;
    CHECK_HAS(failure_of(way.endpoint(), options), "ssh did not set up the tunnel within 2 s");
    CHECK(soon([&] { return processes_with("sleep 1000 #" + sign).empty(); }));
}

TEST_CASE("ssh: a banner is no trouble, and where there is trouble it hides nothing") {
    Machine machine;
    std::string banner = "\033[31mHost key verification is done here\r\n";
    for (int i = 0; i < 40; ++i)
        banner += "Authorised users only. All is recorded. \xc3\xa4\xc3\xb6\xc3\xbc\n";
    Way way("Banner " + machine.file("/banner", banner) + "\nPrintMotd yes\n");
    CHECK(way.failure(way.config()) == works);
    way.far.authorize("");
    const std::string failure = way.failure(way.config());
    CHECK_HAS(failure, "All is recorded. äöü");
    CHECK_HAS(failure, "127.0.0.1: Permission denied (publickey");
    CHECK(failure.find('\033') == std::string::npos);
    CHECK_HAS(remedy(way, failure), "ssh-add");
}

TEST_CASE(
    "ssh: a stream ends with the ssh that carries it, be it the jump host's or the one that is logged in") {
    for (const bool jump : {true, false}) {
        CAPTURE(jump);
        Way way;
        std::thread echo(echo_frames, way.machine.listen("/echo.sock"));
        asio::io_context loop;
        Endpoint endpoint = way.endpoint();
        endpoint.path = way.machine.at("/echo.sock");
        const auto http = http_to(loop, endpoint, way.options());
        const auto use = [&]() -> asio::awaitable<std::string> {
            HttpRequest request;
            request.method = "POST";
            request.target = "/attach";
            const runtime_api::Upgraded upgraded = co_await http->upgrade(request);
            co_await upgraded.stream->write("alive");
            std::string said = (co_await upgraded.stream->read()).data;
            const std::vector<pid_t> clients = way.clients();
            ::kill(jump ? clients.back() : clients.front(), SIGKILL);
            try {
                said += (co_await upgraded.stream->read()).data + " and ended";
            } catch (const runtime_api::Error& e) {
                said += e.code() == runtime_api::Errc::unavailable ? " and ended" : e.what();
            }
            co_return said;
        };
        CHECK(run(loop, use()) == "alive and ended");
        echo.join();
    }
}

TEST_CASE("ssh: an ssh that dies in mid-use is started again at the next use") {
    Way way;
    asio::io_context loop;
    const auto http = http_to(loop, way.endpoint(), way.options());
    CHECK(failure_of(loop, *http) == works);
    // the jump host's client first, then the one that is logged in
    for (const char* part : {" -W ", " -N "}) {
        CAPTURE(part);
        const std::vector<pid_t> before = way.clients();
        REQUIRE(before.size() == 2);
        ::kill(part[2] == 'N' ? before.front() : before.back(), SIGKILL);
        // whoever comes before ssh has noticed gets an error; whoever comes after that, an answer
        CHECK(soon([&] { return failure_of(loop, *http) == works && way.clients() != before; }));
    }
    CHECK(way.far.logins() == 3);
    CHECK(way.clients().size() == 2);
}

TEST_CASE("ssh: who is killed without a word leaves no ssh, not even the jump host's") {
    Way way;
    REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // what the killed one leaves comes to us
    const SshOptions options = way.options();
    const pid_t middle = ::fork();
    if (middle == 0) {
        asio::io_context loop;
        const auto http = http_to(loop, way.endpoint(), options);
        failure_of(loop, *http);
        for (;;) ::pause();
    }
    CHECK(soon([&] { return way.far.logins() == 1; }));
    CHECK(soon([&] { return way.clients().size() == 2; }));
    ::kill(middle, SIGKILL);
    CHECK(soon([&] {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        return way.clients().empty();
    }));
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}
