// vendor_event_pfm.cpp: asks libpfm4.
#include "pmu/vendor_event.hpp"

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

namespace chronio::pmu {

std::optional<Event> find_vendor_event(const std::string& name) {
  // Once in a process: it looks at the CPU and builds its tables.
  static const bool ready = pfm_initialize() == PFM_SUCCESS;
  if (!ready) return std::nullopt;
  perf_event_attr attr = {};
  pfm_perf_encode_arg_t argument = {};
  argument.attr = &attr;
  argument.size = sizeof argument;
  // Both modes: which of them counts, the caller sets in the event.
  if (pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &argument) !=
      PFM_SUCCESS)
    return std::nullopt;
  // Where debugfs is mounted libpfm knows tracepoints, too, but not that they happen in the kernel
  // alone and take no counter.
  if (attr.type == PERF_TYPE_TRACEPOINT) return std::nullopt;
  Event event;
  event.type = attr.type;
  event.config = attr.config;
  event.config1 = attr.config1;
  event.config2 = attr.config2;
  event.software = attr.type == PERF_TYPE_SOFTWARE;
  return event;
}

}  // namespace chronio::pmu
