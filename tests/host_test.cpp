// host_test.cpp: what the kernel's texts say about the machine.
#include "results/host.hpp"

#include "tests/catch.hpp"

#include <sys/utsname.h>
#include <unistd.h>

using namespace chronio::results;

TEST_CASE("host: the CPU's name is the first model name of cpuinfo", "[host]") {
  CHECK(cpu_model_of(
            "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 9B14\nmodel name\t: other\n") ==
        "AMD EPYC 9B14");
  CHECK(cpu_model_of("processor\t: 0\nBogoMIPS\t: 50.00\n").empty());
  CHECK(cpu_model_of("").empty());
  CHECK(cpu_model_of("model name\t: no newline") == "no newline");
  CHECK(cpu_model_of("model name\t:\n").empty());
}

TEST_CASE("host: memory is MemTotal in bytes", "[host]") {
  CHECK(memory_of("MemTotal:        1000 kB\nMemFree:  5 kB\n") == 1'024'000);
  CHECK(memory_of("MemFree:  5 kB\n") == 0);
  CHECK(memory_of("MemTotal:  5 MB\n") == 0);
  CHECK(memory_of("MemTotal:  kB\n") == 0);
}

TEST_CASE("host: hypervisors have their usual names, strangers keep their own", "[host]") {
  CHECK(hypervisor_of({"KVMKVMKVM\0\0\0", 12}) == "KVM");
  CHECK(hypervisor_of("Microsoft Hv") == "Hyper-V");
  CHECK(hypervisor_of({"Strange\0\0\0\0\0", 12}) == "Strange");
  CHECK(hypervisor_of({"\0\0\0\0", 4}).empty());
}

TEST_CASE("host: this machine is described as uname describes it", "[host]") {
  const Host host = this_host();
  utsname names = {};
  REQUIRE(::uname(&names) == 0);
  CHECK(host.kernel == names.release);
  CHECK(host.machine == names.machine);
  CHECK(host.hostname == names.nodename);
  CHECK(host.cpus == static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
  CHECK(host.memory_bytes > (1U << 20));
  CHECK(host.clocksource.find('\n') == std::string::npos);
}
