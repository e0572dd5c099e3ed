// moments.cpp: mean and standard deviation out of exact integer sums.
#include "stats/moments.hpp"

#include <cmath>

namespace chronio::stats {

double Moments::mean() const noexcept {
  return n == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(n);
}

double Moments::stddev() const noexcept {
  if (n < 2) return 0.0;
  // Squares about the whole part of the mean: integers modulo 2^128 cancel without loss, where
  // sum_squares - sum^2 / n in floating point would leave only noise of a steady device.
  const std::uint64_t whole = sum / n;
  const std::uint64_t rest = sum % n;
  const Uint128 about_whole =
      sum_squares - 2 * static_cast<Uint128>(whole) * sum + static_cast<Uint128>(whole) * whole * n;
  // sum = whole * n + rest: what squares about the whole part have too much is rest^2 / n.
  const auto rest_f = static_cast<long double>(rest);
  const auto n_f = static_cast<long double>(n);
  const long double squares = static_cast<long double>(about_whole) - rest_f * rest_f / n_f;
  return static_cast<double>(std::sqrt(std::fmax(squares, 0.0L) / (n_f - 1)));
}

}  // namespace chronio::stats
