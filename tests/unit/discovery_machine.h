#pragma once
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/engines/discovery.h"

/// A machine to be searched: a folder with a home, a root and files of the test's choice; gone with the
/// object.
class Machine {
public:
    Machine() {
        char name[] = "/tmp/mXXXXXX"; // short: sockets lie below it
        if (!::mkdtemp(name)) throw std::runtime_error("mkdtemp");
        folder_ = name;
        around.root = folder_;
        around.home = folder_ + "/home";
        around.uid = 1000;
        std::filesystem::create_directories(around.home);
    }
    ~Machine() {
        for (const int fd : sockets_) ::close(fd);
        std::filesystem::remove_all(folder_);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// path is below the machine's root: "/home/.docker/config.json".
    std::string file(const std::string& path, const std::string& text) {
        const std::string full = at(path);
        std::filesystem::create_directories(std::filesystem::path(full).parent_path());
        std::ofstream(full) << text;
        return full;
    }

    /// A socket that nobody accepts from after it is closed: connecting is refused.
    std::string dead_socket(const std::string& path) {
        ::close(listen(path));
        sockets_.pop_back();
        return at(path);
    }

    /// A socket that listens; the test may accept from the descriptor, which stays the machine's.
    int listen(const std::string& path) {
        const std::string full = at(path);
        std::filesystem::create_directories(std::filesystem::path(full).parent_path());
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, full.c_str(), sizeof address.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(fd, 128) != 0)
            throw std::runtime_error("cannot listen at " + full);
        sockets_.push_back(fd);
        return fd;
    }

    void set(const std::string& name, const std::string& value) { around.environment[name] = value; }
    std::string at(const std::string& path) const { return folder_ + path; }

    std::vector<engines::Candidate> search(const std::string& runtime = "") const {
        engines::SearchOptions options;
        options.runtime = runtime;
        return engines::candidates(around, options);
    }

    engines::Surroundings around;

private:
    std::string folder_;
    std::vector<int> sockets_;
};
