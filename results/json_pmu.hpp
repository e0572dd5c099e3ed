// json_pmu.hpp: the pmu block of a job, and the answer of `chronio pmu`. Internal to results, but
// for the last.
#pragma once

#include "results/json_tree.hpp"
#include "results/run.hpp"

namespace chronio::results {

template <>
Json to_tree(const pmu::Counts& value);
template <>
void from_tree(const Node& node, pmu::Counts& value);

/// Adds what is derived from the counts, and is not read back: per I/O, per ms, scaled by time,
/// metrics.
void add_pmu_figures(Json& block, const Job& job);

}  // namespace chronio::results
