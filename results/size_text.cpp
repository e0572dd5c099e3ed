// size_text.cpp: sizes as fio's users write them.
#include "results/size_text.hpp"

#include <charconv>
#include <limits>

namespace chronio::results {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The power of two that a suffix stands for: "" or "b" 0, "k", "kb", "ki", "kib" 10, ... Results
/// of fio hold what its user wrote, so jobs/units.cpp is near; results may not know jobs. 1024 for
/// "kib" too: fio would take 1000, as hardly anybody meant.
std::optional<unsigned> shift_of(std::string_view suffix) {
  if (suffix.empty() || (suffix.size() == 1 && lower(suffix[0]) == 'b')) return 0;
  constexpr std::string_view kUnits = "kmgtp";
  const std::size_t unit = kUnits.find(lower(suffix[0]));
  suffix.remove_prefix(1);
  if (!suffix.empty() && lower(suffix[0]) == 'i') suffix.remove_prefix(1);
  if (!suffix.empty() && lower(suffix[0]) == 'b') suffix.remove_prefix(1);
  if (unit == std::string_view::npos || !suffix.empty()) return std::nullopt;
  return static_cast<unsigned>(unit + 1) * 10;
}

}  // namespace

std::optional<std::uint64_t> size_of(std::string_view text) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc()) return std::nullopt;
  const auto shift = shift_of({end, static_cast<std::size_t>(last - end)});
  // A shift past 64 bits would make a large size small.
  if (!shift || value > std::numeric_limits<std::uint64_t>::max() >> *shift) return std::nullopt;
  return value << *shift;
}

std::array<std::uint64_t, kDirections> block_sizes_of(std::string_view text) {
  std::array<std::uint64_t, kDirections> sizes = {};
  std::uint64_t latest = 0;
  bool more = true;
  for (std::uint64_t& size : sizes) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto bytes = size_of(part);
    // fio: a direction that is left out takes the one before it, an empty one in the middle the
    // default.
    if (more && !bytes && !part.empty()) return {};
    if (more) latest = bytes.value_or(4096);
    size = latest;
    more = more && comma != std::string_view::npos;
    text = more ? text.substr(comma + 1) : std::string_view();
  }
  return sizes;
}

}  // namespace chronio::results
