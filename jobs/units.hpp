// units.hpp: "4k", "10s", "70%" to numbers, and back. Whatever does not parse whole is refused.
#pragma once

#include "jobs/job.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace chronio::jobs {

/// Outcome of reading a number. With an error `value` is meaningless; a warning leaves it good.
template <class T>
struct Read {
  T value = {};
  std::string error;     ///< empty when it parsed whole; else what is wrong and what would be right
  std::string warning;   ///< set when fio would have read another number: names both
  std::uint32_t at = 0;  ///< byte of the text where the mistake begins
};

/// Bytes of a plain or 0x number with an optional size suffix: k m g t p, optional b (1024 each:
/// fio's kb_base), Ki/KiB... (1024 each), case-blind. Warns where fio reads IEC suffixes as powers
/// of ten. Fractions, signs and anything behind the suffix are errors. Source: suffixes of fio's
/// parse.c, get_mult_bytes(); there an unknown one counts as 1.
[[nodiscard]] Read<std::uint64_t> read_size(std::string_view text);

/// A size or "N%", N from 0 to 100. 0% reads as zero bytes: whether that makes sense is up to the
/// option.
[[nodiscard]] Read<Amount> read_amount(std::string_view text);

/// Time in ns: d h m s ms us (min, sec, msec, usec, ns, nsec too); a bare number is in
/// `default_unit_ns`. Decimals are exact to the ns. Warns where fio cuts them or does not know the
/// unit. At most 2^64 - 1 ns, 584 years. REQUIRES: default_unit_ns > 0. Source: units of fio's
/// parse.c, get_mult_time().
[[nodiscard]] Read<std::uint64_t> read_time(std::string_view text, std::uint64_t default_unit_ns);

/// Plain or 0x number without suffix. One with a size suffix is an error that names the number
/// meant.
[[nodiscard]] Read<std::uint64_t> read_number(std::string_view text);

/// Decimal number with a point, whatever the locale; no sign, no exponent. Begins with a digit:
/// ".5" is refused.
[[nodiscard]] Read<double> read_decimal(std::string_view text);

/// Shortest exact spelling: 4096 -> "4k", 5000 -> "5000". read_size() gives the same number back.
[[nodiscard]] std::string spell_size(std::uint64_t bytes);

/// "40%" or a size; "0" for nothing at all.
[[nodiscard]] std::string spell_amount(const Amount& amount);

/// Exact spelling of a time: a bare number when it is whole in `default_unit_ns`, else with the
/// largest unit that fits. With a default unit of 0 there is always a unit.
[[nodiscard]] std::string spell_time(std::uint64_t ns, std::uint64_t default_unit_ns);

}  // namespace chronio::jobs
