// pmu_text.hpp: the part of the report that is about counted events.
#pragma once

#include "report/terminal.hpp"
#include "results/run.hpp"

#include <string>

namespace chronio::report {

/// How events were counted, a table of those with a total, the ratios of some, and why others have
/// none. "!" where the 95 % interval is wider than 10 % to either side, "~" where there is none.
/// Nothing when nobody asked for events.
[[nodiscard]] std::string pmu_text(const results::Job& job, const Terminal& terminal);

/// What this machine can count: `chronio pmu`. Each event and each path of an overflow, with the
/// reason where it can't be had.
[[nodiscard]] std::string capabilities_text(const pmu::Capabilities& found,
                                            const Terminal& terminal);

}  // namespace chronio::report
