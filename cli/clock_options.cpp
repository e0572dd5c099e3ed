// clock_options.cpp: numbers and times of the clock's options, with their limits.
#include "cli/clock_options.hpp"

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

/// What is wrong with the value; empty: it was taken.
std::string take(const jobs::Read<std::uint64_t>& read, const Limits& limits, std::string_view text,
                 std::uint64_t& into) {
  if (!read.error.empty() || read.value < limits.least || read.value > limits.most)
    return fmt::format("{}: {}", text, limits.right);
  into = read.value;
  return {};
}

}  // namespace

bool take_clock_option(std::string_view key, const std::string& value, ClockRequest& request,
                       std::string& error) {
  clock::Options& options = request.options;
  const std::string text = fmt::format("{}={}", key, value);
  if (key == "clock-tolerance") {
    error = take(jobs::read_time(value, 1), kTolerance, text, options.tolerance_ns);
  } else if (key == "clock-calibrate") {
    error = take(jobs::read_time(value, 1), kCalibrate, text, options.calibrate_ns);
  } else if (key == "clock-quality") {
    std::uint64_t quality = options.quality;
    error = take(jobs::read_number(value), kQuality, text, quality);
    options.quality = static_cast<std::uint32_t>(quality);
  } else if (key == "clock-strict") {
    // A flag: alone, as fio's flags, it is on.
    request.strict = value != "0";
  } else {
    return false;
  }
  return true;
}

}  // namespace chronio::cli
