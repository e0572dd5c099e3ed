// option_decls.hpp: short forms of the options that engines declare.
#pragma once

#include "engines/engine.hpp"

namespace chronio {

/// An option that is 0 or 1, and 0 when the job is silent.
constexpr OptionDecl flag_option(const char* name, const char* help) {
  return {name, OptionType::flag, OptionUnit::none, 0, 1, nullptr, "0", help};
}

/// A number without a unit.
constexpr OptionDecl number_option(const char* name, std::int64_t minimum, std::int64_t maximum,
                                   const char* fallback, const char* help) {
  return {name, OptionType::number, OptionUnit::none, minimum, maximum, nullptr, fallback, help};
}

}  // namespace chronio
