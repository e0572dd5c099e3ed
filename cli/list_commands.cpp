// list_commands.cpp: engines, options and explain: what the program knows and what a job comes to.
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/tell.hpp"
#include "engines/registry.hpp"
#include "jobs/options.hpp"
#include "results/output.hpp"
#include "runner/plan.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <iterator>

namespace chronio::cli {
namespace {

/// A flag of the contract in words.
struct FlagWord {
  std::uint32_t flag;
  const char* word;
};
constexpr FlagWord kFlagWords[] = {
    {kNoData, "no data"},
    {kDiskless, "no file"},
    {kOpensFiles, "opens files itself"},
    {kOwnsThreads, "own threads"},
    {kTrims, "trims"},
    {kNoReads, "no reads"},
    {kOwnFiles, "only files that the run made"},
    {kMakesFiles, "makes its files"},
    {kWholeFiles, "one I/O for each file"},
    {kBlocks, "may wait while submitting"},
    {kMapsFiles, "maps its files"},
    {kOneByOne, "one request at a time in each file"},
};

/// Whether an engine is synchronous is told of each: it decides what iodepth means.
std::string flags_of(const EngineInfo& info) {
  std::string flags = runner::has_flag(info, kSynchronous) ? "synchronous" : "asynchronous";
  for (const auto& [flag, word] : kFlagWords)
    if (runner::has_flag(info, flag)) flags += fmt::format(", {}", word);
  return flags;
}

/// What the option takes, in the words of a usage line.
std::string values_of(const OptionDecl& option) {
  switch (option.type) {
    case OptionType::flag: return "0 or 1";
    case OptionType::text: return "text";
    case OptionType::number: return fmt::format("{} to {}", option.minimum, option.maximum);
    case OptionType::choice: break;
  }
  std::string words;
  for (const char* const* choice = option.choices; *choice != nullptr; ++choice)
    words += fmt::format("{}{}", words.empty() ? "" : ", ", *choice);
  return words;
}

std::string unit_of(const OptionDecl& option) {
  switch (option.unit) {
    case OptionUnit::bytes: return " bytes";
    case OptionUnit::nanoseconds: return " ns";
    case OptionUnit::percent: return " percent";
    case OptionUnit::none: break;
  }
  return {};
}

std::string engine_option_text(const OptionDecl& option) {
  return fmt::format("  {}={}{}\n      {} (default {})\n", option.name, values_of(option),
                     unit_of(option), option.help,
                     *option.fallback == '\0' ? "none" : option.fallback);
}

/// An engine's line, its flags and its options. The API is that of its contract: the first thing to
/// look at when a plugin is refused.
std::string engine_text(const EngineInfo& info) {
  std::string out = fmt::format("{}: {}\n  {}; engine API {}.{}\n", info.name, info.help,
                                flags_of(info), info.api_major, info.api_minor);
  for (std::uint32_t i = 0; i < info.option_count; ++i)
    out += engine_option_text(engine_option(info, i));
  return out;
}

/// "NAME", "NAME,OPTION" as fio's --enghelp has it, or the path of a shared object.
// A path alone is what fio's users write as external:PATH; no engine's name has a slash.
std::string engine_text(const std::string& word) {
  if (word.find('/') != std::string::npos && !word.starts_with("external:"))
    return engine_text(find_engine("external:" + word));
  const std::size_t comma = word.starts_with("external:") ? std::string::npos : word.find(',');
  const EngineInfo& info = find_engine(word.substr(0, comma));
  if (comma == std::string::npos) return engine_text(info);
  const std::string name = word.substr(comma + 1);
  for (std::uint32_t i = 0; i < info.option_count; ++i)
    if (engine_option(info, i).name == name) return engine_option_text(engine_option(info, i));
  throw EngineError(fmt::format("ioengine={} has no option {}", info.name, name));
}

/// The default is what an untouched Job holds, spelled as the parser would read it.
std::string option_text(const jobs::OptionRow& row) {
  const std::string aliases = row.aliases.empty() ? "" : fmt::format(" (also {})", row.aliases);
  return fmt::format("{}{}\n    {}; default {}\n", row.key, aliases, row.help, [&] {
    std::string value = jobs::spell(row, jobs::Job{});
    return value.empty() ? "none" : value;
  }());
}

std::string explained(std::string_view key, const std::string& value,
                      const jobs::Setting* setting) {
  return fmt::format("  {:<28} {:<24} {}\n", key, jobs::printable(value),
                     jobs::printable(runner::origin_of(setting)));
}

std::string engine_explanation(const EngineInfo& engine, const jobs::JobSpec& spec) {
  std::string out;
  for (std::uint32_t i = 0; i < engine.option_count; ++i) {
    const OptionDecl& option = engine_option(engine, i);
    const jobs::Setting* setting = runner::last_setting(spec.unknown, option.name);
    std::string value = option.fallback;
    if (setting != nullptr) value = setting->has_value ? setting->value : "1";
    out += explained(option.name, value, setting);
  }
  return out;
}

std::string explanation(const jobs::JobSpec& spec) {
  std::string out = fmt::format("[{}]\n", jobs::printable(spec.job.name));
  for (const jobs::OptionRow* row : jobs::option_rows())
    out += explained(row->key, jobs::spell(*row, spec.job), jobs::written_by(spec, *row));
  try {
    out += engine_explanation(find_engine(spec.job.ioengine), spec);
  } catch (const EngineError&) {
    // Among the mistakes, which have been told.
  }
  return out;
}

}  // namespace

int engines_command(const Words& words) {
  std::string out;
  if (words.empty())
    for (const EngineInfo* info : builtin_engines())
      out += fmt::format("{:<13}{}\n", info->name, info->help);
  for (const std::string& word : words) {
    if (word.starts_with('-')) throw UsageError(word + ": no such option");
    out += engine_text(word);
  }
  results::write_stdout(out);
  return kDone;
}

int options_command(const Words& words) {
  std::string out;
  if (words.empty())
    for (const jobs::OptionRow* row : jobs::option_rows())
      out += fmt::format("{:<28}{}\n", row->key, row->help);
  for (const std::string& word : words) {
    if (word == "--markdown") {
      out += jobs::markdown();
      continue;
    }
    const jobs::OptionRow* row = jobs::find_option(word);
    if (row != nullptr) {
      out += option_text(*row);
      continue;
    }
    if (word.starts_with('-')) throw UsageError(word + ": no such option");
    const jobs::ForeignOption* foreign = jobs::find_foreign(word);
    const std::string nearest = jobs::suggest(word);
    // What is refused with a reason is no mistake of spelling, so no other name is suggested.
    tell("chronio options: {}: {}\n", word,
         foreign != nullptr ? std::string(foreign->reason)
         : nearest.empty()  ? "no such option"
                            : "no such option; did you mean " + nearest + "?");
    return kFailed;
  }
  results::write_stdout(out);
  return kDone;
}

int explain_command(const Words& words) {
  Arguments arguments = read_arguments(words, jobs::real_world());
  if (!arguments.names_work && arguments.diagnostics.empty())
    throw UsageError("no job: a job file or --name=JOB would be right");
  jobs::Resolved resolved = jobs::resolve(arguments.sections);
  std::move(resolved.diagnostics.begin(), resolved.diagnostics.end(),
            std::back_inserter(arguments.diagnostics));
  // No plan is made, which would look at targets, so its part is asked for.
  for (jobs::Diagnostic& diagnostic : runner::unknown_options(resolved.jobs))
    arguments.diagnostics.push_back(std::move(diagnostic));
  // Told first, on stderr; what could be understood follows, for that is what the user is looking
  // for.
  tell_each(arguments.diagnostics);
  std::string out;
  for (const jobs::JobSpec& spec : resolved.jobs) out += explanation(spec);
  results::write_stdout(out);
  return jobs::has_errors(arguments.diagnostics) ? kFailed : kDone;
}

}  // namespace chronio::cli
