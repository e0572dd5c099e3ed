// group_text.hpp: the sums of a group of jobs that ran together, and fio's lines about them.
#pragma once

#include "results/run.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace chronio::report {

/// One direction over all jobs of a group; zeros when it did nothing.
struct GroupDirection {
  std::uint64_t io_bytes = 0;
  std::uint64_t shortest_ns = 0, longest_ns = 0;  ///< run times of the jobs
  double slowest = 0, fastest = 0;                ///< bandwidths of the jobs, bytes/s
  /// All bytes over the longest run time, bytes/s, as fio.
  [[nodiscard]] double bandwidth() const noexcept;
};

/// By direction: read, write, trim.
using GroupFigures = std::array<GroupDirection, results::kDirections>;

/// Of each group, by its groupid. A job's own entry counts, so one that group_reporting has merged
/// is one job here.
[[nodiscard]] std::map<std::uint32_t, GroupFigures> group_figures(
    std::span<const results::Job> jobs);

/// "Run status group 0 (all jobs):" and its lines of READ, WRITE and TRIM; a direction without
/// bytes has none. Source: fio's stat.c, show_group_stats().
[[nodiscard]] std::string group_text(const GroupFigures& figures, std::uint32_t groupid);

}  // namespace chronio::report
