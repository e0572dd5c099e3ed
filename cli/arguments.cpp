// arguments.cpp: Boost.Program_options, filled from the option tables; the order of what it finds
// is kept.
#include "cli/arguments.hpp"

#include "engines/registry.hpp"
#include "jobs/units.hpp"

#include <algorithm>
#include <array>
#include <boost/make_shared.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace chronio::cli {
namespace {

namespace po = boost::program_options;

/// The value of an option that stands alone; nobody types it. Boost knows no difference between
/// "--direct" and "--direct=1"; jobs does, for only flags may stand alone.
constexpr const char* kBare = "\x01";

/// A value that may be left out.
po::typed_value<std::string>* bare_value() {
  return po::value<std::string>()->implicit_value(kBare, "1");
}

/// Columns of a line, and the least that descriptions have of them.
po::options_description run_options() {
  po::options_description options("Options of a run", 79, 40);
  options.add_options()                                                                  //
      ("output", po::value<std::string>()->value_name("FILE"), "where the report goes")  //
      ("output-format", po::value<std::string>()->value_name("LIST"),
       "normal, json, json+ (comma-separated)")                                             //
      ("json", po::value<std::string>()->value_name("FILE"), "write the json+ result too")  //
      ("section", po::value<std::string>()->value_name("NAME"),
       "run only this section of job files")                         //
      ("readonly", bare_value(), "never open anything for writing")  //
      ("allow-destroy", po::value<std::string>()->value_name("PATH"),
       "a device whose data may be overwritten")                                               //
      ("parse-only", bare_value(), "check the jobs, run nothing")                              //
      ("warnings-fatal", bare_value(), "treat warnings as errors")                             //
      ("eta", po::value<std::string>()->value_name("WHEN"), "live line: auto, always, never")  //
      ("max-jobs", po::value<std::string>()->value_name("N"), "most jobs in all (4096)")       //
      ("clock-tolerance", po::value<std::string>()->value_name("TIME"),
       "largest offset between CPUs that the TSC may have (250ns)")  //
      ("clock-quality", po::value<std::string>()->value_name("N"),
       "meetings of two CPUs that prove it")  //
      ("clock-calibrate", po::value<std::string>()->value_name("TIME"),
       "first fit of its rate (20ms)")  //
      ("clock-strict", bare_value(), "exit 1 unless the clock is ok");
  return options;
}

/// Each name once, for Boost takes one that it was told twice for ambiguous: options of a run come
/// first, and engines share names with each other.
void add_key(po::options_description& options, std::string_view key, bool bare) {
  if (options.find_nothrow(std::string(key), false) != nullptr) return;
  options.add(boost::make_shared<po::option_description>(
      std::string(key).c_str(), bare ? bare_value() : po::value<std::string>(), ""));
}

/// The rows of the tables, so that a new option needs no line here.
void add_job_options(po::options_description& options) {
  for (const jobs::OptionRow* row : jobs::option_rows()) {
    add_key(options, row->key, row->bare);
    std::istringstream aliases{std::string(row->aliases)};
    for (std::string alias; aliases >> alias;) add_key(options, alias, row->bare);
  }
}

/// Of all built-in engines, whichever the job will have. fio knows an engine's options only behind
/// --ioengine; here the order does not matter.
void add_engine_options(po::options_description& options) {
  for (const EngineInfo* engine : builtin_engines())
    for (std::uint32_t i = 0; i < engine->option_count; ++i)
      add_key(options, engine_option(*engine, i).name,
              engine_option(*engine, i).type == OptionType::flag);
}

/// implicit_value() makes the least number of tokens 0.
bool may_be_bare(const po::option_description& option) {
  return option.semantic()->min_tokens() == 0;
}

/// The name in a word such as "--rw" that carries no value; empty in any other. One dash or two, as
/// getopt_long_only(3), by which fio reads its options. A lone "-" or "--" is none.
std::string bare_name(const std::string& word) {
  const std::size_t dashes = std::min<std::size_t>(word.find_first_not_of('-'), 2);
  const bool is_option =
      word.starts_with('-') && word.size() > dashes && word.find('=') == std::string::npos;
  return is_option ? word.substr(dashes) : std::string();
}

/// Null for what Boost is not told of. To it, an empty name is the beginning of all others.
const po::option_description* option_of(const po::options_description& options,
                                        const std::string& key) {
  return key.empty() ? nullptr : options.find_nothrow(key, false);
}

/// Whether the word behind an option is its value, not a job file or the next option. A file that
/// exists is a job file, even where a value could stand: who has one called "0" can write
/// "--direct=0".
bool is_value(const std::string& next, bool of_flag) {
  if (::access(next.c_str(), F_OK) == 0) return false;
  return of_flag ? next == "0" || next == "1" : !next.starts_with('-');
}

/// Boost takes any word for a value, as getopt does: "--output --readonly" would write to a file of
/// that name, and nothing be read-only. Throws po::error where it is an option.
void check_value(const std::string& word, const std::string& next,
                 const po::options_description& options) {
  const std::string name = bare_name(next.substr(0, next.find('=')));
  if (option_of(options, name) != nullptr)
    throw po::error(
        fmt::format("{} needs a value, and the option {} stands behind it; {}={} would "
                    "take it for one",
                    word, next, word, next));
}

/// "--time_based job.fio": Boost would take the file for the option's value, so an option that may
/// stand alone gets its value here; "--fixedbufs 0" keeps the one it has. fio options that this
/// program does not do are in no table of Boost's: "--verify 0" would leave the 0 as a job file.
std::vector<std::string> joined(const std::vector<std::string>& words,
                                const po::options_description& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string key = bare_name(word);
    const po::option_description* known = option_of(options, key);
    const bool flag = known != nullptr && may_be_bare(*known);
    const bool foreign =
        known == nullptr && (jobs::find_foreign(key) != nullptr || jobs::is_command_line_only(key));
    if (known != nullptr && !flag && i + 1 < words.size()) check_value(word, words[i + 1], options);
    if ((flag || foreign) && i + 1 < words.size() && is_value(words[i + 1], flag))
      out.push_back(fmt::format("{}={}", word, words[++i]));
    else
      out.push_back(flag ? fmt::format("{}={}", word, kBare) : word);
  }
  return out;
}

/// Turns what Boost found, in order, into sections and settings.
class Reader {
 public:
  Reader(Arguments& arguments, const jobs::ParserWorld& world) : out_(arguments), world_(world) {}

  void take(const po::option& option);
  void finish();

 private:
  void take_file(const std::string& path);
  void take_setting(const po::option& option, const jobs::Where& where);
  bool take_run_option(const std::string& key, const std::string& value, const jobs::Where& where);
  void set_eta(const std::string& value, const jobs::Where& where);
  void set_formats(const std::string& list, const jobs::Where& where);
  void set_number(std::uint32_t& into, const std::string& value, const jobs::Where& where);
  void error(const jobs::Where& where, std::string message) {
    out_.diagnostics.push_back({jobs::Severity::error, where, std::move(message)});
  }
  jobs::Section& section();

  Arguments& out_;
  const jobs::ParserWorld& world_;
  bool in_section_ = false;
  std::uint32_t files_ = 0;
  /// Behind those of the command line in the end, wherever the files stand in it.
  std::vector<jobs::Section> file_sections_;
  std::vector<std::string> only_;
};

bool is_set(const std::string& value) { return value != "0"; }

/// The section that options go to, as in fio: before the first --name they are defaults for all
/// that follows and for job files, also for those that stand before them.
jobs::Section& Reader::section() {
  if (!in_section_) {
    out_.sections.push_back({"global", true, 0, {}, {"command line", 0, 0, ""}});
    in_section_ = true;
  }
  return out_.sections.back();
}

void Reader::take(const po::option& option) {
  // Boost gives words that are no option an empty key.
  if (option.string_key.empty()) {
    for (const std::string& path : option.value) take_file(path);
    return;
  }
  std::string value = option.value.empty() ? std::string() : option.value.front();
  // A message shows the option as it would be written; line 0 is the command line.
  if (value == kBare) value.clear();
  jobs::Where where{"command line", 0, 1, fmt::format("--{}", option.string_key)};
  if (!value.empty()) where.text += "=" + value;
  // Whatever isn't a run's is a job's or an engine's: what nobody knows is told by jobs, with a
  // suggestion.
  if (!take_run_option(option.string_key, value, where)) take_setting(option, where);
}

void Reader::take_file(const std::string& path) {
  out_.names_work = true;
  std::string why;
  // As fio; a file of that name is "./-".
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path;
  const std::optional<std::string> text =
      standard ? jobs::read_standard_input(why) : world_.read_file(path, why);
  if (!text) {
    error({name, 0, 0, ""}, fmt::format("job file {}: {}", name, why));
    return;
  }
  // Sources are numbered from 1 in the order of the files; 0 is the command line.
  jobs::Parsed parsed = jobs::parse(*text, name, ++files_, world_);
  std::move(parsed.sections.begin(), parsed.sections.end(), std::back_inserter(file_sections_));
  // fio ends with "No job(s) defined" as well. Not told on top of a mistake, which may be the
  // reason.
  const bool has_job = std::any_of(file_sections_.begin(), file_sections_.end(),
                                   [&](const auto& s) { return s.source == files_ && !s.global; });
  if (!has_job && !jobs::has_errors(parsed.diagnostics))
    error({name, 1, 0, ""}, "no job is defined: a job file needs a section such as [randread]");
  std::move(parsed.diagnostics.begin(), parsed.diagnostics.end(),
            std::back_inserter(out_.diagnostics));
}

void Reader::take_setting(const po::option& option, const jobs::Where& where) {
  jobs::Setting setting;
  setting.key = option.string_key;
  setting.has_value = !option.value.empty() && option.value.front() != kBare;
  if (setting.has_value) setting.value = option.value.front();
  setting.where = where;
  // --name opens a section; fio takes any name that begins with "global" for the defaults, here it
  // has to be that word.
  if (setting.key == "name") {
    in_section_ = true;
    const bool global = setting.value == "global";
    out_.names_work = out_.names_work || !global;
    out_.sections.push_back({setting.value, global, 0, {}, where});
    return;
  }
  section().settings.push_back(std::move(setting));
}

/// False: it is none of a run's.
bool Reader::take_run_option(const std::string& key, const std::string& value,
                             const jobs::Where& where) {
  std::string wrong;
  // Also an option with a wrong value is taken: jobs would call it unknown.
  if (take_clock_option(key, value, out_.clock, wrong)) {
    if (!wrong.empty()) error(where, wrong);
    return true;
  }
  if (key == "output")
    out_.output = value;
  else if (key == "json")
    out_.json = value;
  else if (key == "allow-destroy")
    out_.allow_destroy.push_back(value);
  else if (key == "section")
    only_.push_back(value);
  else if (key == "readonly")
    out_.readonly = is_set(value);
  else if (key == "parse-only")
    out_.parse_only = is_set(value);
  else if (key == "warnings-fatal")
    out_.warnings_fatal = is_set(value);
  else if (key == "output-format")
    set_formats(value, where);
  else if (key == "max-jobs")
    set_number(out_.max_jobs, value, where);
  else if (key == "eta")
    set_eta(value, where);
  else
    return false;
  return true;
}

void Reader::set_eta(const std::string& value, const jobs::Where& where) {
  if (value == "auto" || value == "always" || value == "never")
    out_.eta = value;
  else
    error(where, fmt::format("eta={}: one of auto, always, never", value));
}

/// The last --output-format replaces those before, as any option does. fio's "terse" is not
/// written.
void Reader::set_formats(const std::string& list, const jobs::Where& where) {
  out_.output_format.clear();
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "normal" || word == "json" || word == "json+")
      out_.output_format.push_back(word);
    else
      error(where, fmt::format("output-format={}: normal, json and json+ can be written", word));
  }
  if (out_.output_format.empty()) error(where, "output-format needs normal, json or json+");
}

void Reader::set_number(std::uint32_t& into, const std::string& value, const jobs::Where& where) {
  const jobs::Read<std::uint64_t> read = jobs::read_number(value);
  if (!read.error.empty() || read.value == 0 || read.value > 65536)
    error(where, fmt::format("max-jobs={}: a number from 1 to 65536", value));
  else
    into = static_cast<std::uint32_t>(read.value);
}

/// fio reads the whole command line before the first job file. --section: only jobs of job files
/// are dropped. [global] sections apply in any case, as in fio, and a job of the command line was
/// named by the same hand.
void Reader::finish() {
  std::move(file_sections_.begin(), file_sections_.end(), std::back_inserter(out_.sections));
  if (only_.empty()) return;
  std::erase_if(out_.sections, [&](const jobs::Section& section) {
    return section.source != 0 && !section.global &&
           std::find(only_.begin(), only_.end(), section.name) == only_.end();
  });
  for (const std::string& name : only_)
    if (std::none_of(out_.sections.begin(), out_.sections.end(),
                     [&](const jobs::Section& section) { return section.name == name; }))
      error({"command line", 0, 0, ""},
            fmt::format("section={}: no job file has this section", name));
}

}  // namespace

std::string run_options_help() {
  std::ostringstream out;
  out << run_options();
  return out.str();
}

Arguments read_arguments(const std::vector<std::string>& words, const jobs::ParserWorld& world) {
  Arguments arguments;
  po::options_description options = run_options();
  add_job_options(options);
  add_engine_options(options);
  // allow_long_disguise: "-rw=read", as fio allows. No abbreviations: what a short form means would
  // change with each option that is added. allow_unregistered: what Boost does not know is judged
  // by jobs, which suggests the nearest name.
  using Style = po::command_line_style::style_t;
  constexpr int kStyle = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next |
                         Style::allow_long_disguise;
  try {
    const std::vector<std::string> line = joined(words, options);
    const po::parsed_options parsed =
        po::command_line_parser(line).options(options).style(kStyle).allow_unregistered().run();
    Reader reader(arguments, world);
    for (const po::option& option : parsed.options) reader.take(option);
    reader.finish();
  } catch (const po::error& mistake) {
    arguments.diagnostics.push_back(
        {jobs::Severity::error, {"command line", 0, 0, ""}, mistake.what()});
  }
  return arguments;
}

}  // namespace chronio::cli
