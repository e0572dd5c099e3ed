// pmu_workloads.cpp: the classes, each a function from a thread's state to its next segment.
#include "tests/slow/pmu_workloads.hpp"

#include "pmu/window.hpp"

#include <algorithm>
#include <cmath>

namespace chronio::tests {
namespace {

using pmu::Random;

double log_uniform(Random& random, double low, double high) {
  return low * std::pow(high / low, random.unit());
}

double exponential(Random& random, double mean) { return -mean * std::log(1 - random.unit()); }

/// What the code of one phase does.
struct Phase {
  double per_ns = 0;                                     ///< instructions
  std::array<double, kFakeEvents> per_instruction = {};  ///< events
};

constexpr double kCyclesPerNs = 3;
constexpr std::size_t kCycles = 2;

Phase draw_phase(Random& random) {
  Phase phase;
  phase.per_ns = log_uniform(random, 0.4, 6);
  phase.per_instruction[0] = 0.18 * (1 + 0.2 * (random.unit() - 0.5));
  phase.per_instruction[1] = log_uniform(random, 0.0005, 0.02);
  phase.per_instruction[3] = log_uniform(random, 0.0002, 0.008);
  phase.per_instruction[4] = random.unit() < 0.5 ? 0 : log_uniform(random, 1e-5, 3e-3);
  return phase;
}

Segment asleep(double ns) {
  Segment segment;
  segment.ns = ns;
  segment.on_cpu = false;
  return segment;
}

/// What all classes have: chance, phases, and the time that has passed.
struct Thread {
  Thread(std::size_t index, std::uint64_t seed) : random(seed * 7919 + index * 104'729 + 17) {
    for (Phase& phase : phases) phase = draw_phase(random);
  }

  /// `ns` of a phase whose rates vary by `noise`.
  Segment run(std::size_t phase, double ns, double noise) {
    Segment segment;
    segment.ns = ns;
    const double factor = 1 + noise * (2 * random.unit() - 1);
    segment.trigger = phases[phase].per_ns * factor;
    for (std::size_t i = 0; i < kFakeEvents; ++i)
      segment.events[i] = i == kCycles ? kCyclesPerNs
                                       : segment.trigger * phases[phase].per_instruction[i] *
                                             (1 + noise * (2 * random.unit() - 1));
    return segment;
  }

  Random random;
  std::array<Phase, 5> phases;
  double now = 0;                     ///< ns of wall time
  std::uint64_t step = 0;             ///< segments so far
  double a = 0, b = 0, c = 0, d = 0;  ///< what the class has drawn once
};

using Step = Segment (*)(Thread&);

Segment steady(Thread& t) { return t.run(0, 20e3, 0.1); }

/// Two phases in turn: a period of `a` ns, of which the share `b` is the first one's.
Segment square(Thread& t, double noise) {
  const double at = std::fmod(t.now, t.a);
  const bool first = at < t.b * t.a - 1;
  const double left = (first ? t.b * t.a : t.a) - at;
  return t.run(first ? 0 : 1, std::min(left, 50e3), noise);
}
Segment square_wave(Thread& t) {
  if (t.step == 0) {
    t.a = log_uniform(t.random, 1e6, 100e6);
    t.b = 0.2 + 0.6 * t.random.unit();
  }
  return square(t, 0.05);
}
Segment resonant_wave(Thread& t) {
  if (t.step == 0) {
    t.a = 4e6 * static_cast<double>(1 + t.random.below(8));
    t.b = 0.5;
  }
  return square(t, 0);
}

/// Four phases of `a` instructions each; `b` of the present one are done, `c` is its number.
Segment locked(Thread& t) {
  if (t.step == 0) t.a = 1e6 * static_cast<double>(1 + t.random.below(4));
  Segment segment = t.run(static_cast<std::size_t>(t.c), 50e3, 0);
  const double left = (t.a - t.b) / segment.trigger;
  if (left > segment.ns) {
    t.b += segment.ns * segment.trigger;
    return segment;
  }
  segment.ns = left;
  t.b = 0;
  t.c = std::fmod(t.c + 1, 4);
  return segment;
}

/// `a`: what is left of the phase `c`, whose mean length goes with its first rate.
Segment markov(Thread& t) {
  if (t.a <= 1) {
    t.c = static_cast<double>(t.random.below(5));
    const double mean = 0.2e6 * std::pow(200.0, t.phases[static_cast<std::size_t>(t.c)].per_ns / 6);
    t.a = exponential(t.random, mean) + 2;
  }
  const Segment segment = t.run(static_cast<std::size_t>(t.c), std::min(t.a, 50e3), 0.05);
  t.a -= segment.ns;
  return segment;
}

/// Submit, sleep for the device, complete, look at the result: `a` ns of work, `b` ns of sleep.
Segment synchronous(Thread& t) {
  if (t.step == 0) {
    t.a = log_uniform(t.random, 8e3, 50e3);
    t.b = log_uniform(t.random, 50e3, 500e3);
  }
  switch (t.step % 4) {
    case 0: return t.run(0, t.a * 0.5, 0.1);
    case 1: return asleep(exponential(t.random, t.b) + 1);
    case 2: return t.run(1, t.a * 0.3, 0.1);
    default: return t.run(2, t.a * 0.2, 0.1);
  }
}

/// Submission and completion in turn; every `d` ns a flush of `c` ns.
Segment batches(Thread& t) {
  if (t.step == 0) {
    t.a = log_uniform(t.random, 10e3, 60e3);
    t.b = log_uniform(t.random, 10e3, 60e3);
    t.c = log_uniform(t.random, 2e6, 20e6);
    t.d = log_uniform(t.random, 20e6, 200e6);
  }
  if (std::fmod(t.now, t.d) < t.c) return t.run(2, 50e3, 0.1);
  return t.step % 2 == 0 ? t.run(0, t.a, 0.1) : t.run(1, t.b, 0.1);
}

/// Every `a` ns, 1 or 4 ms, `b` ns of work; `c` is where in the period the deadlines lie.
Segment paced(Thread& t, bool absolute) {
  if (t.step == 0) {
    t.a = t.random.below(2) == 0 ? 4e6 : 1e6;
    t.b = log_uniform(t.random, 50e3, 600e3);
    t.c = t.random.unit() * t.a;
  }
  if (t.step % 3 == 1) return t.run(0, t.b * 0.6, 0.05);
  if (t.step % 3 == 2) return t.run(1, t.b * 0.4, 0.05);
  const double until =
      absolute ? (std::floor((t.now - t.c) / t.a) + 1) * t.a + t.c - t.now : t.a - t.b;
  return asleep(std::max(1.0, until + 60e3 * t.random.unit()));
}
Segment paced_absolute(Thread& t) { return paced(t, true); }
Segment paced_relative(Thread& t) { return paced(t, false); }

/// `a`: the wall time of the whole thread.
Segment warm_up(Thread& t) {
  const double share = t.now / t.a;
  return t.run(share < 0.1 ? 0 : share < 0.25 ? 1 : 2, 50e3, 0.1);
}

/// A long burst every 50 ms, short ones between.
Segment bursts(Thread& t) {
  const std::uint64_t at = t.step % 22;
  if (at == 0) return t.run(0, log_uniform(t.random, 1e6, 8e6), 0.1);
  if (at % 2 == 1) return asleep(2.2e6);
  return t.run(1, log_uniform(t.random, 5e3, 60e3), 0.1);
}

constexpr std::array<Step, kWorkloadClasses.size()> kSteps = {
    steady,  square_wave,    resonant_wave, locked, markov,        synchronous,
    batches, paced_absolute, warm_up,       bursts, paced_relative};

}  // namespace

Workload make_workload(std::size_t index, std::uint64_t seed, double total_ns) {
  Thread thread(index, seed);
  if (kSteps[index] == warm_up) thread.a = total_ns;
  return [thread, step = kSteps[index], total_ns](Segment& segment) mutable {
    if (thread.now >= total_ns) return false;
    segment = step(thread);
    segment.ns = std::min(std::max(segment.ns, 1.0), total_ns - thread.now);
    thread.now += segment.ns;
    ++thread.step;
    return true;
  };
}

}  // namespace chronio::tests
