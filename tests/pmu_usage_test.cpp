// pmu_usage_test.cpp: what a thread used, between two readings and from the kernel.
#include "pmu/usage.hpp"
#include "tests/catch.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace chronio::pmu;

Usage usage_of(std::uint64_t user, std::uint64_t system, std::uint64_t switches,
               std::uint64_t major, std::uint64_t minor) {
  Usage usage;
  usage.user_ns = user;
  usage.system_ns = system;
  usage.context_switches = switches;
  usage.major_faults = major;
  usage.minor_faults = minor;
  return usage;
}

}  // namespace

TEST_CASE("usage: between gives the difference of every figure", "[pmu]") {
  const Usage used = between(usage_of(1, 20, 300, 4000, 50000), usage_of(11, 25, 301, 4000, 59999));
  CHECK(used.user_ns == 10);
  CHECK(used.system_ns == 5);
  CHECK(used.context_switches == 1);
  CHECK(used.major_faults == 0);
  CHECK(used.minor_faults == 9999);
}

TEST_CASE("usage: what threads used adds up in every figure", "[pmu]") {
  Usage sum = usage_of(1, 2, 3, 4, 5);
  sum += usage_of(10, 20, 30, 40, 50);
  CHECK(sum.user_ns == 11);
  CHECK(sum.system_ns == 22);
  CHECK(sum.context_switches == 33);
  CHECK(sum.major_faults == 44);
  CHECK(sum.minor_faults == 55);
}

TEST_CASE("usage: touching pages shows as minor faults of this thread, and nothing runs back",
          "[pmu]") {
  constexpr std::size_t kPages = 64;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const Usage before = thread_usage();
  void* memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  const Usage after = thread_usage();
  ::munmap(memory, kPages * page);

  CHECK(between(before, after).minor_faults >= kPages);
  CHECK(after.user_ns >= before.user_ns);
  CHECK(after.system_ns >= before.system_ns);
  CHECK(after.context_switches >= before.context_switches);
  CHECK(after.major_faults >= before.major_faults);
}
