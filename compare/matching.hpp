// matching.hpp: which job of one run belongs to which of another, and what sets two jobs apart.
// Internal to compare.
#pragma once

#include "results/run.hpp"

#include <string>
#include <utility>
#include <vector>

namespace chronio::compare {

/// Pointers into both runs, which have to live as long. Each job is in exactly one list.
struct Matching {
  std::vector<std::pair<const results::Job*, const results::Job*>> pairs;  ///< in the order of `a`
  /// In the order of their runs.
  std::vector<const results::Job*> only_a, only_b;
};

/// Pairs jobs that agree in name, rw, bs and iodepth; then, among what is left, in name, rw and bs;
/// in name and rw; in name; in rw, bs and iodepth under another name. Equals pair in their order.
[[nodiscard]] Matching match(const results::Run& a, const results::Run& b);

/// Workload keys with different values: "bs: 4k, 8k". Empty: the same was asked of both. Errors on
/// either side are among them. An option of one side alone agrees with a default of the other,
/// since fio lists only what was set.
[[nodiscard]] std::vector<std::string> workload_differences(const results::Job& a,
                                                            const results::Job& b);

/// What differs around the runs: "kernel: 6.1.0, 6.6.1". What is not known on both sides is left
/// out.
[[nodiscard]] std::vector<std::string> environment_differences(const results::Run& a,
                                                               const results::Run& b);

/// The same for the devices and file systems that two jobs used. By place: the first of `a` against
/// the first of `b`; never by path.
[[nodiscard]] std::vector<std::string> target_differences(const results::Job& a,
                                                          const results::Job& b);

}  // namespace chronio::compare
