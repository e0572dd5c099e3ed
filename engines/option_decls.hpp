// option_decls.hpp: short forms of the options that engines declare.
#pragma once

#include "engines/engine.hpp"

namespace chronio {

/// An option that is 0 or 1, and 0 when the job is silent. `help`: one line that says what 1 does.
/// Both texts have static storage: the declaration keeps the pointers.
constexpr OptionDecl flag_option(const char* name, const char* help) {
  return {name, OptionType::flag, OptionUnit::none, 0, 1, nullptr, "0", help};
}

/// A whole number without a unit, from `minimum` to `maximum`, both included. `fallback` is spelled
/// as a job would spell it, and has to lie between them: incompatible() refuses an engine else.
constexpr OptionDecl number_option(const char* name, std::int64_t minimum, std::int64_t maximum,
                                   const char* fallback, const char* help) {
  return {name, OptionType::number, OptionUnit::none, minimum, maximum, nullptr, fallback, help};
}

}  // namespace chronio
