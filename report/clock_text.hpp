// clock_text.hpp: a clock's certificate in words.
#pragma once

#include "clock/certificate.hpp"
#include "report/terminal.hpp"

#include <string>

namespace chronio::report {

/// "clock: tsc 2096.0 MHz +-0.02 ppm over 10.0 s, lfence+rdtsc 17.6 ns, ...: ok", then one line for
/// each finding. What was not measured is left out.
[[nodiscard]] std::string clock_text(const clock::Certificate& certificate,
                                     const Terminal& terminal);

/// The whole certificate, a line for each of its parts, and a matrix of the bounds between up to 16
/// CPUs.
[[nodiscard]] std::string clock_details(const clock::Certificate& certificate,
                                        const Terminal& terminal);

/// A line for each finding, in the order in which they were made; empty without any.
[[nodiscard]] std::string findings_text(const clock::Certificate& certificate,
                                        const Terminal& terminal);

/// The verdict as a clause that ends a sentence, without a full stop.
[[nodiscard]] std::string verdict_text(clock::Verdict verdict);

}  // namespace chronio::report
