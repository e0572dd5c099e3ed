// target.cpp: options of what is read and written.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

// What a list costs in memory has to end somewhere: 1 Mi names are 32 MiB without their text.
constexpr std::size_t kMostNames = std::size_t{1} << 20;

// A word of the table holds a plain number, so that one type of row serves all enumerations.
constexpr std::uint8_t number(FadviseHint hint) { return static_cast<std::uint8_t>(hint); }

// fio's numbers: 1 follows the pattern and is the default.
constexpr Word kHints[] = {
    {"1", number(FadviseHint::pattern)},
    {"0", number(FadviseHint::none)},
    {"random", number(FadviseHint::random)},
    {"sequential", number(FadviseHint::sequential)},
};

constexpr OptionRow kRows[] = {
    {.key = "filename",
     .field = &Job::filename,
     .most_entries = kMostNames,
     .accumulates = true,
     .help =
         "files or devices, separated by \":\" (a colon in a name is \"\\:\"); repeated, it adds"},
    {.key = "directory",
     .field = &Job::directory,
     .most_entries = kMostNames,
     .help = "folders of the files, separated by \":\"; the copies of a job take turns"},
    {.key = "invalidate",
     .field = &Job::invalidate,
     .help = "drop the target from the page cache before the job starts, and a buffered one again "
             "after each pass"},
    {.key = "fadvise_hint",
     .field = &Job::fadvise_hint,
     .words = kHints,
     .help = "order of access that the kernel is told: 1: that of rw=, 0: none, or one of the two "
             "(posix_fadvise; madvise of mapped files)"},
    {.key = "unlink", .field = &Job::unlink, .help = "remove the files when the job has ended"},
    {.key = "allow_file_create",
     .field = &Job::allow_file_create,
     .help = "make files that are missing"},
    {.key = "nrfiles",
     .aliases = "nr_files",
     .field = &Job::nrfiles,
     .minimum = 1,
     .maximum = kMostNames,
     .help = "files of each copy of the job, where filename= names none"},
    {.key = "filename_format",
     .field = &Job::filename_format,
     .help = "names of these files: $jobname, $jobnum (which copy) and $filenum are replaced"},
};

}  // namespace

std::span<const OptionRow> target_options() { return kRows; }

}  // namespace chronio::jobs
