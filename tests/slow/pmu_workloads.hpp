// pmu_workloads.hpp: eleven classes of threads whose events come in phases, for the study of
// switching. A model: the classes are ours and unweighted.
#pragma once

#include "tests/pmu_fake.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace chronio::tests {

inline constexpr std::array<std::string_view, 11> kWorkloadClasses = {
    "steady",
    "square wave, 1 to 100 ms",
    "square wave, multiple of 4 ms",
    "phases locked to 1M instructions",
    "Markov chain of 5 phases",
    "synchronous I/O, depth 1",
    "batches and flushes",
    "paced, absolute deadlines",
    "warm-up, then steady",
    "mostly idle, with bursts",
    "paced, relative sleeps",
};

/// A thread of class `index` that lives for `total_ns` of wall time; the same for the same seed.
/// The trigger is instructions; the five events are branches, LLC misses, cycles, branch misses and
/// dTLB misses.
[[nodiscard]] Workload make_workload(std::size_t index, std::uint64_t seed, double total_ns);

}  // namespace chronio::tests
