// vendor_event_none.cpp: for builds without libpfm4.
#include "pmu/vendor_event.hpp"

namespace chronio::pmu {

std::optional<Event> find_vendor_event(const std::string& /*name*/) { return std::nullopt; }

}  // namespace chronio::pmu
