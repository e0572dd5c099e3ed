// json_blocks.hpp: which function writes and reads which block of a result file. Internal to
// results.
#pragma once

#include "results/json_tree.hpp"
#include "results/run.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace chronio::results {

/// What a job's block needs from outside the job.
struct JobContext {
  bool plus = false;                                     ///< json+: with fio's bins
  std::array<double, kDirections> group_bandwidth = {};  ///< bytes per second of the job's group
};

/// One entry of `jobs`, with all blocks below it. Order and names as in fio's stat.c,
/// show_thread_status_json().
[[nodiscard]] Json job_block(const Job& job, const JobContext& context);
/// `read`, `write` or `trim` by `index` 0 to 2. Source: fio's stat.c, add_ddir_status_json().
[[nodiscard]] Json direction_block(const Job& job, std::size_t index, const JobContext& context);
/// fsync and fdatasync; zeros when there were none.
[[nodiscard]] Json sync_block(const Job& job, bool plus);

/// Which of the two optional parts of a distribution are wanted.
struct Parts {
  bool percentile = false, bins = false;
};
/// fio's `min`, `max`, `mean`, `stddev`, `N` (ns), and where they are known and asked for,
/// `percentile` and `bins`. `percent`: which percentiles. Those that were read from another tool's
/// file are always written, for nothing else tells of them.
[[nodiscard]] Json distribution_block(const Distribution& distribution,
                                      const std::vector<double>& percent, Parts parts);

/// Each: what fio's keys do not hold exactly, as an object under the key `chronio`. With fio's keys
/// beside it a reader has all of the struct.
[[nodiscard]] Json own_block(const Run& run);
[[nodiscard]] Json own_block(const clock::Certificate& certificate);
[[nodiscard]] Json own_block(const Job& job);
[[nodiscard]] Json own_block(const Direction& direction);
[[nodiscard]] Json own_block(const Sync& sync);
/// Each: sets what own_block() has written, and leaves alone what fio's keys hold. `node`: the
/// `chronio` block. Throws ReadError when a member is missing or of another type.
void read_own_block(const Node& node, Run& run);
void read_own_block(const Node& node, Job& job);
void read_own_block(const Node& node, Direction& direction);
void read_own_block(const Node& node, Sync& sync);

/// Version of the `chronio` blocks. A reader refuses any other one: a member that has another
/// meaning would be read without a complaint.
inline constexpr const char* kSchema = "chronio/1";

/// A run out of `top`, the whole document, in chronio's form. Throws ReadError.
[[nodiscard]] Run read_own_run(const Node& top);
/// A run out of `top` in fio's form; what fio does not say stays as in an empty Run, and a note
/// says how coarse the rest is. Throws ReadError, for fio 2.x too, which kept whole microseconds.
[[nodiscard]] Run read_fio_run(const Node& top);

/// A count below 2^32, as of groups. Throws ReadError.
[[nodiscard]] std::uint32_t small_number(const Node& node);
/// An errno, also one with a device's status in it. Throws ReadError.
[[nodiscard]] int error_number(const Node& node);

/// fio's `percentile` object as percent and ns, in its order; empty when it is not there. Throws
/// ReadError unless each key is a number from 0 to 100.
[[nodiscard]] std::vector<std::pair<double, std::uint64_t>> stated_percentiles(const Node& block);

}  // namespace chronio::results
