// json_read_fio_test.cpp: results of fio, by hand, read as far as they go.
#include "results/json.hpp"
#include "stats/fio_bins.hpp"
#include "tests/catch.hpp"

using namespace chronio::results;

namespace {

const std::string kLatencies =
    R"({"min" : 120, "max" : 410, "mean" : 150.0, "stddev" : 20.0, "N" : 4,
  "percentile" : {"50.000000" : 141, "99.000000" : 410}, "bins" : {"120" : 1, "141" : 2, "410" : 1}})";
const std::string kNone =
    R"({"min" : 0, "max" : 0, "mean" : 0.000000, "stddev" : 0.000000, "N" : 0})";

std::string direction(const std::string& clat, const std::string& extra = "") {
  return R"({"io_bytes" : 16384, "io_kbytes" : 16, "bw_bytes" : 8192000, "bw" : 8000, "iops" : 2000.000000,
    "runtime" : 2, "total_ios" : 4, "short_ios" : 1, "drop_ios" : 0, )" +
         extra + R"("slat_ns" : )" + kNone + R"(, "clat_ns" : )" + clat + R"(, "lat_ns" : )" +
         kNone + "}";
}

std::string job(const std::string& name, const std::string& read, const std::string& more = "") {
  return R"({"jobname" : ")" + name + R"(", "groupid" : 0, "error" : 0, "eta" : 0, "elapsed" : 1,
    "job options" : {"name" : "n", "rw" : "randread", "bs" : "8k", "iodepth" : "4"},)" +
         more + R"("read" : )" + read + R"(, "write" : )" + direction(kNone) +
         R"(, "sync" : {"total_ios" : 3, "lat_ns" : )" + kLatencies + R"(},
    "job_runtime" : 2, "usr_cpu" : 50.000000, "sys_cpu" : 25.000000, "ctx" : 7, "majf" : 1, "minf" : 2})";
}

std::string document(const std::string& jobs, const std::string& key = "jobs") {
  return R"({"fio version" : "fio-3.33", "timestamp" : 1795982638, "timestamp_ms" : 1795982638749,
    "time" : "Sun Nov 29 20:03:58 2026", "global options" : {"ioengine" : "libaio", "iodepth" : "9"},
    ")" + key +
         R"(" : [)" + jobs + "]}\n";
}

std::string message(const std::string& text) {
  try {
    static_cast<void>(from_json(text));
  } catch (const ReadError& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const std::string& words) {
  const std::string found = message(text);
  INFO(found);
  CHECK(found.find(words) != std::string::npos);
  return found.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("fio result: counts, rates and options are taken over", "[fio]") {
  const Run run = from_json(document(job("n", direction(kLatencies))));
  CHECK(run.version == "fio-3.33");
  CHECK(run.timestamp_ms == 1'795'982'638'749);
  REQUIRE(run.jobs.size() == 1);
  const Job& read = run.jobs[0];
  CHECK(read.jobname == "n");
  CHECK(read.rw == "randread");
  CHECK(read.bs == "8k");
  CHECK(read.block_size[0] == 8192);
  CHECK(read.iodepth == 4);  // the job's own, not the global one
  CHECK(read.numjobs == 1);
  CHECK(read.ioengine == "libaio");
  CHECK(read.directions[0].total_ios == 4);
  CHECK(read.directions[0].short_ios == 1);
  CHECK(read.directions[0].io_bytes == 16'384);
  CHECK(read.directions[0].runtime_ns == 2'000'000);
  CHECK(read.sync.total_ios == 3);
  CHECK(read.usage.user_ns == 1'000'000);
  CHECK(read.usage.context_switches == 7);
  CHECK_FALSE(run.notes.empty());
}

TEST_CASE("fio result: bins become the histogram, moments are those stated", "[fio]") {
  const Run run = from_json(document(job("n", direction(kLatencies))));
  const Distribution& clat = run.jobs[0].directions[0].clat;
  CHECK(clat.counts.total() == 4);
  CHECK(chronio::stats::to_fio_bins(clat.counts) ==
        std::vector<chronio::stats::FioBin>{{120, 1}, {141, 2}, {410, 1}});
  CHECK(clat.percentiles.empty());
  CHECK(clat.moments.n == 4);
  CHECK(clat.moments.min == 120);
  CHECK(clat.moments.max == 410);
  CHECK(clat.moments.mean() == 150.0);
  CHECK(clat.moments.stddev() == Approx(20.0).epsilon(1e-6));
}

TEST_CASE("fio result: the deviation of slow and steady latencies is not lost to their squares",
          "[fio]") {
  // Of 3,000,000,000 and 3,000,000,002 ns; of ten in turn of 1,000,000,000 and the next.
  for (const auto& [stated, stddev] :
       {std::pair(R"("mean" : 3000000001.000000, "stddev" : 1.414214, "N" : 2})", 1.414214),
        std::pair(R"("mean" : 1000000000.500000, "stddev" : 0.527046, "N" : 10})", 0.527046)}) {
    const std::string steady = std::string(R"({"min" : 999999999, "max" : 3000000002, )") + stated;
    const Run run = from_json(document(job("n", direction(steady))));
    CHECK(run.jobs[0].directions[0].clat.moments.stddev() == Approx(stddev).epsilon(1e-6));
  }
}

TEST_CASE("fio result: without bins the stated percentiles stay", "[fio]") {
  const std::string plain = R"({"min" : 120, "max" : 410, "mean" : 150.0, "stddev" : 20.0, "N" : 4,
    "percentile" : {"50.000000" : 141, "99.900000" : 410}})";
  const Run run = from_json(document(job("n", direction(plain))));
  const Distribution& clat = run.jobs[0].directions[0].clat;
  CHECK(clat.counts.empty());
  CHECK(clat.percentiles ==
        std::vector<std::pair<double, std::uint64_t>>{{50.0, 141}, {99.9, 410}});
  CHECK(from_json(to_json(run, true)).jobs[0].directions[0].clat == clat);
}

TEST_CASE("fio result: the percentiles that it states are those of the job", "[fio]") {
  const Run run = from_json(document(job("n", direction(kLatencies))));
  CHECK(run.jobs[0].percentile_list == std::vector<double>{50.0, 99.0});
  CHECK(run.jobs[0].clat_percentiles);
  CHECK_FALSE(run.jobs[0].lat_percentiles);
  std::string lat = direction(kNone);  // as with lat_percentiles=1
  lat.replace(lat.rfind(kNone), kNone.size(), kLatencies);
  CHECK(from_json(document(job("n", lat))).jobs[0].lat_percentiles);
}

TEST_CASE("fio result: releases that do not state N measured every I/O, or none", "[fio]") {
  // As fio 3.1 and 3.7 write it.
  const std::string without_n = R"({"min" : 120, "max" : 410, "mean" : 150.0, "stddev" : 20.0,
    "percentile" : {"50.000000" : 141, "99.900000" : 410}})";
  const std::string nothing =
      R"({"min" : 0, "max" : 0, "mean" : 0.000000, "stddev" : 0.000000, "percentile" : {"50.000000" : 0}})";
  const Run run = from_json(
      document(job("n", direction(without_n), R"("trim" : )" + direction(nothing) + ",")));
  const Distribution& clat = run.jobs[0].directions[0].clat;
  CHECK(clat.moments.n == 4);
  CHECK(clat.moments.mean() == 150.0);
  CHECK(clat.percentiles.size() == 2);
  CHECK(run.jobs[0].directions[2].clat == Distribution{});
}

TEST_CASE("fio result: without job_runtime the CPU time is that of the longest direction",
          "[fio]") {
  std::string old = job("n", direction(kLatencies));  // as fio 3.7 writes it
  const std::string key = R"("job_runtime" : 2, )";
  old.replace(old.find(key), key.size(), "");
  const Job read = from_json(document(old)).jobs.at(0);
  CHECK(worker_time_ns(read) == 2'000'000);
  CHECK(read.usage.user_ns == 1'000'000);
  CHECK(read.usage.system_ns == 500'000);
}

TEST_CASE("fio result: lines before the document are skipped", "[fio]") {
  const std::string text =
      "note: both iodepth >= 1 and synchronous I/O engine {are} selected\nfio: x\n" +
      document(job("n", direction(kLatencies)));
  CHECK(from_json(text).jobs.size() == 1);
}

TEST_CASE("fio result: client_stats are read, their sum left out", "[fio]") {
  const std::string clients =
      job("n", direction(kLatencies), R"("hostname" : "h1", "port" : 8765,)") + "," +
      job("n", direction(kLatencies), R"("hostname" : "h2", "port" : 8765,)") + "," +
      job("All clients", direction(kLatencies));
  CHECK(from_json(document(clients, "client_stats")).jobs.size() == 2);
}

TEST_CASE("fio result: microseconds of fio before 2.99 are refused by name", "[fio]") {
  const std::string old = R"({"io_bytes" : 1, "total_ios" : 1, "runtime" : 1,
    "clat" : {"min" : 1, "max" : 2, "mean" : 1.5, "stddev" : 0.1}})";
  CHECK(says(document(job("n", old)), "fio 2.99 or later"));
}

TEST_CASE("fio result: a block of mixed directions is refused by name", "[fio]") {
  const std::string mixed =
      R"({"jobname" : "m", "error" : 0, "mixed" : )" + direction(kLatencies) + "}";
  CHECK(says(document(mixed), "unified_rw_reporting"));
}

TEST_CASE("fio result: a wrong value is named with its place", "[fio]") {
  const std::string wrong = document(job("n", direction(kLatencies))).replace(0, 0, "");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = wrong;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK(says(with("\"total_ios\" : 4", "\"total_ios\" : -4"),
             "jobs[0].read.total_ios: -4 where a whole"));
  CHECK(says(with("\"total_ios\" : 4", "\"total_ios\" : \"4\""), "jobs[0].read.total_ios"));
  CHECK(says(with("\"total_ios\" : 4", "\"total\" : 4"), "jobs[0].read.total_ios is missing"));
  CHECK(says(with("\"120\" : 1", "\"12x\" : 1"), "jobs[0].read.clat_ns.bins"));
  CHECK(says(with("\"min\" : 120", "\"min\" : 1200"), "no more than max"));
  CHECK(says(with("\"fio version\"", "\"version\""), "neither chronio's result nor fio's"));
}
