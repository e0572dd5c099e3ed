// probe_cpus.cpp: plays the pairs of all CPUs as a round-robin tournament, on threads of its own.
#include "clock/probe_cpus.hpp"

#include "clock/affinity.hpp"
#include "clock/machine.hpp"
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

class Tournament {
 public:
  Tournament(const std::vector<int>& cpus, const ProbeOptions& options)
      : cpus_(cpus), options_(options), deadline_ns_(raw_ns() + options.total_budget_ns) {
    const std::vector<std::vector<Meeting>> rounds = tournament(cpus.size());
    for (const auto& round : rounds) count_ += round.size();
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
  }

 private:
  void leave_all(std::size_t seat) const {
    for (const auto& seats : seats_) {
      if (seats[seat] != nullptr) seats[seat]->probe.leave();
    }
  }

  void take_part(std::size_t seat) const {
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
      table.probe.leave();
      return;
    }
    const bool leads = table.pair.first == seat;
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
    record.pairs.push_back({table.pair.first, table.pair.second, table.analysis.bounds(),
                            valid && table.analysis.sufficient()});
    if (!valid) return;
    if (table.analysis.first_unsteady()) add_unsteady(table.pair.first, record);
    if (table.analysis.second_unsteady()) add_unsteady(table.pair.second, record);
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

ProbeRecord probe_cpus(const std::vector<int>& cpus, const ProbeOptions& options) {
  const std::uint64_t start_ns = raw_ns();
  ProbeRecord record;
  record.cpus.assign(cpus.begin(),
                     cpus.begin() + static_cast<std::ptrdiff_t>(std::min(cpus.size(), kMostCpus)));
  record.left_out = cpus.size() - record.cpus.size();
  Tournament matches(record.cpus, options);
  matches.play();
  matches.record(record);
  record.wall_ms = static_cast<double>(raw_ns() - start_ns) / 1e6;
  return record;
}

}  // namespace chronio::clock
