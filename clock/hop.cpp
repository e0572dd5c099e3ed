// hop.cpp: one thread reads the counter on one CPU after the other. Moving takes tens of
// microseconds, so the bounds are wide; but no two CPUs have to run at the same time.
#include "clock/affinity.hpp"
#include "clock/machine.hpp"
#include "clock/methods.hpp"
#include "clock/sequence.hpp"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace chronio::clock {
namespace {

/// Changes between the first CPU and another one that narrow the bounds to what moving costs.
constexpr std::uint32_t kRounds = 50;

/// Runs on a thread of its own, whose affinity it changes at each step.
class Hopper {
 public:
  Hopper(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record)
      : options_(options), deadline_ns_(deadline_ns), record_(record) {
    // Fewer could never meet a quality that was asked for.
    rounds_ = std::max(kRounds, record.quality);
  }

  void run() {
    for (std::uint32_t other = 1; other < record_.cpus.size(); ++other)
      if (!visit(other)) break;
    for (std::uint32_t round = 0; round < rounds_ && in_time(); ++round)
      if (!go_round()) return;
    // Back where the rounds began: else the last of them is no loop.
    static_cast<void>(read_on(0));
  }

  [[nodiscard]] const std::vector<OrderedReading>& readings() const noexcept { return readings_; }

 private:
  [[nodiscard]] bool in_time() const noexcept { return raw_ns() < deadline_ns_; }

  /// From the first CPU to the other and back, again and again. False: the first is gone.
  bool visit(std::uint32_t other) {
    for (std::uint32_t round = 0; round < rounds_ && in_time(); ++round)
      // Another CPU that is gone costs only its own pair; without the first nothing can be
      // compared.
      if (!read_on(0) || !read_on(other)) break;
    return read_on(0);
  }

  bool go_round() {
    for (std::uint32_t seat = 0; seat < record_.cpus.size(); ++seat)
      if (!read_on(seat)) return false;
    return true;
  }

  bool read_on(std::uint32_t seat) {
    const int cpu = record_.cpus[seat];
    // The move itself orders this reading after the last one: the thread can't run on two CPUs.
    if (!pin_to(cpu) || ::sched_getcpu() != cpu) return false;
    const std::uint64_t ticks =
        visit_counter(options_.counter, [](auto counter) { return counter.now(); });
    // The kernel moves a thread off a CPU that goes offline: then this was some other CPU's.
    if (::sched_getcpu() != cpu) return false;
    readings_.push_back({seat, ticks});
    return true;
  }

  const ProbeOptions& options_;
  std::uint64_t deadline_ns_;
  ProbeRecord& record_;
  std::uint32_t rounds_;
  std::vector<OrderedReading> readings_;
};

}  // namespace

void probe_hop(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record) {
  Hopper hopper(options, deadline_ns, record);
  std::thread([&] { hopper.run(); }).join();  // the caller's affinity stays as it is
  const unsigned bits =
      visit_counter(options.counter, [](auto counter) { return decltype(counter)::kBits; });
  add_sequence(hopper.readings(), options.granule_ticks, bits, Wanted::pairs_with_first, record);
}

}  // namespace chronio::clock
