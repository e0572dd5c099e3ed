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

// fio's blocks, with chronio's own block at the end of each.
[[nodiscard]] Json job_block(const Job& job, const JobContext& context);
[[nodiscard]] Json direction_block(const Job& job, std::size_t index, const JobContext& context);
[[nodiscard]] Json sync_block(const Job& job, bool plus);

/// fio's `min`, `max`, `mean`, `stddev`, `N`, and where they are known and asked for, `percentile`
/// and `bins`.
struct Parts {
  bool percentile = false, bins = false;
};
[[nodiscard]] Json distribution_block(const Distribution& distribution,
                                      const std::vector<double>& percent, Parts parts);

// chronio's own blocks: what fio's keys do not hold exactly.
[[nodiscard]] Json own_block(const Run& run);
[[nodiscard]] Json own_block(const clock::Certificate& certificate);
[[nodiscard]] Json own_block(const Job& job);
[[nodiscard]] Json own_block(const Direction& direction);
[[nodiscard]] Json own_block(const Sync& sync);
void read_own_block(const Node& node, Run& run);
void read_own_block(const Node& node, Job& job);
void read_own_block(const Node& node, Direction& direction);
void read_own_block(const Node& node, Sync& sync);

inline constexpr const char* kSchema = "chronio/1";

/// A run out of `top`, the whole document. Each throws ReadError.
[[nodiscard]] Run read_own_run(const Node& top);
[[nodiscard]] Run read_fio_run(const Node& top);

[[nodiscard]] std::uint32_t small_number(const Node& node);
[[nodiscard]] int error_number(const Node& node);

/// fio's `percentile` object; empty when it is not there.
[[nodiscard]] std::vector<std::pair<double, std::uint64_t>> stated_percentiles(const Node& block);

}  // namespace chronio::results
