// oneway.cpp: plays the pairs of all CPUs as a round-robin tournament, on threads of its own.
#include "clock/affinity.hpp"
#include "clock/machine.hpp"
#include "clock/methods.hpp"
#include "clock/pair_probe.hpp"

#include <algorithm>
#include <memory>
#include <sched.h>
#include <sys/prctl.h>
#include <system_error>
#include <thread>

namespace chronio::clock {
namespace {

/// A pair of CPUs, its meeting place, and what each side saw. The sides write only their own
/// fields.
struct Table {
  Meeting pair;
  PairProbe probe;
  PairAnalysis analysis{1};  ///< the lead's
  bool lead_stayed = false;  ///< on its CPU, from beginning to end
  bool follow_stayed = false;
};

/// No barrier lies between rounds: a thread goes on to its next pair as soon as its own is done.
class Tournament {
 public:
  Tournament(const std::vector<int>& cpus, const ProbeOptions& options, std::uint64_t deadline_ns)
      : cpus_(cpus), options_(options), deadline_ns_(deadline_ns) {
    const std::vector<std::vector<Meeting>> rounds = tournament(cpus.size());
    for (const auto& round : rounds) count_ += round.size();
    // In one piece, made before any thread starts: two threads find their table without a word to
    // each other.
    tables_ = std::make_unique<Table[]>(count_);
    Table* next = tables_.get();
    for (const auto& round : rounds) {
      std::vector<Table*>& seats = seats_.emplace_back(cpus.size(), nullptr);
      for (const Meeting& pair : round) {
        next->pair = pair;
        seats[pair.first] = seats[pair.second] = next++;
      }
    }
  }

  void play() {
    if (count_ == 0) return;
    std::vector<std::thread> threads;
    for (std::size_t seat = 0; seat < cpus_.size(); ++seat) {
      try {
        threads.emplace_back([this, seat] { take_part(seat); });
      } catch (const std::system_error&) {
        // No more threads are to be had. That is lack of evidence, not the end of the program.
        leave_all(seat);
      }
    }
    for (std::thread& thread : threads) thread.join();
  }

  void record(ProbeRecord& record) const {
    for (std::size_t i = 0; i < count_; ++i) record_table(tables_[i], record);
    // No loop is walked here.
    record.order.loops = least_interleavings(record);
  }

 private:
  void leave_all(std::size_t seat) const {
    for (const auto& seats : seats_) {
      if (seats[seat] != nullptr) seats[seat]->probe.leave();
    }
  }

  void take_part(std::size_t seat) const {
    // Partners that were not told would wait for each of its pairs until the deadline.
    if (!pin_to(cpus_[seat])) {
      leave_all(seat);
      return;
    }
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // appointments between threads; fails harmlessly
    for (const auto& seats : seats_) {
      if (seats[seat] != nullptr) meet(*seats[seat], seat);
    }
  }

  void meet(Table& table, std::size_t seat) const {
    if (!table.probe.meet(deadline_ns_)) {
      // A partner that is late must not wait for this side.
      table.probe.leave();
      return;
    }
    const bool leads = table.pair.first == seat;
    // From here on: the time that the partner was waited for is not the pair's.
    const std::uint64_t deadline_ns = std::min(raw_ns() + options_.pair_budget_ns, deadline_ns_);
    const bool here = ::sched_getcpu() == cpus_[seat];
    visit_counter(options_.counter, [&](auto counter) {
      if (leads) {
        table.analysis = table.probe.lead(counter, options_.granule_ticks, deadline_ns);
      } else {
        table.probe.follow(counter, deadline_ns);
      }
    });
    // The kernel moves the threads of a CPU that goes offline: what they saw is some other CPU's.
    const bool stayed = here && ::sched_getcpu() == cpus_[seat];
    (leads ? table.lead_stayed : table.follow_stayed) = stayed;
  }

  void record_table(const Table& table, ProbeRecord& record) const {
    const bool valid = table.lead_stayed && table.follow_stayed;
    PairResult& pair = record.pairs.emplace_back(
        PairResult{.first = table.pair.first, .second = table.pair.second});
    // The pair is in the record without meetings: one that was missing would not be missed.
    if (!valid) return;
    pair.bounds = table.analysis.bounds();
    pair.interleavings = table.analysis.good();
    record.order.inversions += table.analysis.inversions();
    // A stamp that was seen below itself is an inversion of that much, less the widening.
    const std::int64_t lowest = std::max(pair.bounds.least, -pair.bounds.most);
    record.order.largest_ticks =
        std::max(record.order.largest_ticks, lowest + table.analysis.granule());
    if (table.analysis.first_unsteady()) add_unsteady(table.pair.first, record);
    if (table.analysis.second_unsteady()) add_unsteady(table.pair.second, record);
  }

  /// Every crossing between two CPUs was checked on its own, and a CPU's own readings only rise: a
  /// loop through all CPUs has been seen as often as its least checked part.
  static std::uint64_t least_interleavings(const ProbeRecord& record) {
    std::uint64_t least = record.pairs.empty() ? 0 : record.pairs.front().interleavings;
    for (const PairResult& pair : record.pairs)
      least = std::min<std::uint64_t>(least, pair.interleavings);
    return least;
  }

  void add_unsteady(std::size_t seat, ProbeRecord& record) const {
    const bool known = std::find(record.unsteady.begin(), record.unsteady.end(), cpus_[seat]) !=
                       record.unsteady.end();
    if (!known) record.unsteady.push_back(cpus_[seat]);
  }

  const std::vector<int>& cpus_;
  const ProbeOptions& options_;
  std::uint64_t deadline_ns_;
  std::size_t count_ = 0;
  std::unique_ptr<Table[]> tables_;
  std::vector<std::vector<Table*>> seats_;  ///< by round and position of the CPU; null: sits out
};

}  // namespace

void probe_oneway(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record) {
  Tournament matches(record.cpus, options, deadline_ns);
  matches.play();
  matches.record(record);
}

}  // namespace chronio::clock
