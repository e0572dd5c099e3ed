// clock_rate_test.cpp: clusters and the fit of their rate, on simulated brackets.
#include "clock/calibration.hpp"
#include "clock/cluster.hpp"
#include "clock/rate.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <random>

namespace {

using namespace chronio::clock;

/// A counter and a kernel's clock under one virtual time.
class Simulation {
 public:
  Simulation(double hz, double granule_ticks, unsigned seed)
      : hz_(hz), granule_(granule_ticks), dice_(seed) {}

  std::uint64_t start_ticks = 1'000'000'000'000;
  double step_ticks = 0;  ///< added to every reading

  /// A cluster taken at `ns`. Some brackets are interrupted.
  Cluster cluster(double ns, unsigned bits = 64) {
    std::vector<Bracket> brackets;
    for (int i = 0; i < 256; ++i) {
      Bracket bracket;
      bracket.before = ticks(ns);
      ns += 30 + noise(3);
      bracket.raw_ns = static_cast<std::uint64_t>(ns);
      ns += 30 + noise(3);
      if (dice_() % 10 == 0) ns += 400 + noise(4'000);
      bracket.after = ticks(ns);
      if (bits < 64) {
        bracket.before &= (std::uint64_t{1} << bits) - 1;
        bracket.after &= (std::uint64_t{1} << bits) - 1;
      }
      brackets.push_back(bracket);
      ns += 10 + noise(5);
    }
    const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
    return average(brackets, {start_ticks & mask, 0}, granule_, bits);
  }

  std::vector<Cluster> clusters(std::size_t count, double span_ns) {
    std::vector<Cluster> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(cluster(span_ns * static_cast<double>(i) / static_cast<double>(count - 1)));
    }
    return all;
  }

 private:
  std::uint64_t ticks(double ns) const {
    const double exact = ns * hz_ / 1e9 + step_ticks;
    return start_ticks + static_cast<std::uint64_t>(std::floor(exact / granule_) * granule_);
  }
  double noise(double most) { return static_cast<double>(dice_() % 10'000) * most / 1e4; }

  double hz_;
  double granule_;
  std::mt19937_64 dice_;
};

double error_ppb(const RateFit& fit, double hz) { return (fit.hz / hz - 1) * 1e9; }

constexpr double kHz = 2'445'428'025.3;
constexpr double kGranule = 24.5;

}  // namespace

TEST_CASE("cluster: interrupted brackets are left out of the mean", "[clock]") {
  // Interrupted after the kernel's clock was read: the midpoint lies 500 ticks late.
  std::vector<Bracket> brackets(20);
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    brackets[i] = {1000 + 100 * i, 500 + 50 * i, 1060 + 100 * i};
    if (i % 2 == 1) brackets[i].after += 1000;
  }
  const Cluster cluster = average(brackets, {1000, 500}, 10, 64);
  CHECK(cluster.kept == 10);
  CHECK(cluster.ticks == Approx(900 + 30));
  CHECK(cluster.ns == Approx(450));
}

TEST_CASE("cluster: the wrap of the counter does not disturb it", "[clock]") {
  const std::uint64_t late = (std::uint64_t{1} << 56U) - 50'000;
  Simulation wide(1e9, 10, 3);
  wide.start_ticks = late;
  Simulation narrow(1e9, 10, 3);
  narrow.start_ticks = late;
  CHECK(narrow.cluster(1e6, 56).ticks == Approx(wide.cluster(1e6, 64).ticks));
}

TEST_CASE("rate: nine clusters over 100 ms give the rate within 20 ppb", "[clock]") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto fit = fit_rate(Simulation(kHz, kGranule, seed).clusters(9, 1e8), kGranule);
    REQUIRE(fit);
    REQUIRE(std::abs(error_ppb(*fit, kHz)) <= 20);
    REQUIRE(fit->baseline_s == Approx(0.1).epsilon(0.01));
  }
}

TEST_CASE("rate: the estimated error covers the true one, and is no excuse", "[clock]") {
  int covered = 0;
  double widest = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const auto fit = fit_rate(Simulation(kHz, kGranule, seed).clusters(9, 2e7), kGranule);
    REQUIRE(fit);
    if (std::abs(error_ppb(*fit, kHz)) <= fit->ppb) ++covered;
    widest = std::max(widest, fit->ppb);
  }
  CHECK(covered >= 99);  // three standard errors; clusters' own errors are nearly normal
  CHECK(widest <= 200);  // 4 ns in 20 ms
}

TEST_CASE("rate: one bad cluster in nine does not move it, but widens its error", "[clock]") {
  const auto clean = fit_rate(Simulation(kHz, kGranule, 5).clusters(9, 1e8), kGranule);
  REQUIRE(clean);
  for (std::size_t bad = 0; bad < 9; ++bad) {
    std::vector<Cluster> clusters = Simulation(kHz, kGranule, 5).clusters(9, 1e8);
    clusters[bad].ticks += 5'000;
    const auto fit = fit_rate(clusters, kGranule);
    REQUIRE(fit);
    CHECK(std::abs(error_ppb(*fit, kHz)) <= 30);
    CHECK(fit->ppb > 10 * clean->ppb);
  }
}

TEST_CASE("rate: three clusters at each end outvote one bad one", "[clock]") {
  for (std::size_t bad = 0; bad < 6; ++bad) {
    Simulation simulation(kHz, kGranule, 9);
    std::vector<Cluster> clusters;
    for (const double ns : {0.0, 3e4, 6e4, 2e7, 2.003e7, 2.006e7}) {
      clusters.push_back(simulation.cluster(ns));
    }
    clusters[bad].ticks -= 5'000;
    const auto fit = fit_rate(clusters, kGranule);
    REQUIRE(fit);
    CHECK(std::abs(error_ppb(*fit, kHz)) <= 200);
  }
}

TEST_CASE("rate: a counter of 24 MHz is fitted as well as its tick allows", "[clock]") {
  const auto fit = fit_rate(Simulation(24e6, 1, 4).clusters(9, 1e8), 1);
  REQUIRE(fit);
  CHECK(std::abs(error_ppb(*fit, 24e6)) <= 100);
  CHECK(std::abs(error_ppb(*fit, 24e6)) <= fit->ppb);
}

TEST_CASE("rate: the slope of an even number of pairs is the mean of the middle two", "[clock]") {
  // The last two points are too close to each other to be a pair.
  const std::vector<double> x = {0, 10, 11};
  const std::vector<double> y = {0, 10, 22};
  CHECK(median_slope(x, y) == Approx(1.5));
}

TEST_CASE("rate: pairs closer than half of all have no say, however many they are", "[clock]") {
  const std::vector<double> x = {0, 2, 4, 6, 40};
  const std::vector<double> y = {0, 20, 40, 60, 40};  // four at a slope of 10, one far away
  CHECK(median_slope(x, y) == Approx((20.0 / 38 + 0) / 2));
}

TEST_CASE("rate: a bad first cluster does not move the line either", "[clock]") {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 9; ++i) clusters.push_back({2e6 * i, 1e6 * i, 256});
  clusters[0].ticks += 5000;
  const auto fit = fit_rate(clusters, 1);
  REQUIRE(fit);
  CHECK(fit->hz == Approx(2e9));
  CHECK(std::abs(fit->intercept_ticks) < 1);
}

TEST_CASE("rate: its error is three standard errors of a line through the clusters", "[clock]") {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 9; ++i) clusters.push_back({2e6 * i, 1e6 * i, 256});
  clusters[3].ticks += 5000;  // eight of nine keep the line where it is
  const auto fit = fit_rate(clusters, 1);
  REQUIRE(fit);
  CHECK(fit->hz == Approx(2e9));
  const double sigma = std::sqrt(5000.0 * 5000.0 / (9 - 2));
  const double spread = std::sqrt(2 * (1 + 4 + 9 + 16) * 1e12);  // ns about the middle
  CHECK(fit->ppb == Approx(3 * sigma / spread / 2 * 1e9));
}

TEST_CASE("rate: clusters on one line still err by a twentieth of the granule", "[clock]") {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 9; ++i) clusters.push_back({2e6 * i, 1e6 * i, 256});
  const double spread = std::sqrt(2 * (1 + 4 + 9 + 16) * 1e12);
  CHECK(fit_rate(clusters, 40)->ppb == Approx(3 * 2 / spread / 2 * 1e9));
  // No granule is known to be finer than a tick.
  CHECK(fit_rate(clusters, 0.1)->ppb == Approx(3 * 0.05 / spread / 2 * 1e9));
}

TEST_CASE("rate: a step may be three granules, and 50 ppb and the rate's error of the run",
          "[clock]") {
  RateFit fit;
  fit.ppb = 150;
  CHECK(allowed_step_ns(fit, 10, 0) == Approx(30));
  CHECK(allowed_step_ns(fit, 0, 2e9) == Approx(400));
}

TEST_CASE("rate: nothing is fitted to no time or to a counter that stands still", "[clock]") {
  CHECK_FALSE(fit_rate({}, 1));
  const std::vector<Cluster> same(5, Cluster{100, 50, 256});
  CHECK_FALSE(fit_rate(same, 1));
  std::vector<Cluster> stuck;
  for (int i = 0; i < 9; ++i) stuck.push_back({100, 1e6 * i, 256});
  CHECK_FALSE(fit_rate(stuck, 1));
}

TEST_CASE("rate: a step of the counter shows, the rate's own error does not", "[clock]") {
  Simulation simulation(kHz, kGranule, 6);
  const auto fit = fit_rate(simulation.clusters(9, 2e7), kGranule);
  REQUIRE(fit);
  constexpr double kRunNs = 1e9;
  const double allowed_ns = allowed_step_ns(*fit, 10, kRunNs);
  std::vector<Cluster> end;
  SECTION("none") {
    for (int i = 0; i < 3; ++i) end.push_back(simulation.cluster(kRunNs + 3e4 * i));
    CHECK(std::abs(step_ns(*fit, end)) <= allowed_ns);
  }
  SECTION("500 ns forward") {
    simulation.step_ticks = 500 * kHz / 1e9;
    for (int i = 0; i < 3; ++i) end.push_back(simulation.cluster(kRunNs + 3e4 * i));
    CHECK(step_ns(*fit, end) > allowed_ns);
  }
  SECTION("500 ns back") {
    simulation.step_ticks = -500 * kHz / 1e9;
    for (int i = 0; i < 3; ++i) end.push_back(simulation.cluster(kRunNs + 3e4 * i));
    CHECK(step_ns(*fit, end) < -allowed_ns);
  }
  SECTION("one bad cluster of three is none") {
    for (int i = 0; i < 3; ++i) end.push_back(simulation.cluster(kRunNs + 3e4 * i));
    end[1].ticks += 1e6;
    CHECK(std::abs(step_ns(*fit, end)) <= allowed_ns);
  }
}

TEST_CASE("rate: CLOCK_MONOTONIC's slewing shows in parts per billion", "[clock]") {
  std::vector<MonotonicPoint> points;
  for (int i = 0; i < 9; ++i) points.push_back({2e7 * i, 777 + 2e7 * i * 25e-6});
  CHECK(mono_vs_raw_ppb(points) == Approx(25'000));
  CHECK(mono_vs_raw_ppb({}) == 0);
  points.resize(3);  // 40 ms: too short to say anything
  CHECK(mono_vs_raw_ppb(points) == 0);
}

TEST_CASE("calibration: it keeps a bounded number of points however often it is asked", "[clock]") {
  Calibration calibration(CounterKind::monotonic_raw, 1);
  calibration.take_end();
  for (std::size_t i = 0; i < 4 * Calibration::kMostPoints; ++i) calibration.take_regular();
  CHECK(calibration.points() <= Calibration::kMostPoints);
  CHECK(calibration.points() >= Calibration::kMostPoints / 2);
}

TEST_CASE("calibration: the kernel's clock against itself runs at 1 GHz", "[clock]") {
  Calibration calibration(CounterKind::monotonic_raw, 1);
  for (int i = 0; i < 20; ++i) calibration.take();
  const auto fit = calibration.fit();
  REQUIRE(fit);
  // Both sides of a bracket are the same clock, so only bracket asymmetry remains: some ns over the
  // 100 us and more that 20 clusters take.
  CHECK(fit->hz == Approx(1e9).epsilon(1e-3));
  CHECK(std::abs(calibration.step_ns(*fit)) < 10'000);
}
