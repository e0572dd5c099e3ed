// group_text.cpp: the sums of a group of jobs, and fio's lines about them.
#include "report/group_text.hpp"

#include "report/format.hpp"
#include "results/figures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::report {
namespace {

/// A direction without I/Os has no run time and no bandwidth: it must not become the slowest.
void add(GroupDirection& sum, const results::Direction& direction) {
  if (direction.total_ios == 0) return;
  const bool first = sum.longest_ns == 0;
  const double bandwidth = results::bandwidth(direction);
  sum.io_bytes += direction.io_bytes;
  sum.shortest_ns = first ? direction.runtime_ns : std::min(sum.shortest_ns, direction.runtime_ns);
  sum.longest_ns = std::max(sum.longest_ns, direction.runtime_ns);
  sum.slowest = first ? bandwidth : std::min(sum.slowest, bandwidth);
  sum.fastest = std::max(sum.fastest, bandwidth);
}

std::string direction_line(const char* name, const GroupDirection& sum) {
  const auto total = static_cast<double>(sum.io_bytes);
  const auto iec = [](double rate) { return rate_text(rate, Base::iec); };
  const auto si = [](double rate) { return rate_text(rate, Base::si); };
  return fmt::format("{:>7}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={}-{}msec\n", name,
                     iec(sum.bandwidth()), si(sum.bandwidth()), iec(sum.slowest), iec(sum.fastest),
                     si(sum.slowest), si(sum.fastest), bytes_text(total, Base::iec),
                     bytes_text(total, Base::si), results::runtime_ms(sum.shortest_ns),
                     results::runtime_ms(sum.longest_ns));
}

}  // namespace

// By the longest run time, as fio. Jobs that ended earlier make it lower than their rates added.
double GroupDirection::bandwidth() const noexcept {
  if (longest_ns == 0) return 0;
  return static_cast<double>(io_bytes) * 1e9 / static_cast<double>(longest_ns);
}

std::map<std::uint32_t, GroupFigures> group_figures(std::span<const results::Job> jobs) {
  std::map<std::uint32_t, GroupFigures> groups;
  for (const results::Job& job : jobs) {
    GroupFigures& figures = groups[job.groupid];
    for (std::size_t at = 0; at < figures.size(); ++at) add(figures.at(at), job.directions.at(at));
  }
  return groups;
}

std::string group_text(const GroupFigures& figures, std::uint32_t groupid) {
  constexpr std::array<const char*, results::kDirections> kNames = {"READ", "WRITE", "TRIM"};
  std::string out = fmt::format("Run status group {} (all jobs):\n", groupid);
  for (std::size_t at = 0; at < figures.size(); ++at) {
    if (figures.at(at).io_bytes > 0) out += direction_line(kNames.at(at), figures.at(at));
  }
  return out;
}

}  // namespace chronio::report
