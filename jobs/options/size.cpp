// size.cpp: options of sizes and places.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

// A buffer of this size exists once per I/O in flight; the kernel's own requests are far smaller.
constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

constexpr OptionRow kRows[] = {
    {.key = "bs",
     .aliases = "blocksize",
     .field = &Job::bs,
     .unit = Unit::bytes,
     .minimum = 1,
     .maximum = kLargestBlock,
     .help =
         "block size; or read,write,trim: a missing one is as the one before, an empty one stays"},
    {.key = "size",
     .field = &Job::size,
     .unit = Unit::bytes,
     .help = "part of each target that is used, bytes or N%; 0 or unset: all of it"},
    {.key = "filesize",
     .field = &Job::filesize,
     .unit = Unit::bytes,
     .help =
         "bytes of each file; size= is then what is transferred in all, or N% of each file; 0: an "
         "equal part of size"},
    {.key = "io_size",
     .aliases = "io_limit",
     .field = &Job::io_size,
     .unit = Unit::bytes,
     .help = "bytes, or N% of size, to transfer before the job ends, the last block whole; 0 or "
             "unset: as "
             "much as size"},
    {.key = "offset",
     .aliases = "fileoffset",
     .field = &Job::offset,
     .unit = Unit::bytes,
     .help = "where the used part begins, bytes or N% of the target"},
};

}  // namespace

std::span<const OptionRow> size_options() { return kRows; }

}  // namespace chronio::jobs
