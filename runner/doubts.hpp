// doubts.hpp: what came of the asked-for depth and polling, where it makes the figures doubtful.
#pragma once

#include "results/run.hpp"
#include "runner/plan.hpp"

#include <string>
#include <vector>

namespace chronio::runner {

/// The job's engine has an option hipri, and it is set.
[[nodiscard]] bool asks_to_poll(const PlannedJob& planned);

/// One sentence for each doubt about a worker's finished job. Nothing of jobs too short to tell.
[[nodiscard]] std::vector<std::string> doubts_of(const results::Job& job, bool polls);

}  // namespace chronio::runner
