// prepare.hpp: everything that is done to targets before the first I/O and after the last.
#pragma once

#include "runner/observer.hpp"
#include "runner/plan.hpp"
#include "runner/signals.hpp"

namespace chronio::runner {

/// Lays out and preallocates files, and looks for holes in what is read. Adds notes to the jobs of
/// `plan` (files made, holes found) and sets `ready` and `made` of its targets. Throws
/// target::Error, also where something else stands than when the plan was made. Returns early when
/// a signal comes; the file begun then is removed, or is as long as it was.
void prepare_targets(Plan& plan, Signals& signals, Observer& observer);

/// Asks the guard once more about the devices that are written, and holds them in `claims` as long
/// as that lives: nobody can mount one, or make a file system on it, while the run goes on. To be
/// called before prepare_targets() and the first open for writing. Throws target::Error.
void claim_devices(const Plan& plan, target::Claims& claims);

/// To be called before each stage: bars what came to stand where nothing was and this run made
/// nothing, since engines that make their files would use it; and devices that are written, could
/// not be held, and are in use or full by now.
void bar_targets(Plan& plan, const Stage& stage, const target::Claims& claims);

/// To be called after each stage, for workers whose engine made their files: these are `ready` now.
void adopt_files(Plan& plan, const WorkerPlan& work);

/// Removes the regular files of jobs with unlink=1, if they are still those that were used. Returns
/// one sentence for each that could not be. To be called when no worker runs any more.
[[nodiscard]] std::vector<std::string> unlink_targets(const Plan& plan);

}  // namespace chronio::runner
