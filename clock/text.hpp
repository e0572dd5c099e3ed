// text.hpp: numbers for the sentences of a certificate, whatever the locale.
#pragma once

#include <charconv>
#include <string>

namespace chronio::clock {

/// `value` with as many decimals as asked. Never an exponent, and a point where printf would write
/// the locale's comma.
[[nodiscard]] inline std::string decimal(double value, int decimals = 0) {
  char text[340];  // the longest double has 309 digits before its point
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  return {text, end.ptr};
}

}  // namespace chronio::clock
