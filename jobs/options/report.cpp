// report.cpp: options of what is reported.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

constexpr OptionRow kRows[] = {
    {.key = "percentile_list",
     .field = &Job::percentile_list,
     .unit = Unit::percent,
     .maximum = 100,
     .most_entries = 64,
     .help = "percentiles to report, separated by \":\"; 99.9 means 99.9 %"},
    {.key = "clat_percentiles",
     .field = &Job::clat_percentiles,
     .help = "percentiles of completion latency"},
    {.key = "slat_percentiles",
     .field = &Job::slat_percentiles,
     .help = "percentiles of submission latency; keeps its whole histogram"},
    {.key = "lat_percentiles",
     .field = &Job::lat_percentiles,
     .help = "percentiles of total latency; keeps its whole histogram"},
    {.key = "disable_slat",
     .field = &Job::disable_slat,
     .help = "don't measure submission latency"},
    {.key = "disable_clat",
     .field = &Job::disable_clat,
     .help = "don't measure completion latency"},
    {.key = "disable_lat", .field = &Job::disable_lat, .help = "don't measure total latency"},
    {.key = "gtod_reduce",
     .field = &Job::gtod_reduce,
     .bare = true,
     .help = "measure no latency at all: the clock is read for time limits only"},
};

}  // namespace

std::span<const OptionRow> report_options() { return kRows; }

}  // namespace chronio::jobs
