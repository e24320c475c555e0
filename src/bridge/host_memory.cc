#include "src/bridge/host_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <list>

namespace bridge {
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto look_every = 50ms; // a guest cannot send more than some ten MiB in that time

constexpr auto time_to_end = 1s;
constexpr std::size_t least_blame = 1 << 20; // bytes that a run must hold to be ended for them

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

} // namespace

struct HostMemory::State : std::enable_shared_from_this<HostMemory::State> {
    State(asio::any_io_executor executor, std::size_t c, std::function<void(const std::string&)> l)
        : ceiling(c), log(std::move(l)), timer(std::move(executor)) {}

    std::size_t ceiling;
    std::function<void(const std::string&)> log;
    asio::steady_timer timer;
    std::list<Run> runs{};
    bool waiting = false;
    const Run* ended = nullptr; // the last one, as long as it is watched
    std::chrono::steady_clock::time_point ended_at{};

    void wait() {
        if (runs.empty() || waiting) return;
        waiting = true;
        timer.expires_after(look_every);
        timer.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
            const auto self = weak.lock();
            if (!self) return;
            self->waiting = false;
            if (ec) return;
            std::size_t resident = resident_memory();
            if (resident > self->ceiling) {
                ::malloc_trim(0); // what the allocator keeps is nobody's
                resident = resident_memory();
            }
            self->look(resident);
            self->wait();
        });
    }

    void look(std::size_t resident) {
        if (resident <= ceiling || runs.empty()) return;
        if (ended && std::chrono::steady_clock::now() - ended_at < time_to_end)
            return; // its memory is on its way
        const Run* greediest = nullptr;
        std::size_t most = 0;
        for (const Run& run : runs) {
            const std::size_t bytes = run.bytes();
            if (greediest && bytes <= most) continue;
            greediest = &run;
            most = bytes;
        }
        if (most < least_blame) return; // the memory is not the runs'
        const std::string why = "the run was ended: it held " + mebibytes(most) +
                                " of the host's memory when all of Cordon came to " + mebibytes(resident) +
                                ", above --max-host-memory of " + mebibytes(ceiling);
        log(why);
        ended = greediest;
        ended_at = std::chrono::steady_clock::now();
        const auto end = greediest->end; // it may end the watch
        end("host_memory", why);
    }
};

HostMemory::HostMemory(asio::any_io_executor executor, std::size_t ceiling,
                       std::function<void(const std::string&)> log)
    : state_(std::make_shared<State>(std::move(executor), ceiling, std::move(log))) {}

HostMemory::~HostMemory() { state_->timer.cancel(); }

std::shared_ptr<void> HostMemory::watch(Run run) {
    const auto state = state_;
    const auto at = state->runs.insert(state->runs.end(), std::move(run));
    state->wait();
    return std::shared_ptr<void>(nullptr, [state, at](void*) {
        if (state->ended == &*at) state->ended = nullptr;
        state->runs.erase(at);
    });
}

void HostMemory::look(std::size_t resident) { state_->look(resident); }

std::size_t resident_memory() {
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (!file) return 0;
    unsigned long all = 0, resident = 0;
    const bool read = std::fscanf(file, "%lu %lu", &all, &resident) == 2;
    std::fclose(file);
    return read ? resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace bridge
