// permutation.cpp: start of a random order from its seed.
#include "workload/permutation.hpp"

#include "workload/random.hpp"

#include <bit>
#include <cassert>

namespace chronio::workload {
namespace {

// Full period modulo any power of two because it is 1 modulo 4 and the increment is odd. Source:
// Knuth, The Art of Computer Programming, vol. 2, 3.2.1.2 (theorem A) and 3.3.4 (the multiplier,
// from MMIX).
constexpr std::uint64_t kMultiplier = 6364136223846793005U;

// From Steele and Vigna, "Computationally easy, spectrally good multipliers", 2021. Constants:
// seeds would draw bad ones for small ranges.
constexpr std::array<std::uint64_t, 2> kMix = {0xd1342543de82ef95U, 0xaf251af3b0f025b5U};

}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t seed) noexcept
    : size_(size),
      mask_(std::bit_ceil(size) - 1),
      state_(mix_seed(seed, 0) & mask_),
      increment_(mix_seed(seed, 1) | 1),
      multiplier_(kMultiplier),
      mix_(kMix),
      shift_((static_cast<std::uint32_t>(std::bit_width(mask_)) + 1) / 2) {
  assert(size > 0 && size <= std::uint64_t{1} << 63);
}

}  // namespace chronio::workload
