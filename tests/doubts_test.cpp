// doubts_test.cpp: which findings after a run become a note, and which stay silent.
#include "runner/doubts.hpp"

#include "tests/catch.hpp"

using Catch::Matchers::Contains;
using chronio::results::Job;
using chronio::runner::doubts_of;

namespace {

/// 1000 I/Os at iodepth 8, with a mean depth of `mean`.
Job job(std::uint64_t mean) {
  Job made;
  made.ioengine = "io_uring";
  made.iodepth = 8;
  made.depths.level[3] = 1000;
  made.depths.depth_sum = 1000 * mean;
  return made;
}

/// The only doubt; empty when there is none.
std::string only(const Job& of, bool polls = false) {
  const auto doubts = doubts_of(of, polls);
  REQUIRE(doubts.size() <= 1);
  return doubts.empty() ? "" : doubts[0];
}

}  // namespace

TEST_CASE("doubts: a mean depth under half of what was asked is told", "[runner]") {
  CHECK(only(job(8)).empty());
  CHECK(only(job(4)).empty());
  CHECK(only(job(3)) == "the mean depth was 3.0, under half of iodepth=8");
}

TEST_CASE("doubts: a synchronous or very short job gives no reason for any", "[runner]") {
  Job synchronous = job(1);
  synchronous.synchronous = true;
  CHECK(only(synchronous).empty());
  Job brief = job(1);
  brief.depths.level[3] = 79;
  CHECK(only(brief).empty());
  brief.depths.level[3] = 80;  // ten times the depth
  brief.depths.depth_sum = 80;
  CHECK_FALSE(only(brief).empty());
  brief.workers = 2;  // each of them has that depth
  CHECK(only(brief).empty());
}

TEST_CASE("doubts: I/Os that were done while submitted are told when they are the half",
          "[runner]") {
  Job cached = job(8);
  cached.facts.inline_completions = 499;
  CHECK(only(cached).empty());
  cached.facts.inline_completions = 500;
  CHECK_THAT(only(cached), Contains("500 of 1000 I/Os were done while they were submitted"));
}

TEST_CASE("doubts: of a depth below 4 a mean says nothing, of a depth of 1 neither does a hit",
          "[runner]") {
  Job shallow = job(1);
  shallow.iodepth = 4;
  CHECK_THAT(only(shallow), Contains("under half of iodepth=4"));
  shallow.iodepth = 3;
  CHECK(only(shallow).empty());
  shallow.facts.inline_completions = 1000;
  CHECK_FALSE(only(shallow).empty());
  shallow.iodepth = 1;
  CHECK(only(shallow).empty());
}

TEST_CASE("doubts: kernel workers are told unless the job asked for them", "[runner]") {
  Job punted = job(8);
  punted.facts.kernel_workers = 2;
  CHECK_THAT(only(punted), Contains("2 worker threads of the kernel"));
  punted.facts.punts = 500;  // force_async
  CHECK(only(punted).empty());
}

TEST_CASE("doubts: polling that was asked for has to show in completions", "[runner]") {
  Job polled = job(8);
  polled.facts.polled = 0;
  CHECK(only(polled).empty());
  CHECK_THAT(only(polled, true), Contains("no completion came by polling"));
  Job idle = polled;  // without an I/O nothing could be polled for
  idle.depths = {};
  CHECK(only(idle, true).empty());
  polled.facts.polled = 1000;
  CHECK(only(polled, true).empty());
  polled.facts.polled.reset();  // the engine can't tell
  CHECK(only(polled, true).empty());
}

TEST_CASE("doubts: a job asks to poll by a hipri that is not 0", "[runner]") {
  chronio::runner::PlannedJob planned;
  CHECK_FALSE(chronio::runner::asks_to_poll(planned));
  planned.engine_options = {{"hipri", "0", 0}, {"fixedbufs", "1", 1}};
  CHECK_FALSE(chronio::runner::asks_to_poll(planned));
  planned.engine_options[0] = {"hipri", "1", 1};
  CHECK(chronio::runner::asks_to_poll(planned));
}
