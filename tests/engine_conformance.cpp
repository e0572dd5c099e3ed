// engine_conformance.cpp: holds an ioengine to the contract of engines/engine.hpp.
//
// engine_conformance [--engine=NAME|external:PATH] [--patience=SECONDS]
//   [--pmu=sigtrap|signal|poll] [OPTION=VALUE...]
// Without an engine: all built-in ones. With --pmu events are counted all the while, and overflows
// interrupt the thread 5,000 times per second of its CPU time; with poll another thread takes them.
// Exit status: 0 it conforms, 1 it does not, 2 wrong call, 77 the kernel refuses what it needs.
#include "pmu/session.hpp"
#include "tests/conformance/checks.hpp"

#include <charconv>
#include <chrono>
#include <iostream>
#include <string_view>

namespace {

using namespace chronio;
using namespace chronio::conformance;

constexpr int kConforms = 0;
constexpr int kFails = 1;
constexpr int kWrongCall = 2;
constexpr int kSkipped = 77;
constexpr std::string_view kPmu = "--pmu=";

struct Call {
  std::string_view engine;  ///< empty: all built-in ones
  std::int64_t patience_s = 20;
  std::vector<const char*> settings;
  pmu::Notify notify = pmu::Notify::none;  ///< none: no events are counted
};

pmu::Notify notify_of(std::string_view text) {
  for (const pmu::Notify notify : {pmu::Notify::sigtrap, pmu::Notify::signal, pmu::Notify::poll})
    if (text.substr(kPmu.size()) == name(notify)) return notify;
  throw std::invalid_argument(std::string(text) + ": sigtrap, signal or poll is needed");
}

Call parse(std::span<char*> args) {
  constexpr std::string_view kEngine = "--engine=";
  constexpr std::string_view kPatience = "--patience=";
  Call call;
  for (const char* arg : args) {
    const std::string_view text = arg;
    if (text.starts_with(kEngine)) {
      call.engine = text.substr(kEngine.size());
    } else if (text.starts_with(kPatience)) {
      const std::string_view number = text.substr(kPatience.size());
      const auto [end, error] = std::from_chars(number.begin(), number.end(), call.patience_s);
      if (error != std::errc{} || end != number.end() || call.patience_s < 1) {
        throw std::invalid_argument(std::string(text) + ": a whole number of seconds is needed");
      }
    } else if (text.starts_with(kPmu)) {
      call.notify = notify_of(text);
    } else if (text.starts_with('-') || text.find('=') == std::string_view::npos) {
      throw std::invalid_argument(std::string(text) + ": not understood");
    } else {
      call.settings.push_back(arg);
    }
  }
  return call;
}

int test(const Subject& subject) {
  if (is_refused(subject)) return kSkipped;
  if (subject.uses_files_up()) return passes(subject, whole_file_checks()) ? kConforms : kFails;
  int status = kConforms;
  for (const auto checks :
       {transfer_checks(), queue_checks(), waiting_checks(), resource_checks()}) {
    if (!passes(subject, checks)) status = kFails;
  }
  return status;
}

int run(const Call& call) {
  std::vector<const EngineInfo*> engines;
  if (!call.engine.empty()) {
    engines.push_back(&find_engine(call.engine));
  } else {
    engines.assign(builtin_engines().begin(), builtin_engines().end());
  }
  int status = kConforms;
  for (const EngineInfo* info : engines) {
    const int one =
        test({info, option_values(*info, call.settings), std::chrono::seconds(call.patience_s)});
    if (status != kFails && one != kConforms) status = one;
  }
  return status;
}

/// The same with the calling thread's events counted in three groups.
int run_counted(const Call& call) {
  pmu::Request request;
  request.need = pmu::Need::automatic;
  request.events = pmu::parse_events("{page-faults},{minor-faults},{major-faults}").groups;
  request.trigger = pmu::find_event("task-clock", "/sys").event;
  request.period = 200'000;  // ns
  request.budget = 1;
  request.notify = call.notify;
  pmu::Session session(request);
  session.begin();
  const int status = run(call);
  session.finish();
  const pmu::Counts counts = session.counts();
  std::cout << counts.switches << " windows by " << name(counts.notify) << '\n';
  if (counts.mode != pmu::Mode::overflow) {
    std::cout << counts.reason << '\n';
    return kSkipped;
  }
  if (status == kConforms && counts.switches < 10) {
    std::cout << "too few overflows: nothing was tried\n";
    return kFails;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Call call = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    return call.notify == pmu::Notify::none ? run(call) : run_counted(call);
  } catch (const std::exception& error) {
    std::cerr << "engine_conformance: " << error.what() << std::endl;
    return kWrongCall;
  }
}
