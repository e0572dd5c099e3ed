// lane.cpp: start of a series of offsets and of its passes.
#include "workload/lane.hpp"

#include <cassert>

namespace chronio::workload {

Lane::Lane(std::uint64_t start, std::uint64_t blocks, std::uint32_t bs, std::uint64_t seed) noexcept
    : start_(start),
      blocks_(blocks),
      left_(blocks),
      permutation_(blocks, mix_seed(seed, 0)),
      seed_(seed),
      bs_(bs) {
  // The permutation is made even for a sequential lane: it costs a few words and no pass over the
  // blocks.
  assert(bs > 0 && blocks > 0);
}

void Lane::begin_pass() noexcept {
  // Constant time whatever the number of blocks: it comes between two I/Os.
  permutation_ = Permutation(blocks_, mix_seed(seed_, ++passes_));
  left_ = blocks_;
}

}  // namespace chronio::workload
