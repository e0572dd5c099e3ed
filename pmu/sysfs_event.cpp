// sysfs_event.cpp: reads /sys/bus/event_source/devices and the tracepoints.
#include "pmu/sysfs_event.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <system_error>
#include <utility>

namespace chronio::pmu {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; nothing when it can't be read. sysfs has one value in each file.
std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

/// A name becomes part of a path, so it must not lead elsewhere.
bool plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string_view::npos;
}

/// Calls `visit` with each part between commas, as long as it returns true.
template <class Visit>
bool each_term(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!visit(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// "0-7" or "32": first and last bit.
std::optional<std::pair<unsigned, unsigned>> read_bits(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto low = read_number(text.substr(0, dash));
  const auto high = dash == text.size() ? low : read_number(text.substr(dash + 1));
  if (!low || !high || *high > 63 || *low > *high) return std::nullopt;
  return std::pair(static_cast<unsigned>(*low), static_cast<unsigned>(*high));
}

std::uint64_t* word_of(Event& event, std::string_view name) noexcept {
  if (name == "config") return &event.config;
  if (name == "config1") return &event.config1;
  return name == "config2" ? &event.config2 : nullptr;
}

/// Puts `value` where `layout` ("config:0-7,32-35") says, its lowest bits first. False when it does
/// not fit, or the layout is none. Formats may scatter a field over several ranges of bits.
bool place(Event& event, std::string_view layout, std::uint64_t value) {
  const std::size_t colon = layout.find(':');
  if (colon == std::string_view::npos) return false;
  std::uint64_t* word = word_of(event, layout.substr(0, colon));
  if (word == nullptr) return false;
  const bool read = each_term(layout.substr(colon + 1), [&](std::string_view range) {
    const auto bits = read_bits(range);
    if (!bits) return false;
    const unsigned width = bits->second - bits->first + 1;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    *word = (*word & ~(mask << bits->first)) | ((value & mask) << bits->first);
    value = width == 64 ? 0 : value >> width;
    return true;
  });
  // Bits left over: cut off, it would be another event.
  return read && value == 0;
}

/// One term, "umask=0x4f" or "edge" (which is 1). Returns what is wrong with it; empty: nothing.
std::string apply_term(Event& event, std::string_view term, const fs::path& device) {
  const std::size_t equals = std::min(term.find('='), term.size());
  const std::string field(term.substr(0, equals));
  const auto value = equals == term.size() ? std::optional<std::uint64_t>(1)
                                           : read_number(term.substr(equals + 1));
  if (!value) return std::string(term) + " has no number";
  // A whole word, as perf takes it: config=0x1c2.
  if (std::uint64_t* word = word_of(event, field); word != nullptr) {
    // "config=..." is the whole word; fields that follow change their bits in it.
    *word = *value;
    return {};
  }
  const auto layout = plain_name(field) ? first_line(device / "format" / field) : std::nullopt;
  if (!layout) return "this PMU has neither an event nor a field " + field;
  return place(event, *layout, *value) ? std::string()
                                       : std::string(term) + " is more than the field holds";
}

/// `terms`, with the names of the PMU's own events replaced by what they stand for.
std::string expanded(std::string_view terms, const fs::path& device) {
  std::string out;
  each_term(terms, [&](std::string_view term) {
    const auto stands_for =
        plain_name(term) ? first_line(device / "events" / term) : std::optional<std::string>();
    out += (out.empty() ? "" : ",") + stands_for.value_or(std::string(term));
    return true;
  });
  return out;
}

}  // namespace

std::optional<std::uint64_t> read_number(std::string_view text) noexcept {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

FoundEvent find_device_event(std::string_view device, std::string_view terms,
                             const std::string& sysfs) {
  const fs::path folder = fs::path(sysfs) / "bus/event_source/devices" / device;
  const auto type = plain_name(device) ? first_line(folder / "type") : std::nullopt;
  const auto number = type ? read_number(*type) : std::nullopt;
  // perf_event_attr::type has 32 bits.
  if (!number || *number > 0xffffffffU)
    return {{}, "this machine has no PMU " + std::string(device)};
  Event event;
  event.type = static_cast<std::uint32_t>(*number);
  event.software = event.type == PERF_TYPE_SOFTWARE;
  std::string error;
  each_term(expanded(terms, folder), [&](std::string_view term) {
    error = apply_term(event, term, folder);
    return error.empty();
  });
  if (!error.empty()) return {{}, std::move(error)};
  return {std::move(event), {}};
}

FoundEvent find_tracepoint(std::string_view system, std::string_view name,
                           const std::string& sysfs) {
  const std::string text = std::string(system) + ":" + std::string(name);
  if (!plain_name(system) || !plain_name(name)) return {{}, "no event is called " + text};
  // tracefs has a mount point of its own; older systems have it below debugfs.
  const std::array roots = {fs::path(sysfs) / "kernel/tracing/events",
                            fs::path(sysfs) / "kernel/debug/tracing/events"};
  for (const fs::path& root : roots) {
    const auto line = first_line(root / system / name / "id");
    const auto id = line ? read_number(*line) : std::nullopt;
    if (!id) continue;
    Event event;
    event.type = PERF_TYPE_TRACEPOINT;
    event.config = *id;
    event.software = true;
    // Code of the kernel raises it, whoever asked for the work.
    event.kernel_only = true;
    return {std::move(event), {}};
  }
  return {{},
          "no tracepoint " + text +
              " can be read; tracefs has to be mounted, and belongs to root as a rule"};
}

}  // namespace chronio::pmu
