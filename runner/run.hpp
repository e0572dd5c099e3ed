// run.hpp: a whole run: prepare, stage after stage, merge.
#pragma once

#include "clock/timebase.hpp"
#include "results/run.hpp"
#include "runner/observer.hpp"
#include "runner/plan.hpp"
#include "runner/signals.hpp"

namespace chronio::runner {

/// What run() leaves, also of a run that was cut short.
struct Outcome {
  /// Jobs, clock, notes, complete and stopped_by are set; host, version and command line are the
  /// caller's.
  results::Run run;
  /// Workers still run that nothing can wait for: write the result, then leave by _exit, for a
  /// destructor of what they use (and exit(3) runs those of static objects) would pull it from
  /// under them.
  bool abandoned = false;
  /// At least one job had an error: the exit status is 1 then, though the others' figures hold.
  bool failed = false;
};

/// Runs `plan`, which has no errors. `timebase` was made by init(); calibrated() and finish() are
/// called here: what is prepared before the first I/O is the time in which the clock calibrates.
/// Stages run one after the other; a signal ends the present one and leaves out the rest. Throws
/// target::Error when a file can't be laid out or a device can't be had.
[[nodiscard]] Outcome run(Plan& plan, clock::Timebase& timebase, Signals& signals,
                          Observer& observer);

}  // namespace chronio::runner
