// fio_result_test.cpp: what the installed fio writes is read, and its histograms survive exactly.
// Needs fio; skips (77) without.
#include "results/json.hpp"
#include "stats/fio_bins.hpp"
#include "tests/catch.hpp"
#include "tests/strict_json.hpp"
#include "tests/temp_folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>

using namespace chronio::results;
using chronio::tests::contents_of;
using chronio::tests::TempFolder;

namespace {

int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// What fio writes for a null job with reads and writes, in `format`.
std::string fio_result(const char* format) {
  if (run("fio --version >/dev/null 2>&1") != 0) {
    std::puts("skipped: needs fio");
    std::fflush(stdout);
    std::_Exit(77);
  }
  const TempFolder folder;
  const std::string path = folder / "fio.json";
  REQUIRE(run("cd " + folder.path() +
              " && fio --name=n --ioengine=null --rw=randrw --size=8m --bs=4k"
              " --iodepth=4 --slat_percentiles=1 --output-format=" +
              format + " >" + path) == 0);
  return contents_of(path);
}

}  // namespace

TEST_CASE("fio result: json+ of the installed fio gives its own bins back", "[fio]") {
  const std::string text = fio_result("json+");
  const Run run = from_json(text);
  const auto fio = nlohmann::json::parse(text);
  REQUIRE(run.jobs.size() == 1);
  CHECK(run.jobs[0].rw == "randrw");
  const auto written = chronio::tests::strict_json(to_json(run, true));
  for (const char* direction : {"read", "write"}) {
    const auto& from = fio["jobs"][0][direction];
    const auto& to = written["jobs"][0][direction];
    CHECK(to["clat_ns"]["bins"] == from["clat_ns"]["bins"]);
    CHECK(to["slat_ns"]["bins"] == from["slat_ns"]["bins"]);
    for (const char* key : {"io_bytes", "total_ios", "bw", "runtime"}) CHECK(to[key] == from[key]);
    CHECK(to["iops"].get<double>() == Approx(from["iops"].get<double>()).epsilon(1e-6));
    for (const char* key : {"min", "max", "N"}) CHECK(to["clat_ns"][key] == from["clat_ns"][key]);
    for (const char* key : {"mean", "stddev"})
      CHECK(to["clat_ns"][key].get<double>() ==
            Approx(from["clat_ns"][key].get<double>()).epsilon(1e-4));
  }
}

TEST_CASE("fio result: json of the installed fio keeps its percentiles", "[fio]") {
  const std::string text = fio_result("json");
  const auto fio = nlohmann::json::parse(text);
  const Run run = from_json(text);
  const auto& stated = fio["jobs"][0]["read"]["clat_ns"]["percentile"];
  const auto& kept = run.jobs[0].directions[0].clat.percentiles;
  REQUIRE(kept.size() == stated.size());
  CHECK(kept[0].second == stated["1.000000"]);
}
