#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime_api/endpoint.h"
#include "runtime_api/engine.h"
#include "runtime_api/error.h"

namespace engines {

/// What the search looks at, so that tests can give another machine.
struct Surroundings {
    std::map<std::string, std::string> environment;
    std::string home; ///< "" where there is none
    unsigned uid = 0;
    bool macos = false;
    std::string
        root{}; ///< Prefix for absolute paths of the system ("/run/podman/podman.sock"); "" in real life.

    /// Those of this process.
    static Surroundings here();
};

struct SearchOptions {
    std::string socket_url{};   ///< --runtime-socket: then nothing else is tried.
    std::string runtime{};      ///< "podman" or "docker" narrows the search; empty: both.
    bool allow_rootful = false; ///< A rootful system socket may be taken; else it is passed over and named.
    bool allow_plain_tcp = false;
    std::string ca_file{}, cert_file{}, key_file{}; ///< TLS of socket_url.
    bool tls_verify = true;
    runtime_api::Timeouts timeouts{};

    /// Return an engine at a local socket before it has described itself, which takes podman half a second,
    /// where it is not root's by who listens there, or root's are allowed. See Found::described.
    bool hasty = false;
};

/// A place where an engine may listen.
struct Candidate {
    std::string source; ///< "CONTAINER_HOST", "the rootless podman socket", "Docker context \"work\""
    std::string url;    ///< As said, or as made; may be no valid one, see problem.
    std::optional<runtime_api::Endpoint> endpoint{};
    bool said = false;           ///< Somebody set it: it is taken or is an error, never skipped.
    bool system_rootful = false; ///< A system socket of an engine that runs as root.
    std::string problem{}; ///< Why it cannot even be tried ("no such file", "bad URL: …"); empty: try it.
};

/// All candidates in the order in which they are tried: the option alone where it is given; else what
/// variables, podman connections and Docker contexts name; then the usual sockets, rootless ones first. Reads
/// files, opens no connection, never throws: what is wrong is in `problem`.
std::vector<Candidate> candidates(const Surroundings& around, const SearchOptions& options);

/// What became of one candidate.
struct Tried {
    Candidate candidate;
    bool taken = false;
    std::string outcome;  ///< "podman 4.3.1", "no such file", "connection refused", "rootful: passed over
                          ///< (--allow-rootful takes it)", "not tried: …"
    std::string advice{}; ///< A command or setting that would mend it, where one is known.
};

struct Found {
    std::shared_ptr<runtime_api::Engine> engine;
    runtime_api::EngineInfo info;
    bool described = true; ///< False (hasty alone): info is empty, and describe_engine has yet to judge it.
    Candidate candidate;
    std::vector<Tried> tried;
};

/// Thrown where no engine could be had: what() lists each place that was tried and why it failed, on a line
/// each.
class NoEngine : public runtime_api::Error {
public:
    NoEngine(const std::string& message, std::vector<Tried> tried)
        : runtime_api::Error(runtime_api::Errc::unavailable, message), tried_(std::move(tried)) {}
    const std::vector<Tried>& tried() const { return tried_; }

private:
    std::vector<Tried> tried_;
};

/// Tries the candidates in order and returns the first engine that answers and may be taken. Throws NoEngine.
/// Bounded in time.
boost::asio::awaitable<Found> find_engine(Surroundings around, SearchOptions options);

/// What an engine says of itself that was found in haste. Throws NoEngine where it may not be taken after
/// all, and as runtime_api::Engine::info.
boost::asio::awaitable<runtime_api::EngineInfo> describe_engine(std::shared_ptr<const Found> found,
                                                                SearchOptions options);

/// True where a rootful engine of this description is known to run in a VM of its own (Docker Desktop, a
/// podman machine, colima, …); `why` says by what it was recognised.
bool runs_in_vm(const runtime_api::EngineInfo& info, const runtime_api::Endpoint& endpoint, std::string& why);

} // namespace engines
