// markdown.cpp: docs/jobfile.md out of the option tables.
#include "jobs/options.hpp"
#include "jobs/units.hpp"

#include <fmt/format.h>
#include <type_traits>

namespace chronio::jobs {
namespace {

// The page in the tree is this text and the tables, nothing else; who wants to change it changes it
// here.
constexpr std::string_view kIntroduction = R"(# Job files

This page is made by `chronio options --markdown` from the tables in `jobs/options/`. A key under fio's name
means what it means in fio.

```
; four jobs on one file, one after the other
[global]
ioengine=io_uring
direct=1
filename=/mnt/data/test
size=4g
runtime=30
time_based

[reads]
rw=randread
bs=4k
iodepth=32

[writes]
stonewall
rw=randwrite
bs=4k,8k       # reads, writes
```

## Grammar

- `[name]` opens a job. `[global]` sets defaults for the sections below it in the same file; there may be several.
- `key=value`, or a key alone where the table says "flag". Keys are case-sensitive. Blanks around `=` and at both
  ends of a line are ignored.
- `;` and `#` begin a comment, anywhere in a line. A value can hold neither.
- Within a section the last value of a key wins, except where a list says that it adds.
- `${NAME}` is the environment variable, which must be set. `$pagesize`, `$mb_memory` and `$ncpus`, as whole words,
  are the page size in bytes, the memory in MiB and the number of CPUs online. There is no arithmetic.
- `include FILE` stands for the lines of that file, which holds options but no sections. The path is relative to the
  including file, or else to the working directory. Includes nest 16 deep.
- Text is UTF-8 (a byte-order mark is skipped) with LF or CR LF. A file has at most 64 MiB, a line no limit.
- A size is a number, plain or 0x, with an optional suffix k, m, g, t or p, in any case, with or without b: 1024
  each. KiB, MiB and so on are the same. `N%` is a share of the target.
- A time is a number with d, h, m, s, ms or us; decimals are exact. A bare number is in the unit of the table.
- A yes-or-no option takes 0 or 1; a flag may also stand alone.
- Options of an ioengine are listed by `chronio engines NAME`.
- Whatever does not parse whole is an error with file, line and caret; all mistakes of a file are told at once, before
  the first I/O. Where fio would have taken another value, a warning names both.
- A job file called `-` is standard input; its includes are relative to the working directory.
- Several job files run one after the other. Options of the command line are defaults for them, wherever they stand, but for those behind a `--name=`.
)";

// In the page, so that a search for a key of fio finds why it is not there.
constexpr std::string_view kForeign = R"(
## Known, but not done

These options of fio are refused by name, so that no job runs otherwise than its author thinks. With the values in
the second column they can't change a result and are accepted with a note.

| key | accepted | reason |
| --- | --- | --- |
)";

std::string words_of(const OptionRow& row) {
  std::string words;
  for (const Word& word : row.words) {
    words += fmt::format("{}{}", words.empty() ? "" : ", ", word.text);
  }
  return words;
}

const char* number_of(const OptionRow& row) {
  switch (row.unit) {
    case Unit::bytes: return "size";
    case Unit::seconds: return "time, in s";
    case Unit::microseconds: return "time, in us";
    case Unit::percent: return "percent";
    case Unit::none: break;
  }
  return "number";
}

/// What a row takes, by its field's type. An overload per type that is spelled otherwise than by
/// its unit.
struct TypeText {
  const OptionRow& row;

  std::string operator()(bool Job::* /*field*/) const { return row.bare ? "flag" : "0 or 1"; }
  std::string operator()(std::string Job::* /*field*/) const { return "text"; }
  std::string operator()(PerDdir<std::uint64_t> Job::* /*field*/) const {
    return "size per direction";
  }
  std::string operator()(Amount Job::* /*field*/) const { return "size or N%"; }
  std::string operator()(std::optional<Amount> Job::* /*field*/) const { return "size or N%"; }
  std::string operator()(std::vector<std::string> Job::* /*field*/) const {
    return "list of names";
  }
  std::string operator()(std::vector<double> Job::* /*field*/) const {
    return "list of percentages";
  }
  std::string operator()(std::vector<std::uint32_t> Job::* /*field*/) const {
    return "list of numbers";
  }
  template <class T>
  std::string operator()(T Job::* /*field*/) const {
    return std::is_enum_v<T> ? words_of(row) : number_of(row);
  }
};

std::string type_of(const OptionRow& row) { return std::visit(TypeText{row}, row.field); }

/// A number, or a list of numbers, without a unit.
bool is_count(const OptionRow& row) {
  return row.unit == Unit::none &&
         (std::holds_alternative<std::uint32_t Job::*>(row.field) ||
          std::holds_alternative<std::vector<std::uint32_t> Job::*>(row.field));
}

/// Empty for sizes, times and texts, bs= apart: their limits are far from what anybody writes.
std::string range_of(const OptionRow& row) {
  if (std::holds_alternative<PerDdir<std::uint64_t> Job::*>(row.field)) {
    return fmt::format("{} to {}", spell_size(row.minimum), spell_size(row.maximum));
  }
  if (std::holds_alternative<std::vector<double> Job::*>(row.field)) {
    return fmt::format("above 0 to {}, {} entries", row.maximum, row.most_entries);
  }
  if (row.unit == Unit::percent || is_count(row))
    return fmt::format("{} to {}", row.minimum, row.maximum);
  return "";
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", text);
}

/// "a b" as "`a` `b`". Blank-separated words are lists in the tables.
std::string codes(std::string_view words) {
  std::string out;
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t end = std::min(words.find(' ', from), words.size());
    out += fmt::format("{}{}", out.empty() ? "" : " ", code(words.substr(from, end - from)));
    from = end + 1;
  }
  return out;
}

/// Prose with backslashes that Markdown leaves alone.
std::string prose(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += c;
    out += c;
  }
  return out;
}

// The default is the effective value of a job in which nobody set anything.
std::string row_text(const OptionRow& row) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", code(row.key), codes(row.aliases),
                     type_of(row), code(spell(row, Job{})), range_of(row), prose(row.help));
}

std::string foreign_text(const ForeignOption& row) {
  const std::string accepted = row.harmless == "*" ? "any" : codes(row.harmless);
  return fmt::format("| {} | {} | {} |\n", code(row.key), accepted, row.reason);
}

}  // namespace

std::string markdown() {
  std::string out(kIntroduction);
  for (const OptionGroup& group : option_groups()) {
    out += fmt::format(
        "\n## {}\n\n| key | also | value | default | range | meaning |\n"
        "| --- | --- | --- | --- | --- | --- |\n",
        group.title);
    for (const OptionRow& row : group.rows) out += row_text(row);
  }
  out += kForeign;
  for (const ForeignOption* row : foreign_options()) out += foreign_text(*row);
  return out;
}

}  // namespace chronio::jobs
