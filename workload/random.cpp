// random.cpp: seeds.
#include "workload/random.hpp"

namespace chronio::workload {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014): advances `state` and returns its mix.
std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) noexcept {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

std::uint64_t mix_seed(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t state = splitmix64(a) ^ b;
  return splitmix64(state);
}

}  // namespace chronio::workload
