// text.hpp: results and comparisons for people: fio's layout, so that scripts that grep it still
// work, with a small histogram and the clock's line.
#pragma once

#include "compare/compare.hpp"
#include "report/terminal.hpp"
#include "results/run.hpp"

#include <string>

namespace chronio::report {

/// The whole report of a run, ends with a newline. First fio's lines, then ours; that a run was cut
/// short stands at the top and at the bottom, one of which is on the screen.
[[nodiscard]] std::string run_text(const results::Run& run, const Terminal& terminal);

/// Both runs' percentiles side by side with ratios and overlaid histograms; says that one run
/// against one run is no verdict.
[[nodiscard]] std::string comparison_text(const compare::Comparison& comparison,
                                          const std::string& name_a, const std::string& name_b,
                                          const Terminal& terminal);

}  // namespace chronio::report
