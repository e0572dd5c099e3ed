// plan_abilities.cpp: what an engine can do with a target, and what its asynchrony is worth there.
#include "runner/doubts.hpp"
#include "runner/planner.hpp"
#include "target/abilities.hpp"
#include "target/character.hpp"
#include "target/messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

namespace chronio::runner {
namespace {

/// Built-in engines with that flag, for a message: what would be right.
std::string names_of_engines(std::uint32_t flag) {
  std::string names;
  for (const EngineInfo* engine : builtin_engines())
    if (has_flag(*engine, flag))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", engine->name);
  return names;
}

/// What a target is, as the end of a sentence.
const char* name_of(target::Kind kind) noexcept {
  switch (kind) {
    case target::Kind::absent: return "does not exist";
    case target::Kind::file: return "is a file";
    case target::Kind::directory: return "is a directory";
    case target::Kind::block: return "is a block device";
    case target::Kind::character: return "is a character device";
    case target::Kind::other: break;
  }
  return "is neither a file nor a device";
}

/// Why the engine answered `error` when it was asked for a target's geometry.
std::string unusable(const target::Target& target, const EngineInfo& engine, int error) {
  // The words for it are target's: who asked, and for what.
  if (error == -EACCES) return target::open_failure(target, Access::read_only, false, EACCES);
  // Two answers of engines have a meaning of their own here: not their kind of target, and a format
  // that they don't do.
  std::string why = describe_result(error);
  if (error == -ENODEV) why = "it " + std::string(name_of(target.kind));
  if (error == -EMEDIUMTYPE) why = "metadata between its blocks are not done";
  const std::string node = target::generic_sibling(target);
  if (!node.empty()) why += fmt::format("; {} is the same namespace", node);
  return fmt::format("{} can't be used with ioengine={} ({}): {}", target.path, engine.name,
                     engine.help, why);
}

/// File systems that have no device: nothing on them ever waits for one.
bool is_in_memory(const target::Target& target) {
  return target.file_system == "tmpfs" || target.file_system == "ramfs";
}

}  // namespace

void Planner::check_direction(const PlannedJob& planned, const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  // Engines of API 1.0 had no flag to say it with: their answer is the result of the first trim.
  const bool tells = engine.api_minor >= 1;
  if (tells && jobs::trims(job.rw) && !has_flag(engine, kTrims))
    error(planned.spec, "rw",
          fmt::format("ioengine={} can't trim; these can: {}", engine.name,
                      names_of_engines(kTrims)));
  if (jobs::reads(job.rw) && has_flag(engine, kNoReads))
    error(planned.spec, "rw",
          fmt::format("ioengine={} reads nothing; rw=write or rw=randwrite would be right",
                      engine.name));
  if (jobs::trims_first(job.rw) && job.bs[1] != job.bs[2])
    error(
        planned.spec, "bs",
        fmt::format("bs={},{} for write and trim: what was trimmed is written, so both have to be "
                    "the same",
                    job.bs[1], job.bs[2]));
  // No target is opened, but --readonly is absolute: what says write is refused.
  if (has_flag(engine, kDiskless) && jobs::changes(job.rw) && options_.policy.readonly)
    error(planned.spec, "rw", "a job that writes or trims, and --readonly is set");
  if (job.unlink && options_.policy.readonly)
    error(planned.spec, "unlink",
          "unlink=1 removes the job's files after the run, and --readonly is set");
  check_whole_files(planned, engine);
}

void Planner::check_whole_files(const PlannedJob& planned, const EngineInfo& engine) {
  if (!has_flag(engine, kWholeFiles) || has_flag(engine, kDiskless)) return;
  const jobs::Job& job = planned.spec.job;
  const auto refuse_first = [&](std::initializer_list<std::pair<bool, const char*>> asked,
                                const char* why) {
    for (const auto& [is_set, key] : asked)
      if (is_set) return error(planned.spec, key, fmt::format("ioengine={} {}", engine.name, why));
  };
  if (has_flag(engine, kMakesFiles | kOwnFiles))
    refuse_first({{job.time_based, "time_based"},
                  {job.loops > 1, "loops"},
                  {job.ramp_time_ns != 0, "ramp_time"}},
                 "can use each file only once");
  if (jobs::writes(job.rw))
    refuse_first({{job.fsync != 0, "fsync"},
                  {job.fdatasync != 0, "fdatasync"},
                  {job.end_fsync, "end_fsync"}},
                 "writes no data that could be synced");
}

std::string Planner::unfit(const target::Target& target, const EngineInfo& engine) {
  const bool absent = target.kind == target::Kind::absent;
  if (has_flag(engine, kOwnFiles) && !absent)
    return fmt::format(
        "{} exists: ioengine={} destroys what it uses, and takes only files that this run makes",
        target.path, engine.name);
  if (has_flag(engine, kMakesFiles) && has_flag(engine, kWholeFiles) && !absent)
    return fmt::format("{} exists: ioengine={} makes new files", target.path, engine.name);
  if (has_flag(engine, kMakesFiles) && !absent && target.kind != target::Kind::file &&
      target.kind != target::Kind::block)
    return fmt::format("{} is no file: ioengine={} can't use it", target.path, engine.name);
  return {};
}

bool Planner::ask_engine(const PlannedJob& planned, PlannedTarget& target,
                         const EngineInfo& engine) {
  // Asked once for each target: opening and identifying costs system calls, and a job may name
  // thousands of files.
  if (target.asked == &engine) return fits_device(planned, target);
  const bool is_character = target.target.kind == target::Kind::character;
  if (is_character && !target::is_usable_character_device(target.target.device)) {
    error(planned.spec, "filename", target::character_refusal(target.target.path));
    return false;
  }
  Geometry found{};
  const File file{.path = target.target.path.c_str(),
                  .size = 0,
                  .fd = -1,
                  .access = Access::read_only,
                  .direct = planned.spec.job.direct,
                  .laid_out = false,
                  .advice = Advice::none};
  int answer = 0;
  try {
    // An object for this question only. It is never opened, so it is never closed.
    answer = EngineHandle(engine)->geometry(file, found);
  } catch (const EngineError& refused) {
    error(planned.spec, "ioengine", refused.what());
    return false;
  }
  if (answer < 0 && answer != -ENOSYS) {
    error(planned.spec, "filename", unusable(target.target, engine, answer));
    return false;
  }
  // After the refusals: these are told to each job that comes with the target.
  target.asked = &engine;
  // Also of an engine that tells nothing: what another one needs is no limit of its own.
  target.metadata_bytes = found.metadata_bytes;
  target.max_transfer = found.max_transfer;
  // ENOSYS: what target::inspect() found stands.
  if (answer < 0) return true;
  target.target.bytes = found.bytes;
  target.target.logical_block = found.logical_block;
  return fits_device(planned, target);
}

bool Planner::fits_device(const PlannedJob& planned, const PlannedTarget& target) {
  const std::uint64_t block = largest_transfer(planned.spec.job);
  if (target.max_transfer != 0 && block > target.max_transfer) {
    error(planned.spec, "bs",
          fmt::format("bs={} is more than {} moves at once, which is {} bytes", block,
                      target.target.path, target.max_transfer));
    return false;
  }
  // What one request of the largest block size carries beside its data.
  const std::uint64_t metadata = block / target.target.logical_block * target.metadata_bytes;
  const EngineOption* room = option_of(planned, "md_per_io_size");
  if (metadata == 0 || (room != nullptr && static_cast<std::uint64_t>(room->number) >= metadata))
    return true;
  error(planned.spec, "md_per_io_size",
        fmt::format("{} is formatted with {} bytes of metadata for each block of {} bytes: "
                    "md_per_io_size={} would hold them",
                    target.target.path, target.metadata_bytes, target.target.logical_block,
                    metadata));
  return false;
}

bool Planner::able(PlannedJob& planned, const PlannedTarget& target, const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  std::optional<std::string> why;
  // The kernel's word, before the first trim fails in the middle of a run.
  if (jobs::trims(job.rw)) why = target::why_not_trimmable(target.target);
  if (why) {
    error(planned.spec, "rw", *why);
    return false;
  }
  const bool is_character = target.target.kind == target::Kind::character;
  if (asks_to_poll(planned)) why = target::why_not_pollable(target.target);
  if (asks_to_poll(planned) && !job.direct && !is_character)
    why = "hipri polls for the device itself, which only direct=1 reaches";
  if (why) {
    error(planned.spec, "hipri", *why);
    return false;
  }
  warn_of_waiting(planned, target.target, engine);
  return true;
}

void Planner::warn_of_waiting(PlannedJob& planned, const target::Target& target,
                              const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  const bool is_file = target.kind == target::Kind::file || target.kind == target::Kind::absent;
  const bool cached = !job.direct && (is_file || target.kind == target::Kind::block);
  const bool in_memory = is_file && is_in_memory(target);
  // These claim no depth that could be missed, or wait in threads of their own.
  if (has_flag(engine, kSynchronous | kNoData | kOwnsThreads) || job.iodepth == 1) return;
  if (!cached && !in_memory) return;
  const std::string what = in_memory
                               ? fmt::format("{} keeps its files in memory", target.file_system)
                               : std::string("I/O is buffered (direct=0)");
  std::string note = fmt::format(
      "{}: {}: an I/O is done while it is submitted, or waits in a thread of the kernel, so "
      "iodepth={} is not the depth that a device sees",
      target.path, what, job.iodepth);
  // Copies and generated files of one job come to the same sentence.
  if (std::find(planned.notes.begin(), planned.notes.end(), note) == planned.notes.end())
    warn(planned, in_memory ? "filename" : "direct", std::move(note));
}

void Planner::warn_of_mapping(PlannedJob& planned, const EngineInfo& engine) {
  if (!has_flag(engine, kMapsFiles) || !planned.spec.job.direct) return;
  warn(
      planned, "direct",
      fmt::format("{} maps its files, which is no direct I/O whatever direct=1 says: reads of what "
                  "the page cache holds never reach the device",
                  engine.name));
}

void Planner::warn_of_turns(PlannedJob& planned, std::size_t files, const EngineInfo& engine) {
  const std::uint32_t iodepth = planned.spec.job.iodepth;
  if (!has_flag(engine, kOneByOne) || iodepth <= files) return;
  warn(planned, "iodepth",
       fmt::format("{} works on one request at a time in each file: with {} a device sees at most "
                   "{} at once, so iodepth={} is not the depth that it sees",
                   engine.name, files == 1 ? "1 file" : fmt::format("{} files", files), files,
                   iodepth));
}

}  // namespace chronio::runner
