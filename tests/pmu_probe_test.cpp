// pmu_probe_test.cpp: the reasons why an event can't be counted, and this machine's own events.
#include "pmu/probe.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <set>

namespace {

using namespace chronio::pmu;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("pmu: every errno has a sentence of its own", "[pmu]") {
  std::set<std::string> sentences;
  const std::vector<int> errors = {ENOENT, EACCES, EPERM,  ENOSYS, EINVAL, EOPNOTSUPP,
                                   ENOSPC, EBUSY,  EMFILE, EIO,    ENOMEM};
  for (const int error : errors) sentences.insert(why_unavailable(error, true, 2));
  CHECK(sentences.size() == errors.size());
  CHECK(sentences.count("") == 0);
}

TEST_CASE("pmu: a missing PMU is told apart from a missing software event", "[pmu]") {
  CHECK(contains(why_unavailable(ENOENT, true, 2), "no hardware counter"));
  CHECK_FALSE(contains(why_unavailable(ENOENT, false, 2), "hardware"));
}

TEST_CASE("pmu: a refusal names the level that refuses and the one that permits", "[pmu]") {
  for (const int paranoid : {2, 3, 4}) {
    const std::string sentence = why_unavailable(EACCES, true, paranoid);
    CHECK(contains(sentence, "perf_event_paranoid=" + std::to_string(paranoid) + " forbids"));
    CHECK(contains(sentence, "perf_event_paranoid=1"));
    CHECK(contains(sentence, "CAP_PERFMON"));
  }
  CHECK(contains(why_unavailable(EACCES, true, kUnknownLevel), "can't be read"));
  CHECK(contains(why_unavailable(EACCES, true, -1), "perf_event_paranoid=-1"));
}

TEST_CASE("pmu: every cure is named", "[pmu]") {
  CHECK(contains(why_unavailable(EPERM, true, 2), "seccomp"));
  CHECK(contains(why_unavailable(ENOSYS, true, 2), "CONFIG_PERF_EVENTS"));
  CHECK(contains(why_unavailable(EBUSY, true, 2), "nmi_watchdog=0"));
  CHECK(contains(why_unavailable(EMFILE, true, 2), "ulimit -n"));
}

TEST_CASE("pmu: an unknown errno is told as the system tells it", "[pmu]") {
  CHECK(contains(why_unavailable(EIO, true, 2), "perf_event_open failed: "));
}

TEST_CASE("pmu: on this machine every event is counted or has its reason", "[pmu]") {
  const std::vector<EventStatus> events = probe_events();
  std::set<std::string> names;
  for (const EventStatus& event : events) {
    names.insert(event.name);
    INFO(event.name << ": " << event.reason);
    const bool counted_whole = event.available && !event.user_only;
    CHECK(event.reason.empty() == counted_whole);
    if (event.user_only) CHECK(event.available);
  }
  CHECK(names.size() == events.size());
  for (const char* name :
       {"cycles", "instructions", "branches", "branch-misses", "cache-references", "cache-misses",
        "stalled-cycles-frontend", "stalled-cycles-backend", "task-clock", "context-switches",
        "cpu-migrations", "page-faults", "major-faults"}) {
    CHECK(names.count(name) == 1);
  }
  const auto hardware = std::count_if(events.begin(), events.end(),
                                      [](const EventStatus& event) { return event.hardware; });
  CHECK(hardware == 10);
}

TEST_CASE("pmu: an event of the kernel is never offered for user mode only", "[pmu]") {
  for (const EventStatus& event : probe_events()) {
    if (event.name == "context-switches" || event.name == "cpu-migrations") {
      CHECK_FALSE(event.user_only);
    }
  }
}
