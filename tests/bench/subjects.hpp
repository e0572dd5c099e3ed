// subjects.hpp: bodies of a few ns each, measured in turns.
#pragma once

#include "clock/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace chronio::bench {

inline constexpr int kRounds = 300;
inline constexpr int kCalls = 4096;

/// Keeps `value` alive for the optimiser.
inline void keep(std::uint64_t value) { asm volatile("" ::"r"(value)); }

/// A body that is run kCalls times in a row, and the least ns that one call took.
struct Subject {
  std::string name;
  std::function<void()> batch;
  double ns = std::numeric_limits<double>::infinity();
};

/// Alternates the subjects, so that whatever slows the machine slows all of them.
inline void measure(std::vector<Subject>& subjects) {
  for (int round = 0; round < kRounds; ++round)
    for (Subject& subject : subjects) {
      const std::uint64_t start = clock::raw_ns();
      subject.batch();
      subject.ns = std::min(subject.ns, static_cast<double>(clock::raw_ns() - start) / kCalls);
    }
}

}  // namespace chronio::bench
