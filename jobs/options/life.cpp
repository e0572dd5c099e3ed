// life.cpp: options of a job's life: name, copies, order, CPUs.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

// name= has a row so that it can be looked up and listed; what it does is up to resolve() and the
// command line.
constexpr OptionRow kRows[] = {
    {.key = "name",
     .field = &Job::name,
     .maximum = 255,
     .limit = "a file may be called after the job",
     .help = "name of the job, instead of its section's; on the command line it opens a job"},
    {.key = "description", .field = &Job::description, .help = "free text, kept in the result"},
    {.key = "numjobs",
     .field = &Job::numjobs,
     .minimum = 1,
     .maximum = 4096,
     .limit = "a thread each; fio's limit",
     .help = "copies of the job that run at the same time, each a thread"},
    {.key = "thread",
     .field = &Job::thread,
     .bare = true,
     .help = "jobs are always threads; accepted for fio's job files"},
    {.key = "stonewall",
     .aliases = "wait_for_previous",
     .field = &Job::stonewall,
     .bare = true,
     .help = "start when all earlier jobs have ended"},
    {.key = "group_reporting",
     .field = &Job::group_reporting,
     .bare = true,
     .help = "one report for all jobs and copies of a group"},
    {.key = "new_group",
     .field = &Job::new_group,
     .bare = true,
     .help = "begin a new reporting group"},
    {.key = "cpus_allowed",
     .field = &Job::cpus_allowed,
     .maximum = 4095,
     .limit = "no machine has more CPUs yet",
     .most_entries = 4096,
     .help = "CPUs that the job may run on: numbers and ranges, as in 0-3,5"},
};

}  // namespace

std::span<const OptionRow> life_options() { return kRows; }

}  // namespace chronio::jobs
