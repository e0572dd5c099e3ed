// doubts.hpp: what came of the asked-for depth and polling, where it makes the figures doubtful.
#pragma once

#include "results/run.hpp"
#include "runner/plan.hpp"

#include <string>
#include <vector>

namespace chronio::runner {

/// The job's engine has an option hipri, and it is set. By its name: so it holds for plugins, too.
[[nodiscard]] bool asks_to_poll(const PlannedJob& planned);

/// One sentence for each doubt about a worker's finished job; they become notes. Nothing of jobs
/// too short to tell, and of synchronous engines only what concerns polling. `polls`:
/// asks_to_poll().
[[nodiscard]] std::vector<std::string> doubts_of(const results::Job& job, bool polls);

}  // namespace chronio::runner
