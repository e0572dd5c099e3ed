// parser.cpp: line by line: sections, settings, includes.
#include "jobs/parser.hpp"

#include "jobs/expand.hpp"
#include "jobs/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

// Limits that no file written by hand meets. They end what would otherwise fill the memory or never
// end: includes of includes, generated files, a binary that passed for text.
constexpr std::size_t kDeepestInclude = 16;
constexpr std::size_t kMostIncludes = 1000;
constexpr std::size_t kMostSections = 65536;
constexpr std::size_t kMostDiagnostics = 200;
constexpr std::size_t kLongestName = 255;  // fio's

class Parser {
 public:
  Parser(std::uint32_t source, const ParserWorld& world) : source_(source), world_(world) {}

  Parsed run(std::string_view text, const std::string& file) {
    file_text(text, file, {});
    return std::move(parsed_);
  }

 private:
  /// Parses one whole file. `from`: the include line that asked for it. A file that can't be one is
  /// told where the user named it: at the include line, or for the job file itself without a line.
  void file_text(std::string_view text, const std::string& file, const Where& from) {
    if (const auto reason = not_a_job_file(text)) {
      Where where = from;
      if (files_.empty()) where.file = file;
      return tell(Severity::error, where,
                  files_.empty() ? *reason : fmt::format("{}: {}", shown(file), *reason));
    }
    if (!fits(text.size(), from)) return;
    files_.push_back(file);
    text = without_mark(text);
    Where where;
    where.file = file;
    while (!text.empty() && !stopped_) {
      const std::string_view line = take_line(text);
      ++where.line;
      // As in fio, a comment begins at the first ";" or "#" wherever it stands; there are no
      // quotes.
      const std::string_view content = trim(line.substr(0, line.find_first_of(";#")));
      if (content.empty()) continue;
      // The whole line, comment too: the excerpt shows what stands in the file.
      where.text = line;
      where.column = column(line, content.data());
      this->line(where, content);
    }
    files_.pop_back();
  }

  static std::uint32_t column(std::string_view line, const char* at) {
    return static_cast<std::uint32_t>(at - line.data()) + 1;
  }

  /// One line without its comment. A header is not expanded: reports and --section call the job by
  /// what stands there.
  void line(const Where& where, std::string_view content) {
    if (content.starts_with('[')) return header(where, content);
    Expanded expanded = expand(content, world_);
    if (!expanded.error.empty()) {
      Where at = where;
      at.column += expanded.at;
      return tell(Severity::error, at, std::move(expanded.error));
    }
    // Only what expansion added: the file's own bytes are counted already.
    if (!fits(expanded.text.size() - std::min(expanded.text.size(), content.size()), where)) return;
    const std::string_view text = trim(expanded.text);
    if (text.empty()) return;
    // Behind expansion, so that a variable can name the file.
    if (text.starts_with("include") && (text.size() == 7 || is_blank(text[7]))) {
      return include(where, trim(text.substr(7)));
    }
    setting(where, text, expanded.keyword);
  }

  /// Counts `bytes` more; false, told and stopped when they are too many.
  bool fits(std::size_t bytes, const Where& where) {
    bytes_ += bytes;
    if (bytes_ <= kLargestJobFile) return true;
    stopped_ = true;
    tell(Severity::error, where, "includes and variables make the job file too large");
    return false;
  }

  /// "[name]". fio drops the last character whatever it is, so that "[j" runs a job without a name.
  void header(const Where& where, std::string_view content) {
    // The last one: a name may hold brackets.
    const std::size_t close = content.rfind(']');
    const bool closed = close == content.size() - 1;
    if (files_.size() > 1) {
      return tell(Severity::error, where, "an included file can't hold sections");
    }
    if (close == std::string_view::npos) {
      tell(Severity::error, where, fmt::format("\"{}\" has no closing \"]\"", shown(content)));
    } else if (!closed) {
      Where at = where;
      at.column += static_cast<std::uint32_t>(close) + 1;
      tell(Severity::error, at,
           fmt::format("\"{}\" behind the \"]\"", shown(content.substr(close + 1))));
    }
    // Also after a mistake, so that what follows is not taken for options of the section before.
    open_section(where, trim(content.substr(1, std::min(close, content.size()) - 1)));
  }

  void open_section(const Where& where, std::string_view name) {
    if (name.empty()) {
      tell(Severity::error, where, "a section needs a name");
    } else if (name.size() > kLongestName) {
      tell(Severity::error, where,
           fmt::format("the section name has {} bytes; at most {} would be right", name.size(),
                       kLongestName));
    } else if (name != "global" && name.starts_with("global")) {
      // fio compares the first six characters only: "[global-tuning]" changes all jobs below it
      // there, and would be an unexpected job here.
      tell(Severity::warning, where,
           fmt::format("[{}] is a job of that name; fio takes it for [global]", shown(name)));
    }
    if (parsed_.sections.size() == kMostSections) {
      stopped_ = true;
      return tell(Severity::error, where, fmt::format("more than {} sections", kMostSections));
    }
    Section section;
    section.name = name;
    section.global = name == "global";
    section.source = source_;
    section.where = where;
    // Most sections have a few lines: one allocation each.
    section.settings.reserve(8);
    parsed_.sections.push_back(std::move(section));
  }

  /// Files the setting under the section that is open.
  void setting(const Where& where, std::string_view text, bool keyword) {
    Setting out;
    out.where = where;
    // The first one: a value may hold more, as in filename=a=b.
    const std::size_t equals = text.find('=');
    const std::string_view key = trim(text.substr(0, equals));
    out.key = key;
    if (equals != std::string_view::npos) {
      out.has_value = true;
      out.value = trim(text.substr(equals + 1));
      out.value_column = value_column(where);
    }
    if (const std::string reason = setting_error(out, keyword); !reason.empty()) {
      return tell(Severity::error, where, reason);
    }
    if (!parsed_.sections.empty())
      return parsed_.sections.back().settings.push_back(std::move(out));
    if (!told_outside_) tell(Severity::error, where, "an option outside of a [section]");
    told_outside_ = true;  // the lines that follow are the same mistake
  }

  /// Where the value begins in the line as it was written; the key's column when a variable hides
  /// it. Columns are of the line as it was written, so it is searched again: what was expanded has
  /// other lengths.
  static std::uint32_t value_column(const Where& where) {
    const std::size_t equals = where.text.find('=');
    if (equals == std::string::npos) return where.column;
    const std::size_t value = where.text.find_first_not_of(" \t\v\f", equals + 1);
    return static_cast<std::uint32_t>(std::min(value, where.text.size() - 1)) + 1;
  }

  static std::string setting_error(const Setting& setting, bool keyword) {
    if (setting.key.empty()) return "a key is missing before the \"=\"";
    if (std::any_of(setting.key.begin(), setting.key.end(), is_blank)) {
      // "bs 4k", or a sentence without its "#".
      return fmt::format("\"{}\" is not an option; key=value would be right", shown(setting.key));
    }
    if (keyword && looks_like_arithmetic(setting.value)) {
      return fmt::format(
          "{}={}: arithmetic with a $keyword is not done yet; write the number itself",
          shown(setting.key), shown(setting.value));
    }
    return {};
  }

  /// Beside the including file first, unlike fio, which begins with the working directory: a job
  /// file and its includes then work from wherever they are called.
  void include(const Where& where, std::string_view name) {
    if (name.empty()) return tell(Severity::error, where, "include needs a file name");
    if (++includes_ > kMostIncludes) {
      stopped_ = true;
      return tell(Severity::error, where, fmt::format("more than {} includes", kMostIncludes));
    }
    const std::filesystem::path given = name;
    const auto beside = std::filesystem::path(files_.back()).parent_path() / given;
    std::string path = beside.lexically_normal().string();
    std::string why;
    auto text = world_.read_file(path, why);
    if (!text && beside != given) {
      std::string ignored;  // the first place is the documented one: its reason is told
      text = world_.read_file(given.string(), ignored);
      if (text) path = given.lexically_normal().string();
    }
    if (!text)
      return tell(Severity::error, where,
                  fmt::format("include {}: {}: {}", shown(name), shown(path), why));
    if (const std::string chain = loop(path); !chain.empty())
      return tell(Severity::error, where, chain);
    file_text(*text, path, where);
  }

  /// What is wrong with including `path` here; empty when nothing is. Paths are compared as text: a
  /// link can hide a loop, which the depth then ends.
  [[nodiscard]] std::string loop(const std::string& path) const {
    const auto same = [&](const std::string& file) {
      return std::filesystem::path(file).lexically_normal() == path;
    };
    const bool loops = std::any_of(files_.begin(), files_.end(), same);
    if (!loops && files_.size() <= kDeepestInclude) return {};
    std::string chain;
    for (const std::string& file : files_) chain += printable(file) + " -> ";
    chain += printable(path);
    if (loops) return fmt::format("include makes a loop: {}", chain);
    return fmt::format("includes are nested deeper than {}: {}", kDeepestInclude, chain);
  }

  // The last one that fits is replaced by a sentence that says so; nobody reads two hundred.
  void tell(Severity severity, Where where, std::string message) {
    if (parsed_.diagnostics.size() == kMostDiagnostics) {
      stopped_ = true;
      message = "too many mistakes; the rest is not shown";
    }
    parsed_.diagnostics.push_back({severity, std::move(where), std::move(message)});
  }

  std::uint32_t source_;
  const ParserWorld& world_;
  Parsed parsed_;
  std::vector<std::string> files_;  // the chain of includes, the job file first
  std::size_t includes_ = 0;
  std::size_t bytes_ = 0;
  bool told_outside_ = false;
  bool stopped_ = false;
};

}  // namespace

Parsed parse(std::string_view text, const std::string& file, std::uint32_t source,
             const ParserWorld& world) {
  return Parser(source, world).run(text, file);
}

}  // namespace chronio::jobs
