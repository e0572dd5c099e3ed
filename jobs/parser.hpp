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
/// The key is as written: an alias is not yet its option's key.
struct Setting {
  std::string key;
  std::string value;
  /// False for a bare key. "key=" has a value, the empty one, which no option takes.
  bool has_value = false;
  Where where;                     ///< column: of the key
  std::uint32_t value_column = 0;  ///< from 1; 0 on the command line
};

/// One [section], or one group of command-line options. Sections of one name are separate jobs, as
/// in fio.
struct Section {
  std::string name;
  bool global = false;
  std::uint32_t source = 0;  ///< 0: the command line; 1, 2, ...: the job files in their order
  std::vector<Setting> settings;
  Where where;
};

/// What a text holds and what is wrong with it. After a mistake the parser goes on, so sections may
/// lack settings: use them only when no diagnostic is an error.
struct Parsed {
  std::vector<Section> sections;
  std::vector<Diagnostic> diagnostics;
};

/// How the parser reaches the world, so that tests and the fuzzer need none. REQUIRES: both are
/// set.
struct ParserWorld {
  /// Text of an included file, or nothing with `why` set.
  std::function<std::optional<std::string>(const std::string& path, std::string& why)> read_file;
  /// Value of an environment variable; std::nullopt when it is not set. An empty one is set.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

/// Most bytes of a job file, its includes and what ${VAR} puts in, together: without a limit a file
/// that includes others many times could fill the memory.
inline constexpr std::size_t kLargestJobFile = std::size_t{64} << 20;

/// The real files and environment. A file over kLargestJobFile, a directory or a device is refused:
/// it is no `wanted`, which stands in the message and lives for ever. Pipes are read to their end,
/// so <(...) works.
[[nodiscard]] ParserWorld real_world(const char* wanted = "job file");

/// All of standard input up to its end, which a terminal's user has to type; or nothing with `why`
/// set, also where it is over kLargestJobFile. Once: a second call finds nothing left.
[[nodiscard]] std::optional<std::string> read_standard_input(std::string& why);

/// Sections of `text`, which came from `file` (for messages and for the folder of includes). Never
/// throws on bad input. After 200 diagnostics, 65,536 sections or 1,000 includes it reads no
/// further, and says so.
[[nodiscard]] Parsed parse(std::string_view text, const std::string& file, std::uint32_t source,
                           const ParserWorld& world);

}  // namespace chronio::jobs
