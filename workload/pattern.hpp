// pattern.hpp: which I/O comes next: offset, length, direction, file.
#pragma once

#include "engines/engine.hpp"
#include "jobs/job.hpp"
#include "workload/permutation.hpp"
#include "workload/random.hpp"

#include <cstdint>
#include <vector>

namespace chronio::workload {

/// The part of one file that a job works in.
struct Range {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t bytes = 0;   ///< at least one block of each direction in use
};

/// Everything that a pattern is made from.
struct PatternSpec {
  jobs::Rw rw = jobs::Rw::read;
  std::uint32_t rwmixread = 50;         ///< percent
  jobs::PerDdir<std::uint32_t> bs = {};  ///< bytes; each at least 1
  std::vector<Range> files;              ///< taken in turn, one I/O each; at least one
  std::uint64_t seed = 0;
  bool norandommap = false;
};

/// An endless sequence of I/Os. A pass over a file touches every whole block once (sequential, or random
/// without norandommap), then the next pass begins, in another random order. No I/O leaves its range: a
/// tail shorter than a block is left out. In mixes with one block size both directions share the pass; with
/// two block sizes, and in sequential mixes, each direction makes its own.
class Pattern {
 public:
  explicit Pattern(const PatternSpec& spec);

  /// [hot] Sets offset, len, file and ddir of `io`; touches nothing else.
  void next(Io& io) noexcept;

  /// Bytes of the whole blocks of all files: what one pass transfers at the largest block size in use.
  [[nodiscard]] static std::uint64_t pass_bytes(const PatternSpec& spec) noexcept;
};

}  // namespace chronio::workload
