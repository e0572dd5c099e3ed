// json_shape_test.cpp: the result file as fio's consumers find it: keys, units, nulls.
#include "results/json.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"
#include "tests/strict_json.hpp"

using namespace chronio::results;
using chronio::tests::direction_of;
using chronio::tests::distribution_of;
using chronio::tests::sample_job;
using chronio::tests::sample_run;
using chronio::tests::strict_json;
using Tree = nlohmann::json;

namespace {

Tree tree_of(const Job& job, bool plus = false) {
  Run run = sample_run();
  run.jobs = {job};
  return strict_json(to_json(run, plus));
}

Tree first_job(const Job& job, bool plus = false) { return tree_of(job, plus)["jobs"][0]; }

void require_numbers(const Tree& block, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    INFO(key);
    REQUIRE(block.contains(key));
    REQUIRE(block[key].is_number());
  }
}

std::vector<std::string> keys_of(const std::string& text) {
  const auto ordered = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& item : ordered.items()) keys.push_back(item.key());
  return keys;
}

}  // namespace

TEST_CASE("json: the top level has fio's keys in fio's order, then chronio's", "[json]") {
  CHECK(keys_of(to_json(sample_run(), false)) ==
        std::vector<std::string>{"fio version", "timestamp", "timestamp_ms", "time",
                                 "global options", "jobs", "disk_util", "chronio"});
  const Tree tree = tree_of(sample_job());
  CHECK(tree["fio version"] == "fio-3.42-compat chronio-0.1.0");
  CHECK(tree["timestamp"] == 1'790'000'001);
  CHECK(tree["timestamp_ms"] == 1'790'000'001'234);
  CHECK(tree["global options"]["bs"] == "4k");
  CHECK(tree["chronio"]["schema"] == "chronio/1");
  CHECK(tree["chronio"]["complete"] == true);
  CHECK(tree["chronio"]["clock"]["source"] == "tsc");
  CHECK(tree["chronio"]["clock"]["verdict"] == "ok");
}

TEST_CASE("json: time is local time where the run was made, as ctime writes it", "[json]") {
  Run run = sample_run();
  run.timestamp_ms = 1'000'000'000'000;  // 2001-09-09 01:46:40 UTC
  run.host.utc_offset_s = 7200;
  CHECK(strict_json(to_json(run, false))["time"] == "Sun Sep  9 03:46:40 2001");
}

TEST_CASE("json: what fio-plot reads is there", "[json]") {
  // Keys that its loader looks up without a fallback.
  const Tree job = first_job(sample_job());
  for (const char* key : {"rw", "bs", "iodepth", "numjobs"})
    CHECK(job["job options"][key].is_string());
  require_numbers(job["read"], {"iops", "iops_stddev", "bw"});
  require_numbers(job["read"]["lat_ns"], {"mean", "stddev"});
  require_numbers(job, {"usr_cpu", "sys_cpu"});
  const std::vector<std::string> classes = {"2",   "4",   "10",  "20",  "50",
                                            "100", "250", "500", "750", "1000"};
  require_numbers(job["latency_ns"], classes);
  require_numbers(job["latency_us"], classes);
  require_numbers(job["latency_ms"], classes);
  require_numbers(job["latency_ms"], {"2000", ">=2000"});
}

TEST_CASE("json: what kubestr reads is there", "[json]") {
  const Tree tree = tree_of(sample_job());
  CHECK(tree["disk_util"].is_array());
  const Tree& job = tree["jobs"][0];
  CHECK(job["error"] == 0);
  require_numbers(job, {"groupid", "eta", "elapsed", "ctx", "majf", "minf", "job_runtime",
                        "latency_depth", "latency_target", "latency_percentile", "latency_window"});
  require_numbers(job["read"],
                  {"io_bytes", "io_kbytes", "bw_bytes",  "bw",          "iops",
                   "runtime",  "total_ios", "short_ios", "drop_ios",    "bw_min",
                   "bw_max",   "bw_agg",    "bw_mean",   "bw_dev",      "bw_samples",
                   "iops_min", "iops_max",  "iops_mean", "iops_stddev", "iops_samples"});
  for (const char* direction : {"read", "write", "trim"})
    for (const char* kind : {"slat_ns", "clat_ns", "lat_ns"})
      require_numbers(job[direction][kind], {"min", "max", "mean", "stddev", "N"});
  require_numbers(job["sync"], {"total_ios"});
  require_numbers(job["sync"]["lat_ns"], {"min", "max", "mean", "stddev", "N"});
  const std::vector<std::string> batches = {"0", "4", "8", "16", "32", "64", ">=64"};
  require_numbers(job["iodepth_level"], {"1", "2", "4", "8", "16", "32", ">=64"});
  require_numbers(job["iodepth_submit"], batches);
  require_numbers(job["iodepth_complete"], batches);
}

TEST_CASE("json: rates have fio's units", "[json]") {
  Job job = sample_job();
  job.directions[0].total_ios = 3000;
  job.directions[0].io_bytes = 3000 * 4096;
  job.directions[0].runtime_ns = 1'500'000'000;
  const Tree read = first_job(job)["read"];
  CHECK(read["iops"] == 2000.0);
  CHECK(read["bw_bytes"] == 2000 * 4096);
  CHECK(read["bw"] == 8000);  // KiB/s
  CHECK(read["io_kbytes"] == 12000);
  CHECK(read["runtime"] == 1500);  // ms
}

TEST_CASE("json: samples come from intervals, and are null where there are none", "[json]") {
  Job job = sample_job();
  job.intervals = {
      {0, 1'000'000'000, {100, 0, 0}, {102'400, 0, 0}},
      {1'000'000'000, 1'000'000'000, {300, 0, 0}, {307'200, 0, 0}},
      {2'000'000'000, 1'000'000, {9, 0, 0}, {9000, 0, 0}}};  // the cut-off end: no sample
  const Tree read = first_job(job)["read"];
  CHECK(read["iops_min"] == 100);
  CHECK(read["iops_max"] == 300);
  CHECK(read["iops_mean"] == 200.0);
  CHECK(read["iops_samples"] == 2);
  CHECK(read["iops_stddev"].get<double>() == Approx(141.42).epsilon(1e-4));
  CHECK(read["bw_min"] == 100);
  CHECK(read["bw_max"] == 300);
  CHECK(read["bw_mean"] == 200.0);
  job.intervals.clear();
  const Tree none = first_job(job)["read"];
  CHECK(none["iops_samples"] == 0);
  for (const char* key :
       {"iops_min", "iops_max", "iops_mean", "iops_stddev", "bw_min", "bw_mean", "bw_agg"})
    CHECK(none[key].is_null());
}

TEST_CASE("json: percentiles are there for the kinds that were asked for", "[json]") {
  Job job = sample_job();
  Tree read = first_job(job)["read"];
  const Tree& percentile = read["clat_ns"]["percentile"];
  CHECK(percentile.size() == 5);
  CHECK(percentile.contains("99.900000"));
  CHECK(percentile["1.000000"].is_number_unsigned());
  CHECK(percentile["99.990000"] <= read["clat_ns"]["max"]);
  CHECK_FALSE(read["slat_ns"].contains("percentile"));
  CHECK_FALSE(read["lat_ns"].contains("percentile"));
  job.clat_percentiles = false;
  job.lat_percentiles = true;
  job.directions[0].lat = distribution_of({10, 20, 30});
  read = first_job(job)["read"];
  CHECK_FALSE(read["clat_ns"].contains("percentile"));
  CHECK(read["lat_ns"]["percentile"]["50.000000"] == 20);
}

TEST_CASE("json: a percentile that is asked for twice has one key", "[json]") {
  Job job = sample_job();
  job.percentile_list = {50, 50, 99.99999999, 100};
  CHECK(first_job(job)["read"]["clat_ns"]["percentile"].size() == 2);
}

TEST_CASE("json: without slat its block has fio's shape with N 0 and no percentile", "[json]") {
  Job job = sample_job();
  job.synchronous = true;
  job.slat_percentiles = true;
  job.directions[0].slat = {};
  const Tree slat = first_job(job, true)["read"]["slat_ns"];
  CHECK(slat == Tree{{"min", 0}, {"max", 0}, {"mean", 0.0}, {"stddev", 0.0}, {"N", 0}});
}

TEST_CASE("json: bins are in json+ only, on fio's grid, and add up to N", "[json]") {
  const Job job = sample_job();
  CHECK_FALSE(first_job(job, false)["read"]["clat_ns"].contains("bins"));
  const Tree clat = first_job(job, true)["read"]["clat_ns"];
  std::uint64_t sum = 0;
  for (const auto& item : clat["bins"].items()) sum += item.value().get<std::uint64_t>();
  CHECK(sum == clat["N"]);
  CHECK_FALSE(first_job(job, true)["write"]["clat_ns"].contains("bins"));
}

TEST_CASE("json: job options hold what was written and fio-plot's four, each key once", "[json]") {
  const Tree options = first_job(sample_job())["job options"];
  CHECK(options == Tree{{"name", "sample"},
                        {"rw", "randread"},
                        {"ioengine", "io_uring"},
                        {"iodepth", "32"},
                        {"bs", "4k"},
                        {"numjobs", "1"}});
}

TEST_CASE("json: every effective option is in chronio's block with its origin", "[json]") {
  const Tree options = first_job(sample_job())["chronio"]["options"];
  CHECK(options["direct"] == Tree{{"value", "0"}, {"origin", "default"}});
  CHECK(options["iodepth"] == Tree{{"value", "32"}, {"origin", "command line"}});
}

TEST_CASE("json: depths and latency classes are shares in percent", "[json]") {
  Job job = sample_job();
  job.depths.level = {1, 3, 0, 0, 0, 0, 0};
  job.directions[0].clat =
      distribution_of({1, 999, 1'500, 3'000'000, 5'000'000'000, 20'000'000'000'000});
  const Tree tree = first_job(job);
  CHECK(tree["iodepth_level"]["1"] == 25.0);
  CHECK(tree["iodepth_level"]["2"] == 75.0);
  CHECK(tree["latency_ns"]["2"].get<double>() == Approx(100.0 / 6));
  CHECK(tree["latency_ns"]["1000"].get<double>() == Approx(100.0 / 6));
  CHECK(tree["latency_us"]["2"].get<double>() == Approx(100.0 / 6));
  CHECK(tree["latency_ms"]["4"].get<double>() == Approx(100.0 / 6));
  CHECK(tree["latency_ms"][">=2000"].get<double>() == Approx(200.0 / 6));
}

TEST_CASE("json: shares that were not measured are null, of no I/O they are 0", "[json]") {
  Job job = sample_job();
  job.depths = {};
  CHECK(first_job(job)["iodepth_level"]["1"].is_null());
  job.directions = {};
  CHECK(first_job(job)["iodepth_level"]["1"] == 0.0);
}

TEST_CASE("json: CPU use is of the run times of all workers", "[json]") {
  Job job = sample_job();  // 0.2 s user, 0.3 s system in 1 s
  CHECK(first_job(job)["usr_cpu"].get<double>() == Approx(20));
  CHECK(first_job(job)["sys_cpu"].get<double>() == Approx(30));
  merge(job, sample_job());
  CHECK(first_job(job)["usr_cpu"].get<double>() == Approx(20));
  CHECK(first_job(job)["job_runtime"] == 2000);
  job.runtime_ns = 0;
  job.runtime_sum_ns.reset();
  CHECK(first_job(job)["usr_cpu"].is_null());
}

TEST_CASE("json: bw_agg is the share of the job's group", "[json]") {
  Run run = sample_run();
  run.jobs = {sample_job("a", 1000), sample_job("b", 3000)};
  Tree tree = strict_json(to_json(run, false));
  CHECK(tree["jobs"][0]["read"]["bw_agg"].get<double>() == Approx(25));
  CHECK(tree["jobs"][1]["read"]["bw_agg"].get<double>() == Approx(75));
  run.jobs[1].groupid = 1;
  tree = strict_json(to_json(run, false));
  CHECK(tree["jobs"][0]["read"]["bw_agg"].get<double>() == Approx(100));
}

TEST_CASE("json: an I/O error is in the job with errno, path, offset and direction", "[json]") {
  Job job = sample_job();
  job.error = 5;
  job.errors = {{"read", "/data/file", 8192, 4096, 5, "Input/output error"}};
  const Tree tree = first_job(job);
  CHECK(tree["error"] == 5);
  CHECK(tree["chronio"]["errors"][0] == Tree{{"operation", "read"},
                                             {"path", "/data/file"},
                                             {"offset", 8192},
                                             {"length", 4096},
                                             {"error", 5},
                                             {"text", "Input/output error"}});
}

TEST_CASE("json: an array of numbers stays on one line", "[json]") {
  const std::string text = to_json(sample_run(), false);
  CHECK(text.find("\"length_ns\" : [500000000,500000000]") != std::string::npos);
}
