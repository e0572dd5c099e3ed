// cas.cpp: threads on all CPUs read their counters, and a compare-and-swap on one number says which
// reading came after which.
#include "clock/affinity.hpp"
#include "clock/machine.hpp"
#include "clock/methods.hpp"
#include "clock/sequence.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <sched.h>
#include <system_error>
#include <thread>

namespace chronio::clock {
namespace {

constexpr std::size_t kProbes = 4000;  // per CPU: some ms when all CPUs run
constexpr std::size_t kLook = 128;     // probes between two looks at the time

/// A reading, and its place in the order of all.
struct Probe {
  std::uint64_t turn = 0;
  std::uint64_t ticks = 0;
};

/// Each thread keeps its own readings: sharing them would disturb what is measured.
class Contest {
 public:
  Contest(const ProbeOptions& options, std::uint64_t deadline_ns, const std::vector<int>& cpus)
      : options_(options), deadline_ns_(deadline_ns), cpus_(cpus), probes_(cpus.size()) {}

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t seat = 0; seat < cpus_.size(); ++seat) {
      try {
        threads.emplace_back([this, seat] { take_part(seat); });
      } catch (const std::system_error&) {
        arrived_.fetch_add(1);  // lack of evidence, not the end of the program
      }
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// All readings in the order of their turns.
  [[nodiscard]] std::vector<OrderedReading> in_order() const {
    constexpr std::uint32_t kLost = ~0U;  // of a CPU that went offline
    std::vector<OrderedReading> readings(turn_.load(), {kLost, 0});
    // A CPU of which nothing counts has taken turns all the same.
    for (std::uint32_t seat = 0; seat < probes_.size(); ++seat)
      for (const Probe& probe : probes_[seat]) readings[probe.turn] = {seat, probe.ticks};
    std::erase_if(readings, [](const OrderedReading& reading) { return reading.seat == kLost; });
    return readings;
  }

 private:
  void take_part(std::size_t seat) {
    // All that may allocate or move the thread comes before the meeting: afterwards a thread that
    // is late leaves the others without a partner.
    const bool here = pin_to(cpus_[seat]) && ::sched_getcpu() == cpus_[seat];
    std::vector<Probe> probes;
    probes.reserve(kProbes);
    if (!meet() || !here) return;
    visit_counter(options_.counter, [&](auto counter) {
      for (std::size_t i = 0; i < kProbes; ++i) {
        if (i % kLook == 0 && raw_ns() >= deadline_ns_) break;
        probes.push_back(probe(counter));
      }
    });
    // Of a thread that was moved nothing counts: which readings are whose can't be told.
    if (::sched_getcpu() == cpus_[seat]) probes_[seat] = std::move(probes);
  }

  /// Waits for all threads, so that they probe at the same time. False at the deadline.
  bool meet() {
    arrived_.fetch_add(1);
    while (arrived_.load() < cpus_.size()) {
      if (raw_ns() >= deadline_ns_) return false;
      std::this_thread::yield();
    }
    return true;
  }

  /// now() is ordered after the load of the turn; whoever swaps next loads after this swap, which
  /// is behind the reading by the order of x86's and by the release of arm64's swap.
  template <Counter C>
  Probe probe(const C& counter) noexcept {
    std::uint64_t turn = turn_.load(std::memory_order_acquire);
    while (true) {
      // Read anew for each attempt: a reading that lost its swap has no place in the order.
      const std::uint64_t ticks = counter.now();
      if (turn_.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire))
        return {turn, ticks};
    }
  }

  const ProbeOptions& options_;
  std::uint64_t deadline_ns_;
  const std::vector<int>& cpus_;
  std::vector<std::vector<Probe>> probes_;  ///< by seat
  std::atomic<std::size_t> arrived_{0};
  // Each swap takes this line away from all others: what they only read lies apart.
  alignas(128) std::atomic<std::uint64_t> turn_{0};
};

}  // namespace

void probe_cas(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record) {
  const auto contest = std::make_unique<Contest>(options, deadline_ns, record.cpus);
  contest->run();
  const unsigned bits =
      visit_counter(options.counter, [](auto counter) { return decltype(counter)::kBits; });
  add_sequence(contest->in_order(), options.granule_ticks, bits, Wanted::all_pairs, record);
}

}  // namespace chronio::clock
