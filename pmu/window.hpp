// window.hpp: what one window of counting yields, and the random numbers of the order. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace chronio::pmu {

/// Both bound the descriptors of a thread's rotation, to 288, and the size of a window.
inline constexpr std::size_t kMaxGroups = 32;  ///< that rotate
inline constexpr std::size_t kMaxMembers = 8;  ///< events of a group beside its trigger

/// Differences over the time that a group was armed. The trigger is counted over the same time as
/// the members, so whatever the overflow's delivery adds is in both. `value`: of the members in
/// their order; the rest is 0.
struct Window {
  std::uint64_t trigger = 0;
  std::uint64_t enabled_ns = 0;  ///< CPU time of the thread while the group was armed
  std::uint64_t running_ns = 0;  ///< of it, on counters; less than enabled: they were taken away
  std::array<std::uint64_t, kMaxMembers> value = {};
};

/// splitmix64: small, seedable, the same everywhere. For orders, not for secrets.
/// Source: Sebastiano Vigna's splitmix64.c, in the public domain.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  /// 64 random bits.
  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// From 0 up to 1, without it.
  double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Below `n`.
  /// REQUIRES: n > 0, and far below 2^64.
  std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace chronio::pmu
