// time.cpp: options of time: limits, ramp, repetition, clock.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

constexpr std::uint8_t number(ClockSource source) { return static_cast<std::uint8_t>(source); }

// "auto" and "tsc" are chronio's own.
constexpr Word kClockWords[] = {
    {"auto", number(ClockSource::automatic)},
    {"cpu", number(ClockSource::cpu)},
    {"tsc", number(ClockSource::cpu)},
    {"clock_gettime", number(ClockSource::clock_gettime)},
    {"gettimeofday", number(ClockSource::gettimeofday)},
};

constexpr OptionRow kRows[] = {
    {.key = "runtime",
     .aliases = "timeout",
     .field = &Job::runtime_ns,
     .unit = Unit::seconds,
     .help = "end after this time at the latest; 0: no limit"},
    {.key = "time_based",
     .field = &Job::time_based,
     .bare = true,
     .help = "go on until runtime is over, from the start again when all is done"},
    {.key = "ramp_time",
     .field = &Job::ramp_time_ns,
     .unit = Unit::seconds,
     .help = "I/O before the measured part, counted nowhere"},
    {.key = "startdelay",
     .field = &Job::startdelay_ns,
     .unit = Unit::seconds,
     .help = "wait before the job starts"},
    {.key = "loops",
     .field = &Job::loops,
     .minimum = 1,
     .maximum = std::numeric_limits<std::uint32_t>::max(),
     .help = "how often the job is done; then it goes on to an io_size that is more"},
    {.key = "clocksource",
     .field = &Job::clocksource,
     .words = kClockWords,
     .help = "clock of the time stamps; auto: the CPU's counter when it proves sound"},
};

}  // namespace

std::span<const OptionRow> time_options() { return kRows; }

}  // namespace chronio::jobs
