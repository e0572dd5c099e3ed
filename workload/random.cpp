// random.cpp: seeds out of seeds.
#include "workload/random.hpp"

namespace chronio::workload {

std::uint64_t mix_seed(std::uint64_t a, std::uint64_t b) noexcept {
  return Random(Random(a).next() ^ b).next();
}

}  // namespace chronio::workload
