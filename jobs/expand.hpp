// expand.hpp: ${VAR}, $pagesize, $mb_memory and $ncpus in a line of a job file or an argument.
#pragma once

#include "jobs/parser.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace chronio::jobs {

/// Outcome of expanding one line. With an error, `text` ends before the mistake.
struct Expanded {
  std::string text;
  std::string error;     ///< empty unless a variable is unset or its name is not closed
  std::uint32_t at = 0;  ///< byte of the input where the mistake begins
  bool keyword = false;  ///< a $keyword was replaced
};

/// Variables first, then whole-word keywords, as fio does; values are not looked at again for
/// variables. Unlike fio, which puts nothing in the place of an unset variable, that is an error:
/// an empty value usually fails to parse with a message that doesn't name the variable. Source:
/// order as in fio's options.c, option_dup_subs() and fio_keyword_replace().
[[nodiscard]] Expanded expand(std::string_view text, const ParserWorld& world);

/// True for "8*3953" and the like: fio would hand a value with a keyword in it to bc(1).
[[nodiscard]] bool looks_like_arithmetic(std::string_view value);

}  // namespace chronio::jobs
