// random.hpp: the random numbers of workloads: small, fast, the same on every machine.
#pragma once

#include <cstdint>

namespace chronio::workload {

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). Period
/// 2^64; one add, two multiplications. Any seed is good, 0 too. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  /// [hot] 64 random bits.
  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// [hot] Uniform in [0, n): multiply-shift, bias below n / 2^64. No division and no loop. Source:
  /// Lemire, "Fast random integer generation in an interval", 2019, without its rejection step.
  /// REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }

 private:
  std::uint64_t state_;
};

/// One seed out of two numbers; any change of one changes all bits. For families of streams: jobs,
/// copies, lanes, passes each mix in their number. Not symmetric: (a, b) and (b, a) differ.
[[nodiscard]] std::uint64_t mix_seed(std::uint64_t a, std::uint64_t b) noexcept;

}  // namespace chronio::workload
