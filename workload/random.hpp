// random.hpp: the random numbers of workloads: small, fast, the same on every machine.
#pragma once

#include <cstdint>

namespace chronio::workload {

/// xoshiro256++ (Blackman, Vigna 2019), seeded by splitmix64. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept;

  /// [hot] 64 random bits.
  std::uint64_t next() noexcept {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// [hot] Uniform in [0, n): multiply-shift, bias below n / 2^64. REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) noexcept {
    return (x << k) | (x >> (64 - k));
  }
  std::uint64_t state_[4];
};

/// One seed out of a few numbers (splitmix64 over each); any change of one changes all bits.
[[nodiscard]] std::uint64_t mix_seed(std::uint64_t a, std::uint64_t b) noexcept;

}  // namespace chronio::workload
