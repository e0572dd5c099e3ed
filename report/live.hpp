// live.hpp: the line that shows a run going on.
#pragma once

#include "report/terminal.hpp"
#include "runner/observer.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

namespace chronio::report {

/// Rewrites one line on a terminal; elsewhere writes a plain line every 10 s. Writes to `out`
/// (stderr), which has to stay open. For one thread, the coordinator's.
class LiveLine final : public runner::Observer {
 public:
  LiveLine(std::FILE* out, const Terminal& terminal);

  /// Always on a terminal; elsewhere once in 10 s of a group.
  [[nodiscard]] bool shows(std::uint64_t elapsed_ns) const override;
  /// Ignored while shows() says no.
  void progress(const runner::Progress& progress) override;
  /// A line that stays, on a terminal in place of the live one.
  void stalled(const runner::Stall& stall) override;
  /// Wipes the line, so that the report does not begin behind it.
  void group_done() override;

 private:
  void clear();
  void write(const std::string& text);

  std::FILE* out_;
  Terminal terminal_;
  bool drawn_ = false;
  std::uint64_t last_plain_ns_ = 0;
};

/// The line itself, at most `width` columns, without a newline. Fields that do not fit are left out
/// whole, least important first.
[[nodiscard]] std::string live_line(const runner::Progress& progress, int width);

}  // namespace chronio::report
