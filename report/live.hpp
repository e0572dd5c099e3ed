// live.hpp: the line that shows a run going on.
#pragma once

#include "report/terminal.hpp"
#include "runner/observer.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

namespace chronio::report {

/// Rewrites one line on a terminal; elsewhere writes a plain line every 10 s. Writes to `out`
/// (stderr).
class LiveLine final : public runner::Observer {
 public:
  LiveLine(std::FILE* out, const Terminal& terminal);

  [[nodiscard]] bool shows(std::uint64_t elapsed_ns) const override;
  void progress(const runner::Progress& progress) override;
  void stalled(const runner::Stall& stall) override;
  void group_done() override;

 private:
  void clear();
  void write(const std::string& text);

  std::FILE* out_;
  Terminal terminal_;
  bool drawn_ = false;
  std::uint64_t last_plain_ns_ = 0;
};

/// The line itself, at most `width` columns.
[[nodiscard]] std::string live_line(const runner::Progress& progress, int width);

}  // namespace chronio::report
