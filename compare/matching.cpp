// matching.cpp: pairs jobs by what they are, never by file names.
#include "compare/matching.hpp"

#include "results/size_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace chronio::compare {
namespace {

using results::Job;
using results::Option;
using results::Run;

/// In bytes where both sides know them: 4k and 4096 are one size.
bool same_bs(const Job& a, const Job& b) {
  const bool known = a.block_size[0] != 0 && b.block_size[0] != 0;
  return known ? a.block_size == b.block_size : a.bs == b.bs;
}

/// What two jobs have to agree in to be a pair.
struct Rule {
  bool name, rw, bs, iodepth;

  [[nodiscard]] bool holds(const Job& a, const Job& b) const {
    return (!name || a.jobname == b.jobname) && (!rw || a.rw == b.rw) && (!bs || same_bs(a, b)) &&
           (!iodepth || a.iodepth == b.iodepth);
  }
};

/// From the most that jobs can have in common to the least that makes a comparison worth reading. A
/// job that was renamed comes last, or it would take the partner of one that was not.
constexpr std::array<Rule, 5> kRules = {{
    {true, true, true, true},
    {true, true, true, false},
    {true, true, false, false},
    {true, false, false, false},
    {false, true, true, true},
}};

/// The first one left, so that clones pair in their order.
const Job* take(std::vector<const Job*>& jobs, const Job& partner, const Rule& rule) {
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const Job* job) { return rule.holds(partner, *job); });
  if (found == jobs.end()) return nullptr;
  const Job* const job = *found;
  jobs.erase(found);
  return job;
}

std::vector<const Job*> pointers(const Run& run) {
  std::vector<const Job*> jobs;
  for (const Job& job : run.jobs) jobs.push_back(&job);
  return jobs;
}

/// An option by key: its value, and whether anybody set it.
struct Setting {
  std::optional<std::string> value;
  bool is_default = true;
};

/// An option that is not listed counts as a default: nobody set it.
Setting setting_of(const Job& job, std::string_view key) {
  for (const Option& option : job.options)
    if (option.key == key) return {option.value, option.origin == "default"};
  return {};
}

/// Sizes by number: 1m and 1024k are the same; all else as it is spelled.
bool same_value(const std::string& a, const std::string& b) {
  const auto a_size = results::size_of(a);
  return a == b || (a_size && a_size == results::size_of(b));
}

/// fio lists only what was set, so a missing option agrees with a default.
bool differ(const Setting& a, const Setting& b) {
  // Both are known: who set them does not matter.
  if (a.value && b.value) return !same_value(*a.value, *b.value);
  return !a.is_default || !b.is_default;
}

/// Options of an fio result that make another workload and are no field of their own: its own, then
/// those of its ioengines. Which of its others would, nothing in it tells.
constexpr std::array<std::string_view, 36> kOfFio = {"size",
                                                     "filesize",
                                                     "nrfiles",
                                                     "io_size",
                                                     "offset",
                                                     "direct",
                                                     "rwmixread",
                                                     "norandommap",
                                                     "iodepth_low",
                                                     "iodepth_batch_submit",
                                                     "iodepth_batch_complete_min",
                                                     "iodepth_batch_complete_max",
                                                     "fsync",
                                                     "fdatasync",
                                                     "end_fsync",
                                                     "invalidate",
                                                     "fadvise_hint",
                                                     "rate",
                                                     "rate_iops",
                                                     "random_distribution",
                                                     "thinktime",
                                                     "hipri",
                                                     "hipri_percentage",
                                                     "nowait",
                                                     "uncached",
                                                     "fixedbufs",
                                                     "registerfiles",
                                                     "sqthread_poll",
                                                     "nonvectored",
                                                     "force_async",
                                                     "userspace_reap",
                                                     "thp",
                                                     "cpuload",
                                                     "cpuchunks",
                                                     "cpumode",
                                                     "stat_type"};

/// Options of a chronio result that make no other workload, or are compared as fields of the job;
/// with those of pmu*. All others do, the ioengine's among them.
constexpr std::array<std::string_view, 35> kOther = {"name",
                                                     "description",
                                                     "filename",
                                                     "directory",
                                                     "filename_format",
                                                     "unlink",
                                                     "allow_file_create",
                                                     "rw",
                                                     "bs",
                                                     "iodepth",
                                                     "numjobs",
                                                     "ioengine",
                                                     "buffered",
                                                     "rwmixwrite",
                                                     "thread",
                                                     "stonewall",
                                                     "group_reporting",
                                                     "new_group",
                                                     "cpus_allowed",
                                                     "randrepeat",
                                                     "randseed",
                                                     "runtime",
                                                     "time_based",
                                                     "ramp_time",
                                                     "startdelay",
                                                     "loops",
                                                     "clocksource",
                                                     "percentile_list",
                                                     "clat_percentiles",
                                                     "slat_percentiles",
                                                     "lat_percentiles",
                                                     "disable_slat",
                                                     "disable_clat",
                                                     "disable_lat",
                                                     "gtod_reduce"};

template <class List>
bool holds(const List& list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

bool makes_another_workload(const Option& option) {
  // fio's files do not tell a workload's options from the rest, ours are known: there the list
  // names the exceptions, so that an engine's new option is compared without being named here.
  if (option.origin == "fio") return holds(kOfFio, option.key);
  return !holds(kOther, option.key) && !option.key.starts_with("pmu");
}

/// Options that fio takes "empty or boolean" (its --cmdhelp). Where one stands alone, as it does in
/// most job files, fio's result does not list it.
constexpr std::array<std::string_view, 6> kAlone = {
    "norandommap", "hipri", "fixedbufs", "registerfiles", "sqthread_poll", "userspace_reap"};

/// Whether the file of `job` leaves open how the option was set.
bool untold(const Job& job, std::string_view key, const Setting& setting) {
  const bool of_fio = std::any_of(job.options.begin(), job.options.end(),
                                  [](const Option& option) { return option.origin == "fio"; });
  return of_fio && !setting.value && holds(kAlone, key);
}

/// Keys of either job, each once: those that everybody knows first.
std::vector<std::string> keys_of(const Job& a, const Job& b) {
  std::vector<std::string> keys;
  const auto add = [&keys](std::string_view key) {
    if (!holds(keys, key)) keys.emplace_back(key);
  };
  const auto is_listed = [](const Job& job, std::string_view key) {
    return std::any_of(job.options.begin(), job.options.end(),
                       [key](const Option& option) { return option.key == key; });
  };
  for (const std::string_view key : kOfFio)
    if (is_listed(a, key) || is_listed(b, key)) add(key);
  // Of both, or an option that only one has would be missed.
  for (const Job* job : {&a, &b})
    for (const Option& option : job->options)
      if (makes_another_workload(option)) add(option.key);
  return keys;
}

/// What stands in a line for a value.
std::string shown(const Setting& setting) {
  if (!setting.value) return "default";
  return setting.value->empty() ? "not set" : *setting.value;
}

std::string both(const std::string& key, const std::string& a, const std::string& b) {
  return key + ": " + a + ", " + b;
}

/// An empty text or 0 is not known, which is no difference: add_known() leaves it out.
class List {
 public:
  void add(const std::string& key, const std::string& a, const std::string& b) {
    if (a != b) lines.push_back(both(key, a, b));
  }
  void add_known(const std::string& key, const std::string& a, const std::string& b) {
    if (!a.empty() && !b.empty()) add(key, a, b);
  }
  void add_known(const std::string& key, std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b != 0) add(key, std::to_string(a), std::to_string(b));
  }

  std::vector<std::string> lines;
};

/// The first error stands for all.
std::string errors_of(const Job& job) {
  if (job.error == 0 && job.errors.empty()) return "none";
  // Of fio's results the number is all there is.
  return job.errors.empty() ? "errno " + std::to_string(job.error) : job.errors.front().text;
}

std::string ending_of(const Run& run) {
  if (run.complete) return "yes";
  return run.stopped_by.empty() ? "no" : "no (" + run.stopped_by + ")";
}

}  // namespace

Matching match(const Run& a, const Run& b) {
  Matching result;
  // All, until partners are taken from it.
  result.only_b = pointers(b);
  std::vector<const Job*> partners(a.jobs.size(), nullptr);
  // Rule by rule over all jobs: a job must not take by a weak rule what another one would have had
  // by a strong one.
  for (const Rule& rule : kRules)
    for (std::size_t i = 0; i < a.jobs.size(); ++i)
      if (partners[i] == nullptr) partners[i] = take(result.only_b, a.jobs[i], rule);
  // Only at the end, so that pairs are in the order of `a` and not of the rules.
  for (std::size_t i = 0; i < a.jobs.size(); ++i) {
    if (partners[i] == nullptr) {
      result.only_a.push_back(&a.jobs[i]);
    } else {
      result.pairs.emplace_back(&a.jobs[i], partners[i]);
    }
  }
  return result;
}

std::vector<std::string> workload_differences(const Job& a, const Job& b) {
  List list;
  list.add("rw", a.rw, b.rw);
  if (!same_bs(a, b)) list.add("bs", a.bs, b.bs);
  list.add("iodepth", std::to_string(a.iodepth), std::to_string(b.iodepth));
  list.add("numjobs", std::to_string(a.numjobs), std::to_string(b.numjobs));
  // Results of fio may lack it: what is not known is no difference.
  list.add_known("ioengine", a.ioengine, b.ioengine);
  for (const std::string& key : keys_of(a, b)) {
    const Setting in_a = setting_of(a, key);
    const Setting in_b = setting_of(b, key);
    if (untold(a, key, in_a) || untold(b, key, in_b)) continue;
    if (differ(in_a, in_b)) list.lines.push_back(both(key, shown(in_a), shown(in_b)));
  }
  const bool failed = errors_of(a) != "none" || errors_of(b) != "none";
  // Even if both failed in the same way: a job that ended early measured something else.
  if (failed) list.lines.push_back(both("errors", errors_of(a), errors_of(b)));
  return std::move(list.lines);
}

std::vector<std::string> environment_differences(const Run& a, const Run& b) {
  List list;
  // Another version may measure in another way.
  list.add("version", a.version, b.version);
  // A run that was cut short is compared, but not without a word.
  list.add("complete", ending_of(a), ending_of(b));
  list.add_known("hostname", a.host.hostname, b.host.hostname);
  list.add_known("kernel", a.host.kernel, b.host.kernel);
  list.add_known("machine", a.host.machine, b.host.machine);
  list.add_known("CPU", a.host.cpu_model, b.host.cpu_model);
  list.add_known("CPUs", a.host.cpus, b.host.cpus);
  list.add_known("memory", a.host.memory_bytes, b.host.memory_bytes);
  list.add_known("governor", a.host.governor, b.host.governor);
  list.add_known("kernel clocksource", a.host.clocksource, b.host.clocksource);
  list.add_known("hypervisor", a.host.hypervisor, b.host.hypervisor);
  // A result of fio has no certificate.
  if (!a.clock.read.empty() && !b.clock.read.empty()) {
    list.add("clock", name(a.clock.source), name(b.clock.source));
    list.add("clock verdict", name(a.clock.verdict), name(b.clock.verdict));
    list.add("clock read", a.clock.read, b.clock.read);
  }
  return std::move(list.lines);
}

std::vector<std::string> target_differences(const Job& a, const Job& b) {
  List list;
  // By place, never by path: the same device may have another name on the other day.
  for (std::size_t i = 0; i < std::min(a.targets.size(), b.targets.size()); ++i) {
    const results::TargetInfo& in_a = a.targets[i];
    const results::TargetInfo& in_b = b.targets[i];
    list.add_known("target type", in_a.type, in_b.type);
    list.add_known("file system", in_a.file_system, in_b.file_system);
    list.add_known("device model", in_a.model, in_b.model);
    list.add_known("device firmware", in_a.firmware, in_b.firmware);
    list.add_known("I/O scheduler", in_a.scheduler, in_b.scheduler);
    list.add_known("target bytes", in_a.bytes, in_b.bytes);
  }
  return std::move(list.lines);
}

}  // namespace chronio::compare
