// json_pmu.hpp: the pmu block of a job, and the answer of `chronio pmu`. Internal to results, but
// for the last.
#pragma once

#include "results/json_tree.hpp"
#include "results/run.hpp"

namespace chronio::results {

/// Counted events as they are kept; add_pmu_figures() adds what is derived from them.
template <>
Json to_tree(const pmu::Counts& value);
/// Throws ReadError also when the columns of a log differ in length.
template <>
void from_tree(const Node& node, pmu::Counts& value);

/// Adds to `block`, which to_tree() of job.pmu has made, what is derived from the counts and is not
/// read back: per I/O, per ms, scaled by time, metrics. null where there is no such figure.
void add_pmu_figures(Json& block, const Job& job);

}  // namespace chronio::results
