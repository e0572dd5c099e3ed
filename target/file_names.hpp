// file_names.hpp: the names of the files that one copy of a job uses.
#pragma once

#include "jobs/job.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace chronio::target {

/// filename=, or nrfiles= names by filename_format=, each in its directory; at least one, in order.
/// `clone`: number of the job's copy. As fio: copies with generated names take turns with the
/// directories, given names go to the first one, and nrfiles counts generated names only. By text
/// alone: nothing is looked up.
[[nodiscard]] std::vector<std::string> file_names(const jobs::Job& job, std::uint32_t clone);

}  // namespace chronio::target
