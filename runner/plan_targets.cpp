// plan_targets.cpp: which files a worker uses, how much of them, and whether that can work.
#include "runner/planner.hpp"
#include "target/file_names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::runner {
namespace {

/// Why a target has no size, as the end of a sentence.
const char* describe(target::Kind kind) noexcept {
  switch (kind) {
    case target::Kind::absent: return "does not exist";
    case target::Kind::file: return "is an empty file";
    case target::Kind::directory: return "is a directory";
    case target::Kind::block: return "is a block device of unknown size";
    case target::Kind::character: return "is a character device";
    case target::Kind::other: return "is neither a file nor a device";
  }
  return "is unknown";
}

/// amount_of(); a percentage is rounded down to `block`, so that it never makes an unaligned end.
std::uint64_t amount_in_blocks(const jobs::Amount& amount, std::uint64_t whole,
                               std::uint64_t block) {
  const std::uint64_t bytes = amount_of(amount, whole);
  return amount.percent == 0 ? bytes : bytes / block * block;
}

/// Bytes of one of `files` files, where size= is no percentage.
std::uint64_t file_bytes(const jobs::Job& job, std::size_t files) {
  if (job.filesize != 0) return job.filesize;
  return job.size ? job.size->bytes / files : 0;
}

/// Bytes of one of `files` files are given by size=, wherever the part begins.
bool is_sized(const jobs::Job& job) {
  return job.filesize == 0 && job.size && job.size->percent == 0;
}

/// Bytes that a job uses of one of its files, of `whole` bytes, from `offset` on. A percentage is
/// of the whole; what is left behind the offset is the most.
std::uint64_t part_bytes(const jobs::Job& job, std::uint64_t whole, std::uint64_t offset,
                         std::size_t files) {
  if (is_sized(job)) return file_bytes(job, files);
  const bool shared = job.size && job.size->percent != 0;
  const std::uint64_t rest = whole - offset;
  return shared ? std::min(amount_in_blocks(*job.size, whole, largest_block(job)), rest) : rest;
}

}  // namespace

std::uint64_t amount_of(const jobs::Amount& amount, std::uint64_t whole) noexcept {
  // In two parts: whole * percent could exceed 64 bits.
  return amount.percent == 0 ? amount.bytes
                             : whole / 100 * amount.percent + whole % 100 * amount.percent / 100;
}

std::uint32_t Planner::target_of(const std::string& path, bool diskless) {
  const auto [entry, added] =
      targets_.try_emplace(path, static_cast<std::uint32_t>(plan_.targets.size()));
  if (added) {
    PlannedTarget& target = plan_.targets.emplace_back();
    target.diskless = diskless;
    if (diskless)
      target.target.path = path;
    else
      target.target = target::inspect(path);
  }
  // A name that an engine without files used before is a real path for this one.
  if (!diskless && plan_.targets[entry->second].diskless) {
    plan_.targets[entry->second].diskless = false;
    plan_.targets[entry->second].target = target::inspect(path);
  }
  return entry->second;
}

void Planner::add_files(const PlannedJob& planned, WorkerPlan& worker) {
  const std::vector<std::string> names = target::file_names(planned.spec.job, worker.clone);
  const bool generated = planned.spec.job.filename.empty();
  for (const std::string& name : names) {
    const std::size_t errors = plan_.diagnostics.size();
    add_file(planned, name, names.size(), worker);
    if (!generated) continue;
    // Of generated names one says enough: thousands may follow.
    repeats_ = true;
    if (plan_.diagnostics.size() > errors && jobs::has_errors(plan_.diagnostics)) break;
  }
  repeats_ = false;
}

void Planner::add_file(const PlannedJob& planned, const std::string& path, std::size_t files,
                       WorkerPlan& worker) {
  const jobs::Job& job = planned.spec.job;
  const EngineInfo& engine = *worker.engine;
  const bool diskless = has_flag(engine, kDiskless);
  const std::uint32_t index = target_of(path, diskless);
  PlannedTarget& target = plan_.targets[index];
  if (!diskless && !(ask_engine(planned, target, engine) && usable(planned, target, engine) &&
                     able(plan_.jobs[worker.job], target, engine)))
    return;
  if (has_flag(engine, kWholeFiles)) return add_whole_file(planned, index, files, worker);
  const std::optional<Extent> part = extent(planned, target, files);
  if (!part ||
      (!diskless && !(aligned(planned, target, *part) && fits(planned, target, *part, engine))))
    return;
  // Marks add up over all jobs that use the target: what one needs is done for all.
  target.written = target.written || jobs::changes(job.rw);
  target.trims_cached = target.trims_cached || (jobs::trims(job.rw) && !job.direct);
  target.unlink = target.unlink || job.unlink;
  target.invalidate = target.invalidate || job.invalidate;
  worker.files.push_back({index, part->offset + part->bytes});
  worker.pattern.files.push_back({part->offset, part->bytes});
  // As fio: no I/O is shorter than a block, so a tail is never touched.
  const std::uint64_t left_out = part->bytes % largest_block(job);
  if (left_out != 0 && worker.clone == 0)
    warn(plan_.jobs[worker.job], "size",
         fmt::format(
             "{}: {} bytes are no multiple of the block size: the last {} bytes are left out", path,
             part->bytes, left_out));
}

void Planner::add_whole_file(const PlannedJob& planned, std::uint32_t index, std::size_t files,
                             WorkerPlan& worker) {
  const jobs::Job& job = planned.spec.job;
  const std::uint64_t block = largest_block(job);
  PlannedTarget& target = plan_.targets[index];
  const bool makes = target.target.kind == target::Kind::absent && !target.diskless &&
                     !has_flag(*worker.engine, kMakesFiles);
  if (makes) {
    target.lay_out = std::max({target.lay_out, file_bytes(job, files), block});
  }
  target.unlink = target.unlink || job.unlink;
  worker.files.push_back({index, block});
  worker.pattern.files.push_back({0, block});
}

bool Planner::usable(const PlannedJob& planned, const PlannedTarget& target,
                     const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  const target::Target& what = target.target;
  if (what.kind == target::Kind::directory) {
    error(planned.spec, "filename",
          fmt::format("{} is a directory; name a file in it, or set directory={}", what.path,
                      what.path));
    return false;
  }
  if (what.stat_error != 0) {
    error(planned.spec, "filename",
          fmt::format("{}: {}", what.path, describe_result(-what.stat_error)));
    return false;
  }
  const bool makes = what.kind == target::Kind::absent;
  if (const std::string why = unfit(what, engine); !why.empty()) {
    error(planned.spec, "filename", why);
    return false;
  }
  // Only read, and there: the guard has nothing to say.
  if (!makes && !jobs::changes(job.rw) && !has_flag(engine, kMakesFiles)) return true;
  if (makes && !job.allow_file_create) {
    error(planned.spec, "filename",
          fmt::format("{} does not exist, and allow_file_create=0", what.path));
    return false;
  }
  if (const auto why = target::why_not_writable(what, options_.policy)) {
    error(planned.spec, "filename", *why);
    return false;
  }
  return true;
}

void Planner::tell_no_size(const PlannedJob& planned, const PlannedTarget& target) {
  const jobs::Job& job = planned.spec.job;
  const char* key = is_sized(job) ? "filesize" : "size";
  if (target.diskless)
    error(planned.spec, job.size ? "size" : "filename",
          fmt::format("ioengine={} has no file to take a size from: set {}=, such as {}=1g",
                      job.ioengine, key, key));
  else
    error(planned.spec, job.size ? "size" : "filename",
          fmt::format("no size is known: {} {}; set {}= (such as {}=1g), or name a file or device "
                      "that holds data",
                      target.target.path, describe(target.target.kind), key, key));
}

std::optional<Extent> Planner::extent(const PlannedJob& planned, const PlannedTarget& target,
                                      std::size_t files) {
  const jobs::Job& job = planned.spec.job;
  const target::Target& what = target.target;
  const std::uint64_t block = largest_block(job);
  // Where nothing depends on the size of the target it may be unknown.
  const bool of_whole = !is_sized(job) || job.offset.percent != 0;
  const std::uint64_t whole = job.filesize != 0 ? job.filesize : what.bytes;
  if (of_whole && whole == 0) {
    tell_no_size(planned, target);
    return std::nullopt;
  }
  Extent part;
  part.offset = amount_in_blocks(job.offset, whole, block);
  if (!is_sized(job) && part.offset >= whole) {
    error(planned.spec, "offset",
          fmt::format("offset={} is at or past the end of {}, which has {} bytes", part.offset,
                      what.path, whole));
    return std::nullopt;
  }
  part.bytes = part_bytes(job, whole, part.offset, files);
  // 2^62: beyond it sums of offset and size would leave the 63 bits of off_t.
  if (part.bytes < block || part.bytes > (std::uint64_t{1} << 62) ||
      part.offset > (std::uint64_t{1} << 62)) {
    error(planned.spec, "size",
          fmt::format("{} bytes of {} do not hold one block of {} bytes", part.bytes, what.path,
                      block));
    return std::nullopt;
  }
  return part;
}

bool Planner::aligned(const PlannedJob& planned, const PlannedTarget& target,
                      const Extent& extent) {
  const jobs::Job& job = planned.spec.job;
  const bool raw = target.target.kind == target::Kind::character;
  const bool discards = jobs::trims(job.rw) && target.target.kind == target::Kind::block;
  // The page cache takes any offset; the device takes only whole logical blocks.
  if (!job.direct && !raw && !discards) return true;
  const std::uint64_t block = target.target.logical_block;
  const auto check = [&](bool used, std::uint64_t value, const char* key) {
    if (!used || value % block == 0) return true;
    error(planned.spec, key,
          fmt::format(
              "{}={} is no multiple of {} bytes, the logical block size of {}, which {} needs", key,
              value, block, target.target.path, job.direct || raw ? "direct=1" : "trim"));
    return false;
  };
  const bool both = jobs::reads(job.rw) && job.bs[1] == job.bs[0];  // say it once
  return check(jobs::reads(job.rw), job.bs[0], "bs") &&
         check(jobs::writes(job.rw) && !both, job.bs[1], "bs") &&
         check(jobs::trims(job.rw), job.bs[2], "bs") && check(true, extent.offset, "offset");
}

bool Planner::fits(const PlannedJob& planned, PlannedTarget& target, const Extent& extent,
                   const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  const std::uint64_t end = extent.offset + extent.bytes;
  if (end <= target.target.bytes) return true;
  const bool unsized = target.target.kind == target::Kind::character && target.target.bytes == 0;
  if (unsized) return true;  // /dev/zero goes on for ever
  // It makes them as long as it wants.
  if (has_flag(engine, kMakesFiles)) return true;
  if (target.target.kind != target::Kind::file && target.target.kind != target::Kind::absent) {
    error(planned.spec, job.size ? "size" : "offset",
          fmt::format("offset {} and size {} end at {}, past the end of {}, which has {} bytes",
                      extent.offset, extent.bytes, end, target.target.path, target.target.bytes));
    return false;
  }
  if (const auto why = target::why_not_writable(target.target, options_.policy)) {
    error(planned.spec, "size",
          fmt::format("{} would have to be made {} bytes long: {}", target.target.path, end, *why));
    return false;
  }
  // What is read has to be written first, or reads would find holes and never reach the device;
  // so has what is trimmed. What is only written needs no more than its blocks.
  if (jobs::reads(job.rw) || jobs::trims(job.rw))
    target.lay_out = std::max(target.lay_out, end);
  else
    target.preallocate = std::max(target.preallocate, end);
  return true;
}

}  // namespace chronio::runner
