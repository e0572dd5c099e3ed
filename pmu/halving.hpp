// halving.hpp: what becomes of a group of events that does not fit the counters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace chronio::pmu {

/// Events by their index in some list.
using Indexes = std::vector<std::size_t>;

/// Those at `from` up to, without, `to`, which may lie beyond the end.
/// REQUIRES: from <= all.size() and from <= to.
[[nodiscard]] inline Indexes part(const Indexes& all, std::size_t from, std::size_t to) {
  return {all.begin() + static_cast<std::ptrdiff_t>(from),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(to, all.size()))};
}

/// Gives each of `parts` to `opens`, which answers 0 or -errno; one that it refuses is halved, in
/// order. A single event that is refused goes to `refused`, with the answer. A group may be refused
/// for its width, or for two events that only one counter can count. Halving finds groups for both
/// without knowing the counters; a group of n takes at most 2 n - 1 tries.
/// REQUIRES: no part is empty.
template <class Opens, class Refused>
void open_in_halves(std::deque<Indexes> parts, Opens&& opens, Refused&& refused) {
  while (!parts.empty()) {
    const Indexes members = std::move(parts.front());
    parts.pop_front();
    const int error = opens(members);
    if (error == 0) continue;
    if (members.size() == 1) {
      refused(members.front(), error);
      continue;
    }
    parts.push_front(part(members, members.size() / 2, members.size()));
    parts.push_front(part(members, 0, members.size() / 2));
  }
}

}  // namespace chronio::pmu
