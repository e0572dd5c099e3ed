// job_text.hpp: the part of the report that is about one job; text.cpp joins the parts.
#pragma once

#include "report/group_text.hpp"
#include "report/terminal.hpp"
#include "results/run.hpp"

#include <string>
#include <string_view>

namespace chronio::report {

/// fio's first line of a job: "a: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=null,
/// iodepth=32". Source: fio's init.c, add_job().
[[nodiscard]] std::string job_headline(const results::Job& job);

/// fio's block of a finished job, line for line; what was not measured is left out. `ended`: date
/// and time. `group`: sums of the job's group. Never in colour, for scripts read it. Source: fio's
/// stat.c, show_thread_status_normal().
[[nodiscard]] std::string job_text(const results::Job& job, const GroupFigures& group,
                                   std::string_view ended);

/// What fio does not say of a job: histograms, the depth reached, short I/Os, errors, notes.
[[nodiscard]] std::string job_details(const results::Job& job, const Terminal& terminal);

}  // namespace chronio::report
