// pair_probe.hpp: two pinned threads exchange stamps of their CPUs' counters. One publishes its
// newest reading in a cache line that it keeps owning, the other samples it; then they swap.
#pragma once

#include "clock/burst.hpp"
#include "clock/counter.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

namespace chronio::clock {

/// Where the two threads of a pair meet. Each calls meet() once and then, if it was true, its side.
/// Deadlines are times of CLOCK_MONOTONIC_RAW; every call returns by then whatever the other does.
/// Used once; all members but leave() by their own thread only. No thread may be moved meanwhile:
/// callers ask sched_getcpu(3) before and after. Each direction's best crossing bounds the offset
/// from one side; the width of both is the sum of the two best crossings.
class PairProbe {
 public:
  /// Waits for the other thread. False when it has left or does not come.
  [[nodiscard]] bool meet(std::uint64_t deadline_ns) noexcept {
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    Patience patience(deadline_ns);
    while (arrived_.load(std::memory_order_acquire) < 2) {
      if (is_over() || !patience.wait()) return false;
    }
    return true;
  }

  /// The thread of the first CPU. Returns at the plateau, or at `deadline_ns` of
  /// CLOCK_MONOTONIC_RAW whatever the other thread does.
  template <Counter C>
  PairAnalysis lead(const C& counter, double granule_ticks, std::uint64_t deadline_ns) noexcept;

  /// The thread of the second CPU. Returns when lead() does.
  template <Counter C>
  void follow(const C& counter, std::uint64_t deadline_ns) noexcept;

  /// Ends the exchange for the other side: this one can't take part. Any thread, also before it has
  /// met.
  void leave() noexcept { turn_.value.store(kOver, std::memory_order_release); }

 private:
  /// A line of its own, and the next one too, which processors fetch along.
  struct alignas(128) Cell {
    std::atomic<std::uint64_t> value{0};
  };
  using Clock = KernelCounter<CLOCK_MONOTONIC_RAW>;

  /// A turn that is never reached.
  static constexpr std::uint64_t kOver = ~std::uint64_t{0};
  /// Stamps in a burst.
  static constexpr std::size_t kBurst = 128;
  /// A time slice is longer by an order of magnitude: a sender that isn't running gives nothing
  /// new. So bursts that take longer are no evidence that both ran.
  static constexpr std::uint64_t kBurstNs = 100'000;

  /// Counts the rounds of a waiting loop, looks at the time now and then, and rests when it takes
  /// long.
  class Patience {
   public:
    explicit Patience(std::uint64_t deadline_ns) noexcept : deadline_ns_(deadline_ns) {}
    /// False when the deadline has passed.
    bool wait() noexcept {
      if (++rounds_ % kLook != 0) return true;
      const std::uint64_t now_ns = Clock{}.now();
      if (spin_until_ns_ == 0) spin_until_ns_ = now_ns + kSpinNs;
      if (now_ns > spin_until_ns_) {
        sleep_to_appointment();
        spin_until_ns_ = 0;
      }
      return now_ns < deadline_ns_;
    }

   private:
    /// Rounds between two looks at the time: the exchange must not wait for the clock.
    static constexpr std::uint32_t kLook = 32;
    /// Two bursts: a partner that runs answers within this.
    static constexpr std::uint64_t kSpinNs = 2 * kBurstNs;
    std::uint64_t deadline_ns_;
    std::uint64_t spin_until_ns_ = 0;
    std::uint32_t rounds_ = 0;
  };

  /// Sleeps to the next millisecond of CLOCK_MONOTONIC. Both sides do, so that both wake at the
  /// same time, and a thread that wakes is let onto a busy CPU sooner than one that yielded or
  /// spun.
  static void sleep_to_appointment() noexcept {
    constexpr std::uint64_t kGridNs = 1'000'000;
    const std::uint64_t next_ns = (KernelCounter<CLOCK_MONOTONIC>{}.now() / kGridNs + 1) * kGridNs;
    timespec until = {};
    until.tv_sec = static_cast<time_t>(next_ns / 1'000'000'000U);
    until.tv_nsec = static_cast<long>(next_ns % 1'000'000'000U);
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }

  /// Tells the processor that this thread spins, so that a sibling on the same core gets on.
  static void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  /// Publishes readings in `cell` until it is no longer turn `turn`. False at the deadline.
  template <Counter C>
  bool publish(const C& counter, Cell& cell, std::uint64_t turn,
               std::uint64_t deadline_ns) noexcept;

  /// Samples what the other side publishes in `cell`.
  template <Counter C>
  static Burst sample(const C& counter, const Cell& cell) noexcept;

  [[nodiscard]] bool is_over() const noexcept {
    return turn_.value.load(std::memory_order_acquire) == kOver;
  }

  /// Hands the turn over, unless the other side has left.
  void pass(std::uint64_t turn) noexcept {
    turn_.value.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel);
  }

  // Even turns: the lead publishes and the follower samples; odd ones the other way.
  Cell turn_;
  /// Apart from each other and from the turn: each line stays with the thread that writes it.
  Cell lead_stamp_;
  Cell follow_stamp_;
  std::atomic<std::uint32_t> arrived_{0};
  Burst followers_;  ///< written in even turns, read in odd ones
};

template <Counter C>
bool PairProbe::publish(const C& counter, Cell& cell, std::uint64_t turn,
                        std::uint64_t deadline_ns) noexcept {
  Patience patience(deadline_ns);
  do {
    // No fence behind the reading: the store takes its value, so it can't come first.
    cell.value.store(counter.now(), std::memory_order_release);
    if (!patience.wait()) return false;
  } while (turn_.value.load(std::memory_order_acquire) == turn);
  return true;
}

template <Counter C>
Burst PairProbe::sample(const C& counter, const Cell& cell) noexcept {
  std::array<StampSample, kBurst> samples;
  std::size_t count = 0;
  const std::uint64_t limit_ns = Clock{}.now() + kBurstNs;
  Patience patience(limit_ns);
  // What was left from the last burst is old news.
  std::uint64_t last = cell.value.load(std::memory_order_relaxed);
  while (count < kBurst && patience.wait()) {
    const std::uint64_t stamp = cell.value.load(std::memory_order_acquire);
    // now() is ordered after the load above; all bounds rest on that.
    const std::uint64_t seen = counter.now();
    if (stamp != last) samples[count++] = {stamp, seen};
    last = stamp;
    // Sampling at every chance would keep taking the line away from the sender.
    for (int i = 0; i < 2; ++i) pause();
  }
  return fold({samples.data(), count}, count == kBurst && Clock{}.now() < limit_ns, C::kBits);
}

template <Counter C>
PairAnalysis PairProbe::lead(const C& counter, double granule_ticks,
                             std::uint64_t deadline_ns) noexcept {
  PairAnalysis analysis(granule_ticks);
  for (std::uint64_t turn = 0; !analysis.plateau(); turn += 2) {
    if (!publish(counter, lead_stamp_, turn, deadline_ns) || is_over()) break;
    const Burst second_reads = followers_;
    const Burst first_reads = sample(counter, follow_stamp_);
    analysis.add(second_reads, first_reads);
    pass(turn + 1);
  }
  leave();
  return analysis;
}

template <Counter C>
void PairProbe::follow(const C& counter, std::uint64_t deadline_ns) noexcept {
  for (std::uint64_t turn = 0; !is_over(); turn += 2) {
    followers_ = sample(counter, lead_stamp_);
    pass(turn);
    if (!publish(counter, follow_stamp_, turn + 1, deadline_ns)) break;
  }
  leave();
}

}  // namespace chronio::clock
