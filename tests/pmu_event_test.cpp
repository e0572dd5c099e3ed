// pmu_event_test.cpp: how events are spelled, and what the kernel calls them.
#include "pmu/event_list.hpp"
#include "pmu/vendor_event.hpp"
#include "pmu/window.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <fstream>
#include <linux/perf_event.h>

namespace {

using namespace chronio::pmu;
using chronio::tests::TempFolder;

Event event_of(const std::string& text, const std::string& sysfs = "/sys") {
  const FoundEvent found = find_event(text, sysfs);
  INFO(text << ": " << found.error);
  REQUIRE(found.event.has_value());
  CHECK(found.error.empty());
  return *found.event;
}

std::string error_of(const std::string& text, const std::string& sysfs = "/sys") {
  const FoundEvent found = find_event(text, sysfs);
  CHECK_FALSE(found.event.has_value());
  return found.error;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

/// A PMU "core" and one tracepoint, as the kernel shows them.
void make_sysfs(const std::filesystem::path& root) {
  const auto core = root / "bus/event_source/devices/core";
  write(core / "type", "42");
  write(core / "format/event", "config:0-7,32-35");
  write(core / "format/umask", "config:8-15");
  write(core / "format/edge", "config:18");
  write(core / "format/threshold", "config1:0-63");
  write(core / "events/loads", "event=0xcd,umask=0x1,threshold=3");
  write(root / "kernel/tracing/events/block/block_rq_issue/id", "1234");
}

std::vector<std::string> names_of(const ListedGroup& group) {
  std::vector<std::string> names;
  for (const Event& event : group.events) names.push_back(event.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("event: generic events have the kernel's numbers", "[pmu]") {
  const Event event = event_of("instructions");
  CHECK(event.type == PERF_TYPE_HARDWARE);
  CHECK(event.config == PERF_COUNT_HW_INSTRUCTIONS);
  CHECK_FALSE(event.software);
  CHECK(event_of("page-faults").type == PERF_TYPE_SOFTWARE);
  CHECK(event_of("page-faults").software);
  CHECK(event_of("context-switches").kernel_only);
  CHECK(same_event(event_of("cpu-cycles"), event_of("cycles")));
}

TEST_CASE("event: every generic name is found", "[pmu]") {
  for (const std::string_view name : generic_event_names()) event_of(std::string(name));
}

TEST_CASE("event: cache events are made of cache, operation and result", "[pmu]") {
  const Event event = event_of("LLC-load-misses");
  CHECK(event.type == PERF_TYPE_HW_CACHE);
  CHECK(event.config == (PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                         PERF_COUNT_HW_CACHE_RESULT_MISS << 16));
  CHECK(event_of("L1-dcache-stores").config ==
        (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_WRITE << 8));
  CHECK(same_event(event_of("dTLB-misses"), event_of("dTLB-load-misses")));
}

TEST_CASE("event: raw events are hexadecimal", "[pmu]") {
  CHECK(event_of("r01c2").type == PERF_TYPE_RAW);
  CHECK(event_of("r01c2").config == 0x1c2);
  CHECK_FALSE(error_of("r01cx").empty());
}

TEST_CASE("event: a suffix leaves one mode", "[pmu]") {
  CHECK(event_of("cycles").user);
  CHECK(event_of("cycles").kernel);
  CHECK_FALSE(event_of("cycles:u").kernel);
  CHECK_FALSE(event_of("cycles:k").user);
  CHECK(event_of("cycles:k").name == "cycles:k");
  CHECK_FALSE(same_event(event_of("cycles"), event_of("cycles:u")));
  CHECK(error_of("context-switches:u").find("kernel mode only") != std::string::npos);
}

TEST_CASE("event: a clock has no mode of its own, however it is spelled", "[pmu]") {
  for (const char* name : {"task-clock", "cpu-clock"}) {
    CHECK(is_clock(event_of(name)));
    for (const char* mode : {":u", ":k"})
      CHECK(error_of(std::string(name) + mode).find("both modes as one") != std::string::npos);
  }
  CHECK_FALSE(is_clock(event_of("page-faults")));
  CHECK_FALSE(is_clock(event_of("cycles")));
}

TEST_CASE("event: a PMU's fields go where its format says", "[pmu]") {
  const TempFolder sysfs;
  make_sysfs(sysfs.path());
  const Event event = event_of("core/event=0x5cd,umask=0x1,edge/", sysfs.path());
  CHECK(event.type == 42);
  CHECK(event.config == (0xcdU | 0x1U << 8 | 1U << 18 | std::uint64_t{0x5} << 32));
  CHECK(event_of("core/config=0x77,config1=8/", sysfs.path()).config1 == 8);
}

TEST_CASE("event: a PMU's own names stand for their fields, which may be overridden", "[pmu]") {
  const TempFolder sysfs;
  make_sysfs(sysfs.path());
  const Event event = event_of("core/loads/:u", sysfs.path());
  CHECK(event.config == 0x1cd);
  CHECK(event.config1 == 3);
  CHECK_FALSE(event.kernel);
  CHECK(event_of("core/loads,threshold=9/", sysfs.path()).config1 == 9);
}

TEST_CASE("event: a tracepoint is known by its id", "[pmu]") {
  const TempFolder sysfs;
  make_sysfs(sysfs.path());
  const Event event = event_of("block:block_rq_issue", sysfs.path());
  CHECK(event.type == PERF_TYPE_TRACEPOINT);
  CHECK(event.config == 1234);
}

TEST_CASE("event: a tracepoint is no maker's name, wherever tracefs is mounted", "[pmu]") {
  for (const char* name : {"block:block_rq_issue", "sched:sched_switch", "syscalls:sys_enter_read"})
    CHECK_FALSE(find_vendor_event(name));
  const FoundEvent found = find_event("sched:sched_switch", "/sys");
  if (!found.event) return;  // no tracefs here, or not for us
  CHECK(found.event->software);
  CHECK(found.event->kernel_only);
}

TEST_CASE("event: what can't be found is told with what would be right", "[pmu]") {
  const TempFolder sysfs;
  make_sysfs(sysfs.path());
  const std::string root = sysfs.path();
  CHECK(error_of("instrutions", root).find("no event is called instrutions") == 0);
  CHECK(error_of("other/event=1/", root).find("no PMU other") != std::string::npos);
  CHECK(error_of("core/colour=1/", root).find("neither an event nor a field colour") !=
        std::string::npos);
  CHECK(error_of("core/umask=0x100/", root).find("more than the field holds") != std::string::npos);
  CHECK(error_of("core/umask=red/", root).find("no number") != std::string::npos);
  CHECK_FALSE(error_of("core/../", root).empty());
  CHECK_FALSE(error_of("/event=1/", root).empty());
  CHECK_FALSE(error_of("block:nothing", root).empty());
  CHECK_FALSE(error_of("../etc:passwd", root).empty());
  CHECK_FALSE(error_of("", root).empty());
}

TEST_CASE("event list: loose events are one group, braces another", "[pmu]") {
  const EventList list = parse_events("cycles,instructions,{branches,branch-misses}@cycles,cs");
  REQUIRE(list.error.empty());
  REQUIRE(list.groups.size() == 3);
  CHECK(names_of(list.groups[0]) == Names{"cycles", "instructions"});
  CHECK(list.groups[1].braced);
  REQUIRE(list.groups[1].trigger.has_value());
  CHECK(list.groups[1].trigger->name == "cycles");
  CHECK(names_of(list.groups[2]) == Names{"cs"});
}

TEST_CASE("event list: named groups stand for their events, each once", "[pmu]") {
  for (const auto& [name, events] : named_groups()) {
    INFO(name);
    CHECK(parse_events(name).error.empty());
  }
  const EventList list = parse_events("default,branch,all");
  std::size_t events = 0;
  for (const ListedGroup& group : list.groups) events += group.events.size();
  CHECK(events == 23);
}

TEST_CASE("event list: commas between slashes belong to the event", "[pmu]") {
  const TempFolder sysfs;
  make_sysfs(sysfs.path());
  const EventList list = parse_events("{core/event=1,umask=2/,core/loads/},cycles", sysfs.path());
  REQUIRE(list.error.empty());
  CHECK(names_of(list.groups[0]) == Names{"core/event=1,umask=2/", "core/loads/"});
}

TEST_CASE("event list: no text breaks the reader, and each mistake has its place", "[pmu]") {
  Random random(3);
  constexpr std::string_view kPieces[] = {"cycles",  "{",   "}",  ",",    "@",  "/",
                                          ":u",      ":k",  "r",  "cpu/", "=",  "0x1",
                                          "default", "a:b", "..", " ",    "\\", "LLC-loads"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(8); n > 0; --n)
      text += kPieces[random.below(std::size(kPieces))];
    const EventList list = parse_events(text, "/nonexistent");
    INFO(text);
    REQUIRE(list.at <= text.size());
    if (list.error.empty()) REQUIRE_FALSE(list.groups.empty());
  }
}

TEST_CASE("event list: what is empty is told to be", "[pmu]") {
  CHECK(parse_events("{},page-faults").error.starts_with("the group {} is empty"));
  for (const char* text : {"cycles,,cs", "{cycles,}", "{,}", ":u", "cycles@", ""})
    CHECK(parse_events(text).error == "an event is missing");
}

TEST_CASE("event list: a mistake is told with its place", "[pmu]") {
  const auto place = [](std::string_view text) {
    const EventList list = parse_events(text);
    CHECK_FALSE(list.error.empty());
    return list.at;
  };
  CHECK(place("cycles,nonsense") == 7);
  CHECK(place("{cycles,nonsense}") == 8);
  CHECK(place("cycles@nonsense") == 7);
  CHECK(place("cycles,,instructions") == 7);
  CHECK(place("{cycles") == 0);
  CHECK(place("cs,{},cycles") == 3);
  CHECK(place("cs,{cycles,,cs}") == 11);
  CHECK(place("") == 0);
}
