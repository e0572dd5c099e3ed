// event.cpp: names of events to what the kernel calls them.
#include "pmu/event.hpp"

#include "pmu/sysfs_event.hpp"
#include "pmu/vendor_event.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <linux/perf_event.h>
#include <utility>

namespace chronio::pmu {
namespace {

/// `kernel_only`: with the kernel excluded it opens, and stays 0 (seen of context switches on Linux
/// 6.18).
struct Generic {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
  bool kernel_only = false;
};

constexpr std::uint32_t kHardware = PERF_TYPE_HARDWARE;
constexpr std::uint32_t kSoftware = PERF_TYPE_SOFTWARE;

/// perf's names; the second name of an event stands in kOtherNames.
constexpr std::array kGeneric = {
    Generic{"cycles", kHardware, PERF_COUNT_HW_CPU_CYCLES},
    Generic{"instructions", kHardware, PERF_COUNT_HW_INSTRUCTIONS},
    Generic{"branches", kHardware, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    Generic{"branch-misses", kHardware, PERF_COUNT_HW_BRANCH_MISSES},
    Generic{"cache-references", kHardware, PERF_COUNT_HW_CACHE_REFERENCES},
    Generic{"cache-misses", kHardware, PERF_COUNT_HW_CACHE_MISSES},
    Generic{"ref-cycles", kHardware, PERF_COUNT_HW_REF_CPU_CYCLES},
    Generic{"bus-cycles", kHardware, PERF_COUNT_HW_BUS_CYCLES},
    Generic{"stalled-cycles-frontend", kHardware, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    Generic{"stalled-cycles-backend", kHardware, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    Generic{"task-clock", kSoftware, PERF_COUNT_SW_TASK_CLOCK},
    Generic{"cpu-clock", kSoftware, PERF_COUNT_SW_CPU_CLOCK},
    Generic{"context-switches", kSoftware, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    Generic{"cpu-migrations", kSoftware, PERF_COUNT_SW_CPU_MIGRATIONS, true},
    Generic{"page-faults", kSoftware, PERF_COUNT_SW_PAGE_FAULTS},
    Generic{"minor-faults", kSoftware, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    Generic{"major-faults", kSoftware, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
};

/// A list of its own, since callers get a span of names.
constexpr auto kGenericNames = [] {
  std::array<std::string_view, kGeneric.size()> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kGeneric[i].name;
  return names;
}();

/// perf's other names of the same events.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames = {{
    {"cpu-cycles", "cycles"},
    {"branch-instructions", "branches"},
    {"idle-cycles-frontend", "stalled-cycles-frontend"},
    {"idle-cycles-backend", "stalled-cycles-backend"},
    {"cs", "context-switches"},
    {"migrations", "cpu-migrations"},
    {"faults", "page-faults"},
    {"LLC-misses", "LLC-load-misses"},
    {"dTLB-misses", "dTLB-load-misses"},
}};

/// Whether a processor counts it is another matter: many lack some combination.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 7> kCaches = {{
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
    {"LLC", PERF_COUNT_HW_CACHE_LL},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB},
    {"branch", PERF_COUNT_HW_CACHE_BPU},
    {"node", PERF_COUNT_HW_CACHE_NODE},
}};

/// Result in the third byte, operation in the second, cache in the first (perf_event_open(2),
/// PERF_TYPE_HW_CACHE).
constexpr std::uint64_t kMiss = std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16;

/// "-loads", "-load-misses", ... with the operation and the result as config holds them.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 6> kAccesses = {{
    {"-loads", PERF_COUNT_HW_CACHE_OP_READ << 8},
    {"-load-misses", (PERF_COUNT_HW_CACHE_OP_READ << 8) | kMiss},
    {"-stores", PERF_COUNT_HW_CACHE_OP_WRITE << 8},
    {"-store-misses", (PERF_COUNT_HW_CACHE_OP_WRITE << 8) | kMiss},
    {"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8},
    {"-prefetch-misses", (PERF_COUNT_HW_CACHE_OP_PREFETCH << 8) | kMiss},
}};

std::optional<Event> find_generic(std::string_view name) {
  const auto* const row = std::find_if(kGeneric.begin(), kGeneric.end(),
                                       [&](const Generic& known) { return known.name == name; });
  if (row == kGeneric.end()) return std::nullopt;
  Event event;
  event.type = row->type;
  event.config = row->config;
  event.software = row->type == kSoftware;
  event.kernel_only = row->kernel_only;
  return event;
}

std::optional<Event> find_cache(std::string_view name) {
  for (const auto& [cache, id] : kCaches) {
    if (!name.starts_with(cache)) continue;
    for (const auto& [access, bits] : kAccesses) {
      if (name.substr(cache.size()) != access) continue;
      Event event;
      event.type = PERF_TYPE_HW_CACHE;
      event.config = id | bits;
      return event;
    }
  }
  return std::nullopt;
}

/// "r" and hexadecimal digits. Anything else that begins with r is another kind of name.
std::optional<Event> find_raw(std::string_view name) {
  if (name.size() < 2 || name[0] != 'r') return std::nullopt;
  Event event;
  event.type = PERF_TYPE_RAW;
  const auto [end, error] =
      std::from_chars(name.data() + 1, name.data() + name.size(), event.config, 16);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return event;
}

FoundEvent find_plain(std::string_view name, const std::string& sysfs) {
  if (name.empty()) return {{}, "an event is missing"};
  for (const auto& [other, known] : kOtherNames)
    if (name == other) name = known;
  // Generic names first, so that they mean the same on every machine; a maker's before sysfs, since
  // those of libpfm4 have colons, too.
  for (const auto& find : {find_generic, find_cache, find_raw})
    if (auto event = find(name)) return {std::move(event), {}};
  if (auto event = find_vendor_event(std::string(name))) return {std::move(event), {}};
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    if (slash == 0 || !name.ends_with('/') || slash + 1 == name.size())
      return {{}, "an event of a PMU is PMU/EVENT/ or PMU/FIELD=NUMBER,.../"};
    return find_device_event(name.substr(0, slash), name.substr(slash + 1, name.size() - slash - 2),
                             sysfs);
  }
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos)
    return find_tracepoint(name.substr(0, colon), name.substr(colon + 1), sysfs);
  return {{}, "no event is called " + std::string(name) + "; chronio pmu lists the generic ones"};
}

}  // namespace

/// Without names, and without what follows from the rest.
bool same_event(const Event& a, const Event& b) noexcept {
  return a.type == b.type && a.config == b.config && a.config1 == b.config1 &&
         a.config2 == b.config2 && a.bp_type == b.bp_type && a.user == b.user &&
         a.kernel == b.kernel;
}

bool is_clock(const Event& event) noexcept {
  return event.type == PERF_TYPE_SOFTWARE &&
         (event.config == PERF_COUNT_SW_TASK_CLOCK || event.config == PERF_COUNT_SW_CPU_CLOCK);
}

FoundEvent find_event(std::string_view text, const std::string& sysfs) {
  // A mode that the name does not ask for stays counted: most of an I/O is spent in the kernel.
  const bool user = text.ends_with(":u");
  const bool kernel = text.ends_with(":k");
  FoundEvent found = find_plain(text.substr(0, text.size() - (user || kernel ? 2 : 0)), sysfs);
  if (!found.event) return found;
  // As it was asked for, so that the result has the user's own words.
  found.event->name = text;
  found.event->user = !kernel;
  found.event->kernel = !user;
  // The kernel would open it and count 0, which looks like a result.
  if (user && found.event->kernel_only)
    return {{}, std::string(text) + " would count nothing: it happens in kernel mode only"};
  // Refused, since the figure would be that of both under the name of one.
  if ((user || kernel) && is_clock(*found.event))
    return {{},
            std::string(text) + ": the kernel counts the time of both modes as one; without " +
                (user ? ":u" : ":k") + " it is right, and usage tells the two apart"};
  return found;
}

std::span<const std::string_view> generic_event_names() { return kGenericNames; }

}  // namespace chronio::pmu
