#include "src/base/large_blocks.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

#include "src/base/turns.h"

namespace base {
namespace {

constexpr std::size_t large = 1 << 20; // below it malloc keeps what is freed, at no cost

// A block that waits to be freed: its own first bytes make the list, so that nothing need be allocated.
struct Block {
    Block* next;
};
std::atomic<Block*> given{nullptr};
std::atomic<bool> elsewhere{false};

void free_for_ever() {
    for (;;) {
        given.wait(nullptr);
        for (Block* block = given.exchange(nullptr); block;) {
            Block* const next = block->next;
            std::free(block);
            block = next;
        }
    }
}

[[maybe_unused]] bool give_away(void* memory) noexcept { // not under sanitizers
    if (!elsewhere.load(std::memory_order_relaxed) || !in_a_turn()) return false;
    if (::malloc_usable_size(memory) < large) return false;
    auto* const block = static_cast<Block*>(memory);
    block->next = given.load(std::memory_order_relaxed);
    while (!given.compare_exchange_weak(block->next, block)) {
    }
    given.notify_one();
    return true;
}

} // namespace

void free_large_blocks_elsewhere() {
    if (elsewhere) return;
    try {
        std::thread(free_for_ever).detach(); // to the process's end
        elsewhere = true;
    } catch (const std::system_error&) { // no thread to be had: as it was
    }
}

} // namespace base

// The sanitizers have their own, which know more.
#if !defined(__SANITIZE_ADDRESS__)

void* operator new(std::size_t size) {
    for (;;) {
        if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
        const std::new_handler make_room = std::get_new_handler();
        if (!make_room) throw std::bad_alloc();
        make_room();
    }
}

void operator delete(void* memory) noexcept {
    if (memory && !base::give_away(memory)) std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

#endif
