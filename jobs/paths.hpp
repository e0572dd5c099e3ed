// paths.hpp: limits of the paths that a job names. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <vector>

namespace chronio::jobs {

/// What is wrong with the lengths of the paths that `spec` makes of its directories and names.
[[nodiscard]] std::vector<Diagnostic> path_errors(const JobSpec& spec);

}  // namespace chronio::jobs
