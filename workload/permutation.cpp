// permutation.cpp: start of a random order from its seed.
#include "workload/permutation.hpp"

#include "workload/random.hpp"

#include <bit>
#include <cassert>

namespace chronio::workload {

Permutation::Permutation(std::uint64_t size, std::uint64_t seed) noexcept
    : size_(size),
      mask_(std::bit_ceil(size) - 1),
      state_(mix_seed(seed, 0) & mask_),
      increment_(mix_seed(seed, 1) | 1),
      shift_((static_cast<std::uint32_t>(std::bit_width(mask_)) + 1) / 2) {
  assert(size > 0 && size <= std::uint64_t{1} << 63);
}

}  // namespace chronio::workload
