// permutation.hpp: every number of a range once, in random order, in constant memory.
#pragma once

#include <cstdint>

namespace chronio::workload {

/// Order of [0, size): a full-period LCG over the next power of two, a bijective scramble of its
/// state, and cycle walking over what falls outside. Another order for each seed. Exact for any
/// size up to 2^63.
class Permutation {
 public:
  /// REQUIRES: 0 < size <= 2^63.
  Permutation(std::uint64_t size, std::uint64_t seed) noexcept;

  /// [hot] The next number. After `size` calls each was given once; then the same order begins
  /// again.
  std::uint64_t next() noexcept {
    std::uint64_t value = 0;
    do {
      state_ = (state_ * kMultiplier + increment_) & mask_;
      value = scramble(state_);
    } while (value >= size_);
    return value;
  }

 private:
  // Full period modulo any power of two because it is 1 modulo 4 and the increment is odd. Source:
  // Knuth, The Art of Computer Programming, vol. 2, 3.2.1.2 (theorem A) and 3.3.4 (the multiplier,
  // from MMIX).
  static constexpr std::uint64_t kMultiplier = 6364136223846793005U;

  /// A bijection on [0, mask_]: xor-shifts to the right and odd multiplications modulo a power of
  /// two are bijections each. One round less leaves pairs of successive numbers visibly patterned.
  /// The multipliers (from Steele and Vigna, "Computationally easy, spectrally good multipliers",
  /// 2021) are constants: seeds would draw bad ones for small ranges.
  [[nodiscard]] std::uint64_t scramble(std::uint64_t x) const noexcept {
    x ^= x >> shift_;
    x = (x * 0xd1342543de82ef95U) & mask_;
    x ^= x >> shift_;
    x = (x * 0xaf251af3b0f025b5U) & mask_;
    return x ^ (x >> shift_);
  }

  std::uint64_t size_;
  std::uint64_t mask_;  // the next power of two less one
  std::uint64_t state_;
  std::uint64_t increment_;
  std::uint32_t shift_;  // half the bits of mask_: brings the good upper half over the lower one
};

}  // namespace chronio::workload
