// timebase.cpp: the order in which the clock is examined, chosen, calibrated and re-checked.
#include "clock/timebase.hpp"

#include "clock/affinity.hpp"
#include "clock/calibration.hpp"
#include "clock/certify.hpp"
#include "clock/probe_cpus.hpp"
#include "clock/suspend.hpp"
#include "clock/verdict.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace chronio::clock {
namespace {

/// Enough for the granule to show; both together take some 100 us.
constexpr std::size_t kSeriesReadings = 2048;
constexpr std::size_t kBackToBack = 512;

/// TickScale's domain. What lies outside is no counter that runs along with time, whatever was
/// fitted.
constexpr double kLeastHz = 1e6;
constexpr double kMostHz = 6.4e10;

CounterFacts examine(CounterKind kind) {
  const unsigned bits = visit_counter(kind, [](auto counter) { return decltype(counter)::kBits; });
  CounterFacts facts;
  facts.series = examine_series(take_series(kind, kSeriesReadings), bits);
  facts.back_to_back = examine_back_to_back(take_back_to_back(kind, kBackToBack), bits);
  facts.read_cost_ns = read_cost_ns(kind);
  return facts;
}

/// Series and cost of reading take some 100 us, which a bracket at each end times well enough.
CounterFacts measure(CounterKind kind) {
  const Bracket start = take_brackets(kind, 1).front();
  CounterFacts facts = examine(kind);
  const Bracket end = take_brackets(kind, 1).front();
  const auto ticks = static_cast<double>(end.before - start.before);
  // Else the counter stands still, which the series tells.
  if (ticks > 0) facts.ns_per_tick = static_cast<double>(end.raw_ns - start.raw_ns) / ticks;
  return facts;
}

bool in_domain(const std::optional<RateFit>& fit) {
  return fit && fit->hz >= kLeastHz && fit->hz <= kMostHz;
}

}  // namespace

struct Timebase::State {
  Options options;
  Evidence evidence;
  Decision decision;
  std::optional<Calibration> calibration;
  RateFit first_fit;
  TickScale scale;
  Certificate certificate;
  double granule_ticks = 1;
  double correction = 1;
  bool is_calibrated = false;
  std::int64_t slept_before_ns = 0;  ///< what has been told already is not told again
  double told_step_ns = 0;
  bool rate_change_told = false;

  OffsetVerdict probe();
  void probe_start();
  void adopt_counter();
  void adopt_kernel_clock();
  void judge_rate(EndEvidence& end);
  void check_offsets(EndEvidence& end);
  void check(const std::string& when);

  [[nodiscard]] bool uses_kernel_clock() const { return is_kernel_clock(decision.kind); }
};

OffsetVerdict Timebase::State::probe() {
  const ProbeOptions how = {.counter = *evidence.machine.counter,
                            .method = options.method,
                            .quality = options.quality,
                            .granule_ticks = evidence.counter->series.granule_ticks,
                            .pair_budget_ns = options.pair_budget_ns,
                            .total_budget_ns = options.total_budget_ns};
  const ProbeRecord record = probe_cpus(options.cpus, how);
  // Only the comparison at the start delays the run.
  if (!is_calibrated)
    certificate.probe_ms = static_cast<double>(record.taken.end_ns - record.taken.begin_ns) / 1e6;
  return judge(record);
}

void Timebase::State::probe_start() {
  evidence.offsets = probe();
  certificate.method = name(options.method);
  certificate.skew_proven = evidence.offsets->skew || evidence.offsets->contradiction;
  certificate.pairs_checked = evidence.offsets->pairs_checked;
  certificate.pairs_insufficient = evidence.offsets->pairs_insufficient;
}

void Timebase::State::adopt_counter() {
  granule_ticks = evidence.counter->series.granule_ticks;
  certify_counter(*evidence.counter, certificate);
  if (evidence.offsets) certify_offsets(*evidence.offsets, options.cpus, false, certificate);
}

void Timebase::State::adopt_kernel_clock() {
  scale = TickScale{};
  CounterFacts facts = examine(decision.kind);
  // The figure by which the clock was chosen, not another one that was measured since.
  facts.read_cost_ns = decision.kind == CounterKind::monotonic
                           ? evidence.machine.monotonic_cost_ns
                           : evidence.machine.monotonic_raw_cost_ns;
  granule_ticks = facts.series.granule_ticks;
  certify_kernel_clock(facts, certificate);
}

void Timebase::State::judge_rate(EndEvidence& end) {
  certificate.step_ns = calibration->step_ns(first_fit);
  // A step stays in all later residuals: what has been told is taken off.
  end.step_ns = certificate.step_ns - told_step_ns;
  end.allowed_step_ns = allowed_step_ns(first_fit, certificate.granule_ns,
                                        static_cast<double>(calibration->elapsed_ns()));
  if (std::abs(end.step_ns) > end.allowed_step_ns) told_step_ns = certificate.step_ns;
  // The fit over all of the run so far. After a short job it is hardly better than the first one,
  // so the errors of both are allowed for.
  const std::optional<RateFit> fit = calibration->fit();
  // A changed rate stays in all later fits: it is told once.
  if (!in_domain(fit) || rate_change_told) return;
  end.rate_change_ppb = (fit->hz / first_fit.hz - 1) * 1e9;
  end.allowed_rate_change_ppb = 1000 + first_fit.ppb + fit->ppb;
  rate_change_told = std::abs(end.rate_change_ppb) > end.allowed_rate_change_ppb;
}

void Timebase::State::check_offsets(EndEvidence& end) {
  end.start = evidence.offsets;
  end.end = probe();
  certify_offsets(*end.end, options.cpus, true, certificate);
  if (end.start) certify_drift(*end.start, *end.end, certificate);
}

void Timebase::State::check(const std::string& when) {
  EndEvidence end;
  end.when = when;
  end.tolerance_ns = options.tolerance_ns;
  end.method = options.method;
  end.ns_per_tick = 1e9 / certificate.hz;
  // Against the last look, not the first, so that each change is told once.
  end.clocksource_start = certificate.kernel_clocksource.end;
  end.clocksource_end = certificate.kernel_clocksource.end = kernel_clocksource();
  const std::int64_t slept = slept_ns();
  end.slept_ns = static_cast<double>(slept - slept_before_ns);
  slept_before_ns = slept;
  // Once is enough, however often is looked afterwards.
  certificate.suspend = certificate.suspend || end.slept_ns > kLeastSleepNs;
  // The kernel's own clocks have no rate and no offsets to doubt.
  if (!uses_kernel_clock()) {
    calibration->take_end();
    judge_rate(end);
    check_offsets(end);
  }
  conclude(end, decision);
  certificate.mono_vs_raw_ppb = calibration->mono_vs_raw_ppb();
  // The bounds may have become wider, or known.
  certify_uncertainty(certificate);
  certify_decision(decision, certificate);
}

Timebase::Timebase(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Timebase::Timebase(Timebase&&) noexcept = default;
Timebase& Timebase::operator=(Timebase&&) noexcept = default;
Timebase::~Timebase() = default;

Timebase Timebase::init(const Options& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  if (options.cpus.empty()) state->options.cpus = allowed_cpus();
  Evidence& evidence = state->evidence;
  evidence.choice = options.choice;
  evidence.tolerance_ns = options.tolerance_ns;
  evidence.method = options.method;
  evidence.machine = examine_machine();
  // A kernel clock that was asked for needs no examination of the counter, which saves its time.
  const bool wants_counter = options.choice == Choice::automatic || options.choice == Choice::cpu;
  // In this order: a reading that PR_SET_TSC forbids would end the process.
  if (wants_counter && why_unreadable(evidence.machine).empty())
    evidence.counter = measure(*evidence.machine.counter);
  // Also for a counter that failed a gate: the findings are to be complete.
  if (wants_probes(evidence)) state->probe_start();

  state->decision = decide(evidence);
  Certificate& certificate = state->certificate;
  certificate.kernel_clocksource = {evidence.machine.clocksource, evidence.machine.clocksource};
  certificate.cpus = static_cast<std::uint32_t>(state->options.cpus.size());
  // What the machine slept before this is not the run's affair.
  state->slept_before_ns = slept_ns();
  if (state->uses_kernel_clock()) {
    state->adopt_kernel_clock();
  } else {
    state->adopt_counter();
  }
  certify_uncertainty(certificate);
  certify_decision(state->decision, certificate);
  // Only here is it known which counter is to be calibrated.
  state->calibration.emplace(state->decision.kind, state->granule_ticks);
  state->calibration->take_end();
  return Timebase(std::move(state));
}

void Timebase::calibrated() {
  State& state = *state_;
  if (state.is_calibrated) return;
  Calibration& calibration = *state.calibration;
  const std::uint64_t wanted_ns = state.uses_kernel_clock() ? 0 : state.options.calibrate_ns;
  // Clusters between both ends, for the price of some 25 us each.
  constexpr std::uint64_t kSteps = 8;
  for (std::uint64_t past = calibration.elapsed_ns(); past < wanted_ns;
       past = calibration.elapsed_ns()) {
    const std::uint64_t nap_ns = std::min(wanted_ns - past, wanted_ns / kSteps + 1);
    std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns));
    calibration.take();
  }
  calibration.take_end();
  // From here on scale() is fixed: bins of one run must not be made by two rates.
  state.is_calibrated = true;
  state.certificate.mono_vs_raw_ppb = calibration.mono_vs_raw_ppb();
  if (state.uses_kernel_clock()) return;

  const std::optional<RateFit> fit = calibration.fit();
  if (in_domain(fit)) {
    state.first_fit = *fit;
    state.scale = TickScale::from_hz(fit->hz);
    certify_rate(*fit, state.granule_ticks, state.certificate);
    return;
  }
  // In time: no stamp has been taken yet.
  state.decision.kind = kernel_clock(state.evidence.machine);
  state.decision.verdict = Verdict::fallback;
  state.decision.findings.emplace_back(
      "no plausible rate could be fitted to the counter: it does not run along with the kernel's "
      "clock");
  state.adopt_kernel_clock();
  certify_uncertainty(state.certificate);
  certify_decision(state.decision, state.certificate);
}

void Timebase::add_cluster() { state_->calibration->take_regular(); }

void Timebase::check(const std::string& when) {
  calibrated();
  state_->check(when);
}

void Timebase::finish() {
  check("at the end");
  State& state = *state_;
  if (state.uses_kernel_clock()) return;
  const std::optional<RateFit> fit = state.calibration->fit();
  if (!in_domain(fit)) return;
  // Times were made by the first rate: where that was too low they are too long.
  state.correction = state.first_fit.hz / fit->hz;
  certify_rate(*fit, state.granule_ticks, state.certificate);
}

const Certificate& Timebase::certificate() const noexcept { return state_->certificate; }
Certificate& Timebase::certificate() noexcept { return state_->certificate; }
const TickScale& Timebase::scale() const noexcept { return state_->scale; }
double Timebase::correction() const noexcept { return state_->correction; }
CounterKind Timebase::kind() const noexcept { return state_->decision.kind; }

}  // namespace chronio::clock
