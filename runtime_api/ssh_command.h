#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "runtime_api/endpoint.h"

/// How the user's own OpenSSH client is called. One ssh logs in and listens at a control socket; others,
/// which have neither configuration nor network, tell it by that socket what to carry. Pure.
namespace runtime_api {

/// Where the files of one tunnel lie. Paths of letters, digits and "/._-+", since ssh expands and splits
/// others.
struct SshPlaces {
    std::string config;  ///< What ssh_config() gives.
    std::string control; ///< The control socket.
    std::string socket;  ///< What is carried to the far socket.
};

/// A configuration: what we insist on, then the user's own (`user_files`, in the order in which ssh would
/// read them). ssh takes the first value of each word, and hands its configuration on to the ssh that it
/// starts for each ProxyJump, which gets none of the words of a command line. `connect_limit` is for each
/// host on the way.
std::string ssh_config(const std::vector<std::string>& user_files, std::chrono::seconds connect_limit);

/// Logs in and stays, until it is killed. Of the user's forwards it makes none: they would take ports that
/// the user's own logins want.
std::vector<std::string> ssh_login(const std::string& program, const Endpoint& endpoint,
                                   const SshPlaces& places, std::chrono::seconds connect_limit);

/// Has the one that is logged in listen at places.socket and carry that to `far_path`; ends at once. Harmless
/// where that is so already.
std::vector<std::string> ssh_forward(const std::string& program, const Endpoint& endpoint,
                                     const SshPlaces& places, const std::string& far_path);

/// Runs a command on the far host.
std::vector<std::string> ssh_run(const std::string& program, const Endpoint& endpoint,
                                 const SshPlaces& places, const std::vector<std::string>& words);

} // namespace runtime_api
