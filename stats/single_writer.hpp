// single_writer.hpp: counters that one thread writes and any thread may read at any time.
#pragma once

#include <atomic>
#include <cstdint>

namespace chronio::stats {

/// [hot] Adds `n` to `cell`, whose only writer is the caller; others read it by std::atomic_ref. No
/// locked instruction: with one writer nothing can be lost. A reader may see one cell's addition
/// and not yet that of another cell before it.
inline void add_single_writer(std::uint64_t& cell, std::uint64_t n) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // GCC 12 makes three instructions of a relaxed load, an addition and a relaxed store; the
  // processor has one, whose store is as indivisible.
  asm("addq %1, %0" : "+m"(cell) : "er"(n) : "cc");
#else
  const std::atomic_ref<std::uint64_t> shared(cell);
  shared.store(shared.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
#endif
}

}  // namespace chronio::stats
