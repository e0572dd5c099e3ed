// compatibility.cpp: can this program use that engine? Every reason not to, in words.
#include "engines/registry.hpp"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace chronio {
namespace {

// What the first version of the contract ended with; later ones only grow. An engine of that time
// has exactly this much; what says that it has less is damaged.
constexpr std::size_t kFirstInfoSize = offsetof(EngineInfo, destroy) + sizeof(EngineInfo::destroy);
constexpr std::size_t kFirstOptionSize = offsetof(OptionDecl, help) + sizeof(OptionDecl::help);
constexpr std::size_t kFirstIoSize = 64;

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string wrong_size(const char* what, std::size_t size, std::size_t least, std::size_t most) {
  if (size >= least && size <= most) return "";
  const std::string range = least == most ? number(least) : number(least) + " to " + number(most);
  return std::string("its ") + what + " has " + number(size) + " bytes; right would be " + range +
         ": it was built with another engine.hpp, or is damaged";
}

std::string wrong_version(const EngineInfo& info) {
  const auto version = [](unsigned major, unsigned minor) {
    return number(major) + "." + number(minor);
  };
  const std::string theirs = version(info.api_major, info.api_minor);
  const std::string ours = version(kEngineApiMajor, kEngineApiMinor);
  if (info.api_major != kEngineApiMajor) {
    return "built for engine API " + theirs + ", this program has " + ours +
           " (another major version): build it again with this program's engine.hpp";
  }
  if (info.api_minor > kEngineApiMinor) {
    return "built for engine API " + theirs + ", newer than this program's " + ours +
           ": use a newer chronio, or build it with this one's engine.hpp";
  }
  return "";
}

/// `text` is a whole decimal number in [least, most] and nothing else: no blanks, no suffix. The
/// units of job files are not understood here, for a fallback is in the option's own unit.
bool is_whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least &&
         value <= most;
}

bool is_choice(std::string_view text, const char* const* choices) {
  while (*choices != nullptr && text != *choices) ++choices;
  return *choices != nullptr;
}

/// Why the fallback is no value of the option; empty when it is one.
std::string wrong_fallback(const OptionDecl& option) {
  if (option.fallback == nullptr) return "has no fallback";
  const std::string found = std::string("has the fallback '") + option.fallback + "', which is ";
  switch (option.type) {
    case OptionType::flag:
      return is_whole_number(option.fallback, 0, 1) ? "" : found + "neither 0 nor 1";
    case OptionType::number:
      if (option.minimum > option.maximum) return "has a minimum above its maximum";
      return is_whole_number(option.fallback, option.minimum, option.maximum)
                 ? ""
                 : found + "no whole number from " + std::to_string(option.minimum) + " to " +
                       std::to_string(option.maximum);
    case OptionType::choice:
      if (option.choices == nullptr || *option.choices == nullptr) return "has no choices";
      return is_choice(option.fallback, option.choices) ? "" : found + "none of its choices";
    case OptionType::text: return "";
  }
  return "has the unknown type " + number(static_cast<unsigned>(option.type));
}

std::string wrong_option(const EngineInfo& info, std::uint32_t index) {
  const OptionDecl& option = engine_option(info, index);
  if (option.name == nullptr || *option.name == '\0') {
    return "its option number " + number(index + 1) + " has no name";
  }
  const std::string which = std::string("its option ") + option.name + " ";
  if (option.help == nullptr) return which + "has no help";
  if (option.unit > OptionUnit::percent) {
    return which + "has the unknown unit " + number(static_cast<unsigned>(option.unit));
  }
  // Options are few: a set would be longer than this.
  for (std::uint32_t other = 0; other < index; ++other) {
    if (std::string_view(option.name) == engine_option(info, other).name) {
      return which + "is declared twice";
    }
  }
  const std::string why = wrong_fallback(option);
  return why.empty() ? "" : which + why;
}

std::string wrong_options(const EngineInfo& info) {
  if (info.option_count == 0) return "";
  if (info.options == nullptr) return "its list of options is null";
  std::string why =
      wrong_size("OptionDecl", info.option_size, kFirstOptionSize, sizeof(OptionDecl));
  for (std::uint32_t i = 0; why.empty() && i < info.option_count; ++i) why = wrong_option(info, i);
  return why;
}

std::string missing_member(const EngineInfo& info) {
  if (info.name == nullptr || *info.name == '\0') return "it has no name";
  if (info.help == nullptr) return "it has no help";
  if (info.create == nullptr) return "it has no create()";
  if (info.destroy == nullptr) return "it has no destroy()";
  return "";
}

}  // namespace

// Each question stands on the one before: version, then sizes, then pointers that a right size has,
// then what these point to. The first answer is the cause, and later ones its consequences.
std::string incompatible(const EngineInfo& info) {
  // The major version comes first: with another one, the sizes may rightly differ.
  std::string why;
  if (info.size >= offsetof(EngineInfo, io_size)) why = wrong_version(info);
  if (why.empty()) why = wrong_size("EngineInfo", info.size, kFirstInfoSize, sizeof(EngineInfo));
  if (why.empty()) why = wrong_size("Io", info.io_size, kFirstIoSize, sizeof(Io));
  if (why.empty()) why = missing_member(info);
  if (why.empty()) why = wrong_options(info);
  return why;
}

}  // namespace chronio
