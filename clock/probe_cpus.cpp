// probe_cpus.cpp: one attempt by the method asked for, then others with the CPUs that lack
// evidence.
#include "clock/probe_cpus.hpp"

#include "clock/machine.hpp"
#include "clock/methods.hpp"

#include <algorithm>

namespace chronio::clock {
namespace {

/// An attempt that was shorter did not fail for lack of time.
constexpr std::uint64_t kShortestAttemptNs = 1'000'000;

void probe_once(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record) {
  switch (options.method) {
    case Method::oneway: return probe_oneway(options, deadline_ns, record);
    case Method::hop: return probe_hop(options, deadline_ns, record);
    case Method::cas: return probe_cas(options, deadline_ns, record);
  }
}

/// CPUs with pairs below the quality, in the order of the record.
std::vector<int> lacking(const ProbeRecord& record) {
  std::vector<bool> lacks(record.cpus.size(), false);
  for (const PairResult& pair : record.pairs)
    if (pair.interleavings < record.quality) lacks[pair.first] = lacks[pair.second] = true;
  std::vector<int> cpus;
  for (std::size_t seat = 0; seat < lacks.size(); ++seat)
    if (lacks[seat]) cpus.push_back(record.cpus[seat]);
  return cpus;
}

}  // namespace

std::uint32_t least_quality(Method method) noexcept { return method == Method::oneway ? 2 : 10; }

ProbeRecord probe_cpus(const std::vector<int>& cpus, const ProbeOptions& options) {
  const std::uint64_t start_ns = raw_ns();
  // One deadline for all attempts: what the first one uses up, later ones don't have.
  const std::uint64_t deadline_ns = start_ns + options.total_budget_ns;
  ProbeRecord record;
  record.quality = options.quality != 0 ? options.quality : least_quality(options.method);
  record.cpus.assign(cpus.begin(),
                     cpus.begin() + static_cast<std::ptrdiff_t>(std::min(cpus.size(), kMostCpus)));
  record.left_out = cpus.size() - record.cpus.size();
  probe_once(options, deadline_ns, record);
  std::uint64_t attempt_ns = raw_ns() - start_ns;
  // An attempt that failed at once (a CPU that can't be pinned to) would fail again at once.
  for (std::vector<int> again = lacking(record); !again.empty() && attempt_ns > kShortestAttemptNs;
       again = lacking(record)) {
    const std::uint64_t now_ns = raw_ns();
    if (now_ns >= deadline_ns) break;
    ProbeRecord more;
    more.cpus = std::move(again);
    // CPUs without a lacking pair are left alone; the fewer take part, the likelier they run at the
    // same time.
    probe_once(options, deadline_ns, more);
    merge(record, more);
    attempt_ns = raw_ns() - now_ns;
  }
  record.taken = {start_ns, raw_ns()};
  return record;
}

}  // namespace chronio::clock
