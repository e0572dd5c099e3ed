// geometry_test.cpp: what an engine tells of a target stands in the plan, and is held against the
// job.
#include "jobs/parser.hpp"
#include "runner/plan.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <fstream>
#include <string>

using Catch::Matchers::Contains;
using chronio::runner::Plan;
using chronio::tests::TempFolder;

namespace {

/// A job of a plugin on a file called `name`, which exists: of 64 KiB.
Plan plan_of(const std::string& name, const std::string& options,
             const std::string& plugin = SHAPED_PLUGIN) {
  const TempFolder folder;
  std::ofstream(folder / name) << std::string(65536, 'x');
  const std::string text = "[global]\nrw=read\nfilename=" + (folder / name) +
                           "\n[a]\nioengine=external:" + plugin + "\n" + options;
  const auto parsed = chronio::jobs::parse(text, "t.fio", 1, chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  INFO(text);
  REQUIRE_FALSE(chronio::jobs::has_errors(resolved.diagnostics));
  return chronio::runner::make_plan(std::move(resolved.jobs), {});
}

std::string error_of(const std::string& name, const std::string& options) {
  for (const auto& diagnostic : plan_of(name, options).diagnostics)
    if (diagnostic.severity == chronio::jobs::Severity::error) return diagnostic.message;
  return {};
}

}  // namespace

TEST_CASE("geometry: size and block are the engine's", "[runner]") {
  const Plan plan = plan_of("plain", "bs=4k\n");
  CHECK_FALSE(chronio::jobs::has_errors(plan.diagnostics));
  CHECK(plan.targets[0].target.bytes == 1 << 20);
  CHECK(plan.targets[0].target.logical_block == 512);
  CHECK(plan.stages[0].workers[0].io_limit == 1 << 20);
  CHECK_THAT(error_of("plain", "direct=1\nbs=700\n"), Contains("no multiple of 512"));
}

TEST_CASE("geometry: a block larger than what moves at once is refused", "[runner]") {
  CHECK(error_of("plain", "bs=128k\n").empty());
  CHECK_THAT(error_of("plain", "bs=256k\n"), Contains("moves at once, which is 131072 bytes"));
}

TEST_CASE("geometry: metadata need room, which is named", "[runner]") {
  CHECK_THAT(error_of("md", "bs=4k\n"), Contains("8 bytes of metadata for each block of 512") &&
                                            Contains("md_per_io_size=64 would hold them"));
  CHECK_THAT(error_of("md", "bs=4k\nmd_per_io_size=63\n"), Contains("md_per_io_size=64"));
  CHECK(error_of("md", "bs=4k\nmd_per_io_size=64\n").empty());
}

TEST_CASE("geometry: what one engine needs on a target is asked of no other one", "[runner]") {
  CHECK(error_of("md", "bs=4k\nmd_per_io_size=64\n[b]\nioengine=psync\nbs=256k\nnumjobs=2\n") ==
        "");
  CHECK(error_of("plain", "bs=4k\n[b]\nioengine=psync\nbs=256k\nnumjobs=2\n") == "");
}

TEST_CASE("geometry: a trim moves no data, so no limit of reads and writes holds for it",
          "[runner]") {
  CHECK(error_of("plain", "rw=randtrim\nbs=256k\n").empty());
  CHECK(error_of("plain", "rw=trim\nbs=4k,4k,256k\n").empty());
  CHECK(error_of("md", "rw=trim\nbs=256k\n").empty());
  CHECK_THAT(error_of("plain", "rw=trimwrite\nbs=256k\n"), Contains("moves at once"));
  CHECK_THAT(error_of("md", "rw=trimwrite\nbs=4k\n"), Contains("md_per_io_size=64"));
}

TEST_CASE("geometry: a target that the engine can't use is refused with what it is", "[runner]") {
  CHECK_THAT(error_of("bad", "bs=4k\n"), Contains("metadata between its blocks"));
  CHECK_THAT(error_of("none", "bs=4k\n"), Contains("it is a file"));
}

TEST_CASE("geometry: copies of a job ask once and are all held to the answer", "[runner]") {
  CHECK_THAT(error_of("md", "bs=4k\nnumjobs=3\n"), Contains("md_per_io_size=64"));
  CHECK(plan_of("plain", "bs=4k\nnumjobs=3\n").stages[0].workers.size() == 3);
}

TEST_CASE(
    "geometry: an engine that makes no object to ask is an error of its job's line, as others",
    "[runner]") {
  const Plan plan = plan_of("plain", "bs=4k\n[b]\nioengine=unknown\n", OBJECTLESS_PLUGIN);
  REQUIRE(plan.diagnostics.size() == 2);
  CHECK(plan.diagnostics[0].where.line == 5);
  CHECK_THAT(plan.diagnostics[0].message, Contains("it made no engine object"));
  CHECK(plan.diagnostics[1].where.line == 8);
}
