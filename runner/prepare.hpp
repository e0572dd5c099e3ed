// prepare.hpp: everything that is done to targets before the first I/O and after the last.
#pragma once

#include "runner/observer.hpp"
#include "runner/plan.hpp"
#include "runner/signals.hpp"

namespace chronio::runner {

/// Lays out and preallocates files, drops their caches. Adds notes to the jobs of `plan` (files
/// made, holes found). Throws target::Error, also
/// where something else stands than when the plan was made. Returns early when a signal comes; the
/// file begun then is removed.
void prepare_targets(Plan& plan, Signals& signals, Observer& observer);

/// Asks the guard once more about the devices that are written, and holds them: nobody can mount
/// one, or make a file system on it, while the run goes on. Throws target::Error.
void claim_devices(const Plan& plan, target::Claims& claims);

/// Removes the regular files of jobs with unlink=1. Returns one sentence for each that could not
/// be.
[[nodiscard]] std::vector<std::string> unlink_targets(const Plan& plan);

}  // namespace chronio::runner
