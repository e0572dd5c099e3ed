// parser.hpp: job-file text to sections. Never throws on bad input: it returns what it understood
// and every mistake.
#pragma once

#include "jobs/diagnostic.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::jobs {

/// One `key=value` or bare `key`. ${VAR}, $pagesize, $mb_memory and $ncpus are already replaced.
struct Setting {
  std::string key;
  std::string value;
  bool has_value = false;
  Where where;                     ///< column: of the key
  std::uint32_t value_column = 0;  ///< from 1; 0 on the command line
};

/// One [section], or one group of command-line options.
struct Section {
  std::string name;
  bool global = false;
  std::uint32_t source = 0;  ///< 0: the command line; 1, 2, ...: the job files in their order
  std::vector<Setting> settings;
  Where where;
};

struct Parsed {
  std::vector<Section> sections;
  std::vector<Diagnostic> diagnostics;
};

/// How the parser reaches the world, so that tests and the fuzzer need none.
struct ParserWorld {
  /// Text of an included file, or nothing with `why` set.
  std::function<std::optional<std::string>(const std::string& path, std::string& why)> read_file;
  /// Value of an environment variable.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

/// Most bytes of a job file, its includes and what ${VAR} puts in.
inline constexpr std::size_t kLargestJobFile = std::size_t{64} << 20;

/// The real files and environment. A file over kLargestJobFile, a directory or a device is refused:
/// it is no `wanted`, which stands in the message and lives for ever.
[[nodiscard]] ParserWorld real_world(const char* wanted = "job file");

/// Sections of `text`, which came from `file` (for messages and for the folder of includes).
[[nodiscard]] Parsed parse(std::string_view text, const std::string& file, std::uint32_t source,
                           const ParserWorld& world);

}  // namespace chronio::jobs
