// io.cpp: options of what is done: direction, engine, depth, syncs.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

constexpr std::uint8_t number(Rw rw) { return static_cast<std::uint8_t>(rw); }

// The first word of a value is the one that it is spelled with.
constexpr Word kRwWords[] = {
    {"read", number(Rw::read)},
    {"write", number(Rw::write)},
    {"randread", number(Rw::randread)},
    {"randwrite", number(Rw::randwrite)},
    {"rw", number(Rw::readwrite)},
    {"readwrite", number(Rw::readwrite)},
    {"randrw", number(Rw::randrw)},
    {"trim", number(Rw::trim)},
    {"randtrim", number(Rw::randtrim)},
    {"trimwrite", number(Rw::trimwrite)},
    {"randtrimwrite", number(Rw::randtrimwrite)},
};

// The completion ring of io_uring holds no more: IORING_MAX_CQ_ENTRIES in the kernel's io_uring.c.
constexpr std::uint64_t kDeepest = 65536;
constexpr std::string_view kDeepestReason = "the kernel's largest completion ring";
constexpr std::uint64_t kMostWrites = std::numeric_limits<std::uint32_t>::max();

constexpr OptionRow kRows[] = {
    {.key = "rw",
     .aliases = "readwrite",
     .field = &Job::rw,
     .words = kRwWords,
     .postfix = true,
     .help = "what is done, and in which order"},
    {.key = "rwmixread",
     .field = &Job::rwmixread,
     .unit = Unit::percent,
     .maximum = 100,
     .help = "share of reads in a mix"},
    {.key = "rwmixwrite",
     .field = &Job::rwmixread,
     .unit = Unit::percent,
     .maximum = 100,
     .complement = true,
     .help = "share of writes in a mix; the one of the two that is set last wins"},
    {.key = "direct", .field = &Job::direct, .help = "bypass the page cache (O_DIRECT)"},
    {.key = "buffered",
     .field = &Job::direct,
     .complement = true,
     .help = "the opposite of direct; the one of the two that is set last wins"},
    {.key = "ioengine",
     .field = &Job::ioengine,
     .maximum = 4095,
     .help = "how I/O is issued: a name from `chronio engines`, or external:PATH"},
    {.key = "iodepth",
     .field = &Job::iodepth,
     .minimum = 1,
     .maximum = kDeepest,
     .limit = kDeepestReason,
     .help = "most I/Os outstanding per copy of the job; synchronous engines have 1"},
    {.key = "iodepth_low",
     .field = &Job::iodepth_low,
     .maximum = kDeepest,
     .limit = kDeepestReason,
     .help = "once the queue is full, issue no more until so few are outstanding; 0: iodepth"},
    {.key = "iodepth_batch_submit",
     .aliases = "iodepth_batch",
     .field = &Job::iodepth_batch_submit,
     .minimum = 1,
     .maximum = kDeepest,
     .limit = kDeepestReason,
     .help = "I/Os handed to the engine at once"},
    {.key = "iodepth_batch_complete_min",
     .aliases = "iodepth_batch_complete",
     .field = &Job::iodepth_batch_complete_min,
     .maximum = kDeepest,
     .limit = kDeepestReason,
     .help = "fewest completions to wait for; 0: don't wait while there is room for more"},
    {.key = "iodepth_batch_complete_max",
     .field = &Job::iodepth_batch_complete_max,
     .maximum = kDeepest,
     .limit = kDeepestReason,
     .help = "most completions to take at once; 0: as many as are there"},
    {.key = "fsync",
     .field = &Job::fsync,
     .maximum = kMostWrites,
     .help = "fsync after so many writes; 0: never"},
    {.key = "fdatasync",
     .field = &Job::fdatasync,
     .maximum = kMostWrites,
     .help = "fdatasync after so many writes; 0: never"},
    {.key = "end_fsync", .field = &Job::end_fsync, .help = "fsync when the job has ended"},
};

}  // namespace

std::span<const OptionRow> io_options() { return kRows; }

}  // namespace chronio::jobs
