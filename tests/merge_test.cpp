// merge_test.cpp: workers of a group add up to one job.
#include "results/run.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <array>

using namespace chronio::results;
using chronio::tests::distribution_of;
using chronio::tests::latencies;
using chronio::tests::same;
using chronio::tests::sample_job;

TEST_CASE("merge: counts, bytes, errors and usage add up, times are the longest", "[merge]") {
  Job job = sample_job("a", 1000);
  Job other = sample_job("a", 3000);
  other.runtime_ns = 2'000'000'000;
  other.elapsed_ns = 3'000'000'000;
  other.directions[0].runtime_ns = 1'900'000'000;
  other.job_start_ms = job.job_start_ms - 5;
  other.outstanding = 2;
  other.error = 5;
  other.errors = {{"read", "/x", 0, 4096, 5, "Input/output error"}};
  other.sync.total_ios = 4;
  const std::uint64_t start = other.job_start_ms;
  merge(job, other);
  CHECK(job.workers == 2);
  CHECK(job.directions[0].total_ios == 4000);
  CHECK(job.directions[0].io_bytes == 4000 * 4096);
  CHECK(job.directions[0].runtime_ns == 1'900'000'000);
  CHECK(job.runtime_ns == 2'000'000'000);
  CHECK(worker_time_ns(job) == 3'000'000'000);
  CHECK(job.elapsed_ns == 3'000'000'000);
  CHECK(job.job_start_ms == start);
  CHECK(job.depths.level[5] == 4000);
  CHECK(job.depths.depth_sum == 4000 * 32);
  CHECK(job.usage.context_switches == 34);
  CHECK(job.sync.total_ios == 4);
  CHECK(job.outstanding == 2);
  CHECK(job.error == 5);
  CHECK(job.errors.size() == 1);
  CHECK(job.targets.size() == 1);
}

TEST_CASE("merge: histograms and moments are those of all latencies together", "[merge]") {
  std::vector<std::uint64_t> all;
  Job merged = sample_job();
  merged.directions[0].clat = {};
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const std::vector<std::uint64_t> part = latencies(300, 50'000, seed);
    all.insert(all.end(), part.begin(), part.end());
    Job worker = sample_job();
    worker.directions[0].clat = distribution_of(part);
    merge(merged, worker);
  }
  CHECK(merged.directions[0].clat == distribution_of(all));
  CHECK(merged.workers == 6);
}

TEST_CASE("merge: the order of workers does not show in the figures", "[merge]") {
  const std::vector<Job> workers = {sample_job("w", 100), sample_job("w", 200),
                                    sample_job("w", 50)};
  Job forward = workers[0];
  merge(forward, workers[1]);
  merge(forward, workers[2]);
  Job backward = workers[2];
  merge(backward, workers[1]);
  merge(backward, workers[0]);
  CHECK(same(forward, backward));
}

TEST_CASE("merge: intervals add by their place, also when one series is longer", "[merge]") {
  Job job;
  job.intervals = {{0, 100, {1, 2, 3}, {10, 20, 30}}};
  Job other;
  other.intervals = {{2, 98, {1, 1, 1}, {5, 5, 5}}, {100, 60, {7, 0, 0}, {70, 0, 0}}};
  merge(job, other);
  CHECK(job.intervals ==
        std::vector<Interval>{{0, 100, {2, 3, 4}, {15, 25, 35}}, {100, 60, {7, 0, 0}, {70, 0, 0}}});
}

TEST_CASE("merge: intervals of a job that ran longer, and are longer, are met by joined ones",
          "[merge]") {
  // Two jobs of 10 I/Os in each 500 ns; the longer one's neighbours were joined when it ran out of
  // intervals, so that each of its intervals has the I/Os of two.
  Job longer;
  longer.intervals = {{0, 750, {15}, {15}}, {750, 1000, {20}, {20}}, {1750, 1000, {20}, {20}}};
  Job shorter;
  shorter.intervals = {{0, 250, {5}, {5}},
                       {250, 500, {10}, {10}},
                       {750, 500, {10}, {10}},
                       {1250, 500, {10}, {10}},
                       {1750, 100, {2}, {2}}};
  const std::vector<Interval> expected = {
      {0, 750, {30}, {30}}, {750, 1000, {40}, {40}}, {1750, 1000, {22}, {22}}};
  Job job = longer;
  merge(job, shorter);
  CHECK(job.intervals == expected);
  job = shorter;
  merge(job, longer);
  CHECK(job.intervals == expected);
}

TEST_CASE("merge: an engine's facts are known only when every worker's are", "[merge]") {
  Job job;
  job.facts = {std::nullopt, 1, 1, 100, 5, 0, 1, 3};
  Job other;
  other.facts = {7, 1, 0, 50, std::nullopt, 2, 0, 1};
  merge(job, other);
  CHECK(job.facts == EngineFacts{std::nullopt, 1, 0, 150, std::nullopt, 2, 0, 4});
}

TEST_CASE("merge: notes come once, and another job's name becomes one", "[merge]") {
  Job job = sample_job("a");
  job.notes = {"one"};
  Job other = sample_job("b");
  other.notes = {"one", "two"};
  merge(job, other);
  merge(job, other);
  CHECK(job.jobname == "a");
  CHECK(job.notes == std::vector<std::string>{"one", "also holds job b", "two"});
}

TEST_CASE("merge: what goes wrong or is rare adds up like the rest", "[merge]") {
  const auto job_of = [](int error, std::uint32_t scale, std::uint64_t depths, std::uint64_t ns) {
    Job job;
    job.error = error;
    job.outstanding = scale;
    job.negative_deltas = 2 * scale;
    job.migrated_ios = 3 * scale;
    job.directions[1].short_ios = 4 * scale;
    for (std::size_t i = 0; i < job.depths.submit.size(); ++i) {
      job.depths.submit[i] = depths * (i + 1);
      job.depths.complete[i] = 10 * depths * (i + 1);
    }
    job.sync.total_ios = 6 * scale;
    job.sync.lat = distribution_of({ns});
    return job;
  };
  Job job = job_of(5, 1, 1, 1000);
  const Job other = job_of(28, 10, 100, 3000);
  merge(job, other);
  CHECK(job.error == 5);  // the first one's
  CHECK(job.outstanding == 11);
  CHECK(job.negative_deltas == 22);
  CHECK(job.migrated_ios == 33U);
  CHECK(job.directions[1].short_ios == 44);
  CHECK(job.depths.submit == std::array<std::uint64_t, 7>{101, 202, 303, 404, 505, 606, 707});
  CHECK(job.depths.complete ==
        std::array<std::uint64_t, 7>{1010, 2020, 3030, 4040, 5050, 6060, 7070});
  CHECK(job.sync.total_ios == 66);
  CHECK(job.sync.lat == distribution_of({1000, 3000}));
}

TEST_CASE("merge: I/Os that changed CPUs are known only when every worker's are", "[merge]") {
  for (const bool first : {true, false}) {
    Job job, other;
    (first ? job : other).migrated_ios = 3;
    merge(job, other);
    CHECK_FALSE(job.migrated_ios.has_value());
  }
}

TEST_CASE("merge: a group is synchronous when all of it is", "[merge]") {
  for (const bool first : {true, false})
    for (const bool second : {true, false}) {
      Job job, other;
      job.synchronous = first;
      other.synchronous = second;
      merge(job, other);
      CHECK(job.synchronous == (first && second));
    }
}

TEST_CASE("merge: the longest time is taken from whichever side has it", "[merge]") {
  for (const bool first : {true, false}) {
    Job job, other;
    Job& longer = first ? job : other;
    longer.runtime_ns = longer.elapsed_ns = longer.directions[0].runtime_ns = 7;
    longer.job_start_ms = 3;
    longer.intervals = {{2, 8, {}, {}}};
    Job& shorter = first ? other : job;
    shorter.runtime_ns = shorter.elapsed_ns = shorter.directions[0].runtime_ns = 5;
    shorter.job_start_ms = 2;
    shorter.intervals = {{1, 6, {}, {}}};
    merge(job, other);
    CHECK(job.runtime_ns == 7);
    CHECK(job.elapsed_ns == 7);
    CHECK(job.directions[0].runtime_ns == 7);
    CHECK(worker_time_ns(job) == 12);
    CHECK(job.job_start_ms == 2);
    CHECK(job.intervals == std::vector<Interval>{{1, 8, {}, {}}});
  }
}

TEST_CASE("merge: percentiles that a file states are of one worker, and go", "[merge]") {
  Job job, other;
  job.directions[0].clat.percentiles = other.directions[0].clat.percentiles = {{50, 80'000}};
  merge(job, other);
  CHECK(job.directions[0].clat.percentiles.empty());
}
