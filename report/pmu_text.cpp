// pmu_text.cpp: counted events for people.
#include "report/pmu_text.hpp"

#include "report/format.hpp"
#include "results/pmu_figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace chronio::report {
namespace {

using pmu::Counts;
using pmu::EventCount;
using pmu::Mode;
using pmu::Status;
using results::Job;

constexpr double kWide = 10;  ///< percent: an interval wider than that is marked
constexpr std::size_t kNameWidth = 24;

std::string head(std::string_view name) { return fmt::format("  {:<13}: ", name); }

/// "trigger instructions 1000k, shuffled, sigtrap, 39,812 windows". All that one needs to judge
/// estimates: what ended the windows, how often, in which order.
std::string switching_text(const Counts& counts) {
  std::string out;
  if (counts.trigger)
    out = fmt::format("trigger {} every {}, ", printable(counts.trigger->event),
                      scaled(static_cast<double>(counts.trigger->period), 4, Base::si));
  out += fmt::format("{}, {}, {}", name(counts.order), name(counts.notify),
                     counted(counts.switches, "window"));
  if (counts.windows_dropped != 0)
    out += fmt::format(", {} without counters", counted(counts.windows_dropped, "window"));
  return out;
}

/// A kernel that switches groups scales by time, which is wrong wherever the work changes; so that
/// is said.
std::string mode_text(const Counts& counts) {
  std::string out;
  switch (counts.mode) {
    case Mode::off:
    case Mode::none: break;
    case Mode::counting: out = "counted throughout"; break;
    case Mode::overflow: out = switching_text(counts); break;
    case Mode::kernel: out = "groups switched by the kernel, scaled by time"; break;
  }
  if (counts.overhead_percent)
    out += fmt::format(", about {:.1f} % of the CPU time", *counts.overhead_percent);
  return out;
}

/// Three figures: "0.0123", "14.4", "9731". Events per I/O lie anywhere between one in a million
/// I/Os and a million in one.
std::string figure_text(double value) {
  if (value >= 1e6) return scaled(value, 4, Base::si);
  if (value >= 100 || value == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:#.3g}", value);
}

/// "none ~": estimated from too few windows to know how far off.
std::string interval_text(const EventCount& event) {
  if (event.status == Status::exact) return "exact";
  const auto percent = results::half_width_percent(event);
  if (!percent) return "none ~";
  return fmt::format("{:.1f} %{}", *percent, *percent > kWide ? " !" : "");
}

/// REQUIRES: the event has a total.
std::string row(const EventCount& event, std::uint64_t ios) {
  const auto each = results::per_io(event, ios);
  std::string per_io = each ? figure_text(each->value) : "-";
  if (each && each->ci95 && *each->ci95 > 0) per_io += " +- " + figure_text(*each->ci95);
  return fmt::format("      {:<{}} {:>8} {:>18} {:>9} {:>5.0f} %\n", printable(event.name),
                     kNameWidth, scaled(static_cast<double>(*event.total), 4, Base::si), per_io,
                     interval_text(event), event.coverage * 100);
}

std::string table(const Job& job) {
  const std::uint64_t ios = results::all_ios(job);
  std::string out;
  for (const EventCount& event : job.pmu.events)
    if (event.total) out += row(event, ios);
  if (out.empty()) return out;
  return fmt::format("      {:<{}} {:>8} {:>18} {:>9} {:>7}\n", "event", kNameWidth, "total",
                     "per I/O", "95 %", "counted") +
         out;
}

/// Name and figure stay on one line.
std::string metrics(const Counts& counts, int width) {
  std::string text;
  for (const auto& [name, figure] : results::metric_figures(counts)) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", printable(name), kGlue,
                        figure_text(figure.value));
    if (figure.ci95 && *figure.ci95 > 0) text += glued(" +- " + figure_text(*figure.ci95));
  }
  return text.empty() ? text : wrapped("      ", text, 6, width);
}

/// Whose work is not in the figures, where others than the job's threads worked for it.
std::string left_out(const Counts& counts, int width) {
  if (counts.scope.empty() || counts.scope == pmu::kOwnThreads) return {};
  return wrapped("      ", "counted of " + printable(counts.scope), 8, width);
}

/// Of the whole machine, so it is called that.
std::string energy(const Job& job, int width) {
  if (!job.pmu.package_energy_uj) return {};
  const auto joules = static_cast<double>(*job.pmu.package_energy_uj) * 1e-6;
  std::string text =
      fmt::format("energy {} J of the whole machine's CPU packages", figure_text(joules));
  if (const std::uint64_t ios = results::all_ios(job); ios != 0)
    text += fmt::format(", {} uJ per I/O", figure_text(joules * 1e6 / static_cast<double>(ios)));
  return wrapped("      ", text, 8, width);
}

/// Why events have no total, or only that of user mode; those of one reason together. A machine
/// without a PMU refuses all events for one reason, which is told once.
std::string shortfalls(const Counts& counts, int width) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with their events
  for (const EventCount& event : counts.events) {
    if (event.total && event.reason.empty()) continue;
    const std::string reason =
        (event.total ? "in part: " : "not counted: ") +
        (event.reason.empty() ? std::string(name(event.status)) : event.reason);
    auto same = std::find_if(reasons.begin(), reasons.end(),
                             [&](const auto& known) { return known.first == reason; });
    if (same == reasons.end()) same = reasons.insert(same, {reason, ""});
    same->second += (same->second.empty() ? "" : ", ") + event.name;
  }
  std::string out;
  for (const auto& [reason, events] : reasons)
    out += wrapped("      ", printable(fmt::format("{} {}", events, reason)), 8, width);
  return out;
}

std::string paths_text(const pmu::Capabilities& found, int width) {
  std::string out;
  for (const pmu::NotifyStatus& path : found.notify)
    out += wrapped(fmt::format("  {:<24}", name(path.notify)), path.works ? "works" : path.reason,
                   26, width);
  return out;
}

}  // namespace

std::string pmu_text(const Job& job, const Terminal& terminal) {
  const Counts& counts = job.pmu;
  if (counts.mode == Mode::off) return {};
  const int width = text_width(terminal);
  if (!counts.available) {
    const std::string reason = counts.reason.empty() ? "nothing was asked for" : counts.reason;
    return wrapped(head("pmu"), printable("not counted: " + reason), 17, width) +
           energy(job, width);
  }
  const std::string otherwise =  // what was asked for and not done as asked
      counts.reason.empty() ? "" : wrapped("      ", printable(counts.reason), 8, width);
  return wrapped(head("pmu"), mode_text(counts), 17, width) + table(job) + metrics(counts, width) +
         otherwise + shortfalls(counts, width) + left_out(counts, width) + energy(job, width);
}

std::string capabilities_text(const pmu::Capabilities& found, const Terminal& terminal) {
  const int width = text_width(terminal);
  std::string out = "events\n";
  for (const pmu::EventStatus& event : found.events) {
    const std::string text = event.available && !event.user_only ? "can be counted"
                             : event.user_only                   ? "user mode only: " + event.reason
                                                                 : event.reason;
    out += wrapped(fmt::format("  {:<24}", event.name), text, 26, width);
  }
  out += "\nmachine\n";
  out += fmt::format("  {:<24}{}\n", "PMU", found.device.empty() ? "none" : found.device);
  out += fmt::format("  {:<24}{}\n", "counters at a time", found.counters);
  if (found.paranoid) out += fmt::format("  {:<24}{}\n", "perf_event_paranoid", *found.paranoid);
  if (found.trigger.empty()) return out;
  return out + "\noverflows of " + found.trigger + "\n" + paths_text(found, width);
}

}  // namespace chronio::report
