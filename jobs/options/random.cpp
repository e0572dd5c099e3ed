// random.cpp: options of random order.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

// The generator is not fio's: a seed gives one order here and another there.
constexpr OptionRow kRows[] = {
    {.key = "randrepeat",
     .aliases = "allrandrepeat",
     .field = &Job::randrepeat,
     .help = "the same random order in each run"},
    {.key = "randseed",
     .field = &Job::randseed,
     .help = "seed of the random order; without it, randrepeat decides"},
    {.key = "norandommap",
     .field = &Job::norandommap,
     .bare = true,
     .help = "draw each offset anew, instead of touching each block once"},
};

}  // namespace

std::span<const OptionRow> random_options() { return kRows; }

}  // namespace chronio::jobs
