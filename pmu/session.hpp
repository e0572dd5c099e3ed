// session.hpp: counting on one thread from its set-up to its end. The thread that is counted makes
// it and calls all but watch(); nothing of it runs between two I/Os but the overflow handler.
#pragma once

#include "pmu/energy.hpp"
#include "pmu/estimate.hpp"
#include "pmu/halving.hpp"
#include "pmu/handler_cost.hpp"
#include "pmu/overflow_monitor.hpp"
#include "pmu/perf_backend.hpp"
#include "pmu/period.hpp"
#include "pmu/planner.hpp"
#include "pmu/presence.hpp"
#include "pmu/request.hpp"
#include "pmu/rotator.hpp"
#include "pmu/steady_group.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace chronio::pmu {

/// Events that fit the counters count throughout; else groups take turns, switched by overflows
/// where these can be told and by the kernel's timer where not. Nothing throws for what can't be
/// counted.
/// Threads: the counted one, but for watch() and, once it is over, counts().
class Session final : OverflowSink {
 public:
  /// [setup] Tries, plans and opens, all stopped. What can't be counted is in counts(). A way of
  /// notification that tells of no overflow takes 0.1 s of CPU time to find out.
  explicit Session(Request request);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

  /// Why not all that was asked for will be counted, or not as asked; empty when it will.
  [[nodiscard]] const std::string& shortfall() const noexcept { return shortfall_; }

  /// The ramp begins: from here on the trigger's pace is measured. Optional; without it there is no
  /// pace.
  void ramp() noexcept;
  /// The measured part begins, and ends. begin() unblocks the overflow signals on this thread;
  /// finish() keeps the open window, and later signals are ignored. finish() without begin() does
  /// nothing.
  void begin() noexcept;
  void finish() noexcept;

  /// From another thread, now and then: ends the counting of events that nobody named once it
  /// passes the budget, and has the next group armed where one waits for counters in vain. Takes a
  /// lock that the counted thread takes only in begin(), finish() and close(); reads the thread's
  /// schedstat.
  void watch() noexcept;

  /// Gives the descriptors back; counts() stays.
  void close() noexcept;

  /// Events in the order of the request.
  /// REQUIRES: finish() was called, or begin() never.
  [[nodiscard]] Counts counts() const;

 private:
  /// trigger: the trigger of all groups counts it anyway, throughout. steady: beside them.
  enum class Place : std::uint8_t { nowhere, trigger, rotating, steady };

  /// One event of the request, and where it is counted. Errors are above 0, as errno has them.
  struct Asked {
    Event event;
    int error = 0;    ///< errno: why it is nowhere
    int partial = 0;  ///< errno: why its kernel part is missing
    Place place = Place::nowhere;
    /// Into steady_ or the rotator's groups, by `place`.
    std::size_t group = 0;
    std::size_t member = 0;
  };

  /// A window of the log; `end_ns` by CLOCK_MONOTONIC.
  struct LogRow {
    std::uint64_t end_ns = 0;
    std::uint32_t group = 0;
    Window window;
  };

  /// What the thread had used at one end of the measured part.
  struct Mark {
    std::uint64_t wall_ns = 0;
    Usage usage;
  };

  /// [hot] In the signal handler, or on the monitor's thread.
  void on_overflow() noexcept override;

  // Opening.
  /// The request's groups with those events alone that count here.
  [[nodiscard]] std::vector<ListedGroup> try_events();
  /// The trigger that was asked for, or the first that counts; none where nothing is to be counted.
  void choose_trigger();
  /// Decides between counting throughout, rotation and the kernel's timer, in this order, by what
  /// opens.
  void place_events(const GroupPlan& plan);
  /// In asked_, of events by their numbers in the plan.
  [[nodiscard]] Indexes asked(const Indexes& planned) const;
  /// One group that counts throughout: 0 or -errno.
  [[nodiscard]] int open_group(const Indexes& events, bool pinned);
  /// As many such groups as are needed; an event that fits into none gets its error.
  void open_steady(const Indexes& events, bool pinned);
  /// False: overflows can't be told, or no group opened; then nothing is left of it.
  /// REQUIRES: there are groups that take turns.
  [[nodiscard]] bool open_rotating(const GroupPlan& plan);
  /// 0 or an errno, above 0.
  [[nodiscard]] int choose_notify(const GroupPlan& plan);
  /// The groups of the plan: 0, or an errno above 0 where none opened.
  [[nodiscard]] int open_turns(const GroupPlan& plan);
  /// Has another thread told of overflows, where that is the way: 0 or an errno, above 0.
  [[nodiscard]] int start_monitor();
  /// One group that takes turns: 0 or -errno, also for one that opens and gets no counters.
  [[nodiscard]] int add_group(const Event& trigger, const Indexes& members);
  /// As one group, or as several where it does not fit.
  void add_rotating(const Event& trigger, Indexes members);
  /// Groups that are not pinned, which the kernel lets take turns by time.
  void open_by_kernel(const GroupPlan& plan);
  /// Period until the ramp tells a better one.
  [[nodiscard]] std::uint64_t first_period(const Event& trigger);
  /// And what goes with it: guard, log, presence.
  void make_rotator();
  /// Sets switch_cost_ns_.
  void measure_switch_cost() noexcept;
  /// Keeps the first reason.
  void fall_short(const std::string& why);
  /// By the first event that is not counted, or not in both modes.
  void explain_shortfall();

  // Counting.
  /// Periods from what the ramp counted of the first group's trigger.
  void calibrate(const Window& ramp) noexcept;
  /// Of the window that an overflow has ended: its place in the log, and what ending it cost, from
  /// `start_ns` to `end_ns` of CLOCK_MONOTONIC.
  void account(std::uint64_t start_ns, std::uint64_t end_ns) noexcept;
  /// Keeps the rotator's last window, if there is room.
  void log_window(std::uint64_t end_ns) noexcept;
  /// Makes all periods longer by half.
  void stretch() noexcept;
  /// On the thread that calls watch().
  void watch_budget() noexcept;
  /// Any thread; has the thread that handles overflows give a group's turn up.
  void end_vain_window() noexcept;
  /// Whether what context switches cost by switch_cost_ns_ is above the budget.
  [[nodiscard]] bool over_budget(std::uint64_t switches, std::uint64_t cpu_ns) const noexcept;
  /// Runs `action` apart from the monitor's thread, where there is one.
  template <class Action>
  void apart(Action&& action) noexcept;

  // Telling.
  /// There was a measured part, even an empty one.
  [[nodiscard]] bool began() const noexcept { return begin_.wall_ns != 0; }
  /// By place; adds the reason where there is no total.
  [[nodiscard]] EventCount told(const Asked& asked) const;
  void tell_steady(const Asked& asked, EventCount& out) const;
  void tell_rotating(const Asked& asked, EventCount& out) const;
  void tell_trigger(EventCount& out) const;
  /// Of a rotation: how much of the thread's time its windows have seen.
  [[nodiscard]] Presence presence() const noexcept;
  /// What no window saw, as a sentence; empty where it is little.
  [[nodiscard]] std::string unseen() const;
  void tell_switching(Counts& out) const;
  /// Modes of the events that are counted, as Counts has them.
  [[nodiscard]] std::string domain() const;
  /// By columns; absent where none was asked for.
  [[nodiscard]] std::optional<WindowLog> told_log() const;
  /// User and system time of the thread in the measured part.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept;
  /// Factor from the handler's body to all that an overflow takes.
  [[nodiscard]] double delivery() const noexcept;

  Request request_;
  /// In the order of the request; never grows after the constructor.
  std::vector<Asked> asked_;
  std::vector<std::size_t> countable_;  ///< indexes into asked_, in the order of the plan's events
  /// Absent: none counts here, by trigger_error_ (an errno).
  std::optional<Event> trigger_;
  int trigger_error_ = 0;
  /// Hardware counters found; 0: none, or no hardware event was asked for.
  std::size_t counters_ = 0;
  Mode mode_ = Mode::none;
  std::string shortfall_;

  /// Closed by close(); what they read stays.
  std::vector<SteadyGroup> steady_;
  Notify notify_ = Notify::none;
  std::optional<PerfBackend> backend_;
  std::vector<Event> group_triggers_;  ///< of each rotating group
  std::vector<Indexes> group_events_;  ///< indexes into asked_
  std::optional<Rotator<PerfBackend>> rotator_;
  std::optional<OverflowMonitor> monitor_;
  SteadyGroup presence_;  ///< counts nothing, and that all the time: the thread's time on a CPU
  bool tells_presence_ = false;
  bool calibrated_ = false;

  /// Of a rotation only.
  std::optional<BudgetGuard> guard_;
  /// ns in the handler's body.
  HandlerCost cost_;
  std::uint64_t switch_cost_ns_ = 0;  ///< of a context switch, for the events that count then
  std::atomic<bool> in_handler_{false};
  /// Counted in the handler, looked at by watch().
  std::atomic<std::uint64_t> overflows_{0};
  std::uint64_t overflows_seen_ = 0;  ///< at the last watch()
  /// Allocated whole before the beginning; empty: nobody asked for it.
  std::vector<LogRow> log_;
  std::size_t logged_ = 0;
  std::uint64_t log_lost_ = 0;

  PackageEnergy energy_;
  /// uJ of all packages in the measured part, whoever used it; nothing before finish().
  std::optional<std::uint64_t> energy_uj_;
  /// Absent: there was no ramp.
  std::optional<Mark> ramp_;
  /// The same until finish(): nothing was used.
  Mark begin_, end_;
  std::mutex mutex_;  ///< between watch() and the ends of the measured part
  /// Between begin() and finish(); watch() acts only then.
  bool measuring_ = false;
  /// Counting was given up: every figure is withheld, not only what came later.
  std::atomic<bool> dropped_{false};
  std::uint64_t switches_until_drop_ = 0;                ///< context switches of the measured part
  pid_t thread_ = 0;                                     ///< that is counted
  std::string sched_path_;                               ///< of the thread's schedstat
  std::uint64_t sched_cpu_ns_ = 0, sched_switches_ = 0;  ///< at begin()
};

}  // namespace chronio::pmu
