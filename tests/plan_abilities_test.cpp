// plan_abilities_test.cpp: what an engine can't do with a target is refused before the first I/O.
#include "jobs/parser.hpp"
#include "runner/plan.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

using chronio::jobs::Severity;
using chronio::runner::Plan;
using chronio::tests::TempFolder;

namespace {

Plan plan_of(const std::string& options) {
  const auto parsed =
      chronio::jobs::parse("[a]\n" + options, "t.fio", 1, chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  INFO(options);
  REQUIRE_FALSE(chronio::jobs::has_errors(resolved.diagnostics));
  return chronio::runner::make_plan(std::move(resolved.jobs), {});
}

/// The first message of a severity; empty when there is none.
std::string first(const Plan& plan, Severity severity) {
  for (const auto& diagnostic : plan.diagnostics)
    if (diagnostic.severity == severity) return diagnostic.message;
  return {};
}
std::string error_of(const std::string& options) {
  return first(plan_of(options), Severity::error);
}
std::string warning_of(const std::string& options) {
  return first(plan_of(options), Severity::warning);
}

std::string made(const TempFolder& folder, const std::string& name, std::size_t bytes) {
  std::ofstream(folder / name) << std::string(bytes, 'x');
  return folder / name;
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("plan: what is wrong with an option stands where its complement set it", "[runner]") {
  const TempFolder folder;
  const std::string file = "filename=" + made(folder, "f", 65536) + "\n";
  const Plan doubted = plan_of(file + "ioengine=libaio\niodepth=4\nrw=read\nbuffered=1\n");
  REQUIRE(doubted.diagnostics.size() == 1);
  // Of a folder in memory that is told, at the file's name: no option would change it.
  const bool in_memory = doubted.diagnostics[0].message.find("in memory") != std::string::npos;
  CHECK(doubted.diagnostics[0].where.line == (in_memory ? 2 : 6));
}

TEST_CASE("plan: trim goes to engines and targets that can, and is refused by name elsewhere",
          "[runner]") {
  const TempFolder folder;
  const std::string file = "filename=" + made(folder, "f", 65536) + "\n";
  CHECK(error_of("ioengine=psync\nrw=randtrim\n" + file).empty());
  CHECK_THAT(error_of("ioengine=filestat\nrw=trim\n" + file), Contains("filestat can't trim"));
  CHECK_THAT(error_of("ioengine=psync\nrw=trim\nsize=64k\nfilename=/dev/null\n"),
             Contains("/dev/null: can't be trimmed"));
  CHECK_THAT(error_of("ioengine=psync\nrw=trimwrite\nbs=4k,4k,8k\n" + file),
             Contains("both have to be the same"));
}

TEST_CASE("plan: a trim asks the guard as a write does", "[runner]") {
  const TempFolder folder;
  const auto parsed = chronio::jobs::parse(
      "[a]\nioengine=psync\nrw=trim\nfilename=" + made(folder, "f", 65536) + "\n", "t.fio", 1,
      chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  chronio::runner::RunOptions options;
  options.policy.readonly = true;
  CHECK_THAT(first(chronio::runner::make_plan(std::move(resolved.jobs), options), Severity::error),
             Contains("--readonly"));
}

TEST_CASE("plan: under --readonly no file is removed after the run", "[runner]") {
  const TempFolder folder;
  const auto parsed = chronio::jobs::parse(
      "[a]\nioengine=psync\nrw=read\nunlink=1\nfilename=" + made(folder, "f", 65536) + "\n",
      "t.fio", 1, chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  chronio::runner::RunOptions options;
  options.policy.readonly = true;
  CHECK_THAT(first(chronio::runner::make_plan(std::move(resolved.jobs), options), Severity::error),
             Contains("unlink=1") && Contains("--readonly"));
}

TEST_CASE("plan: trimwrite moves its size twice", "[runner]") {
  const Plan plan = plan_of("ioengine=null\nrw=trimwrite\nsize=64k\n");
  CHECK(plan.stages[0].workers[0].io_limit == 131072);
}

TEST_CASE("plan: engines that destroy files take only those that the run makes", "[runner]") {
  const TempFolder folder;
  const std::string old_file = "filename=" + made(folder, "old", 65536) + "\n";
  const std::string new_file = "size=64k\nrw=write\nfilename=" + (folder / "new") + "\n";
  for (const std::string engine : {"ftruncate", "filedelete"}) {
    CHECK_THAT(error_of("ioengine=" + engine + "\nrw=write\n" + old_file),
               Contains("only files that this run makes"));
    const Plan plan = plan_of("ioengine=" + engine + "\n" + new_file);
    CHECK(first(plan, Severity::error).empty());
    REQUIRE(plan.targets.size() == 1);
    CHECK(plan.targets[0].lay_out + plan.targets[0].preallocate >= 65536);
  }
}

TEST_CASE("plan: filecreate makes files and lays none out", "[runner]") {
  const TempFolder folder;
  CHECK_THAT(error_of("ioengine=filecreate\nfilename=" + made(folder, "old", 1) + "\n"),
             Contains("makes new files"));
  const Plan plan =
      plan_of("ioengine=filecreate\nfilename=" + (folder / "a") + ":" + (folder / "b") + "\n");
  CHECK(first(plan, Severity::error).empty());
  REQUIRE(plan.targets.size() == 2);
  CHECK(plan.targets[0].lay_out == 0);
  CHECK(plan.targets[0].preallocate == 0);
  CHECK(plan.stages[0].workers[0].io_limit == 2 * 4096);  // one I/O for each
}

TEST_CASE("plan: what uses a file up can't be repeated", "[runner]") {
  const TempFolder folder;
  const std::string job = "ioengine=filecreate\nfilename=" + (folder / "a") + "\n";
  CHECK_THAT(error_of(job + "loops=2\n"), Contains("only once"));
  CHECK_THAT(error_of(job + "time_based\nruntime=1\n"), Contains("only once"));
  CHECK_THAT(error_of(job + "ramp_time=1\n"), Contains("only once"));
  CHECK(error_of("ioengine=filestat\nfilesize=4k\nramp_time=1\ndirectory=" + (folder / "") + "\n")
            .empty());
}

TEST_CASE("plan: where no data are written no sync is counted", "[runner]") {
  const TempFolder folder;
  const std::string files = "rw=write\nfilesize=4k\ndirectory=" + (folder / "") + "\n";
  for (const char* engine : {"filecreate", "filestat", "filedelete"})
    for (const char* sync : {"fsync=1", "fdatasync=2", "end_fsync=1"})
      CHECK_THAT(error_of(fmt::format("ioengine={}\n{}\n", engine, sync) + files),
                 Contains("no data that could be synced"));
  CHECK(error_of("ioengine=filestat\nrw=read\nfsync=1\nfilesize=4k\n").empty());
  CHECK(error_of("ioengine=falloc\nfsync=1\nsize=4k\n" + files).empty());
}

TEST_CASE("plan: ftruncate refuses to read, cpuio needs no size and has no end", "[runner]") {
  CHECK_THAT(error_of("ioengine=ftruncate\nrw=read\nsize=1m\n"), Contains("reads nothing"));
  CHECK(plan_of("ioengine=cpuio\ncpuload=50\n").stages[0].workers[0].io_limit == 0);
}

TEST_CASE("plan: buffered I/O and files in memory are told to defeat a depth", "[runner]") {
  const TempFolder folder;
  const std::string file = "filename=" + made(folder, "f", 65536) + "\nrw=read\niodepth=8\n";
  CHECK_THAT(warning_of("ioengine=libaio\n" + file), Contains("iodepth=8 is not the depth"));
  CHECK_THAT(warning_of("ioengine=psync\n" + file), Contains("no effect"));
  CHECK_THAT(warning_of("ioengine=libaio\nrw=write\niodepth=8\nsize=4k\ndirect=1\n"
                        "filename=/dev/shm/chronio-plan-test\n"),
             Contains("keeps its files in memory"));
}

TEST_CASE("plan: what no kernel's ring takes is refused with its reason", "[runner]") {
  const std::string job = "ioengine=io_uring\nrw=read\nsize=1m\nfilename=/dev/zero\n";
  const auto fails = [&](const std::string& options) { return error_of(job + options); };
  CHECK(fails("iodepth=32768\n").empty());
  CHECK_THAT(fails("iodepth=32769\n"), Contains("holds at most 32768 requests"));
  CHECK(fails("iodepth=16384\nfixedbufs\n").empty());
  CHECK_THAT(fails("iodepth=16385\nfixedbufs\n"), Contains("at most 16384 buffers"));
  CHECK_THAT(fails("sqthread_poll\nsqthread_poll_cpu=65000\n"),
             Contains("this machine has CPUs 0-"));
  CHECK(fails("sqthread_poll\nsqthread_poll_cpu=0\n").empty());
  CHECK(fails("sqthread_poll_cpu=65000\n").empty());  // nothing polls
  CHECK_THAT(fails("hybrid_poll\n"), Contains("needs hipri=1"));
  const auto plan = plan_of(job + "hybrid_poll\n");
  CHECK(plan.diagnostics.at(0).where.line == 6);
  CHECK(error_of("ioengine=libaio\nrw=read\nsize=1m\nfilename=/dev/zero\niodepth=65536\n").empty());
}

TEST_CASE("plan: posixaio is told to have one request at a time in each file", "[runner]") {
  const TempFolder folder;
  const std::string job = "ioengine=posixaio\nrw=read\nsize=64k\ndirectory=" + (folder / "") + "\n";
  CHECK_THAT(warning_of(job + "iodepth=8\n"),
             Contains("one request at a time in each file: with 1 file a device sees at most 1"));
  CHECK_THAT(warning_of(job + "iodepth=8\nnrfiles=4\n"), Contains("sees at most 4 at once"));
  CHECK(plan_of(job + "iodepth=8\nnumjobs=3\n").jobs[0].notes.size() == 1);
  CHECK(warning_of(job + "iodepth=8\nnrfiles=8\n").empty());
  CHECK(warning_of(job).empty());
}

TEST_CASE("plan: direct=1 is no direct I/O where files are mapped, and the job says so",
          "[runner]") {
  const std::string job = "rw=read\nsize=4k\nfilename=/tmp/chronio-plan-test\nioengine=mmap\n";
  CHECK_THAT(warning_of(job + "direct=1\n"),
             Contains("mmap maps its files, which is no direct I/O"));
  CHECK(warning_of(job).empty());
}

TEST_CASE("plan: caches are dropped between the passes of a buffered job that has any",
          "[runner]") {
  const TempFolder folder;
  const auto pass = [&](const std::string& options) {
    const std::string where = "directory=" + (folder / "") + "\n";
    return plan_of("size=64k\n" + where + options).stages[0].workers[0].pass_bytes;
  };
  CHECK(pass("rw=read\n") == 65536);
  CHECK(pass("rw=randrw\nbs=24k\n") == 49152);  // whole blocks
  CHECK(pass("rw=read\nnrfiles=4\n") == 65536);
  CHECK(pass("rw=randtrimwrite\n") == 2 * 65536);
  CHECK(pass("rw=read\nnorandommap\n") == 65536);
  CHECK(pass("rw=randread\nnorandommap\n") == 0);
  CHECK(pass("rw=read\ndirect=1\n") == 0);
  CHECK(pass("rw=read\ndirect=1\nioengine=mmap\n") == 65536);
  CHECK(pass("rw=read\ninvalidate=0\n") == 0);
  CHECK(pass("rw=read\nioengine=null\n") == 0);
}

TEST_CASE(
    "plan: caches are dropped when the largest file has been passed, with time_based the least",
    "[runner]") {
  const TempFolder folder;
  const std::string files =
      folder.write("a", std::string(16384, 'a')) + ":" + folder.write("b", std::string(65536, 'b'));
  const auto pass = [&](const std::string& options) {
    return plan_of("rw=read\nfilename=" + files + "\n" + options).stages[0].workers[0].pass_bytes;
  };
  CHECK(pass("") == 16384 + 65536);
  CHECK(pass("time_based\nruntime=1\n") == 2 * 16384);
}

TEST_CASE("plan: polling is refused where no disk has poll queues", "[runner]") {
  CHECK_THAT(error_of("ioengine=pvsync2\nhipri\ndirect=1\nrw=write\nsize=4k\n"
                      "filename=/dev/shm/chronio-plan-test\n"),
             Contains("there is no disk below it (tmpfs)"));
}
