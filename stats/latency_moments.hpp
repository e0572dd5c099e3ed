// latency_moments.hpp: exact moments of slat, clat and their sum lat, of the same I/Os.
#pragma once

#include "stats/moments.hpp"

#include <cstdint>
#include <limits>

namespace chronio::stats {

/// A sum of 128 bits. The compiler's own type costs GCC 12 two more instructions for each addition
/// of 64 bits, and registers besides.
struct Sum128 {
  std::uint64_t low = 0, high = 0;

  /// [hot] The carry goes to the upper half: an addition and an addition with carry.
  void add(std::uint64_t n) noexcept {
    high += static_cast<std::uint64_t>(__builtin_add_overflow(low, n, &low));
  }
  void add(Uint128 n) noexcept {
    add(static_cast<std::uint64_t>(n));
    high += static_cast<std::uint64_t>(n >> 64U);
  }
  [[nodiscard]] Uint128 value() const noexcept { return static_cast<Uint128>(high) << 64U | low; }
};

/// Three Moments for less than the price of three: who records counts the I/Os anyway, and the sum
/// of (slat + clat)^2 follows from the sums of slat^2, clat^2 and slat * clat. Single writer; read
/// after it has ended. All in ns and ns^2. Sums of latencies fit 64 bits for 584 years of them.
class LatencyMoments {
 public:
  /// [hot] One I/O, in ns.
  void record(std::uint64_t slat, std::uint64_t clat) noexcept {
    slat_sum_ += slat;
    clat_sum_ += clat;
    if (((slat | clat) >> 32U) == 0) [[likely]] {  // below 4.3 s products fit 64 bits
      slat_squares_.add(slat * slat);
      clat_squares_.add(clat * clat);
      products_.add(slat * clat);
    } else {
      record_long(slat, clat);
    }
    slat_.widen(slat);
    clat_.widen(clat);
    lat_.widen(slat + clat);
  }

  /// The moments of `n` I/Os: as many as were recorded. With another `n` mean and deviation are
  /// wrong, minimum and maximum are not.
  [[nodiscard]] Moments clat(std::uint64_t n) const noexcept {
    return {n, clat_.min, clat_.max, clat_sum_, clat_squares_.value()};
  }
  /// As clat(), of the submission latency.
  [[nodiscard]] Moments slat(std::uint64_t n) const noexcept {
    return {n, slat_.min, slat_.max, slat_sum_, slat_squares_.value()};
  }
  /// Of slat + clat of each I/O: squares by (s + c)^2 = s^2 + c^2 + 2 s c.
  [[nodiscard]] Moments lat(std::uint64_t n) const noexcept {
    return {n, lat_.min, lat_.max, slat_sum_ + clat_sum_,
            slat_squares_.value() + clat_squares_.value() + 2 * products_.value()};
  }

 private:
  /// New extremes become rare, so the branches are predicted.
  struct Extremes {
    std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t max = 0;
    void widen(std::uint64_t ns) noexcept {
      if (ns < min) [[unlikely]]
        min = ns;
      if (ns > max) [[unlikely]]
        max = ns;
    }
  };

  /// Apart and cold: what is seldom needed is no part of the short path's code.
  [[gnu::noinline, gnu::cold]] void record_long(std::uint64_t slat, std::uint64_t clat) noexcept {
    slat_squares_.add(static_cast<Uint128>(slat) * slat);
    clat_squares_.add(static_cast<Uint128>(clat) * clat);
    products_.add(static_cast<Uint128>(slat) * clat);
  }

  /// ns; that of lat is their sum.
  std::uint64_t slat_sum_ = 0, clat_sum_ = 0;
  Sum128 slat_squares_, clat_squares_, products_;
  Extremes slat_, clat_, lat_;
};

}  // namespace chronio::stats
