// live.cpp: the line that shows a run going on.
#include "report/live.hpp"

#include "report/format.hpp"

#include <array>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <vector>

namespace chronio::report {
namespace {

using runner::Phase;
using runner::Progress;

// ns. In a log every line stays: often enough to see that it runs, seldom enough to read.
constexpr std::uint64_t kPlainEvery = 10'000'000'000;

std::string_view words(Phase phase) {
  switch (phase) {
    case Phase::layout: return "laying out";
    case Phase::ramp: return "ramp";
    case Phase::run: return "running";
    case Phase::drain: return "draining";
  }
  return "running";
}

/// "1:05", "2:03:05"; rounded up, so that it reads 0:00 only at the end.
std::string eta_text(std::uint64_t ns) {
  const std::uint64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 > 0 ? 1 : 0);
  const std::uint64_t hours = seconds / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", hours, seconds / 60 % 60, seconds % 60);
}

/// Where neither can be told, as of a job without a size and a time limit, the phase stands alone.
std::string state(const Progress& progress) {
  std::string text(words(progress.phase));
  if (progress.done) text += fmt::format(" {:.0f}%", *progress.done * 100);
  if (progress.eta_ns) text += " ETA " + eta_text(*progress.eta_ns);
  return text;
}

/// All directions together. REQUIRES: length_ns > 0.
double per_second(const std::array<std::uint64_t, results::kDirections>& counts,
                  std::uint64_t length_ns) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return static_cast<double>(sum) * 1e9 / static_cast<double>(length_ns);
}

/// What the line says, most important first. In this order, because what does not fit is cut from
/// the end.
std::vector<std::string> fields(const Progress& progress) {
  std::vector<std::string> parts = {state(progress)};
  const results::Interval& interval = progress.interval;
  if (interval.length_ns > 0) {
    // The layout writes in pieces of its own choice: their number says nothing.
    const bool counted_ios = progress.phase != Phase::layout;
    if (counted_ios) {
      parts.push_back("IOPS " + iops_text(per_second(interval.ios, interval.length_ns)));
    }
    parts.push_back(rate_text(per_second(interval.bytes, interval.length_ns), Base::iec));
  }
  constexpr std::array<const char*, 2> kNames = {"p50 ", "p99.9 "};
  for (std::size_t at = 0; at < kNames.size(); ++at) {
    const auto& ns = progress.percentiles_ns.at(at);
    if (ns) parts.push_back(kNames.at(at) + latency_text(*ns));
  }
  if (progress.workers > 1) parts.push_back(counted(progress.workers, "worker"));
  return parts;
}

/// The first `most` columns of UTF-8 `text`.
std::string cut(const std::string& text, std::size_t most) {
  std::size_t at = 0;
  std::size_t used = 0;
  while (at < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
    if (starts && used == most) break;
    used += starts ? 1 : 0;
    ++at;
  }
  return text.substr(0, at);
}

}  // namespace

std::string live_line(const Progress& progress, int width) {
  const auto most = static_cast<std::size_t>(width > 0 ? width : 1);
  constexpr std::size_t kName = 24;
  // A long name would leave no room for figures.
  std::string name = printable(progress.jobs);
  if (columns(name) > kName) name = cut(name, kName - 1) + "~";
  std::string line = name + ": ";
  bool first = true;
  for (const std::string& field : fields(progress)) {
    const std::size_t gap = first ? 0 : 2;
    // Whole fields only: half a figure is a wrong one.
    if (columns(line) + gap + columns(field) > most) break;
    line += std::string(gap, ' ') + field;
    first = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return cut(line, most);
}

LiveLine::LiveLine(std::FILE* out, const Terminal& terminal) : out_(out), terminal_(terminal) {}

bool LiveLine::shows(std::uint64_t elapsed_ns) const {
  return terminal_.tty || elapsed_ns >= last_plain_ns_ + kPlainEvery;
}

void LiveLine::progress(const Progress& progress) {
  if (!shows(progress.elapsed_ns)) return;
  if (terminal_.tty) {
    // One column stays free: a character in the last one makes some terminals wrap. The line is
    // drawn over itself: to its beginning, erase to the end (ECMA-48, EL).
    write("\r\x1b[K" + live_line(progress, terminal_.width - 1));
    drawn_ = true;
    return;
  }
  last_plain_ns_ = progress.elapsed_ns;
  write(live_line(progress, terminal_.width) + "\n");
}

// The live line is wiped first, and comes again with the next progress below this one.
void LiveLine::stalled(const runner::Stall& stall) {
  clear();
  const std::string text =
      fmt::format("{}: no completion for {:.1f} s, {} outstanding on {}", printable(stall.jobname),
                  static_cast<double>(stall.silent_ns) / 1e9, counted(stall.outstanding, "I/O"),
                  printable(stall.path));
  write(inked(text, Ink::alarm, terminal_) + "\n");
}

// The next group's time begins at 0 again, and so do the ten seconds.
void LiveLine::group_done() {
  clear();
  last_plain_ns_ = 0;
}

void LiveLine::clear() {
  if (drawn_) write("\r\x1b[K");
  drawn_ = false;
}

void LiveLine::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  // stderr may be given a buffer; a line without a newline would wait in it.
  std::fflush(out_);
}

}  // namespace chronio::report
