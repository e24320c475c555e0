#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace bridge {

/// The ceiling of the process's memory. Past it the run that holds most of it ends, never Cordon. Looked at
/// some times a second while any run is under way. On the loop's thread.
class HostMemory {
public:
    /// One run, as it is seen from here. Both must be callable as long as it is watched.
    struct Run {
        std::function<std::size_t()> bytes; ///< That it holds of the host's memory, as far as is counted.
        std::function<void(const char* limit, std::string why)> end;
    };

    /// `ceiling`: bytes of resident memory.
    HostMemory(boost::asio::any_io_executor executor, std::size_t ceiling,
               std::function<void(const std::string&)> log);
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    /// Watches a run as long as what it returns lives.
    std::shared_ptr<void> watch(Run run);

    /// What is done some times a second, for tests: `resident` bytes are in use.
    void look(std::size_t resident);

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Resident memory of this process, in bytes; 0 where the kernel does not say.
std::size_t resident_memory();

} // namespace bridge
