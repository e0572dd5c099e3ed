// job_details.cpp: what the report says of a job beyond fio's block, at most as wide as the
// terminal.
#include "report/format.hpp"
#include "report/job_text.hpp"
#include "report/pmu_text.hpp"
#include "report/sketch.hpp"
#include "stats/counts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace chronio::report {
namespace {

using results::Job;

constexpr std::size_t kIndent = 5;  // as fio indents what belongs to the line above
constexpr std::size_t kRows = 4;

/// "  name         : text", wrapped.
std::string field(std::string_view name, std::string_view text, int width) {
  return wrapped(fmt::format("  {:<13}: ", name), text, 17, width);
}

std::string indented(const std::string& line) {
  return line.empty() ? "\n" : std::string(kIndent, ' ') + line + "\n";
}

/// The middle and the tail. In this order, because a mark that would touch an earlier one is left
/// out.
std::vector<Mark> marks_of(const results::Distribution& clat) {
  std::vector<Mark> marks;
  for (const double percent : {50.0, 99.0, 99.9}) {
    const std::optional<double> ns = stats::percentile(clat.counts, clat.moments, percent);
    if (ns) marks.push_back({*ns, "p" + percent_name(percent)});
  }
  return marks;
}

std::string histogram(const char* direction, const results::Distribution& clat,
                      const Terminal& terminal) {
  // Results of other tools may have moments alone.
  if (clat.counts.empty() || clat.moments.n == 0) return {};
  // From the fastest to the slowest I/O, so no column is wasted; how narrow that is, its ends say.
  const Axis axis =
      axis_of(static_cast<double>(clat.moments.min), static_cast<double>(clat.moments.max),
              static_cast<std::size_t>(text_width(terminal)) - kIndent);
  const std::vector<double> heights = shares(clat.counts, axis);
  const double tallest = *std::max_element(heights.begin(), heights.end());
  std::string out =
      fmt::format("  clat histogram of {}s: {}, tallest column {:.{}f} %\n", direction,
                  counted(clat.moments.n, "sample"), tallest * 100, tallest < 0.1 ? 1 : 0);
  for (const std::string& line : bars(heights, kRows, terminal.utf8)) out += indented(line);
  return out + indented(marks_line(axis, marks_of(clat))) + indented(ends_line(axis));
}

std::string histograms(const Job& job, const Terminal& terminal) {
  std::string out;
  for (std::size_t at = 0; at < results::kDirections; ++at) {
    out += histogram(results::kDirectionNames.at(at), job.directions.at(at).clat, terminal);
  }
  return out;
}

/// fio prints the depth that was asked for. A job that never had as many I/Os outstanding has not
/// measured that depth.
std::string depth_reached(const Job& job, int width) {
  const std::optional<double> mean = results::per_io(job, job.depths.depth_sum);
  if (!mean || *mean == 0) return {};
  const std::string asked = fmt::format("{} asked, {:.1f} reached on average", job.iodepth, *mean);
  const bool in_vain = job.synchronous && job.iodepth > 1;
  const std::string why = in_vain ? ": no effect with " + printable(job.ioengine) : std::string();
  return field("iodepth", asked + why, width);
}

/// Unknown is nothing, or -1 as the engine contract has it: then nothing is said.
void add_fact(std::string& text, std::optional<std::int64_t> value, std::string_view noun) {
  if (!value || *value < 0) return;
  text += fmt::format(", {}", counted(static_cast<std::uint64_t>(*value), noun));
}

void add_flag(std::string& text, std::optional<std::int64_t> value, std::string_view name) {
  if (!value || *value < 0) return;
  text += fmt::format(", {} {}", *value > 0 ? "with" : "without", name);
}

/// In few words, and only what an engine can tell: that an option was set does not mean that the
/// kernel did it.
std::string engine_facts(const Job& job, int width) {
  std::string text;
  add_flag(text, job.facts.fixed_buffers, "fixed buffers");
  add_flag(text, job.facts.registered_files, "registered files");
  if (job.facts.sq_poll.value_or(0) > 0) text += ", submitted by a kernel thread";
  add_fact(text, job.facts.polled, "polled completion");
  add_fact(text, job.facts.enter_calls, "enter call");
  if (job.facts.enter_calls.value_or(-1) >= 0) {
    const auto calls = static_cast<std::uint64_t>(*job.facts.enter_calls);
    if (const auto share = results::per_io(job, calls))
      text += fmt::format(" ({} per I/O)", significant(*share, 3));
  }
  add_fact(text, job.facts.inline_completions, "inline completion");
  add_fact(text, job.facts.punts, "punt");
  // Only when there are any: none is what everybody expects.
  if (job.facts.kernel_workers.value_or(0) > 0)
    add_fact(text, job.facts.kernel_workers, "kernel worker");
  return text.empty() ? text : field("engine", printable(job.ioengine) + text, width);
}

/// Nothing for the name that a job without a file or device goes by.
std::string target_line(const results::TargetInfo& target, int width) {
  if (target.type == "none") return {};
  std::string text = printable(target.path);
  if (!target.type.empty()) text += ", " + printable(target.type);
  if (!target.file_system.empty()) text += " on " + printable(target.file_system);
  if (target.bytes > 0) text += ", " + bytes_text(static_cast<double>(target.bytes), Base::iec);
  if (!target.device.empty()) text += ", disk " + printable(target.device);
  if (!target.model.empty()) text += ", " + printable(target.model);
  if (!target.firmware.empty()) text += ", firmware " + printable(target.firmware);
  return field("target", text, width);
}

/// The first few: a job may have a million files, and they are alike.
std::string targets(const Job& job, int width) {
  constexpr std::size_t kShown = 4;
  std::string out;
  for (std::size_t at = 0; at < std::min(job.targets.size(), kShown); ++at) {
    out += target_line(job.targets[at], width);
  }
  if (job.targets.size() > kShown) {
    out += field("targets", fmt::format("{} more", job.targets.size() - kShown), width);
  }
  return out;
}

/// By direction. They cost a second call each, which no latency shows by itself.
std::string short_transfers(const Job& job, int width) {
  std::string text;
  for (std::size_t at = 0; at < results::kDirections; ++at) {
    const std::uint64_t count = job.directions.at(at).short_ios;
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + counted(count, results::kDirectionNames.at(at));
  }
  if (text.empty()) return {};
  return field("short I/Os", text + " came back short and were continued", width);
}

std::string error_line(const results::IoError& error, int width) {
  std::string text = printable(error.operation);
  if (!error.path.empty()) text += " of " + printable(error.path);
  if (error.length > 0) text += fmt::format(" at offset {}, length {}", error.offset, error.length);
  // Above it a number is the device's own, by the rule of the engine contract.
  constexpr int kDeviceStatus = 4096;
  text += ": " + printable(error.text);
  if (error.error <= kDeviceStatus)
    text += fmt::format(" (errno {})", error.error);
  else if (!error.text.starts_with("device status"))
    text += fmt::format(" (device status {:#x})", error.error - kDeviceStatus);
  return field("error", text, width);
}

/// The first few in full: a device that fails tends to fail for each I/O.
std::string errors(const Job& job, const Terminal& terminal) {
  constexpr std::size_t kShown = 8;
  const int width = text_width(terminal);
  std::string out;
  for (std::size_t at = 0; at < std::min(job.errors.size(), kShown); ++at) {
    out += inked(error_line(job.errors[at], width), Ink::alarm, terminal);
  }
  if (job.errors.size() > kShown) {
    out += field("errors", fmt::format("{} more", job.errors.size() - kShown), width);
  }
  if (job.outstanding > 0) {
    out += inked(field("outstanding", counted(job.outstanding, "I/O") + " never came back", width),
                 Ink::alarm, terminal);
  }
  return out;
}

}  // namespace

// Behind fio's block, so that scripts find fio's lines where they look for them.
std::string job_details(const Job& job, const Terminal& terminal) {
  const int width = text_width(terminal);
  // From what explains a figure to what makes it doubtful: the end of a block is read most.
  std::string out = depth_reached(job, width) + engine_facts(job, width) + targets(job, width) +
                    short_transfers(job, width) + pmu_text(job, terminal) +
                    histograms(job, terminal) + errors(job, terminal);
  for (const std::string& note : job.notes) {
    out += inked(field("note", printable(note), width), Ink::caution, terminal);
  }
  return out;
}

}  // namespace chronio::report
