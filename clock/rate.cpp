// rate.cpp: Theil-Sen slope over clusters, with its own error.
#include "clock/rate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace chronio::clock {
namespace {

/// REQUIRES: !values.empty().
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Three standard errors of a slope whose points lie `sigma` off the line; the points' distances
/// from the fit are averaged without trimming, so that an outlier widens the estimate.
double slope_error(std::span<const Cluster> clusters, const RateFit& fit, double least_sigma) {
  double squares = 0;
  double mean_ns = 0;
  for (const Cluster& cluster : clusters) {
    const double residual = cluster.ticks - fit.ticks_at(cluster.ns);
    squares += residual * residual;
    mean_ns += cluster.ns;
  }
  const auto count = static_cast<double>(clusters.size());
  mean_ns /= count;
  double spread = 0;
  for (const Cluster& cluster : clusters) {
    spread += (cluster.ns - mean_ns) * (cluster.ns - mean_ns);
  }
  const double sigma = std::max(std::sqrt(squares / std::max(count - 2, 1.0)), least_sigma);
  return 3 * sigma / std::sqrt(spread);
}

}  // namespace

double RateFit::ticks_at(double ns) const noexcept { return intercept_ticks + ns * hz / 1e9; }

std::optional<double> median_slope(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2) return std::nullopt;
  // Over a short distance noise makes any slope. Such pairs are many and would outvote the others.
  const double apart = (x.back() - x.front()) / 2;
  if (apart <= 0) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[j] - x[i] >= apart) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  return median(slopes);
}

std::optional<RateFit> fit_rate(std::span<const Cluster> clusters, double granule_ticks) {
  std::vector<double> ns;
  std::vector<double> ticks;
  for (const Cluster& cluster : clusters) {
    ns.push_back(cluster.ns);
    ticks.push_back(cluster.ticks);
  }
  const std::optional<double> slope = median_slope(ns, ticks);
  // Not above 0: the counter did not run along with the kernel's clock.
  if (!slope || *slope <= 0) return std::nullopt;

  RateFit fit;
  fit.hz = *slope * 1e9;
  fit.baseline_s = (ns.back() - ns.front()) / 1e9;
  std::vector<double> intercepts;
  for (std::size_t i = 0; i < ns.size(); ++i) intercepts.push_back(ticks[i] - ns[i] * *slope);
  // The median here, too: a bad cluster must not move what later ones are held against.
  fit.intercept_ticks = median(intercepts);
  // A cluster averages 100 brackets and more, which leaves a twentieth of the granule in it.
  const double least_sigma = std::max(granule_ticks, 1.0) / 20;
  fit.ppb = slope_error(clusters, fit, least_sigma) / *slope * 1e9;
  return fit;
}

double step_ns(const RateFit& fit, std::span<const Cluster> newest) {
  std::vector<double> residuals;
  for (const Cluster& cluster : newest) {
    residuals.push_back((cluster.ticks - fit.ticks_at(cluster.ns)) * 1e9 / fit.hz);
  }
  // One interrupted cluster is no step.
  return median(residuals);
}

double allowed_step_ns(const RateFit& fit, double granule_ns, double run_ns) {
  // The first fit spans some 20 ms, so over a long run its own error is most of this.
  return 3 * granule_ns + (50 + fit.ppb) * run_ns / 1e9;
}

double mono_vs_raw_ppb(std::span<const MonotonicPoint> points) {
  constexpr double kShortestNs = 1e8;
  if (points.empty() || points.back().raw_ns - points.front().raw_ns < kShortestNs) return 0;
  std::vector<double> x;
  std::vector<double> y;
  for (const MonotonicPoint& point : points) {
    x.push_back(point.raw_ns);
    y.push_back(point.offset_ns);
  }
  return median_slope(x, y).value_or(0) * 1e9;
}

}  // namespace chronio::clock
