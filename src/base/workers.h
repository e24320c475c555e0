#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <type_traits>
#include <utility>

#include "src/base/gate.h"
#include "src/base/turns.h"

namespace base {

/// Threads for work that would hold up the loop: large parsing, schemas, search, disks. A job is a plain
/// function that shares nothing with the loop but what it was given.
///
/// The queue is bounded: beyond it, run() waits for its turn, in the order of asking. Construct it after the
/// loop and destroy it before what jobs refer to; its destructor waits for the jobs that run.
class Workers {
public:
    /// `most_queued`: jobs that run or wait for a thread at once.
    Workers(boost::asio::any_io_executor loop, std::size_t threads, std::size_t most_queued)
        : queue_(std::move(loop), most_queued), pool_(threads) {}
    ~Workers() { pool_.join(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Runs `work` on a thread and returns what it gives; rethrows what it throws. `spent`, if any, gets the
    /// CPU time it took. A caller that is cancelled still waits for the job's end, so the job may refer to
    /// the caller's locals. The result must be default-constructible.
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work work,
                                                            std::chrono::nanoseconds* spent = nullptr) {
        using Result = std::invoke_result_t<Work&>;
        const Gate::Place place = co_await queue_.enter();
        auto job = [work = std::move(work), spent]() mutable -> boost::asio::awaitable<Result> {
            const auto began = thread_cpu_time();
            struct Spent {
                std::chrono::nanoseconds began;
                std::chrono::nanoseconds* into;
                ~Spent() {
                    if (into) *into += thread_cpu_time() - began;
                }
            } measured{began, spent};
            co_return work();
        };
        // An empty slot: a job is not cancelled, and a signal of the loop's thread must not reach into
        // another.
        auto token =
            boost::asio::bind_cancellation_slot(boost::asio::cancellation_slot(), boost::asio::use_awaitable);
        auto running = boost::asio::co_spawn(pool_.get_executor(), std::move(job), token);
        co_return co_await std::move(running);
    }

private:
    Gate queue_;
    boost::asio::thread_pool pool_;
};

/// Bytes of a message or of its params that take a millisecond or two to look through once.
inline constexpr std::size_t large_text = 256 << 10;

/// Runs `work` on one of the workers where it goes over as many `bytes` as large_text, or more; else, or
/// where there are none, here and now. As every await, it throws operation_aborted in a coroutine that was
/// cancelled.
template <class Work>
boost::asio::awaitable<std::invoke_result_t<Work&>> run_if_large(Workers* workers, std::size_t bytes,
                                                                 Work work) {
    if (!workers || bytes < large_text) co_return work();
    co_return co_await workers->run(std::move(work));
}

} // namespace base
