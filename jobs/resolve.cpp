// resolve.cpp: sections to jobs: globals inherited, every setting typed and checked.
#include "jobs/messages.hpp"
#include "jobs/options.hpp"
#include "jobs/paths.hpp"
#include "jobs/units.hpp"
#include "jobs/values.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

// Limits of what a file may cost. Each job copies the settings of its globals, so 10,000 sections
// below a large [global] multiply it.
constexpr std::size_t kMostDiagnostics = 200;
constexpr std::size_t kMostUnknown = 64;  // no ioengine has as many options
constexpr std::size_t kMostInherited = std::size_t{256}
                                       << 20;  // bytes of [global] text, over all jobs

/// Options that jobs start from.
using Defaults = JobSpec;

/// Walks over the sections once, keeping what is in force.
class Resolver {
 public:
  Resolved run(std::span<const Section> sections) {
    out_.jobs.reserve(sections.size());
    for (const Section& section : sections) {
      if (stopped_) break;
      take(section);
    }
    return std::move(out_);
  }

 private:
  void take(const Section& section) {
    // What a job file's [global] says ends with that file.
    if (section.source != source_) {
      source_ = section.source;
      file_ = command_line_;
    }
    Defaults& defaults = source_ == 0 ? command_line_ : file_;
    if (section.global) return fill(section, defaults);
    job(section, defaults);
  }

  void job(const Section& section, const Defaults& defaults) {
    inherited_ += text_bytes(defaults);
    if (inherited_ > kMostInherited) {
      stopped_ = true;
      tell({Severity::error, section.where,
            "the [global] options take too much memory for so many sections"});
      return;
    }
    JobSpec& spec = out_.jobs.emplace_back();
    spec.job = defaults.job;
    spec.unknown = defaults.unknown;
    spec.written.reserve(defaults.written.size() + section.settings.size());
    spec.written = defaults.written;
    spec.where = section.where;
    spec.job.name = section.name;
    fill(section, spec);
    // As fio does between job files: what stands in two files was written to run alone. What stands
    // on the command line was written to run beside the first of them.
    if (last_source_ != 0 && last_source_ != source_) spec.job.stonewall = true;
    last_source_ = source_;
    // Behind fill(): a path is made of options that may come in any order.
    for (Diagnostic& diagnostic : path_errors(spec)) tell(std::move(diagnostic));
  }

  /// Applies the settings in their order, so that the last one wins. fio sorts some options first
  /// (kb_base, for one): none of those has a row here.
  void fill(const Section& section, JobSpec& spec) {
    seen_.clear();
    for (const Setting& setting : section.settings) {
      if (stopped_) return;
      if (const OptionRow* row = find_option(setting.key)) {
        set(*row, setting, section.global, spec);
      } else {
        set_unknown(setting, section.global, spec);
      }
    }
  }

  void set(const OptionRow& row, const Setting& setting, bool global, JobSpec& spec) {
    // Only inside one section does a list grow: a job's own filename= replaces that of its
    // [global].
    const bool repeated =
        row.accumulates && std::find(seen_.begin(), seen_.end(), &row) != seen_.end();
    const auto text =
        setting.has_value ? std::optional<std::string_view>(setting.value) : std::nullopt;
    const Applied applied = apply(row, text, repeated, spec.job);
    if (!applied.error.empty())
      return tell(about(setting, Severity::error, applied.error, applied.at));
    if (!applied.warning.empty()) tell(about(setting, Severity::warning, applied.warning));
    if (!applied.note.empty()) tell(about(setting, Severity::note, applied.note));
    if (repeated)
      tell(about(setting, Severity::warning, "added to the list; fio takes the last one alone"));
    warn_about_blank(row, setting);
    note_effect(row, setting, global, spec.job);
    if (row.accumulates && !repeated) seen_.push_back(&row);
    write(row, setting, repeated, spec.written);
    if (global) write(row, setting, repeated, out_.global_options);
  }

  /// fio loses a number's suffix when blanks stand before the number. Such a file has measured
  /// something else with fio than its author thinks.
  void warn_about_blank(const OptionRow& row, const Setting& setting) {
    const bool sized = row.unit == Unit::bytes || unit_ns(row.unit) > 0;
    if (!sized || !stands_behind_blank(setting) || setting.value.ends_with('%')) return;
    const std::size_t digits = setting.value.find_first_not_of("0123456789");
    if (digits == std::string::npos || digits == 0) return;
    tell(about(setting, Severity::warning,
               fmt::format("fio loses the suffix behind a blank and takes {}",
                           setting.value.substr(0, digits))));
  }

  /// What a setting does not do. `thread` is put back, for workers are threads whatever it says.
  void note_effect(const OptionRow& row, const Setting& setting, bool global, Job& job) {
    if (!job.thread) {
      job.thread = true;
      tell(about(setting, Severity::note, "jobs are always threads"));
    }
    if (global && row.key == "name") {
      tell(about(setting, Severity::note,
                 "names no job: each is called after its section, as in fio"));
    }
  }

  /// Keeps what is in force: each key once, a complement's under its own name. The result file
  /// shows this beside the effective values, with the place of each.
  static void write(const OptionRow& row, const Setting& setting, bool repeated,
                    std::vector<Setting>& written) {
    const OptionRow* twin = twin_of(row);
    const auto old = std::find_if(written.begin(), written.end(), [&](const Setting& other) {
      return other.key == row.key || (twin != nullptr && other.key == twin->key);
    });
    if (old != written.end() && repeated) {
      old->value += ':' + setting.value;
      return;
    }
    if (old == written.end()) {
      written.push_back(setting);
      written.back().key = row.key;
      return;
    }
    // In the old one's place: the order is that in which options first appeared.
    *old = setting;
    old->key = row.key;
  }

  /// What no table has may be the ioengine's own, which jobs does not know. It is kept for the
  /// plan, unless it can be refused here: options of fio itself, of the command line.
  void set_unknown(const Setting& setting, bool global, JobSpec& spec) {
    const ForeignOption* foreign = find_foreign(setting.key);
    if (foreign != nullptr && !foreign->engine) return tell(foreign_option(*foreign, setting));
    if (foreign == nullptr && is_command_line_only(setting.key))
      return tell(command_line_only(setting));
    if (spec.unknown.size() >= kMostUnknown) {
      stopped_ = true;
      return tell(unknown_option(setting, {}));
    }
    spec.unknown.push_back(setting);
    if (global) write_unknown(setting);
  }

  /// Each key once in the result file, too.
  void write_unknown(const Setting& setting) {
    const auto old = std::find_if(out_.global_options.begin(), out_.global_options.end(),
                                  [&](const Setting& other) { return other.key == setting.key; });
    if (old == out_.global_options.end()) {
      out_.global_options.push_back(setting);
    } else {
      *old = setting;
    }
  }

  /// What copying these costs, near enough: texts are by far the largest part.
  static std::size_t text_bytes(const Defaults& defaults) {
    std::size_t bytes = 0;
    for (const Setting& setting : defaults.written)
      bytes += setting.value.size() + setting.where.text.size();
    return bytes;
  }

  /// Keeps a diagnostic, once: jobs inherit the mistakes of their [global].
  void tell(Diagnostic diagnostic) {
    const bool told =
        std::any_of(out_.diagnostics.begin(), out_.diagnostics.end(), [&](const Diagnostic& other) {
          return other.where.line == diagnostic.where.line &&
                 other.where.file == diagnostic.where.file && other.message == diagnostic.message;
        });
    if (told) return;
    if (out_.diagnostics.size() == kMostDiagnostics) {
      stopped_ = true;
      diagnostic.severity = Severity::error;
      diagnostic.message = "too many mistakes; the rest is not shown";
    }
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  Resolved out_;
  Defaults command_line_;
  Defaults file_;  // starts as those of the command line, for each file anew
  std::uint32_t source_ = 0;
  std::uint32_t last_source_ = 0;  // of the job before
  std::size_t inherited_ = 0;
  std::vector<const OptionRow*> seen_;  // accumulating rows that this section has set
  bool stopped_ = false;
};

}  // namespace

Resolved resolve(std::span<const Section> sections) { return Resolver().run(sections); }

}  // namespace chronio::jobs
