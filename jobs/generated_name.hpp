// generated_name.hpp: the names of files that filename= does not name.
#pragma once

#include "jobs/job.hpp"

#include <cstdint>
#include <string>

namespace chronio::jobs {

/// The name, by filename_format=, of file `file` of the job's copy `copy`, both from 0, without its
/// directory. Of a larger number none is shorter. Slashes of the job's name become "_". Source:
/// fio's HOWTO, filename_format; another $word than its three stays, as in fio.
[[nodiscard]] std::string generated_name(const Job& job, std::uint32_t copy, std::uint32_t file);

}  // namespace chronio::jobs
