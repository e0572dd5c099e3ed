// prepare.hpp: everything that is done to targets before the first I/O and after the last.
#pragma once

#include "runner/observer.hpp"
#include "runner/plan.hpp"
#include "runner/signals.hpp"

namespace chronio::runner {

/// Lays out and preallocates files, drops their caches. Adds notes to the jobs of `plan` (files
/// made, holes found). Throws target::Error. Returns early when a signal comes; the file begun then
/// is removed.
void prepare_targets(Plan& plan, Signals& signals, Observer& observer);

/// Removes the regular files of jobs with unlink=1. Returns one sentence for each that could not
/// be.
[[nodiscard]] std::vector<std::string> unlink_targets(const Plan& plan);

}  // namespace chronio::runner
