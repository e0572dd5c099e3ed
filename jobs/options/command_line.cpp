// command_line.cpp: options of the command line, fio's and ours. In a job file they are a mistake.
// Source: fio's init.c, l_opts[].
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

constexpr std::string_view kFormats = "not done yet; --output-format=json is";
constexpr std::string_view kLive = "the live line is not adjustable yet; --eta=never ends it";
constexpr std::string_view kLog =
    "log files are not done yet; --output-format=json has the histograms";
constexpr std::string_view kHosts = "several hosts are not done yet; run chronio on each of them";
constexpr std::string_view kTrigger =
    "triggers are not done; SIGINT ends a run with a whole result";
constexpr std::string_view kAlone = "it stands alone, as the first word";

// Key, and where there is no such option here: why, and what would be right.
constexpr CommandLineOption kRows[] = {
    {"output", ""},
    {"output-format", ""},
    {"terse-version", kFormats},
    {"minimal", kFormats},
    {"append-terse", kFormats},
    {"eta", ""},
    {"eta-interval", kLive},
    {"eta-newline", kLive},
    {"status-interval",
     "results during a run are not done yet; the live line is there, and SIGINT "
     "ends a run with a whole result"},
    {"section", ""},
    {"readonly", ""},
    {"showcmd",
     "not done; chronio explain JOBFILE shows what each option is, and where it comes from"},
    {"parse-only", ""},
    {"debug", "not done; chronio explain JOBFILE shows what a job became"},
    {"cmdhelp", kAlone},
    {"enghelp", kAlone},
    {"bandwidth-log", kLog},
    {"latency-log", kLog},
    {"max-jobs", ""},
    {"alloc-size", "memory is taken as it is needed; leave it out"},
    {"warnings-fatal", ""},
    {"idle-prof", "how idle the CPUs are is not measured"},
    {"cpuclock-test", kAlone},
    {"crctest", "there are no checksums yet"},
    {"client", kHosts},
    {"server", kHosts},
    {"daemonize", "not done; nohup or systemd-run does it"},
    {"remote-config", kHosts},
    {"trigger", kTrigger},
    {"trigger-file", kTrigger},
    {"trigger-timeout", kTrigger},
    {"trigger-remote", kTrigger},
    {"aux-path", "there are no further files; --output=FILE names the report's"},
    {"inflate-log", kLog},
    {"merge-blktrace-only", "traces are not done yet"},
    {"profile", "profiles are not done; write their job as a job file"},
    {"allow-destroy", ""},
    {"help", kAlone},
    {"version", kAlone},
};

}  // namespace

std::span<const CommandLineOption> command_line_options() { return kRows; }

}  // namespace chronio::jobs
