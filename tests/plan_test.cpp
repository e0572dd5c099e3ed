// plan_test.cpp: jobs to worker plans, and every mistake that is found before the first I/O.
#include "runner/plan.hpp"

#include "jobs/parser.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/resource.h>

using chronio::Access;
using chronio::runner::Plan;
using chronio::runner::RunOptions;
using chronio::tests::TempFolder;

namespace {

Plan plan_of(const std::string& text, const RunOptions& options = {}) {
  const auto parsed = chronio::jobs::parse(text, "t.fio", 1, chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  INFO(text);
  for (const auto& diagnostic : parsed.diagnostics) INFO(diagnostic.message);
  REQUIRE_FALSE(chronio::jobs::has_errors(parsed.diagnostics));
  REQUIRE_FALSE(chronio::jobs::has_errors(resolved.diagnostics));
  return chronio::runner::make_plan(std::move(resolved.jobs), options);
}

/// First error of a plan; empty when there is none.
std::string error_of(const std::string& text, const RunOptions& options = {}) {
  for (const auto& diagnostic : plan_of(text, options).diagnostics)
    if (diagnostic.severity == chronio::jobs::Severity::error) return diagnostic.message;
  return {};
}

std::string null_job(const std::string& more) { return "[a]\nioengine=null\nsize=1m\n" + more; }

void make_file(const std::string& path, std::size_t bytes) {
  std::ofstream(path) << std::string(bytes, 'x');
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("plan: a size in whole blocks becomes the limit of one pass", "[runner]") {
  const Plan plan = plan_of(null_job("bs=4k\nloops=3\n"));
  REQUIRE(plan.stages.size() == 1);
  REQUIRE(plan.stages[0].workers.size() == 1);
  CHECK(plan.stages[0].workers[0].io_limit == 3U << 20);
  CHECK(plan.stages[0].workers[0].access == Access::read_only);
}

TEST_CASE("plan: io_size replaces the amount, time_based lifts it", "[runner]") {
  CHECK(plan_of(null_job("io_size=5m\n")).stages[0].workers[0].io_limit == 5U << 20);
  CHECK(plan_of(null_job("time_based\nruntime=1\n")).stages[0].workers[0].io_limit == 0);
}

TEST_CASE("plan: the block that reaches io_size= is transferred whole, as with fio", "[runner]") {
  const auto limit = [](const std::string& with) {
    return plan_of("[a]\nioengine=null\n" + with).stages[0].workers[0].io_limit;
  };
  CHECK(limit("size=1m\nbs=64k\nio_size=100k\n") == 128U << 10);
  CHECK(limit("size=1m\nbs=64k\nio_size=100k\nloops=2\n") == 256U << 10);  // of 200k
  CHECK(limit("size=1m\nbs=64k\nio_size=2m\nloops=3\n") == 3U << 20);      // of 3 times size
  CHECK(limit("size=1m\nbs=64k\nio_size=5m\nloops=3\n") == 5U << 20);      // more than that
  CHECK(limit("size=1m\nbs=3k\nio_size=25%\n") == 86 * 3072U);             // of 85.3
  CHECK(limit("rw=randrw\nsize=1m\nbs=4k,8k\nio_size=1k\n") == 8192);
  CHECK(limit("size=50\nbs=1\nio_size=1%\n") == 1);  // of 0.5
  CHECK(limit("filesize=100k\nsize=70k\nbs=8k\n") == 72U << 10);
  CHECK(limit("filesize=100k\nsize=99k\nbs=8k\n") == 96U << 10);  // no more than the file holds
  CHECK(limit("filesize=100k\nsize=1m\nbs=8k\n") == 96U << 10);
}

TEST_CASE("plan: time_based without runtime is told and dropped", "[runner]") {
  const Plan plan = plan_of(null_job("time_based\n"));
  CHECK(plan.stages[0].workers[0].io_limit == 1U << 20);
  REQUIRE(plan.jobs[0].notes.size() == 1);
  CHECK_THAT(plan.jobs[0].notes[0], Contains("time_based"));
}

TEST_CASE("plan: a stonewall begins a stage and a group", "[runner]") {
  const Plan plan = plan_of(
      "[global]\nioengine=null\nsize=1m\n[a]\n[b]\n[c]\nstonewall\n[d]\n[e]\nstonewall\nnumjobs="
      "3\n");
  REQUIRE(plan.stages.size() == 3);
  CHECK(plan.stages[0].workers.size() == 2);
  CHECK(plan.stages[1].workers.size() == 2);
  CHECK(plan.stages[2].workers.size() == 3);
  CHECK(plan.jobs[1].group == 0);
  CHECK(plan.jobs[2].group == 1);
  CHECK(plan.jobs[4].group == 2);
}

TEST_CASE("plan: clones differ in seed and in generated file, share a given one", "[runner]") {
  const Plan own = plan_of(null_job("numjobs=2\n"));
  const auto& workers = own.stages[0].workers;
  CHECK(workers[0].pattern.seed != workers[1].pattern.seed);
  CHECK(own.targets[workers[0].files[0].target].target.path == "a.0.0");
  CHECK(own.targets[workers[1].files[0].target].target.path == "a.1.0");
  CHECK(plan_of(null_job("numjobs=2\nfilename=x\n")).targets.size() == 1);
}

TEST_CASE("plan: randrepeat gives the same seeds, randrepeat=0 others each time", "[runner]") {
  const auto seed = [](const std::string& more) {
    return plan_of(null_job(more)).stages[0].workers[0].pattern.seed;
  };
  CHECK(seed("rw=randread\n") == seed("rw=randread\n"));
  CHECK(seed("randseed=1\n") == seed("randseed=1\n"));
  CHECK(seed("randseed=1\n") != seed("randseed=2\n"));
  CHECK(seed("randrepeat=0\n") != seed("randrepeat=0\n"));
}

TEST_CASE("plan: directories are shared out among clones with generated names", "[runner]") {
  const TempFolder folder;
  const std::string a = folder / "a";
  const std::string b = folder / "b";
  std::filesystem::create_directory(a);
  std::filesystem::create_directory(b);
  const Plan plan = plan_of("[j]\nioengine=psync\nrw=write\nsize=64k\nnumjobs=3\ndirectory=" + a +
                            ":" + b + "\n");
  REQUIRE(plan.targets.size() == 3);
  CHECK(plan.targets[0].target.path == a + "/j.0.0");
  CHECK(plan.targets[1].target.path == b + "/j.1.0");
  CHECK(plan.targets[2].target.path == a + "/j.2.0");
}

TEST_CASE("plan: a size is shared out among files", "[runner]") {
  const Plan plan = plan_of(null_job("filename=x:y\n"));
  REQUIRE(plan.stages[0].workers[0].pattern.files.size() == 2);
  CHECK(plan.stages[0].workers[0].pattern.files[1].bytes == 1U << 19);
  CHECK(plan.stages[0].workers[0].io_limit == 1U << 20);
}

TEST_CASE("plan: filesize is the part of each file, size then what is transferred", "[runner]") {
  const Plan plan = plan_of("[a]\nioengine=null\nfilesize=64k\nnrfiles=3\n");
  REQUIRE(plan.stages[0].workers[0].pattern.files.size() == 3);
  CHECK(plan.stages[0].workers[0].pattern.files[2].bytes == 64U << 10);
  CHECK(plan.stages[0].workers[0].io_limit == 3 * (64U << 10));
  const auto limit = [](const std::string& with) {
    return plan_of("[a]\nioengine=null\nfilesize=64k\nnrfiles=3\n" + with)
        .stages[0]
        .workers[0]
        .io_limit;
  };
  CHECK(limit("size=128k\n") == 128U << 10);
  CHECK(limit("size=1m\n") == 192U << 10);  // as fio: no more than the files hold
  CHECK(limit("size=1m\nio_size=1m\n") == 1U << 20);
  CHECK(limit("size=64k\nio_size=50%\n") == 32U << 10);  // of size, not of the files
  CHECK(limit("size=50%\n") == 96U << 10);
  CHECK(limit("offset=16k\n") == 144U << 10);
  CHECK(limit("offset=25%\n") == 144U << 10);
  const Plan more = plan_of("[a]\nioengine=null\nfilesize=64k\nsize=1m\n");
  REQUIRE(more.jobs[0].notes.size() == 1);
  CHECK_THAT(more.jobs[0].notes[0], Contains("size=1048576") && Contains("65536"));
}

TEST_CASE("plan: a job without an end ends with another, and alone is warned of", "[runner]") {
  const std::string burn = "[burn]\nioengine=cpuio\n";
  CHECK(plan_of(burn + null_job("")).jobs[0].notes.empty());
  CHECK(plan_of(burn + null_job("")).stages[0].workers[0].background);
  CHECK_FALSE(plan_of(burn + "runtime=1\n").stages[0].workers[0].background);
  const Plan alone = plan_of(burn + null_job("stonewall\n"));
  REQUIRE(alone.jobs[0].notes.size() == 1);
  CHECK_THAT(alone.jobs[0].notes[0], Contains("until it is stopped"));
}

TEST_CASE("plan: filesize is what the file has in all, wherever the used part begins", "[runner]") {
  const TempFolder folder;
  const Plan plan =
      plan_of("[a]\nrw=read\nfilesize=64k\noffset=16k\nfilename=" + (folder / "f") + "\n");
  CHECK(plan.targets[0].lay_out == 64U << 10);
}

TEST_CASE("plan: what is wrong or doubtful with thousands of generated files is told once",
          "[runner]") {
  const Plan doubtful = plan_of("[a]\nioengine=null\nfilesize=5000\nnrfiles=1000\n");
  CHECK(doubtful.jobs[0].notes.size() == 1);
  const Plan wrong = plan_of("[a]\nioengine=null\nfilesize=100\nnrfiles=1000\n");
  CHECK(wrong.diagnostics.size() == 1);
}

TEST_CASE("plan: more open files than the process may have are refused, with both numbers",
          "[runner]") {
  rlimit limit = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_max = limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 200);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  const TempFolder folder;
  const std::string job = "[a]\nioengine=psync\nfilesize=4k\ndirectory=" + folder.path() + "\n";
  CHECK_THAT(error_of(job + "nrfiles=190\n"), Contains("RLIMIT_NOFILE") && Contains(" 200 "));
  CHECK_THAT(error_of(job + "nrfiles=50\nnumjobs=4\n"), Contains("RLIMIT_NOFILE"));
  // At once: looking at four thousand million names would take hours.
  CHECK_THAT(error_of(job + "nrfiles=1048576\nnumjobs=4096\n"), Contains("RLIMIT_NOFILE"));
  CHECK(error_of(job + "nrfiles=100\n").empty());
  // 32 of the run's own and one of the engine's are left over for 167 files.
  CHECK(error_of(job + "nrfiles=167\n").empty());
  CHECK_THAT(error_of(job + "nrfiles=168\n"), Contains("hold 201 descriptors"));
  // Where most is to be gained: at b's nrfiles.
  const Plan two =
      plan_of(job + "nrfiles=60\n[b]\nioengine=psync\nfilesize=4k\ndirectory=" + folder.path() +
              "\nnrfiles=120\n");
  REQUIRE_FALSE(two.diagnostics.empty());
  CHECK(two.diagnostics.back().where.line == 10);
  // Stages open their files one after the other, and names without a file open none.
  CHECK(error_of(job + "nrfiles=100\n[b]\nioengine=null\nnrfiles=100\nfilesize=4k\nstonewall\n")
            .empty());
  CHECK(error_of("[a]\nioengine=null\nfilesize=4k\nnrfiles=5000\n").empty());
}

TEST_CASE("plan: percentiles of a latency that is not measured are told", "[runner]") {
  const auto notes = [](const std::string& more) { return plan_of(null_job(more)).jobs[0].notes; };
  CHECK(notes("gtod_reduce=1\n").empty());
  REQUIRE(notes("lat_percentiles=1\ngtod_reduce=1\n").size() == 1);
  CHECK_THAT(notes("lat_percentiles=1\ngtod_reduce=1\n")[0], Contains("gtod_reduce"));
  CHECK_THAT(notes("slat_percentiles=1\ndisable_slat=1\n")[0], Contains("disable_slat"));
}

TEST_CASE("plan: a percentage ends with the file and never makes it longer", "[runner]") {
  const TempFolder folder;
  make_file(folder / "f", 1 << 20);
  const Plan plan =
      plan_of("[a]\nrw=read\nsize=100%\noffset=50%\nfilename=" + (folder / "f") + "\n");
  CHECK(error_of("[a]\nrw=read\nsize=10%\noffset=100%\nfilename=" + (folder / "f") + "\n") != "");
  REQUIRE(plan.stages.size() == 1);
  CHECK(plan.stages[0].workers[0].pattern.files[0].offset == 1 << 19);
  CHECK(plan.stages[0].workers[0].pattern.files[0].bytes == 1 << 19);
  CHECK(plan.targets[0].lay_out == 0);
}

TEST_CASE("plan: percentages are rounded down to the block size", "[runner]") {
  const TempFolder folder;
  const std::string file = folder / "f";
  make_file(file, 1'000'000);
  const Plan plan =
      plan_of("[a]\nioengine=psync\nbs=64k\nsize=40%\noffset=10%\nfilename=" + file + "\n");
  const auto& range = plan.stages[0].workers[0].pattern.files[0];
  CHECK(range.bytes == 6 * 65536);
  CHECK(range.offset == 65536);
}

TEST_CASE("plan: an absent file of a reader is laid out, of a writer preallocated", "[runner]") {
  const TempFolder folder;
  const std::string file = folder / "f";
  const Plan read = plan_of("[a]\nrw=randrw\noffset=4k\nsize=64k\nfilename=" + file + "\n");
  CHECK(read.targets[0].lay_out == 68U << 10);
  CHECK(read.targets[0].preallocate == 0);
  const Plan write = plan_of("[a]\nrw=write\nsize=64k\nfilename=" + file + "\n");
  CHECK(write.targets[0].lay_out == 0);
  CHECK(write.targets[0].preallocate == 64U << 10);
}

TEST_CASE("plan: a tail shorter than a block is told", "[runner]") {
  const Plan plan = plan_of("[a]\nioengine=null\nsize=9120\n");
  REQUIRE(plan.jobs[0].notes.size() == 1);
  CHECK_THAT(plan.jobs[0].notes[0], Contains("last 928 bytes"));
  CHECK(plan.stages[0].workers[0].io_limit == 8192);
}

TEST_CASE("plan: batches and marks above the depth are lowered to it, and that is told",
          "[runner]") {
  for (const char* key : {"iodepth_low", "iodepth_batch_submit", "iodepth_batch_complete_min"}) {
    CAPTURE(key);
    const auto notes = [&](int value) {
      return plan_of(null_job(fmt::format("iodepth=8\n{}={}\n", key, value))).jobs[0].notes;
    };
    CHECK(notes(8).empty());
    REQUIRE(notes(9).size() == 1);
    CHECK(notes(9)[0] == fmt::format("{}=9 is lowered to iodepth=8", key));
  }
}

TEST_CASE("plan: depth has no effect with a synchronous engine, and that is told", "[runner]") {
  const TempFolder folder;
  const Plan plan = plan_of(
      "[a]\nioengine=psync\niodepth=64\nrw=write\nsize=64k\nfilename=" + (folder / "f") + "\n");
  CHECK(plan.stages[0].workers[0].iodepth == 1);
  REQUIRE(plan.jobs[0].notes.size() == 1);
  CHECK_THAT(plan.jobs[0].notes[0], Contains("iodepth=64 has no effect with psync"));
}

TEST_CASE("plan: mistakes are refused with the option and what was found", "[runner]") {
  const TempFolder folder;
  const std::string file = folder / "f";
  const std::string in = "filename=" + file + "\n";
  CHECK_THAT(error_of("[a]\nioengine=nul\nsize=1m\n"), Contains("nul"));
  CHECK_THAT(error_of("[a]\nioengine=null\n"), Contains("size="));
  CHECK_THAT(error_of("[a]\nrw=read\n" + in), Contains("does not exist"));
  CHECK_THAT(error_of("[a]\nrw=read\nsize=50%\n" + in), Contains("does not exist"));
  CHECK_THAT(error_of("[a]\nrw=read\nsize=1m\nallow_file_create=0\n" + in),
             Contains("allow_file_create"));
  CHECK_THAT(error_of("[a]\nsize=1m\nfilename=" + folder.path() + "\n"),
             Contains("is a directory"));
  CHECK_THAT(error_of("[a]\nioengine=null\nsize=1k\n"), Contains("one block"));
  CHECK_THAT(error_of(null_job("cpus_allowed=4000\n")), Contains("4000"));
  CHECK_THAT(error_of(null_job("no_such_option=1\n")), Contains("no_such_option"));
  CHECK_THAT(error_of("[a]\ndirect=1\nbs=1000\nsize=1m\nrw=write\n" + in),
             Contains("logical block size"));
  CHECK_THAT(error_of("[a]\nrw=read\nsize=1m\nfilename=/dev/no-such-device\n"),
             Contains("/dev/no-such-device"));
  make_file(file, 8192);
  CHECK_THAT(error_of("[a]\nrw=read\noffset=8k\n" + in), Contains("past the end"));
}

TEST_CASE("plan: readonly refuses every job that would write or make a file", "[runner]") {
  const TempFolder folder;
  const std::string in = "size=64k\nfilename=" + (folder / "f") + "\n";
  RunOptions options;
  options.policy.readonly = true;
  CHECK_FALSE(error_of("[a]\nrw=randrw\n" + in, options).empty());
  CHECK_FALSE(error_of("[a]\nrw=read\n" + in, options).empty());
  make_file(folder / "f", 65536);
  CHECK(error_of("[a]\nrw=read\n" + in, options).empty());
}

TEST_CASE("plan: more workers than max_jobs are refused once", "[runner]") {
  RunOptions options;
  options.max_jobs = 4;
  const Plan plan = plan_of(null_job("numjobs=5\n"), options);
  REQUIRE(plan.diagnostics.size() == 1);
  CHECK_THAT(plan.diagnostics[0].message, Contains("--max-jobs=4"));
}
