// text.cpp: the report of a run: its jobs, its groups, its clock and its host.
#include "report/text.hpp"

#include "report/clock_text.hpp"
#include "report/format.hpp"
#include "report/group_text.hpp"
#include "report/job_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <vector>

namespace chronio::report {
namespace {

using results::Host;
using results::Job;
using results::Run;

/// Local time of the host that ran, not of the one that reads. As ctime(3) has it. Source: fio's
/// stat.c puts it at the end of a job's first line.
std::string date_text(const Run& run) {
  const auto seconds = static_cast<std::time_t>(run.timestamp_ms / 1000) + run.host.utc_offset_s;
  std::tm fields = {};
  if (::gmtime_r(&seconds, &fields) == nullptr) return "-";
  return fmt::format("{:%a %b %e %H:%M:%S %Y}", fields);
}

/// "chronio-0.1.0", as fio prints "fio-3.33"; a result of another tool names it itself. The digit
/// tells them apart: results of other tools begin with their name.
std::string version_line(const Run& run, int width) {
  const bool bare =
      !run.version.empty() && std::isdigit(static_cast<unsigned char>(run.version.front())) != 0;
  return wrapped(bare ? "chronio-" : "", printable(run.version), 2, width);
}

/// Nothing for a complete run; else what cut it short, for the top and the bottom of the report.
/// The longest job's time stands for the run's.
std::string cut_short_line(const Run& run, const Terminal& terminal) {
  if (run.complete) return {};
  std::uint64_t longest = 0;
  for (const Job& job : run.jobs) longest = std::max(longest, job.elapsed_ns);
  std::string text = "CUT SHORT";
  if (run.stopped_by.starts_with("SIG")) {
    text = "INTERRUPTED by " + printable(run.stopped_by);
  } else if (!run.stopped_by.empty()) {
    text = "STOPPED by " + printable(run.stopped_by);
  }
  text += fmt::format(" after {}: results so far", duration_text(static_cast<double>(longest)));
  return inked(wrapped("", text, 2, text_width(terminal)), Ink::alarm, terminal);
}

/// fio's opening lines; the same job again is shown as "...". fio prints the first copy of a job
/// and dots for the others.
std::string headlines(const Run& run) {
  std::string out;
  std::string previous;
  bool dotted = false;
  for (const Job& job : run.jobs) {
    const std::string line = job_headline(job);
    const bool again = line == previous;
    if (!again) {
      out += line;
      dotted = false;
    }
    if ((again || job.workers > 1) && !dotted) {
      out += "...\n";
      dotted = true;
    }
    previous = line;
  }
  return out;
}

/// What is not known is left out; a figure stays with its unit when the line is broken.
std::string host_text(const Host& host, int width) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) parts.push_back(std::string(label) + printable(value));
  };
  add("", host.hostname);
  add("Linux ", host.kernel);
  add("", host.machine);
  add("", host.cpu_model);
  if (host.cpus > 0) parts.push_back(glued(counted(host.cpus, "CPU")));
  add("governor ", host.governor);
  add("clocksource ", host.clocksource);
  if (host.memory_bytes > 0) {
    const auto bytes = static_cast<double>(host.memory_bytes);
    parts.push_back(glued(bytes_text(bytes, Base::iec) + " memory"));
  }
  add("virtual machine: ", host.hypervisor);
  if (parts.empty()) return {};
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return wrapped("host: ", text, 6, width);
}

}  // namespace

std::string run_text(const Run& run, const Terminal& terminal) {
  const int width = text_width(terminal);
  const std::string cut_short = cut_short_line(run, terminal);
  const std::string ended = date_text(run);
  const auto groups = group_figures(run.jobs);
  std::string out = cut_short + headlines(run) + version_line(run, width);
  for (const Job& job : run.jobs) {
    out += "\n" + job_text(job, groups.at(job.groupid), ended) + job_details(job, terminal);
  }
  // A report of nothing must not look like one that was cut off.
  if (run.jobs.empty()) out += "no job ran\n";
  for (const auto& [groupid, figures] : groups) out += "\n" + group_text(figures, groupid);
  out += "\n";
  // A result of another tool does not tell of its clock.
  if (!run.clock.read.empty()) out += clock_text(run.clock, terminal);
  out += host_text(run.host, width);
  for (const std::string& note : run.notes) {
    out += inked(wrapped("note: ", printable(note), 6, width), Ink::caution, terminal);
  }
  return out + cut_short;
}

}  // namespace chronio::report
