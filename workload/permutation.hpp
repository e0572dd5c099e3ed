// permutation.hpp: every number of a range once, in random order, in constant memory.
#pragma once

#include <array>
#include <cstdint>

namespace chronio::workload {

/// Order of [0, size): a full-period LCG over the next power of two, a bijective scramble of its
/// state, and cycle walking over what falls outside (less than half). Another order for each seed.
/// Exact for any size up to 2^63, where a map of touched blocks needs a bit for each. Plain value.
class Permutation {
 public:
  /// Constant time and memory. REQUIRES: 0 < size <= 2^63.
  Permutation(std::uint64_t size, std::uint64_t seed) noexcept;

  /// [hot] The next number. After `size` calls each was given once; then the same order begins
  /// again.
  std::uint64_t next() noexcept {
    const std::uint64_t value = step();
    if (value < size_) [[likely]]
      return value;
    return walk();
  }

 private:
  /// The next number of [0, mask_].
  std::uint64_t step() noexcept {
    state_ = (state_ * multiplier_ + increment_) & mask_;
    return scramble(state_);
  }

  /// What falls outside [0, size) is stepped over. Out of line: as one loop with the first step,
  /// all members would be loaded into registers before it, five instructions more.
  [[gnu::noinline]] std::uint64_t walk() noexcept {
    std::uint64_t value = 0;
    do value = step();
    while (value >= size_);
    return value;
  }

  /// A bijection on [0, mask_]: xor-shifts to the right and odd multiplications modulo a power of
  /// two are bijections each. One round less leaves pairs of successive numbers visibly patterned;
  /// so do quadratic polynomials in place of a round, and a counter in place of the LCG.
  [[nodiscard]] std::uint64_t scramble(std::uint64_t x) const noexcept {
    x ^= x >> shift_;
    x = (x * mix_[0]) & mask_;
    x ^= x >> shift_;
    x = (x * mix_[1]) & mask_;
    return x ^ (x >> shift_);
  }

  std::uint64_t size_;
  std::uint64_t mask_;  // the next power of two less one
  std::uint64_t state_;
  std::uint64_t increment_;
  // The same for every range, but read from memory: a constant of 64 bits takes an instruction.
  std::uint64_t multiplier_;
  std::array<std::uint64_t, 2> mix_;
  std::uint32_t shift_;  // half the bits of mask_: brings the good upper half over the lower one
};

}  // namespace chronio::workload
