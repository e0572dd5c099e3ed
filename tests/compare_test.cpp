// compare_test.cpp: two results side by side.
#include "compare/compare.hpp"

#include "results/json.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

using namespace chronio::compare;
using namespace chronio::results;
using chronio::tests::direction_of;
using chronio::tests::distribution_of;
using chronio::tests::sample_job;
using chronio::tests::sample_run;

namespace {

Run run_of(const std::vector<Job>& jobs) {
  Run run = sample_run();
  run.jobs = jobs;
  return run;
}

Job job_of(const std::string& name, const std::string& rw, std::uint32_t iodepth = 1) {
  Job job = sample_job(name);
  job.rw = rw;
  job.iodepth = iodepth;
  job.options.clear();
  return job;
}

using Lines = std::vector<std::string>;

Lines differences(const Job& a, const Job& b) {
  return compare(run_of({a}), run_of({b}), {}).jobs.at(0).differences;
}

const PercentileRow& row_at(const DirectionPair& pair, double percent) {
  for (const PercentileRow& row : pair.percentiles)
    if (row.percent == percent) return row;
  throw std::runtime_error("no such row");
}

}  // namespace

TEST_CASE("compare: a run and itself are identical, comparable, and every ratio is 1",
          "[compare]") {
  const Run run = from_json(to_json(sample_run(), false));
  const Comparison comparison = compare(run, run, {});
  CHECK(comparison.identical);
  CHECK(comparison.environment.empty());
  CHECK(comparison.only_a.empty());
  CHECK(comparison.only_b.empty());
  REQUIRE(comparison.jobs.size() == 1);
  CHECK(comparison.jobs[0].comparable);
  CHECK(comparison.jobs[0].differences.empty());
  REQUIRE(comparison.jobs[0].directions.size() == 1);
  const DirectionPair& read = comparison.jobs[0].directions[0];
  CHECK(read.direction == "read");
  CHECK(read.a_n == 2000);
  CHECK(read.a_iops == 2000.0);
  CHECK(read.b_bandwidth == 2000.0 * 4096);
  CHECK(read.percentiles.size() >= 10);
  for (const PercentileRow& row : read.percentiles) CHECK(row.ratio == 1.0);
}

TEST_CASE("compare: one latency more and runs are not identical", "[compare]") {
  const Run a = sample_run();
  Run b = a;
  b.jobs[0].directions[0].clat.counts.buckets[3].second += 1;
  CHECK_FALSE(compare(a, b, {}).identical);
  b = a;
  b.jobs[0].sync.total_ios = 1;
  CHECK_FALSE(compare(a, b, {}).identical);
}

TEST_CASE("compare: ratios are b against a", "[compare]") {
  Run a = sample_run();
  Run b = a;
  a.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(1000, 100));
  b.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(1000, 150));
  const auto pair = compare(a, b, {50}).jobs[0].directions[0];
  REQUIRE(pair.percentiles.size() == 1);
  CHECK(pair.percentiles[0].a_ns == 100.0);
  CHECK(pair.percentiles[0].b_ns == 150.0);
  CHECK(pair.percentiles[0].ratio == 1.5);
  CHECK(pair.a_mean_ns == 100.0);
  CHECK(pair.b_mean_ns == 150.0);
}

TEST_CASE("compare: there is no ratio to a latency of 0", "[compare]") {
  Run a = sample_run();
  Run b = a;
  a.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(1000, 0));
  b.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(1000, 150));
  const auto row = row_at(compare(a, b, {50}).jobs[0].directions[0], 50);
  CHECK(row.a_ns == 0.0);
  CHECK_FALSE(row.ratio.has_value());
  CHECK(row_at(compare(b, a, {50}).jobs[0].directions[0], 50).ratio == 0.0);
}

TEST_CASE("compare: jobs of other names are listed, those of one name are compared", "[compare]") {
  const Run a = run_of({job_of("x", "randread")});
  const Run b = run_of({job_of("x", "randread"), job_of("y", "write")});
  const Comparison comparison = compare(a, b, {});
  REQUIRE(comparison.jobs.size() == 1);
  CHECK(comparison.jobs[0].name == "x");
  CHECK(comparison.only_a.empty());
  CHECK(comparison.only_b == Lines{"y"});
  CHECK_FALSE(comparison.identical);
  CHECK(compare(b, a, {}).only_a == Lines{"y"});
}

TEST_CASE("compare: jobs pair by the most that they have in common", "[compare]") {
  const Run a = run_of({job_of("x", "read", 1), job_of("x", "read", 8), job_of("old", "write", 4)});
  const Run b = run_of({job_of("new", "write", 4), job_of("x", "read", 8), job_of("x", "read", 1)});
  const Comparison comparison = compare(a, b, {});
  REQUIRE(comparison.jobs.size() == 3);
  CHECK(comparison.jobs[0].comparable);
  CHECK(comparison.jobs[1].comparable);
  CHECK(comparison.jobs[2].name == "old / new");
  CHECK(comparison.jobs[2].comparable);
}

TEST_CASE("compare: the block size weighs more than the depth", "[compare]") {
  Job large = job_of("x", "read", 8);
  large.bs = "8k";
  large.block_size = {8192, 8192, 8192};
  const Run b = run_of({large, job_of("x", "read", 8)});
  const Comparison comparison = compare(run_of({job_of("x", "read", 1)}), b, {});
  REQUIRE(comparison.jobs.size() == 1);
  CHECK(comparison.jobs[0].differences == Lines{"iodepth: 1, 8"});
}

TEST_CASE("compare: a job of another name is a partner only where all else agrees", "[compare]") {
  const Run a = run_of({job_of("old", "read", 4)});
  Job large = job_of("new", "read", 4);
  large.block_size = {8192, 8192, 8192};
  for (const Job& other : {job_of("new", "write", 4), job_of("new", "read", 8), large}) {
    const Comparison comparison = compare(a, run_of({other}), {});
    CHECK(comparison.jobs.empty());
    CHECK(comparison.only_a == Lines{"old"});
    CHECK(comparison.only_b == Lines{"new"});
  }
  Job spelled = job_of("new", "read", 4);  // its bytes are not known: by the spelling it agrees
  spelled.block_size = {};
  CHECK(compare(a, run_of({spelled}), {}).jobs.size() == 1);
}

TEST_CASE("compare: clones under one name pair in their order", "[compare]") {
  const Run a = run_of({sample_job("c", 100), sample_job("c", 200)});
  const Comparison comparison = compare(a, a, {});
  CHECK(comparison.jobs[0].directions[0].b_n == 100);
  CHECK(comparison.jobs[1].directions[0].b_n == 200);
}

TEST_CASE("compare: every workload key that differs is named", "[compare]") {
  const Job a = job_of("x", "randread");
  Job b = a;
  b.rw = "randwrite";
  b.bs = "8k";
  b.block_size = {8192, 8192, 8192};
  b.iodepth = 8;
  b.numjobs = 2;
  b.ioengine = "psync";
  const Comparison comparison = compare(run_of({a}), run_of({b}), {});
  CHECK(comparison.jobs[0].differences == Lines{"rw: randread, randwrite", "bs: 4k, 8k",
                                                "iodepth: 1, 8", "numjobs: 1, 2",
                                                "ioengine: io_uring, psync"});
  CHECK_FALSE(comparison.jobs[0].comparable);
}

TEST_CASE("compare: options differ by meaning, not by spelling or by being left out", "[compare]") {
  Job a = job_of("x", "read");
  Job b = a;
  a.options = {{"size", "1g", "job.fio:3"}, {"direct", "0", "default"}};
  b.options = {{"size", "1024m", "job.fio:9"}};
  CHECK(differences(a, b).empty());
  b.options = {{"size", "2g", "job.fio:9"}};
  CHECK(differences(a, b) == Lines{"size: 1g, 2g"});
  b.options = {{"size", "1g", "fio"}, {"direct", "1", "fio"}};
  CHECK(differences(a, b) == Lines{"direct: 0, 1"});
  CHECK(differences(job_of("x", "read"), b) == Lines{"size: default, 1g", "direct: default, 1"});
  a.options = b.options = {{"random_distribution", "zipf:1.2", "job.fio:3"}};
  CHECK(differences(a, b).empty());
  CHECK(differences(job_of("x", "read"), b) == Lines{"random_distribution: default, zipf:1.2"});
  b.options = {{"new_one", "7", "job.fio:3"}};
  CHECK(differences(job_of("x", "read"), b) == Lines{"new_one: default, 7"});
}

TEST_CASE("compare: an option makes another workload unless it is known not to", "[compare]") {
  Job a = job_of("x", "read");
  Job b = a;
  const auto options = [](Job& job, const char* low, const char* dsync, const char* path) {
    job.options = {{"name", path, "command line"},  {"filename", path, "command line"},
                   {"pmu_events", path, "t.fio:2"}, {"gtod_reduce", dsync, "t.fio:3"},
                   {"iodepth_low", low, "t.fio:4"}, {"dsync", dsync, "t.fio:5"},
                   {"new_one", dsync, "t.fio:6"}};
  };
  options(a, "1", "0", "/a");
  options(b, "1", "0", "/b");
  CHECK(differences(a, b).empty());
  options(b, "8", "1", "/b");
  CHECK(differences(a, b) == Lines{"iodepth_low: 1, 8", "dsync: 0, 1", "new_one: 0, 1"});
}

TEST_CASE("compare: an engine's option that only one side has differs unless nobody set it",
          "[compare]") {
  Job a = job_of("x", "read");
  Job b = a;
  b.options = {{"hipri", "0", "default"}};
  CHECK(differences(a, b).empty());
  b.options = {{"hipri", "1", "command line"}};
  CHECK(differences(a, b) == Lines{"hipri: default, 1"});
  a.options = {{"hipri", "1", "fio"}, {"write_bw_log", "x", "fio"}};
  CHECK(differences(a, b).empty());
}

TEST_CASE("compare: an option that fio leaves out where it stands alone is not missed",
          "[compare]") {
  Job a = job_of("x", "read");
  Job b = a;
  a.options = {{"size", "1g", "fio"}};  // beside a bare "norandommap", which fio does not list
  b.options = {{"size", "1g", "job.fio:3"}, {"norandommap", "1", "job.fio:4"}};
  CHECK(differences(a, b).empty());
  CHECK(differences(b, a).empty());
  a.options.push_back({"norandommap", "0", "fio"});
  CHECK(differences(a, b) == Lines{"norandommap: 0, 1"});
  a.options = {{"size", "1g", "job.fio:3"}};
  CHECK(differences(a, b) == Lines{"norandommap: default, 1"});
}

TEST_CASE("compare: what was not set is called that", "[compare]") {
  Job a = job_of("x", "read");
  Job b = a;
  a.options = {{"io_size", "", "default"}};
  b.options = {{"io_size", "512k", "t.fio:3"}};
  CHECK(differences(a, b) == Lines{"io_size: not set, 512k"});
}

TEST_CASE("compare: one block size in two spellings is no difference", "[compare]") {
  const Job a = job_of("x", "read");
  Job b = a;
  b.bs = "4096";
  CHECK(differences(a, b).empty());
  // Where one side does not know the bytes, the spelling is all there is.
  b.block_size = {};
  b.bs = "4k";
  CHECK(differences(a, b).empty());
  CHECK(differences(b, a).empty());
  b.bs = "8k";
  CHECK(differences(a, b) == Lines{"bs: 4k, 8k"});
}

TEST_CASE("compare: a job with errors is not comparable", "[compare]") {
  const Job a = job_of("x", "read");
  Job b = a;
  b.error = 5;
  b.errors = {{"read", "/f", 0, 4096, 5, "Input/output error"}};
  CHECK(differences(a, b) == Lines{"errors: none, Input/output error"});
  CHECK_FALSE(compare(run_of({a}), run_of({b}), {}).jobs[0].comparable);
  CHECK_FALSE(compare(run_of({b}), run_of({a}), {}).jobs[0].comparable);
}

TEST_CASE("compare: below 4 samples beyond a percentile there is none, below 30 it is doubtful",
          "[compare]") {
  Run a = sample_run();
  a.jobs[0].directions[0] = direction_of(4000, 80'000, 1);
  Run b = sample_run();
  b.jobs[0].directions[0] = direction_of(1000, 80'000, 2);
  const auto pair = compare(a, b, {0.05, 50, 97, 99, 99.6, 99.9, 100}).jobs[0].directions[0];
  REQUIRE(pair.percentiles.size() == 7);
  CHECK(row_at(pair, 50).ratio.has_value());
  CHECK_FALSE(row_at(pair, 50).doubtful);
  CHECK_FALSE(row_at(pair, 97).doubtful);      // 30 of 1,000
  CHECK(row_at(pair, 99).doubtful);            // 10
  CHECK(row_at(pair, 99.6).b_ns.has_value());  // 4
  CHECK(row_at(pair, 99.9).a_ns.has_value());  // 4 of 4,000
  CHECK_FALSE(row_at(pair, 99.9).b_ns.has_value());
  CHECK_FALSE(row_at(pair, 99.9).ratio.has_value());
  CHECK_FALSE(row_at(pair, 100).a_ns.has_value());
  CHECK_FALSE(row_at(pair, 0.05).a_ns.has_value());  // 2 below
  const auto rows = compare(a, b, {}).jobs[0].directions[0].percentiles;
  CHECK(rows.front().percent == 1);
  CHECK(rows.back().percent == 99.5);  // as far as both have samples
}

TEST_CASE("compare: without histograms the stated percentiles are compared", "[compare]") {
  Run a = sample_run();
  Distribution& clat = a.jobs[0].directions[0].clat;
  clat.counts = {};
  clat.percentiles = {{50, 80'000}, {99, 200'000}};
  Run b = a;
  b.jobs[0].directions[0].clat.percentiles = {{50, 88'000}, {99.5, 1}};
  const Comparison comparison = compare(a, b, {});
  const auto& rows = comparison.jobs[0].directions[0].percentiles;
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].percent == 50);
  CHECK(rows[0].ratio == Approx(1.1));
  CHECK(comparison.jobs[0].directions[0].a_counts.empty());
  CHECK_FALSE(compare(a, b, {25}).jobs[0].directions[0].percentiles[0].a_ns.has_value());
  CHECK_FALSE(comparison.identical);
  CHECK(compare(a, a, {}).identical);
}

TEST_CASE("compare: a direction that only one run has is shown with nothing on the other side",
          "[compare]") {
  const Run a = run_of({job_of("x", "randrw")});
  Run b = a;
  b.jobs[0].directions[1] = direction_of(100, 5000, 3);
  const auto directions = compare(a, b, {50}).jobs[0].directions;
  REQUIRE(directions.size() == 2);
  CHECK(directions[1].direction == "write");
  CHECK(directions[1].a_n == 0);
  CHECK_FALSE(directions[1].percentiles[0].a_ns.has_value());
  CHECK(directions[1].percentiles[0].b_ns.has_value());
}

TEST_CASE("compare: what differs around the runs is listed, what is not known is not",
          "[compare]") {
  Run a = sample_run();
  a.host.cpus = 8;
  a.host.memory_bytes = 1U << 30;
  Run b = a;
  b.version = "0.2.0";
  b.host.kernel = "6.6.1";
  b.host.cpu_model = "";
  b.host.cpus = 16;
  b.host.memory_bytes = 0;
  b.clock.source = chronio::clock::Source::monotonic;
  b.clock.verdict = chronio::clock::Verdict::fallback;
  b.complete = false;
  b.stopped_by = "SIGINT";
  b.jobs[0].targets[0].firmware = "FW2";
  const Comparison comparison = compare(a, b, {});
  CHECK(comparison.environment == Lines{"version: 0.1.0, 0.2.0", "complete: yes, no (SIGINT)",
                                        "kernel: 6.1.0, 6.6.1", "CPUs: 8, 16",
                                        "clock: tsc, monotonic", "clock verdict: ok, fallback",
                                        "device firmware: FW1, FW2"});
  CHECK(comparison.jobs[0].comparable);
}

TEST_CASE("compare: two runs without jobs are nothing to compare", "[compare]") {
  const Comparison comparison = compare(run_of({}), run_of({}), {});
  CHECK(comparison.jobs.empty());
  CHECK_FALSE(comparison.identical);
}

TEST_CASE("compare: percentiles that differ by less than a clock's granule are no difference",
          "[compare]") {
  Run a = sample_run();
  Run b = sample_run();
  for (Run* run : {&a, &b}) run->jobs.resize(1);
  b.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(2000, 20'009));
  a.jobs[0].directions[0].clat = distribution_of(std::vector<std::uint64_t>(2000, 20'000));
  const auto median = [&] { return row_at(compare(a, b, {50}).jobs.at(0).directions.at(0), 50); };
  a.clock.granule_ns = 2;
  b.clock.granule_ns = 10;
  CHECK(median().within_granule);
  CHECK_FALSE(median().ratio);
  for (const double seen : {9, 5}) {
    b.clock.granule_ns = seen;
    CHECK_FALSE(median().within_granule);
    CHECK(median().ratio);
  }
  b.clock.granule_ns = 10;
  b.jobs = a.jobs;  // no difference at all is none that a clock hides
  CHECK_FALSE(median().within_granule);
  CHECK(median().ratio == 1.0);
}
