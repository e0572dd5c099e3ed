// paths.hpp: limits of the paths that a job names. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <vector>

namespace chronio::jobs {

/// What is wrong with the lengths of the paths that `spec` makes of its directories and names;
/// empty when all fit. It stands at its option here; open(2) would only say ENAMETOOLONG. Source:
/// NAME_MAX for a part, PATH_MAX for a whole path, both of limits.h.
[[nodiscard]] std::vector<Diagnostic> path_errors(const JobSpec& spec);

}  // namespace chronio::jobs
