// jobs_scale_test.cpp: the work for a job file grows in step with its sections. Counted in
// allocations, so that no clock is asked.
#include "jobs/options.hpp"
#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

using namespace chronio::jobs;

namespace {

/// Allocations for a file of `sections` sections with 9 globals and 5 own lines.
std::size_t cost(int sections) {
  std::string text =
      "[global]\nioengine=io_uring\nbs=4k\nsize=1g\ndirect=1\niodepth=32\ntime_based\nruntime=10\n"
      "directory=/mnt/data/some/folder\nrandrepeat=0\n";
  for (int i = 0; i < sections; ++i) {
    text += fmt::format("[job{}]\nrw=randread\nfilename=file{}\noffset=4k\nstonewall\nnumjobs=2\n",
                        i, i);
  }
  const std::size_t before = allocations.load();
  const Outcome outcome = read_jobs(text);
  const std::size_t after = allocations.load();
  REQUIRE(outcome.diagnostics.empty());
  REQUIRE(outcome.jobs.size() == static_cast<std::size_t>(sections));
  return after - before;
}

}  // namespace

TEST_CASE("jobs: ten times the sections cost ten times the work", "[jobs]") {
  static_cast<void>(cost(10));  // tables are built at the first use
  const double small = static_cast<double>(cost(1000));
  const double large = static_cast<double>(cost(10000));
  CHECK(large / small < 10.5);
  // Each of 14 settings may cost a few strings, and the job some lists.
  CHECK(large / 10000 < 100);
}
