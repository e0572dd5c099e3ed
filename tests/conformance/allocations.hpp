// allocations.hpp: counts what this process takes from the heap.
#pragma once

#include <cstdint>

namespace chronio::conformance {

/// Calls of malloc and its like since the start, by all threads, plugins included.
[[nodiscard]] std::uint64_t allocations() noexcept;

}  // namespace chronio::conformance
