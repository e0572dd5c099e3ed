// jobs_text.hpp: job-file text to jobs and messages, with files and variables made of literals. For
// the tests of jobs.
#pragma once

#include "jobs/options.hpp"
#include "jobs/parser.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::jobs {

/// A world of these files and variables alone; any other file is missing, as open(2) would say it.
inline ParserWorld fake_world(std::map<std::string, std::string> files = {},
                              std::map<std::string, std::string> variables = {}) {
  ParserWorld world;
  world.read_file = [files](const std::string& path,
                            std::string& why) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    why = "No such file or directory";
    return std::nullopt;
  };
  world.environment = [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  return world;
}

/// Everything that parsing and resolving a text gives, the diagnostics of both in one list.
struct Outcome {
  std::vector<Section> sections;
  std::vector<JobSpec> jobs;
  std::vector<Setting> global_options;
  std::vector<Diagnostic> diagnostics;

  /// All diagnostics as they are printed.
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += format(diagnostic);
    return out;
  }
  /// Whether `part` stands anywhere in what is printed.
  [[nodiscard]] bool says(std::string_view part) const {
    return text().find(part) != std::string::npos;
  }
  /// How many diagnostics are of this severity.
  [[nodiscard]] std::size_t count(Severity severity) const {
    std::size_t out = 0;
    for (const Diagnostic& diagnostic : diagnostics) out += diagnostic.severity == severity ? 1 : 0;
    return out;
  }
};

/// Resolves sections that may come from several sources. `diagnostics`: those of their parsing,
/// which stay in front.
inline Outcome resolve_all(std::vector<Section> sections,
                           std::vector<Diagnostic> diagnostics = {}) {
  Outcome out;
  Resolved resolved = resolve(sections);
  out.sections = std::move(sections);
  out.jobs = std::move(resolved.jobs);
  out.global_options = std::move(resolved.global_options);
  out.diagnostics = std::move(diagnostics);
  out.diagnostics.insert(out.diagnostics.end(), resolved.diagnostics.begin(),
                         resolved.diagnostics.end());
  return out;
}

/// A whole job file, called "t.fio", source 1.
inline Outcome read_jobs(std::string_view text, const ParserWorld& world = fake_world()) {
  Parsed parsed = parse(text, "t.fio", 1, world);
  return resolve_all(std::move(parsed.sections), std::move(parsed.diagnostics));
}

/// The only job of "[j]" with these lines; the first of them is line 2.
inline Outcome read_lines(const std::string& lines) { return read_jobs("[j]\n" + lines); }

/// A section as the command line makes it, without its settings. A `source` above 0: as a file's.
inline Section argument_section(const std::string& name, std::uint32_t source = 0) {
  Section section;
  section.name = name;
  section.global = name == "global";
  section.source = source;
  section.where.file = "command line";
  return section;
}

/// "--key=value" of the command line.
inline Setting argument(const std::string& key, const std::string& value) {
  Setting setting;
  setting.key = key;
  setting.value = value;
  setting.has_value = true;
  setting.where.file = "command line";
  return setting;
}

}  // namespace chronio::jobs
