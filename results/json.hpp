// json.hpp: results::Run to JSON and back: a strict superset of fio's json and json+.
#pragma once

#include "results/run.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace chronio::results {

/// `plus`: fio's json+, with the bins of each histogram on fio's grid. One valid document, no
/// repeated key, UTF-8, ends with a newline. What was not measured is absent or null, never 0.
[[nodiscard]] std::string to_json(const Run& run, bool plus);

/// The block of `chronio clock`: {"clock": {...}}, the same as chronio.clock of a run's result.
/// Ends with a newline.
[[nodiscard]] std::string clock_json(const clock::Certificate& certificate);

/// What can be counted, as one JSON document that ends with a newline.
[[nodiscard]] std::string to_json(const pmu::Capabilities& found);

/// A result can't be read; what() says why, without the path, and names the place: a line and
/// column of broken text, or the keys down to a value that does not belong there.
struct ReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Most bytes of a result that is read. A log of each group's counts (`pmu_log`) can take hundreds
/// of MB; what is larger is no result.
inline constexpr std::size_t kLargestResult = std::size_t{512} << 20;

/// Reads chronio's JSON (exactly: to_json of the result is the same text) and fio's json and json+
/// of version 2.99 and later, as far as they go. Throws ReadError. Which of the two it is, the key
/// `chronio` at the top tells; keys that are not known are passed over.
[[nodiscard]] Run from_json(std::string_view text);

}  // namespace chronio::results
