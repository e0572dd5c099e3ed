// pattern.hpp: which I/O comes next: offset, length, direction, file.
#pragma once

#include "engines/engine.hpp"
#include "jobs/job.hpp"
#include "workload/lane.hpp"
#include "workload/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chronio::workload {

/// The part of one file that a job works in.
struct Range {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t bytes = 0;   ///< at least one block of each direction in use
};

/// Everything that a pattern is made from: two patterns of equal specifications give the same I/Os.
struct PatternSpec {
  jobs::Rw rw = jobs::Rw::read;
  std::uint32_t rwmixread = 50;          ///< percent
  jobs::PerDdir<std::uint32_t> bs = {};  ///< bytes; each at least 1
  std::vector<Range> files;              ///< taken in turn, one I/O each; at least one
  std::uint64_t seed = 0;
  bool norandommap = false;
  bool files_wait = false;  ///< a file whose pass is over waits until those of all others are
};

/// An endless sequence of I/Os. A pass over a file touches every whole block once (sequential, or
/// random without norandommap), then the next pass begins, in another random order. No I/O leaves
/// its range: a tail shorter than a block is left out. In mixes with one block size both directions
/// share the pass; with two block sizes, and in sequential mixes, each direction makes its own.
/// With trimwrite a pass trims and writes each block, of the trims' size. With files_wait the bytes
/// of a pass over all files hold each file's own pass; random with norandommap has none to wait
/// for.
class Pattern {
 public:
  /// [setup] Takes one lane per file, two in split mixes, and what files_wait keeps: all memory of
  /// a pattern. REQUIRES: what PatternSpec says of its members.
  explicit Pattern(const PatternSpec& spec);

  /// Sets file and ddir of `io` to what they are in most I/Os. next() needs it once for each
  /// request, and again after something else has set them.
  void prepare(Io& io) const noexcept {
    io.file = 0;
    io.ddir = ddir_;
  }

  /// [hot] Sets offset, len, file and ddir of `io`; touches nothing else. Bytes, as in Io. The
  /// cases are told apart by flags that never change, so each is a branch that the processor
  /// predicts. REQUIRES: prepare(io), or next(io), set file and ddir last.
  void next(Io& io) noexcept {
    Lane* lane = lanes_.data();
    if (plain_random_) [[likely]] {  // the everyday job: one file, one direction, random
      io.len = lane->bs();
      io.offset = lane->next_offset(Order::random_once, random_);
      return;
    }
    prepare(io);
    if (!plain_) {
      if (pairs_) [[unlikely]]
        return next_of_pair(io);
      lane = choose(io);
    }
    io.len = lane->bs();
    io.offset = lane->next_offset(order_, random_);
  }

  /// Bytes of the whole blocks of all files: what one pass transfers at the largest block size in
  /// use. Stays at 2^64 - 1 where the sum would be more.
  [[nodiscard]] static std::uint64_t pass_bytes(const PatternSpec& spec);

 private:
  /// [hot] Sets the file, whose turn it is, and the direction; returns the lane of both.
  Lane* choose(Io& io) noexcept {
    if (waits_) [[unlikely]]
      return choose_unfinished(io);
    io.file = file_;
    file_ = file_ == last_file_ ? 0 : file_ + 1;
    return draw(io);
  }

  /// The same among the files whose pass is not over.
  [[gnu::noinline, gnu::cold]] Lane* choose_unfinished(Io& io) noexcept;
  /// All files begin a pass.
  void begin_pass() noexcept;

  /// [hot] Sets the direction; returns its lane in io.file.
  Lane* draw(Io& io) noexcept {
    if (mixed_ && random_.next() >= reads_below_) io.ddir = Ddir::write;
    const bool second = split_ && io.ddir == Ddir::write;
    return &lanes_[std::size_t{io.file} * (split_ ? 2 : 1) + (second ? 1 : 0)];
  }

  /// A trim, or a write of what was trimmed last.
  [[gnu::noinline, gnu::cold]] void next_of_pair(Io& io) noexcept;

  std::vector<Lane> lanes_;  // one per file, or with split_ two: reads, writes
  // Of waits_. By file: bytes of a pass, and those still to come of this one.
  std::vector<std::uint64_t> whole_, left_;
  std::vector<std::uint32_t> unfinished_;  // files, ascending: their pass is not over
  Order order_;
  Ddir ddir_;               // the only direction, or in mixes read
  bool mixed_;              // the direction is drawn for each I/O
  bool split_;              // each direction has its own lanes
  bool pairs_;              // trims a block, then writes it
  bool waits_;              // files of different sizes, of which none begins its next pass alone
  bool plain_;              // one file, one direction
  bool plain_random_;       // and order random_once
  std::uint32_t file_ = 0;  // whose turn it is; with waits_ its place in unfinished_
  std::uint32_t last_file_;
  std::uint64_t reads_below_;  // a random number below this means a read
  Random random_;
  Range trimmed_;  // of pairs_: the block of the last trim
  std::uint32_t trimmed_file_ = 0;
  bool write_is_due_ = false;
};

}  // namespace chronio::workload
