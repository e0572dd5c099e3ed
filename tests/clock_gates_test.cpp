// clock_gates_test.cpp: every check of a counter fails on what it is there for, and says so.
#include "clock/gates.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio::clock;

Machine good_machine() {
  Machine machine;
  machine.counter = CounterKind::tscp;
  machine.invariant = true;
  machine.clocksource = "tsc";
  machine.monotonic_cost_ns = 26;
  machine.monotonic_raw_cost_ns = 26;
  return machine;
}

CounterFacts good_facts() {
  CounterFacts facts;
  facts.read_cost_ns = 18;
  facts.ns_per_tick = 0.477;
  facts.series = {.readings = 2048, .decreases = 0, .stuck = false, .granule_ticks = 21};
  return facts;
}

/// The only finding; fails the test when there are more or none.
std::string only_finding(const Machine& machine, const CounterFacts& facts) {
  const std::vector<std::string> failed = failed_gates(machine, facts);
  REQUIRE(failed.size() == 1);
  return failed.front();
}

}  // namespace

TEST_CASE("gates: a sound counter passes all", "[clock]") {
  CHECK(failed_gates(good_machine(), good_facts()).empty());
}

TEST_CASE("gates: each fault is one finding that names it", "[clock]") {
  Machine machine = good_machine();
  CounterFacts facts = good_facts();
  SECTION("no invariant flag") {
    machine.invariant = false;
    CHECK(only_finding(machine, facts).find("one rate") != std::string::npos);
  }
  SECTION("another clocksource") {
    machine.clocksource = "hpet";
    CHECK(only_finding(machine, facts).find("hpet") != std::string::npos);
  }
  SECTION("unknown clocksource") {
    machine.clocksource.clear();
    CHECK(only_finding(machine, facts).find("sysfs") != std::string::npos);
  }
  SECTION("trapped readings") {
    facts.read_cost_ns = 2000;
    CHECK(only_finding(machine, facts).find("2000 ns") != std::string::npos);
  }
  SECTION("standstill") {
    facts.series.stuck = true;
    CHECK(only_finding(machine, facts).find("stands still") != std::string::npos);
  }
  SECTION("backwards") {
    facts.series.decreases = 3;
    CHECK(only_finding(machine, facts).find("backwards 3 times in 2048") != std::string::npos);
  }
  SECTION("coarse") {
    facts.series.granule_ticks = 2100;
    CHECK(only_finding(machine, facts).find("steps of 1002 ns") != std::string::npos);
  }
}

TEST_CASE("gates: a reading may cost 100 ns, or twice the kernel's", "[clock]") {
  Machine machine = good_machine();
  CounterFacts facts = good_facts();
  facts.read_cost_ns = 100;
  CHECK(failed_gates(machine, facts).empty());
  facts.read_cost_ns = 101;
  CHECK(failed_gates(machine, facts).size() == 1);
  machine.monotonic_cost_ns = 60;
  CHECK(failed_gates(machine, facts).empty());
}

TEST_CASE("gates: a counter of 24 MHz is fine enough", "[clock]") {
  CounterFacts facts = good_facts();
  facts.ns_per_tick = 1000.0 / 24;
  facts.series.granule_ticks = 1;
  CHECK(failed_gates(good_machine(), facts).empty());
}

TEST_CASE("gates: several faults are all told", "[clock]") {
  Machine machine = good_machine();
  machine.invariant = false;
  machine.clocksource = "acpi_pm";
  CounterFacts facts = good_facts();
  facts.series.stuck = true;
  CHECK(failed_gates(machine, facts).size() == 3);
}

TEST_CASE("machine: a hypervisor's clock counts as the counter only when the vDSO reads it",
          "[clock]") {
  CHECK(kernel_uses_counter("tsc", 26));
  CHECK(kernel_uses_counter("arch_sys_counter", 40));
  CHECK(kernel_uses_counter("kvm-clock", 26));
  CHECK_FALSE(kernel_uses_counter("kvm-clock", 350));
  CHECK(kernel_uses_counter("hyperv_clocksource_tsc_page", 30));
  CHECK_FALSE(kernel_uses_counter("hyperv_clocksource_tsc_page", 900));
  CHECK_FALSE(kernel_uses_counter("hpet", 26));
  CHECK_FALSE(kernel_uses_counter("", 26));
}

TEST_CASE("machine: the raw clock is preferred unless it is much dearer", "[clock]") {
  Machine machine = good_machine();
  CHECK(kernel_clock(machine) == CounterKind::monotonic_raw);
  machine.monotonic_raw_cost_ns = 39;
  CHECK(kernel_clock(machine) == CounterKind::monotonic_raw);
  machine.monotonic_raw_cost_ns = 300;
  CHECK(kernel_clock(machine) == CounterKind::monotonic);
}

TEST_CASE("machine: an unreadable counter has its reason", "[clock]") {
  Machine machine = good_machine();
  CHECK(why_unreadable(machine).empty());
  machine.allowed = false;
  CHECK(why_unreadable(machine).find("prctl") != std::string::npos);
  machine.counter.reset();
  CHECK(why_unreadable(machine).find("no counter") != std::string::npos);
}

TEST_CASE("machine: what this machine says is plausible", "[clock]") {
  const Machine machine = examine_machine();
  CHECK(machine.monotonic_cost_ns > 0);
  CHECK(machine.monotonic_raw_cost_ns > 0);
  CHECK(machine.clocksource == kernel_clocksource());
}
