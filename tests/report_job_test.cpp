// report_job_test.cpp: fio's block of one job, line for line, and what the report adds to it.
#include "report/format.hpp"
#include "report/job_text.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace chronio;
using report::GroupFigures;
using report::Terminal;

namespace {

constexpr const char* kEnded = "Sun Nov 29 20:03:57 2026";

std::string block(const results::Job& job) {
  return report::job_text(job, report::group_figures(std::vector{job}).at(job.groupid), kEnded);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// 496 reads of 4 KiB in 81 ms: what fio 3.33 printed for the same counts is in the tests.
results::Job small_job() {
  results::Job job;
  job.jobname = "m";
  job.rw = "read";
  job.ioengine = "psync";
  job.block_size = {4096, 4096, 4096};
  job.synchronous = true;
  job.runtime_ns = 81'000'000;
  job.percentile_list = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                         80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
  results::Direction& read = job.directions[0];
  read.total_ios = 496;
  read.io_bytes = 496 * 4096;
  read.runtime_ns = 81'000'000;
  return job;
}

std::vector<std::uint64_t> ramp(std::uint64_t n, std::uint64_t step) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 1; i <= n; ++i) values.push_back(i * step);
  return values;
}

}  // namespace

TEST_CASE("job: fio's opening line names the workload", "[report]") {
  results::Job job = small_job();
  job.block_size = {4096, 65'536, 1'048'576};
  job.iodepth = 32;
  job.groupid = 3;
  CHECK(report::job_headline(job) ==
        "m: (g=3): rw=read, bs=(R) 4096B-4096B, (W) 64.0KiB-64.0KiB, (T) 1024KiB-1024KiB, "
        "ioengine=psync, iodepth=32\n");
}

TEST_CASE("job: without statistics the block is fio's without latencies", "[report]") {
  results::Job job = small_job();
  job.depths.level[0] = job.depths.submit[1] = job.depths.complete[1] = 496;
  CHECK(block(job) ==
        "m: (groupid=0, jobs=1): err= 0: Sun Nov 29 20:03:57 2026\n"
        "  read: IOPS=6123, BW=23.9MiB/s (25.1MB/s)(1984KiB/81msec)\n"
        "  cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0\n"
        "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%\n"
        "     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%\n"
        "     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%\n"
        "     issued rwts: total=496,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
        "     latency   : target=0, window=0, percentile=100.00%, depth=1\n");
}

TEST_CASE("job: depths that nobody counted are left out, those of no I/O are 0", "[report]") {
  results::Job job = small_job();
  CHECK_FALSE(has(block(job), "IO depths"));
  CHECK_FALSE(has(block(job), "submit "));
  job.directions = {};
  CHECK(has(block(job), "  IO depths    : 1=0.0%, 2=0.0%"));
}

TEST_CASE("job: an error has its number and its words in the first line", "[report]") {
  results::Job job = small_job();
  job.error = 5;
  CHECK(block(job).starts_with("m: (groupid=0, jobs=1): err= 5 (Input/output error): "));
  job.errors = {{"read", "/dev/x", 0, 4096, 4096 + 0x281, "unrecovered read error"}};
  job.error = job.errors[0].error;
  CHECK(block(job).starts_with("m: (groupid=0, jobs=1): err=4737 (unrecovered read error): "));
}

TEST_CASE("job: latencies stay in ns while one of them is below 2 us", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat = tests::distribution_of({10, 20, 4'384'300});
  CHECK(
      has(block(job), "    clat (nsec): min=10, max=4384.3k, avg=1461443.33, stdev=2531268.12\n"));
}

TEST_CASE("job: latencies change to us and ms as fio's do", "[report]") {
  results::Job job = small_job();
  job.directions[0].slat.moments = tests::distribution_of({7, 8}).moments;
  job.directions[0].clat.moments = tests::distribution_of({43'000, 1'303'000}).moments;
  job.directions[0].lat.moments = tests::distribution_of({3'000'000, 150'000'000}).moments;
  CHECK(has(block(job),
            "    slat (nsec): min=7, max=8, avg= 7.50, stdev= 0.71\n"
            "    clat (usec): min=43, max=1303, avg=673.00, stdev=890.95\n"
            "     lat (msec): min=3, max=150, avg=76.50, stdev=103.94\n"));
}

TEST_CASE("job: percentiles stand in fio's cells, four to a line", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat = tests::distribution_of(ramp(100, 1));
  CHECK(has(block(job),
            "    clat percentiles (nsec):\n"
            "     |  1.00th=[    1],  5.00th=[    5], 10.00th=[   10], 20.00th=[   20],\n"
            "     | 30.00th=[   30], 40.00th=[   40], 50.00th=[   50], 60.00th=[   60],\n"
            "     | 70.00th=[   70], 80.00th=[   80], 90.00th=[   90], 95.00th=[   95],\n"
            "     | 99.00th=[   99], 99.50th=[  100], 99.90th=[  100], 99.95th=[  100],\n"
            "     | 99.99th=[  100]\n"
            "     (~ fewer than 30 samples beyond 80.00th and up; 99.00th: fewer than 4)\n"));
}

TEST_CASE("job: cells follow the widest figure and the decimals asked for", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat = tests::distribution_of({1, 1, 1, 1'581'056});
  CHECK(has(block(job), "     |  1.00th=[      1],  5.00th=[      1], 10.00th=[      1],\n"));
  job.percentile_list = {50, 99, 99.9, 100};
  CHECK(has(block(job),
            "     | 50.0th=[      1], 99.0th=[1581056], 99.9th=[1581056], 100.0th=[1581056]\n"));
  job.percentile_list = {50, 90, 99};
  CHECK(has(block(job), "     |  50th=[      1],  90th=[1581056],  99th=[1581056]\n"));
}

TEST_CASE("job: the tail is not marked while 30 samples lie beyond it", "[report]") {
  results::Job job = small_job();
  job.percentile_list = {50, 99, 100};
  job.directions[0].clat = tests::distribution_of(ramp(3000, 1));
  CHECK_FALSE(has(block(job), "(~"));
  job.directions[0].clat = tests::distribution_of(ramp(2999, 1));
  CHECK(has(block(job), "     (~ fewer than 30 samples beyond 99th and up)\n"));
  job.directions[0].clat = tests::distribution_of(ramp(7, 1));
  CHECK(has(block(job), "     (~ fewer than 4 samples beyond 50th and up)\n"));
}

TEST_CASE("job: only the percentiles that are asked for are printed", "[report]") {
  results::Job job = small_job();
  for (results::Distribution* each :
       {&job.directions[0].slat, &job.directions[0].clat, &job.directions[0].lat}) {
    *each = tests::distribution_of(ramp(50, 3));
  }
  const auto blocks = [&] {
    const std::string text = block(job);
    const std::regex head("(slat|clat| lat) percentiles");
    return std::distance(std::sregex_iterator(text.begin(), text.end(), head),
                         std::sregex_iterator());
  };
  CHECK(blocks() == 1);
  job.slat_percentiles = job.lat_percentiles = true;
  CHECK(blocks() == 3);
  job.clat_percentiles = false;
  CHECK(blocks() == 2);
}

TEST_CASE("job: percentiles of another tool's result are shown as they stand there", "[report]") {
  results::Job job = small_job();
  job.percentile_list = {50, 99};
  job.directions[0].clat.moments = tests::distribution_of({100, 200}).moments;
  job.directions[0].clat.percentiles = {{50, 100}, {99, 200}};
  CHECK(has(block(job), "     |  50th=[  100],  99th=[  200]\n"));
  // With the decimals that they need, whatever this job's own list is.
  job.percentile_list = {};
  job.directions[0].clat.percentiles = {{50, 100}, {99.95, 200}};
  CHECK(has(block(job), "     | 50.00th=[  100], 99.95th=[  200]\n"));
}

TEST_CASE("job: samples of intervals are fio's bw and iops lines", "[report]") {
  results::Job job = small_job();
  results::Direction& read = job.directions[0];
  read.total_ios = 3000;
  read.io_bytes = 3000 * 4096;
  read.runtime_ns = 1'500'000'000;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t ios = 999 + i;
    job.intervals.push_back({i * 500'000'000, 500'000'000, {ios, 0, 0}, {ios * 4096, 0, 0}});
  }
  CHECK(has(
      block(job),
      "   bw (  KiB/s): min= 7992, max= 8008, per=100.00%, avg=8000.00, stdev= 8.00, samples=3\n"
      "   iops        : min= 1998, max= 2002, avg=2000.00, stdev= 2.00, samples=3\n"));
  for (results::Interval& interval : job.intervals) interval.bytes[0] = 1ULL << 30U;
  CHECK(has(block(job), "   bw (  MiB/s): min= 2048, max= 2048, "));
}

TEST_CASE("job: latency classes are fio's, five to a line", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat = tests::distribution_of(
      {1, 3, 9, 19, 49, 99, 1500, 2'500, 700'000, 3'000'000'000, 1, 1, 1, 1, 1, 1});
  CHECK(has(block(job),
            "  lat (nsec)   : 2=43.75%, 4=6.25%, 10=6.25%, 20=6.25%, 50=6.25%\n"
            "  lat (nsec)   : 100=6.25%\n"
            "  lat (usec)   : 2=6.25%, 4=6.25%, 750=6.25%\n"
            "  lat (msec)   : >=2000=6.25%\n"));
}

TEST_CASE("job: a rare class is not rounded away", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat.moments = tests::distribution_of({15, 1500}).moments;
  job.directions[0].clat.counts.buckets = {{15, 1'000'000}, {stats::bucket_of(1500), 1}};
  CHECK(has(block(job), "  lat (usec)   : 2=0.01%\n"));
}

TEST_CASE("job: fsync has fio's block", "[report]") {
  results::Job job = small_job();
  job.percentile_list = {50, 99};
  job.sync.total_ios = 4;
  job.sync.lat = tests::distribution_of({65'000, 65'000, 600'000, 627'000});
  CHECK(has(block(job),
            "  fsync/fdatasync/sync_file_range:\n"
            "    sync (usec): min=65, max=627, avg=339.25, stdev=316.87\n"
            "    sync percentiles (usec):\n"
            "     |  50th=[   65],  99th=[  627]\n"));
  CHECK(has(block(job), "issued rwts: total=496,0,0,4 "));
}

TEST_CASE("job: CPU time is a share of all workers' run time", "[report]") {
  results::Job job = small_job();
  job.workers = 2;
  job.runtime_sum_ns = 2 * job.runtime_ns;
  job.usage = {81'000'000, 16'200'000, 12, 1, 34};
  CHECK(has(block(job), "  cpu          : usr=50.00%, sys=10.00%, ctx=12, majf=1, minf=34\n"));
}

TEST_CASE("job: depths are shares of the I/Os, and a rare one is seen", "[report]") {
  results::Job job = small_job();
  job.depths.level = {1, 0, 0, 0, 0, 9999, 0};
  job.depths.submit = {0, 3, 1, 0, 0, 0, 0};
  CHECK(has(block(job),
            "  IO depths    : 1=0.1%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=100.0%, >=64=0.0%\n"
            "     submit    : 0=0.0%, 4=75.0%, 8=25.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%\n"));
}

TEST_CASE("job details: the depth reached stands beside the one asked for", "[report]") {
  results::Job job = small_job();
  job.iodepth = 64;
  job.depths.level[0] = 496;
  job.depths.depth_sum = 496;
  CHECK(report::job_details(job, Terminal()) ==
        "  iodepth      : 64 asked, 1.0 reached on average: no effect with psync\n");
}

TEST_CASE("job details: what the engine had in use is told as far as it knows", "[report]") {
  results::Job job = small_job();
  job.facts.fixed_buffers = 1;
  job.facts.registered_files = 0;
  job.facts.enter_calls = 12'345;
  job.facts.punts = -1;
  CHECK(report::job_details(job, Terminal()) ==
        "  engine       : psync, with fixed buffers, without registered files, 12,345\n"
        "                 enter calls\n");
}

TEST_CASE("job details: enter calls stand beside their share of an I/O", "[report]") {
  results::Job job = small_job();
  job.depths.level[4] = 1000;
  job.facts.enter_calls = 125;
  job.facts.sq_poll = 1;
  job.facts.kernel_workers = 0;
  CHECK(report::job_details(job, Terminal()) ==
        "  engine       : psync, submitted by a kernel thread, 125 enter calls (0.125 per\n"
        "                 I/O)\n");
}

TEST_CASE("job details: an error has operation, path, offset, length and words", "[report]") {
  results::Job job = small_job();
  job.directions[0].short_ios = 1;
  job.directions[1].short_ios = 2;
  job.errors = {
      {"read", "/dev/x", 1'048'576, 65'536, 5, "Input/output error"},
      {"write", "/dev/ng0n1", 0, 512, 4096 + 0x281, "unrecovered read error"},
      {"trim", "/dev/ng0n1", 0, 512, 4096 + 0x80, "device status 0x80 (LBA out of range)"},
      {"open", "/data/f", 0, 0, 2, "No such file or directory"}};
  job.outstanding = 3;
  job.notes = {"the file has holes"};
  CHECK(report::job_details(job, Terminal()) ==
        "  short I/Os   : 1 read, 2 writes came back short and were continued\n"
        "  error        : read of /dev/x at offset 1048576, length 65536: Input/output\n"
        "                 error (errno 5)\n"
        "  error        : write of /dev/ng0n1 at offset 0, length 512: unrecovered read\n"
        "                 error (device status 0x281)\n"
        "  error        : trim of /dev/ng0n1 at offset 0, length 512: device status 0x80\n"
        "                 (LBA out of range)\n"
        "  error        : open of /data/f: No such file or directory (errno 2)\n"
        "  outstanding  : 3 I/Os never came back\n"
        "  note         : the file has holes\n");
}

TEST_CASE("job details: a target is named with what lies below it, one that is none is not",
          "[report]") {
  results::Job job = small_job();
  job.targets = {
      {"/d/f", "file", "ext4", "nvme0n1", "A Model", "FW1", "S1", "none", 1ULL << 28U, 512},
      {"m.0.0", "none", "", "", "", "", "", "", 0, 0}};
  CHECK(report::job_details(job, Terminal()) ==
        "  target       : /d/f, file on ext4, 256MiB, disk nvme0n1, A Model, firmware FW1\n");
}

TEST_CASE("job details: a flood of errors or targets is cut, and the cut is told", "[report]") {
  results::Job job = small_job();
  job.errors.assign(20, {"read", "/f", 0, 1, 5, "Input/output error"});
  job.targets.assign(6, {});
  const std::string text = report::job_details(job, Terminal());
  CHECK(has(text, "  errors       : 12 more\n"));
  CHECK(has(text, "  targets      : 2 more\n"));
}

TEST_CASE("job details: the histogram has its bars, marks and ends", "[report]") {
  results::Job job = small_job();
  std::vector<std::uint64_t> values(90, 100);
  values.insert(values.end(), 10, 10'000);
  job.directions[0].clat = tests::distribution_of(values);
  Terminal terminal;
  terminal.width = 45;
  CHECK(report::job_details(job, terminal) ==
        "  clat histogram of reads: 100 samples, tallest column 90 %\n"
        "     #\n"
        "     #\n"
        "     #\n"
        "     #                                      .\n"
        "     ^p50\n"
        "     100 ns                           10.0 us\n");
  terminal.utf8 = true;
  CHECK(has(report::job_details(job, terminal), "     █\n     █\n     █\n     █   "));
}

TEST_CASE("job details: each direction has its own histogram", "[report]") {
  results::Job job = small_job();
  job.directions[0].clat = tests::distribution_of({100});
  job.directions[1].clat = tests::distribution_of({100, 200});
  const std::string text = report::job_details(job, Terminal());
  CHECK(has(text, "  clat histogram of reads: 1 sample,"));
  CHECK(has(text, "  clat histogram of writes: 2 samples,"));
  CHECK_FALSE(has(text, "trims"));
}
