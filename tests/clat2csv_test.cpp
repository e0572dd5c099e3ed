// clat2csv_test.cpp: fio's own converter reads a json+ result and confirms what it made of it.
// Needs fio_jsonplus_clat2csv; skips (77) without.
#include "results/json.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"
#include "tests/temp_folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>

using namespace chronio::results;
using chronio::tests::contents_of;
using chronio::tests::direction_of;
using chronio::tests::distribution_of;
using chronio::tests::sample_job;
using chronio::tests::sample_run;
using chronio::tests::TempFolder;

namespace {

int run(const std::string& command) {
  const int status = std::system((command + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void needs_converter() {
  if (run("fio_jsonplus_clat2csv --help") == 0) return;
  std::puts("skipped: needs a working fio_jsonplus_clat2csv");
  std::fflush(stdout);
  std::_Exit(77);
}

/// Two jobs: one direction; two directions with all kinds of histograms, latencies beyond fio's
/// range.
Run rich_run() {
  Run run = sample_run();
  Job mixed = sample_job("mixed");
  mixed.directions[1] = direction_of(500, 2'000'000, 3);
  mixed.directions[1].slat = distribution_of({100, 200, 300});
  mixed.directions[1].lat = distribution_of({127, 128, 129, 20'000'000'000, 30'000'000'000'000});
  run.jobs.push_back(mixed);
  run.jobs.emplace_back();  // did nothing
  return run;
}

std::size_t rows_of(const std::string& csv) {
  return static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) - 1;
}

}  // namespace

TEST_CASE("json: fio_jsonplus_clat2csv converts and validates a json+ result", "[json]") {
  needs_converter();
  const TempFolder folder;
  const std::string json = folder.write("r.json", to_json(rich_run(), true));
  const std::string call = "fio_jsonplus_clat2csv " + json + " " + (folder / "r.csv");
  REQUIRE(run(call) == 0);
  REQUIRE(run(call + " --validate") == 0);
  CHECK(rows_of(contents_of(folder / "r_job0.csv")) > 20);
  CHECK(rows_of(contents_of(folder / "r_job1.csv")) > 40);
  CHECK(rows_of(contents_of(folder / "r_job2.csv")) == 0);
}
