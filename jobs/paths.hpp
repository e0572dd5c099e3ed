// paths.hpp: limits of the paths that a job names. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <vector>

namespace chronio::jobs {

/// What is wrong with the lengths of the paths that `spec` makes of its directories and its given
/// or generated names; empty when all fit. It stands at its option here; open(2) would only say
/// ENAMETOOLONG. Whatever the ioengine: which of them open no files is not known here. Source:
/// NAME_MAX for a part, PATH_MAX for a whole path, both of limits.h.
[[nodiscard]] std::vector<Diagnostic> path_errors(const JobSpec& spec);

}  // namespace chronio::jobs
