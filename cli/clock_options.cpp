// clock_options.cpp: numbers and times of the clock's options, with their limits.
#include "cli/clock_options.hpp"

#include "jobs/diagnostic.hpp"
#include "jobs/units.hpp"

#include <fmt/format.h>

namespace chronio::cli {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Limits {
  std::uint64_t least, most;
  const char* right;
};

/// A bare number is in ns. Below 1 ms two CPUs have not even met; beyond the upper limits nothing
/// would be checked any more, or a run would not begin.
constexpr Limits kTolerance = {1, kSecond, "a time from 1ns to 1s; 250ns is the default"};
constexpr Limits kCalibrate = {1'000'000, 60 * kSecond,
                               "a time from 1ms to 60s; 20ms is the default"};
constexpr Limits kQuality = {1, 1'000'000, "a number from 1 to 1000000"};

void take(const jobs::Read<std::uint64_t>& read, const Limits& limits, std::string_view key,
          const std::string& value, std::uint64_t& into, std::string& error) {
  if (read.error.empty() && read.value >= limits.least && read.value <= limits.most)
    into = read.value;
  else
    error = fmt::format("{}={}: {}", key, jobs::printable(value), limits.right);
}

}  // namespace

bool take_clock_option(std::string_view key, const std::string& value, ClockRequest& request,
                       std::string& error) {
  clock::Options& options = request.options;
  if (key == "clock-tolerance") {
    take(jobs::read_time(value, 1), kTolerance, key, value, options.tolerance_ns, error);
  } else if (key == "clock-calibrate") {
    take(jobs::read_time(value, 1), kCalibrate, key, value, options.calibrate_ns, error);
  } else if (key == "clock-quality") {
    std::uint64_t quality = 0;
    take(jobs::read_number(value), kQuality, key, value, quality, error);
    options.quality = static_cast<std::uint32_t>(quality);
  } else if (key == "clock-strict") {
    request.strict = value != "0";
  } else {
    return false;
  }
  return true;
}

}  // namespace chronio::cli
