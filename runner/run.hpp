// run.hpp: a whole run: prepare, stage after stage, merge.
#pragma once

#include "clock/timebase.hpp"
#include "results/run.hpp"
#include "runner/observer.hpp"
#include "runner/plan.hpp"
#include "runner/signals.hpp"

namespace chronio::runner {

struct Outcome {
  /// Jobs, clock, notes, complete and stopped_by are set; host, version and command line are the
  /// caller's.
  results::Run run;
  /// Workers still run that nothing can wait for: write the result, then leave by _exit.
  bool abandoned = false;
  /// At least one job had an error.
  bool failed = false;
};

/// Runs `plan`, which has no errors. `timebase` was made by init(); calibrated() and finish() are
/// called here. Throws target::Error when a file can't be laid out.
[[nodiscard]] Outcome run(Plan& plan, clock::Timebase& timebase, Signals& signals,
                          Observer& observer);

}  // namespace chronio::runner
