// permutation.hpp: every number of a range once, in random order, in constant memory.
#pragma once

#include <cstdint>

namespace chronio::workload {

/// Order of [0, size): a full-period LCG over the next power of two, a bijective scramble of its state, and
/// cycle walking over what falls outside. Another order for each seed. Exact for any size up to 2^63.
class Permutation {
 public:
  /// REQUIRES: size > 0.
  Permutation(std::uint64_t size, std::uint64_t seed) noexcept;

  /// [hot] The next number. After `size` calls each was given once; then the same order begins again.
  std::uint64_t next() noexcept {
    std::uint64_t value = 0;
    do {
      state_ = (state_ * multiplier_ + increment_) & mask_;
      value = scramble(state_);
    } while (value >= size_);
    return value;
  }

 private:
  /// A bijection on [0, mask]: xor-shifts and odd multiplications modulo a power of two.
  [[nodiscard]] std::uint64_t scramble(std::uint64_t x) const noexcept {
    x ^= x >> shift_;
    x = (x * odd_) & mask_;
    x ^= x >> shift_;
    return x;
  }

  std::uint64_t size_, mask_, state_, multiplier_, increment_, odd_;
  std::uint32_t shift_;
};

}  // namespace chronio::workload
