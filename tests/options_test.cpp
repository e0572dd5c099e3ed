// options_test.cpp: the option tables as a whole, and each type of value.
#include "jobs/options.hpp"

#include "jobs/values.hpp"
#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <fmt/format.h>
#include <limits>
#include <random>
#include <set>
#include <string>

using namespace chronio::jobs;

namespace {

/// The job of "[j]" with one line; fails the test when there is any diagnostic.
Job job_of(const std::string& line) {
  const Outcome outcome = read_lines(line + "\n");
  CAPTURE(line);
  CHECK(outcome.text().empty());
  REQUIRE(outcome.jobs.size() == 1);
  return outcome.jobs[0].job;
}

/// The only diagnostic of "[j]" with one line: its first line, without the place.
std::string message_of(const std::string& line) {
  const Outcome outcome = read_lines(line + "\n");
  if (outcome.diagnostics.size() != 1)
    return fmt::format("{} diagnostics", outcome.diagnostics.size());
  const std::string text = outcome.text();
  constexpr std::string_view kPlace = "t.fio:2: ";
  return text.starts_with(kPlace) ? text.substr(kPlace.size(), text.find('\n') - kPlace.size())
                                  : text;
}

/// Some value that the row takes, made of `random`.
std::string any_value(const OptionRow& row, std::mt19937_64& random) {
  const std::uint64_t most = std::min<std::uint64_t>(row.maximum, std::uint64_t{1} << 62);
  const std::uint64_t raw = random() >> (random() % 64);
  const std::uint64_t number = row.minimum + raw % (most - row.minimum + 1);
  if (std::holds_alternative<bool Job::*>(row.field)) return random() % 2 == 0 ? "0" : "1";
  if (!row.words.empty()) return std::string(row.words[random() % row.words.size()].text);
  if (std::holds_alternative<std::string Job::*>(row.field))
    return fmt::format("t{}:\\x", number % 1000);
  if (std::holds_alternative<std::vector<std::string> Job::*>(row.field)) {
    return fmt::format("a{}:b\\:{}:c d", number, raw);
  }
  if (std::holds_alternative<std::vector<double> Job::*>(row.field)) {
    return fmt::format("{}.{:06}:{}:100", random() % 100, 1 + random() % 999999, 1 + random() % 99);
  }
  if (std::holds_alternative<std::vector<std::uint32_t> Job::*>(row.field)) {
    return fmt::format("{},{},{}-{}", number, random() % 9, 10 + random() % 9, 20 + random() % 9);
  }
  if (std::holds_alternative<PerDdir<std::uint64_t> Job::*>(row.field)) {
    return fmt::format("{},{},{}", number, 1 + random() % 9999, 4096);
  }
  const bool amount = std::holds_alternative<Amount Job::*>(row.field) ||
                      std::holds_alternative<std::optional<Amount> Job::*>(row.field);
  if (amount && random() % 2 == 0) return fmt::format("{}%", 1 + random() % 100);
  return row.unit == Unit::seconds ? fmt::format("{}ns", number) : fmt::format("{}", number);
}

}  // namespace

TEST_CASE("options: every key and alias is there once, with a help line", "[jobs]") {
  std::set<std::string, std::less<>> names;
  for (const OptionRow* row : option_rows()) {
    CAPTURE(row->key);
    CHECK(names.insert(std::string(row->key)).second);
    CHECK(find_option(row->key) == row);
    CHECK_FALSE(row->help.empty());
    CHECK(row->help.find('\n') == std::string_view::npos);
    CHECK(find_foreign(row->key) == nullptr);
    CHECK_FALSE(is_command_line_only(row->key));
  }
  for (const char* alias :
       {"readwrite", "blocksize", "iodepth_batch", "iodepth_batch_complete", "io_limit",
        "fileoffset", "timeout", "wait_for_previous", "allrandrepeat"}) {
    CAPTURE(alias);
    CHECK(find_option(alias) != nullptr);
    CHECK(names.insert(alias).second);
  }
  CHECK(find_option("") == nullptr);
  CHECK(find_option("RW") == nullptr);
}

TEST_CASE("options: a field of 32 bits has a maximum that fits", "[jobs]") {
  for (const OptionRow* row : option_rows()) {
    if (!std::holds_alternative<std::uint32_t Job::*>(row->field)) continue;
    CAPTURE(row->key);
    CHECK(row->maximum <= std::numeric_limits<std::uint32_t>::max());
  }
}

TEST_CASE("options: a default is in range and reads back to itself", "[jobs]") {
  for (const OptionRow* row : option_rows()) {
    const std::string text = spell(*row, Job{});
    CAPTURE(row->key, text);
    if (text.empty()) continue;
    Job job;
    CHECK(apply(*row, text, false, job).error.empty());
    CHECK(spell(*row, job) == text);
  }
}

TEST_CASE("options: every value reads back from its own spelling", "[jobs]") {
  std::mt19937_64 random(11);
  for (const OptionRow* row : option_rows()) {
    for (int i = 0; i < 500; ++i) {
      const std::string text = any_value(*row, random);
      Job once;
      const Applied applied = apply(*row, text, false, once);
      const std::string spelled = spell(*row, once);
      CAPTURE(row->key, text, spelled, applied.error);
      REQUIRE(applied.error.empty());
      if (spelled.empty()) continue;
      Job twice;
      REQUIRE(apply(*row, spelled, false, twice).error.empty());
      const bool same =
          std::visit([&](auto member) { return once.*member == twice.*member; }, row->field);
      REQUIRE(same);
      REQUIRE(spell(*row, twice) == spelled);
    }
  }
}

TEST_CASE("options: a refused value leaves the field as it was", "[jobs]") {
  for (const OptionRow* row : option_rows()) {
    for (const char* text : {"", "\xFF:", "0x", "-1", "99999999999999999999999"}) {
      Job job;
      if (apply(*row, text, false, job).error.empty()) continue;
      CAPTURE(row->key, text);
      CHECK(spell(*row, job) == spell(*row, Job{}));
    }
  }
}

TEST_CASE("options: a switch takes 0 or 1, a flag also nothing", "[jobs]") {
  CHECK(job_of("direct=1").direct);
  CHECK_FALSE(job_of("invalidate=0").invalidate);
  CHECK(job_of("time_based").time_based);
  CHECK_FALSE(job_of("time_based=0").time_based);
  CHECK(message_of("direct") == "error: direct: needs a value: direct=...");
  CHECK(message_of("direct=") == "error: direct=: the value is missing");
  CHECK(message_of("direct=yes") == "error: direct=yes: must be 0 or 1");
  CHECK(message_of("thread=2") == "error: thread=2: must be 0 or 1");
  CHECK(message_of("rw") == "error: rw: needs a value: rw=...");
}

TEST_CASE("options: the kernel is told the order of rw=, unless another one is asked for",
          "[jobs]") {
  const auto told = [](const std::string& lines) {
    const Job job = job_of(lines);
    return order_hint(job.fadvise_hint, job.rw);
  };
  CHECK(told("rw=randrw") == FadviseHint::random);
  CHECK(told("rw=readwrite") == FadviseHint::sequential);
  CHECK(told("rw=randread\nfadvise_hint=1") == FadviseHint::random);
  CHECK(told("rw=randread\nfadvise_hint=0") == FadviseHint::none);
  CHECK(told("rw=randread\nfadvise_hint=sequential") == FadviseHint::sequential);
  CHECK(told("rw=read\nfadvise_hint=random") == FadviseHint::random);
}

TEST_CASE("options: a complement sets the other's field, and the last one wins", "[jobs]") {
  CHECK(job_of("buffered=0").direct);
  CHECK_FALSE(job_of("direct=1\nbuffered=1").direct);
  CHECK(job_of("buffered=1\ndirect=1").direct);
  CHECK(job_of("rwmixwrite=30").rwmixread == 70);
  CHECK(job_of("rwmixread=75").rwmixread == 75);
  CHECK(message_of("rwmixwrite=101") == "error: rwmixwrite=101: must be at most 100%");
}

TEST_CASE("options: numbers have limits, and the message has the reason", "[jobs]") {
  CHECK(job_of("iodepth=65536").iodepth == 65536);
  CHECK(message_of("iodepth=0") == "error: iodepth=0: must be at least 1");
  CHECK(message_of("iodepth=65537") ==
        "error: iodepth=65537: must be at most 65536 (the kernel's largest completion ring)");
  CHECK(message_of("numjobs=4097") ==
        "error: numjobs=4097: must be at most 4096 (a thread each; fio's limit)");
  CHECK(message_of("numjobs=/data") == "error: numjobs=/data: /data is not a number");
  CHECK(message_of("loops=0") == "error: loops=0: must be at least 1");
  CHECK(message_of("fsync=4294967296") == "error: fsync=4294967296: must be at most 4294967295");
  CHECK(job_of("randseed=18446744073709551615").randseed ==
        std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("options: block sizes are per direction, as in fio", "[jobs]") {
  using Sizes = PerDdir<std::uint64_t>;
  CHECK(job_of("bs=8k").bs == Sizes{8192, 8192, 8192});
  CHECK(job_of("bs=4k,8k").bs == Sizes{4096, 8192, 8192});
  CHECK(job_of("bs=1k,2k,3k").bs == Sizes{1024, 2048, 3072});
  CHECK(job_of("bs=,8k").bs == Sizes{4096, 8192, 8192});
  CHECK(job_of("bs=1k,,3k").bs == Sizes{1024, 4096, 3072});
  CHECK(message_of("bs=4k-8k") ==
        "error: bs=4k-8k: a range of sizes is bsrange= in fio, which is not done yet");
  CHECK(message_of("bs=1k,2k,3k,4k") ==
        "error: bs=1k,2k,3k,4k: more than three values; read,write,trim would be right");
  CHECK(message_of("bs=0") == "error: bs=0: must be at least 1");
  CHECK(message_of("bs=2g") == "error: bs=2g: must be at most 1g");
  CHECK(read_lines("bs=4k,8x\n").says("    bs=4k,8x\n           ^\n"));
}

TEST_CASE("options: sizes may be percentages, and 0 means not given", "[jobs]") {
  CHECK(job_of("size=100%").size == Amount{0, 100});
  CHECK(job_of("offset=10%").offset == Amount{0, 10});
  CHECK(job_of("io_size=1m").io_size == Amount{1048576, 0});
  CHECK_FALSE(job_of("size=1m\nsize=0").size.has_value());
  CHECK(message_of("size=0%") == "error: size=0%: must be at least 1%");
  CHECK(message_of("size=5z") == "error: size=5z: sizes in zones are not done yet");
}

TEST_CASE("options: rw takes fio's words and refuses the rest by name", "[jobs]") {
  CHECK(job_of("rw=randrw").rw == Rw::randrw);
  CHECK(job_of("readwrite=rw").rw == Rw::readwrite);
  CHECK(job_of("rw=readwrite").rw == Rw::readwrite);
  CHECK(job_of("rw=randtrimwrite").rw == Rw::randtrimwrite);
  constexpr std::string_view kWords =
      "read, write, randread, randwrite, rw, readwrite, randrw, trim, randtrim, trimwrite, "
      "randtrimwrite";
  CHECK(message_of("rw=reed") == fmt::format("error: rw=reed: reed is none of {}", kWords));
  CHECK(message_of("rw=randread:8") ==
        "error: rw=randread:8: \":N\" behind randread is not done yet");
  CHECK(message_of("rw=read:-8k") == "error: rw=read:-8k: \":N\" behind read is not done yet");
  CHECK(message_of("rw=randrw:") == "error: rw=randrw:: a number is missing");
  CHECK(read_lines("rw=randrw:foo\n").text() ==
        "t.fio:2: error: rw=randrw:foo: foo is not a number\n    rw=randrw:foo\n              ^\n");
  CHECK(message_of("clocksource=hpet") ==
        "error: clocksource=hpet: hpet is none of auto, cpu, tsc, clock_gettime, gettimeofday");
}

TEST_CASE("options: times are kept in ns", "[jobs]") {
  CHECK(job_of("runtime=5").runtime_ns == 5'000'000'000);
  CHECK(job_of("ramp_time=2s").ramp_time_ns == 2'000'000'000);
  CHECK(job_of("timeout=500m").runtime_ns == 30'000'000'000'000);
  CHECK(job_of("startdelay=250ms").startdelay_ns == 250'000'000);
  CHECK(message_of("startdelay=1-2") == "error: startdelay=1-2: a range of times is not done yet");
  CHECK(message_of("runtime=0.5") == "warning: runtime=0.5: 500ms; fio takes 0s");
}

TEST_CASE("options: a list of names is split at colons that are not escaped", "[jobs]") {
  using Names = std::vector<std::string>;
  CHECK(job_of("filename=a:b").filename == Names{"a", "b"});
  CHECK(job_of("filename=disk-0\\:0.dat").filename == Names{"disk-0:0.dat"});
  CHECK(job_of("filename=a b\\c").filename == Names{"a b\\c"});
  CHECK(job_of("directory=/x:/y").directory == Names{"/x", "/y"});
  CHECK(message_of("filename=a::b") == "error: filename=a::b: an empty name in the list");
  CHECK(message_of("filename=a:") == "error: filename=a:: an empty name in the list");
  CHECK(message_of("filename=a\\") == "error: filename=a\\: a name can't end in \"\\\"");
}

TEST_CASE("options: CPUs are numbers and ranges, kept ascending", "[jobs]") {
  using Cpus = std::vector<std::uint32_t>;
  CHECK(job_of("cpus_allowed=5,0-3,2").cpus_allowed == Cpus{0, 1, 2, 3, 5});
  CHECK(job_of("cpus_allowed=4095").cpus_allowed == Cpus{4095});
  CHECK(message_of("cpus_allowed=3-0") ==
        "error: cpus_allowed=3-0: the range goes down; 0-3 would be right");
  CHECK(message_of("cpus_allowed=0-4096") ==
        "error: cpus_allowed=0-4096: must be at most 4095 (no machine has more CPUs yet)");
  CHECK(message_of("cpus_allowed=1,,2") == "error: cpus_allowed=1,,2: a number is missing");
  CHECK(message_of("cpus_allowed=-1") == "error: cpus_allowed=-1: can't be negative");
}

TEST_CASE("options: percentiles are percent, sorted, with at most six decimals", "[jobs]") {
  using List = std::vector<double>;
  CHECK(job_of("percentile_list=99.9:0.5:100").percentile_list == List{0.5, 99.9, 100});
  CHECK(job_of("percentile_list=99.999999").percentile_list == List{99.999999});
  CHECK(message_of("percentile_list=50:50.0") ==
        "note: percentile_list=50:50.0: an entry that stands there twice is taken once");
  CHECK(message_of("percentile_list=0") ==
        "error: percentile_list=0: must be above 0 and at most 100 (percent)");
  CHECK(message_of("percentile_list=100.1") ==
        "error: percentile_list=100.1: must be above 0 and at most 100 (percent)");
  CHECK(message_of("percentile_list=99.9999999") ==
        "error: percentile_list=99.9999999: more than 6 decimals");
  CHECK(message_of("percentile_list=50:x") == "error: percentile_list=50:x: x is not a number");
  std::string list = "1";
  for (int i = 2; i <= 64; ++i) list += fmt::format(":{}", i);
  CHECK(job_of("percentile_list=" + list).percentile_list.size() == 64);
  CHECK(read_lines("percentile_list=" + list + ":65\n").says("more than 64 entries"));
}

TEST_CASE("options: a text is kept whole up to its limit", "[jobs]") {
  CHECK(job_of("description=a = b: c").description == "a = b: c");
  CHECK(job_of("ioengine=external:./x.so").ioengine == "external:./x.so");
  // No file is called after this one: with a number it would be too long.
  CHECK(job_of("filename=f\nname=" + std::string(255, 'n')).name.size() == 255);
  CHECK(read_lines("name=" + std::string(256, 'n') + "\n")
            .says("has 256 bytes; at most 255 would be right"));
}
