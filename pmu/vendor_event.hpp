// vendor_event.hpp: events by the names of the CPU's maker, as libpfm4 knows them. Internal to pmu.
#pragma once

#include "pmu/event.hpp"

#include <optional>
#include <string>

namespace chronio::pmu {

/// [setup] "RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS", "skx::INST_RETIRED", ...; nothing when there is
/// no such event on this CPU, or this chronio was built without libpfm4. The caller names the event
/// and chooses its modes.
[[nodiscard]] std::optional<Event> find_vendor_event(const std::string& name);

}  // namespace chronio::pmu
