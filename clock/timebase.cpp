// timebase.cpp: the order in which the clock is examined, chosen, calibrated and re-checked.
#include "clock/timebase.hpp"

#include "clock/affinity.hpp"
#include "clock/calibration.hpp"
#include "clock/probe_cpus.hpp"
#include "clock/verdict.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace chronio::clock {
namespace {

constexpr std::size_t kSeriesReadings = 2048;

/// TickScale's domain.
constexpr double kLeastHz = 1e6;
constexpr double kMostHz = 6.4e10;

SeriesFacts series_of(CounterKind kind) {
  const unsigned bits = visit_counter(kind, [](auto counter) { return decltype(counter)::kBits; });
  return examine_series(take_series(kind, kSeriesReadings), bits);
}

/// Series and cost of reading take some 100 us, which a bracket at each end times well enough.
CounterFacts measure(CounterKind kind) {
  const Bracket start = take_brackets(kind, 1).front();
  CounterFacts facts;
  facts.series = series_of(kind);
  facts.read_cost_ns = read_cost_ns(kind);
  const Bracket end = take_brackets(kind, 1).front();
  const auto ticks = static_cast<double>(end.before - start.before);
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

  OffsetVerdict probe();
  void adopt_counter();
  void adopt_kernel_clock();
  void certify_rate(const RateFit& fit);
  void certify_offsets(const OffsetVerdict& offsets);
  void check_end();
  void publish_decision();

  [[nodiscard]] bool uses_kernel_clock() const { return is_kernel_clock(decision.kind); }
  [[nodiscard]] double ns_per_tick() const { return 1e9 / certificate.hz; }
};

OffsetVerdict Timebase::State::probe() {
  const ProbeOptions how = {
      .counter = *evidence.machine.counter,
      .granule_ticks = evidence.counter->series.granule_ticks,
      .pair_budget_ns = options.pair_budget_ns,
      .total_budget_ns = std::max<std::uint64_t>(options.pair_budget_ns, 200'000'000)};
  const ProbeRecord record = probe_cpus(options.cpus, how);
  if (!is_calibrated) certificate.probe_ms = record.wall_ms;
  return judge(record);
}

void Timebase::State::adopt_counter() {
  const CounterFacts& facts = *evidence.counter;
  granule_ticks = facts.series.granule_ticks;
  certificate.read_cost_ns = facts.read_cost_ns;
  certificate.granule_ns = granule_ticks * facts.ns_per_tick;
  certificate.hz = 1e9 / facts.ns_per_tick;
  if (evidence.offsets) certify_offsets(*evidence.offsets);
}

void Timebase::State::adopt_kernel_clock() {
  scale = TickScale{};
  granule_ticks = series_of(decision.kind).granule_ticks;
  certificate.read_cost_ns = decision.kind == CounterKind::monotonic
                                 ? evidence.machine.monotonic_cost_ns
                                 : evidence.machine.monotonic_raw_cost_ns;
  certificate.granule_ns = granule_ticks;
  certificate.hz = 1e9;
  certificate.hz_ppb = 0;
  certificate.hz_baseline_s = 0;
}

void Timebase::State::certify_rate(const RateFit& fit) {
  certificate.hz = fit.hz;
  certificate.hz_ppb = fit.ppb;
  certificate.hz_baseline_s = fit.baseline_s;
  certificate.granule_ns = granule_ticks * ns_per_tick();
}

void Timebase::State::certify_offsets(const OffsetVerdict& offsets) {
  certificate.pairs_checked = offsets.pairs_checked;
  certificate.pairs_insufficient = offsets.pairs_insufficient;
  if (offsets.bound_ticks) {
    certificate.offset_bound_ns = static_cast<double>(*offsets.bound_ticks) * ns_per_tick();
  }
}

void Timebase::State::publish_decision() {
  certificate.source = source_of(decision.kind);
  certificate.read = how_read(decision.kind);
  certificate.verdict = decision.verdict;
  certificate.findings = decision.findings;
}

void Timebase::State::check_end() {
  EndEvidence end;
  end.tolerance_ns = options.tolerance_ns;
  end.ns_per_tick = ns_per_tick();
  end.clocksource_start = certificate.kernel_clocksource;
  end.clocksource_end = certificate.kernel_clocksource_end;
  if (!uses_kernel_clock()) {
    end.start = evidence.offsets;
    end.end = probe();
    end.step_ns = calibration->step_ns(first_fit);
    end.allowed_step_ns = allowed_step_ns(first_fit, certificate.granule_ns,
                                          static_cast<double>(calibration->elapsed_ns()));
    if (end.end->bound_ticks) {
      certificate.offset_bound_end_ns =
          static_cast<double>(*end.end->bound_ticks) * end.ns_per_tick;
    }
  }
  conclude(end, decision);
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
  evidence.machine = examine_machine();
  const bool wants_counter = options.choice == Choice::automatic || options.choice == Choice::cpu;
  if (wants_counter && why_unreadable(evidence.machine).empty()) {
    evidence.counter = measure(*evidence.machine.counter);
  }
  if (wants_probes(evidence)) evidence.offsets = state->probe();

  state->decision = decide(evidence);
  state->certificate.kernel_clocksource = evidence.machine.clocksource;
  state->certificate.cpus = static_cast<std::uint32_t>(state->options.cpus.size());
  if (state->uses_kernel_clock()) {
    state->adopt_kernel_clock();
  } else {
    state->adopt_counter();
  }
  state->publish_decision();
  state->calibration.emplace(state->decision.kind, state->granule_ticks);
  state->calibration->take_end();
  return Timebase(std::move(state));
}

void Timebase::calibrated() {
  State& state = *state_;
  if (state.is_calibrated) return;
  Calibration& calibration = *state.calibration;
  const std::uint64_t wanted_ns = state.uses_kernel_clock() ? 0 : state.options.calibrate_ns;
  constexpr std::uint64_t kSteps = 8;
  for (std::uint64_t past = calibration.elapsed_ns(); past < wanted_ns;
       past = calibration.elapsed_ns()) {
    const std::uint64_t nap_ns = std::min(wanted_ns - past, wanted_ns / kSteps + 1);
    std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns));
    calibration.take();
  }
  calibration.take_end();
  state.is_calibrated = true;
  state.certificate.mono_vs_raw_ppb = calibration.mono_vs_raw_ppb();
  if (state.uses_kernel_clock()) return;

  const std::optional<RateFit> fit = calibration.fit();
  if (in_domain(fit)) {
    state.first_fit = *fit;
    state.scale = TickScale::from_hz(fit->hz);
    state.certify_rate(*fit);
    return;
  }
  state.decision.kind = kernel_clock(state.evidence.machine);
  state.decision.verdict = Verdict::fallback;
  state.decision.findings.emplace_back(
      "no plausible rate could be fitted to the counter: it does not run along with the kernel's "
      "clock");
  state.adopt_kernel_clock();
  state.publish_decision();
}

void Timebase::add_cluster() { state_->calibration->take_regular(); }

void Timebase::finish() {
  calibrated();
  State& state = *state_;
  Calibration& calibration = *state.calibration;
  calibration.take_end();
  state.certificate.kernel_clocksource_end = kernel_clocksource();
  state.check_end();
  state.certificate.mono_vs_raw_ppb = calibration.mono_vs_raw_ppb();
  state.publish_decision();
  if (state.uses_kernel_clock()) return;
  const std::optional<RateFit> fit = calibration.fit();
  if (!in_domain(fit)) return;
  state.correction = state.first_fit.hz / fit->hz;
  state.certify_rate(*fit);
}

const Certificate& Timebase::certificate() const noexcept { return state_->certificate; }
Certificate& Timebase::certificate() noexcept { return state_->certificate; }
const TickScale& Timebase::scale() const noexcept { return state_->scale; }
double Timebase::correction() const noexcept { return state_->correction; }
CounterKind Timebase::kind() const noexcept { return state_->decision.kind; }

}  // namespace chronio::clock
