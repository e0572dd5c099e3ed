// lane.hpp: one series of offsets: that of a file, or of one direction in it.
#pragma once

#include "workload/permutation.hpp"
#include "workload/random.hpp"

#include <cstdint>

namespace chronio::workload {

/// How a lane walks over its blocks. A pass has each of them once; random_any has no passes.
enum class Order : std::uint8_t {
  sequential,   ///< ascending, then again from the first
  random_once,  ///< each block once per pass, each pass in another random order
  random_any,   ///< drawn with replacement
};

/// `blocks` blocks of `bs` bytes each, from `start` on: the series of offsets of one file, or of
/// one direction in it. Endless; a pass gives each block once. Owned by one pattern.
class Lane {
 public:
  /// `start` and `bs` in bytes. `seed` decides the random_once orders, a new one for each pass.
  /// REQUIRES: bs > 0, blocks > 0, start + blocks * bs <= 2^63.
  Lane(std::uint64_t start, std::uint64_t blocks, std::uint32_t bs, std::uint64_t seed) noexcept;

  /// [hot] Bytes of every block.
  [[nodiscard]] std::uint32_t bs() const noexcept { return static_cast<std::uint32_t>(bs_); }

  /// [hot] Offset in bytes of the next block. `random` is drawn from by random_any alone. REQUIRES:
  /// the same `order` in each call.
  std::uint64_t next_offset(Order order, Random& random) noexcept {
    return start_ + next_block(order, random) * bs_;
  }

 private:
  /// Number of the next block, below blocks_. A permutation's second round would be in the same
  /// order, so each pass has a new one.
  std::uint64_t next_block(Order order, Random& random) noexcept {
    switch (order) {
      case Order::random_once: {
        const std::uint64_t block = permutation_.next();
        if (--left_ == 0) begin_pass();
        return block;
      }
      case Order::random_any: return random.below(blocks_);
      case Order::sequential: break;
    }
    const std::uint64_t block = blocks_ - left_;
    if (--left_ == 0) left_ = blocks_;
    return block;
  }

  /// Another random order for the blocks, of a seed that is derived from the lane's and the pass.
  void begin_pass() noexcept;

  std::uint64_t start_;  // bytes
  std::uint64_t blocks_;
  std::uint64_t left_;  // blocks of this pass still to come
  Permutation permutation_;
  std::uint64_t seed_;
  std::uint64_t passes_ = 0;  // finished ones
  std::uint64_t bs_;          // bytes
};

}  // namespace chronio::workload
