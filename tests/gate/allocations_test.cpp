// allocations_test.cpp: the worker loop takes nothing from the heap, whatever the length of the
// run.
#include "tests/conformance/allocations.hpp"

#include "clock/timebase.hpp"
#include "jobs/options.hpp"
#include "runner/run.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <cstdint>
#include <string>

namespace {

class Silent final : public chronio::runner::Observer {
 public:
  [[nodiscard]] bool shows(std::uint64_t) const override { return true; }
  void progress(const chronio::runner::Progress&) override {}
  void stalled(const chronio::runner::Stall&) override {}
  void group_done() override {}
};

/// Allocations of a whole run of `ios` I/Os, start-up and results included.
std::uint64_t allocations_of(const std::string& job, std::uint64_t ios) {
  const std::string text = job + "io_size=" + std::to_string(ios * 4096) + "\n";
  const auto parsed = chronio::jobs::parse(text, "t.fio", 1, chronio::jobs::real_world());
  auto resolved = chronio::jobs::resolve(parsed.sections);
  chronio::runner::Plan plan = chronio::runner::make_plan(std::move(resolved.jobs), {});
  REQUIRE_FALSE(chronio::jobs::has_errors(plan.diagnostics));
  chronio::clock::Options options;
  options.choice = chronio::clock::Choice::clock_gettime;
  chronio::clock::Timebase timebase = chronio::clock::Timebase::init(options);
  chronio::runner::Signals signals;
  Silent observer;
  const std::uint64_t before = chronio::conformance::allocations();
  const chronio::runner::Outcome outcome = chronio::runner::run(plan, timebase, signals, observer);
  const std::uint64_t after = chronio::conformance::allocations();
  REQUIRE_FALSE(outcome.failed);
  REQUIRE(outcome.run.jobs.front().directions[0].total_ios +
              outcome.run.jobs.front().directions[1].total_ios ==
          ios);
  return after - before;
}

/// A tick of the coordinator, four a second, and a bucket that is used for the first time may each
/// take some memory; one allocation in a hundred I/Os would already be a loop that allocates.
void check_flat(const std::string& job) {
  constexpr std::uint64_t kFew = 1'000;
  constexpr std::uint64_t kMany = 101'000;
  const std::uint64_t few = allocations_of(job, kFew);
  const std::uint64_t many = allocations_of(job, kMany);
  INFO(job << few << " allocations for " << kFew << " I/Os, " << many << " for " << kMany);
  CHECK(few > 0);  // the counter counts
  CHECK(many < few + (kMany - kFew) / 100);
}

}  // namespace

TEST_CASE("loop: an asynchronous engine's I/Os allocate nothing", "[gate]") {
  check_flat("[a]\nioengine=null\nrw=randrw\nbs=4k\nsize=64m\niodepth=32\n");
}

TEST_CASE("loop: a synchronous engine's I/Os allocate nothing", "[gate]") {
  const chronio::tests::TempFolder folder;
  check_flat("[a]\nioengine=psync\nrw=randrw\nbs=4k\nsize=1m\nfilename=" + (folder / "f") + "\n");
}

TEST_CASE("loop: a worker whose events are counted allocates nothing, its handler neither",
          "[gate]") {
  check_flat(
      "[a]\nioengine=null\nrw=randread\nbs=4k\nsize=64m\npmu={page-faults},{minor-faults}\n"
      "pmu_trigger=task-clock\npmu_period=50000\npmu_budget=100\n");
}
