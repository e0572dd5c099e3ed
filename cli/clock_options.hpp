// clock_options.hpp: what may be asked of the clock on the command line, of a run and of
// `chronio clock`.
#pragma once

#include "clock/options.hpp"

#include <string>
#include <string_view>

namespace chronio::cli {

/// The clock's own options and what its verdict does to the exit code.
struct ClockRequest {
  clock::Options options;
  bool strict = false;  ///< a clock that is not `ok` makes the exit code 1
};

/// Takes `key` (without dashes) when it is one of clock-quality, clock-tolerance, clock-calibrate
/// and clock-strict. False: it is none of them. `error`: what is wrong with the value and what
/// would be right; then `request` is as it was. Times without a unit are in ns.
[[nodiscard]] bool take_clock_option(std::string_view key, const std::string& value,
                                     ClockRequest& request, std::string& error);

}  // namespace chronio::cli
