// foreign.cpp: fio's options that chronio knows of but does not do. One that gets done moves to its
// group. Source: fio's options.c. Harmless values are fio's defaults, or those that do
// what chronio does in any case: with them a job file measures the same.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

// Reasons that several rows share. Each is a clause that says what would be right, where there is
// something.
constexpr std::string_view kExitall = "ending all jobs with the first one is not done yet";
constexpr std::string_view kMounted =
    "a mounted device is never written; --allow-destroy=PATH says so on purpose for one device";
constexpr std::string_view kBlocks =
    "changing block sizes are not done yet; bs= takes one per direction";
constexpr std::string_view kSprandom = "sprandom is not done yet";
constexpr std::string_view kMemory =
    "buffers are aligned ordinary memory; other kinds are not done yet";
constexpr std::string_view kBuffers =
    "the contents of buffers can't be chosen yet; writes carry incompressible data, new each time";
constexpr std::string_view kRate = "rates are not done yet";
constexpr std::string_view kNoRate = "it has no effect without a rate";
constexpr std::string_view kNoThinktime = "it has no effect without thinktime";
constexpr std::string_view kTarget = "latency targets are not done yet";
constexpr std::string_view kNoTarget = "it has no effect without latency_target";
constexpr std::string_view kVerify = "data are not verified yet";
constexpr std::string_view kNoVerify = "it has no effect without verify";
constexpr std::string_view kTrim = "trimming what was written is not done yet; rw=trim is";
constexpr std::string_view kTrace = "traces are not done yet";
constexpr std::string_view kNoTrace = "it has no effect without a trace";
constexpr std::string_view kNuma = "this build has no NUMA support";
constexpr std::string_view kPriority = "priorities are not done yet";
constexpr std::string_view kSteady = "steady-state detection is not done yet";
constexpr std::string_view kNoSteady = "it has no effect without steadystate";
constexpr std::string_view kLog = "log files are not done yet";
constexpr std::string_view kNoLog = "it has no effect without a log file";
constexpr std::string_view kZone = "zoned devices are not done yet";
constexpr std::string_view kNoZone = "it has no effect without zonemode";
constexpr std::string_view kFdp = "data placement is not done yet";
constexpr std::string_view kNoFdp = "it has no effect without data placement";

// Key, harmless values, reason.
constexpr ForeignOption kRows[] = {
    // Life of a job.
    {"ramp_size", "0", "a ramp by bytes is not done yet; ramp_time= is"},
    {"wait_for", "",
     "waiting for a named job is not done yet; stonewall waits for all earlier ones"},
    {"exitall", "0", kExitall},
    {"exit_what", "*", "it has no effect without exitall"},
    {"exitall_on_error", "0", kExitall},
    {"exec_prerun", "", "chronio runs no commands"},
    {"exec_postrun", "", "chronio runs no commands"},
    {"comm", "*", "threads are named after their job"},
    {"stats", "1", "statistics are always kept"},
    {"threads", "*",
     "fio itself ignores it in job files (it belongs to its tiobench profile); numjobs= makes "
     "copies"},
    // Targets.
    {"unique_filename", "*", "it matters only with fio's clients"},
    {"openfiles", "*", "all files of a job are held open"},
    {"file_service_type", "roundrobin", "files take turns"},
    {"filetype", "*", "what a target is, is looked up"},
    {"opendir", "", "opening whole folders is not done yet; filename= takes a list"},
    {"lockfile", "none", "files are not locked"},
    {"fallocate", "none 0 native 1", "files are laid out by writing them"},
    {"create_serialize", "*", "files are made one after the other"},
    {"create_fsync", "*", "files are fsynced when they are laid out"},
    {"create_on_open", "0", "files are made before the first I/O"},
    {"create_only", "0", "making files without a run is not done yet"},
    {"allow_mounted_write", "0", kMounted},
    {"pre_read", "0", "reading files into the cache beforehand is not done yet"},
    {"unlink_each_loop", "0", "removing files after each loop is not done yet; unlink= is"},
    {"overwrite", "0", "laying out files that are written is not done yet"},
    {"file_append", "0", "appending is not done yet"},
    {"ioscheduler", "", "chronio changes no settings of the device"},
    // Sizes.
    {"offset_align", "0",
     "aligning a percentage is not done yet; percentages are rounded down to the block size"},
    {"offset_increment", "0", "an offset per copy is not done yet"},
    {"number_ios", "0", "a number of I/Os is not done yet; io_size= limits bytes"},
    {"fill_device", "0", "writing until the device is full is not done yet"},
    {"fill_fs", "0", "writing until the device is full is not done yet"},
    {"num_range", "1", "trimming several ranges at once is not done yet"},
    // Kinds of I/O.
    {"rw_sequencer", "*", "it has no effect without \":N\" behind rw"},
    {"atomic", "0", "atomic writes are not done yet"},
    {"sync", "0 none", "O_SYNC and O_DSYNC are not done yet; fsync= and fdatasync= are"},
    {"sync_file_range", "", "sync_file_range is not done yet; fsync= and fdatasync= are"},
    {"write_barrier", "0", "write barriers are not done yet"},
    {"fsync_on_close", "0", "fsync at close is not done yet; end_fsync= is"},
    {"end_syncfs", "0", "syncfs is not done yet; end_fsync= is"},
    {"write_hint", "none", "write hints are not done yet"},
    // Block sizes.
    {"bsrange", "", kBlocks},
    {"blocksize_range", "", kBlocks},
    {"bssplit", "", kBlocks},
    {"ba", "", "an alignment other than the block size is not done yet"},
    {"blockalign", "", "an alignment other than the block size is not done yet"},
    {"bs_unaligned", "0", kBlocks},
    {"blocksize_unaligned", "0", kBlocks},
    {"bs_is_seq_rand", "0", kBlocks},
    // Random order.
    {"softrandommap", "*", "the map of touched blocks needs no memory"},
    {"random_generator", "*", "the random order is chronio's own and exact for any range"},
    {"random_distribution", "random", "random distributions are not done yet"},
    {"random_sequence_stride", "", "random distributions are not done yet"},
    {"percentage_random", "100", "a random share of a job is not done yet"},
    {"sprandom", "0", kSprandom},
    {"spr_num_regions", "", kSprandom},
    {"spr_op", "", kSprandom},
    {"spr_cs", "", kSprandom},
    // Buffers.
    {"mem", "malloc", kMemory},
    {"iomem", "malloc", kMemory},
    {"iomem_align", "", kMemory},
    {"mem_align", "", kMemory},
    {"hugepage-size", "*", "buffers are in ordinary pages"},
    {"lockmem", "0", "locking memory is not done yet"},
    {"zero_buffers", "0", kBuffers},
    {"refill_buffers", "0", kBuffers},
    {"scramble_buffers", "1", kBuffers},
    {"buffer_pattern", "", kBuffers},
    {"buffer_pattern_interval", "", kBuffers},
    {"buffer_compress_percentage", "0", kBuffers},
    {"buffer_compress_chunk", "*", "it has no effect without buffer_compress_percentage"},
    {"dedupe_percentage", "0", kBuffers},
    {"dedupe_mode", "*", "it has no effect without dedupe_percentage"},
    {"dedupe_working_set_percentage", "*", "it has no effect without dedupe_percentage"},
    {"dedupe_global", "0", kBuffers},
    // Depth.
    {"serialize_overlap", "0", "keeping overlapping I/Os apart is not done yet"},
    {"io_submit_mode", "inline", "submitting from another thread is not done yet"},
    // Rates.
    {"rate", "0", kRate},
    {"rate_min", "0", kRate},
    {"ratemin", "0", kRate},
    {"rate_iops", "0", kRate},
    {"rate_iops_min", "0", kRate},
    {"rate_process", "linear", kRate},
    {"rate_cycle", "*", kNoRate},
    {"ratecycle", "*", kNoRate},
    {"rate_ignore_thinktime", "*", kNoRate},
    {"thinktime", "0", "thinking time is not done yet"},
    {"thinktime_spin", "*", kNoThinktime},
    {"thinkcycles", "*", kNoThinktime},
    {"thinktime_blocks", "*", kNoThinktime},
    {"thinktime_blocks_type", "*", kNoThinktime},
    {"thinktime_iotime", "*", kNoThinktime},
    {"flow", "0", "a ratio between jobs is not done yet"},
    {"flow_id", "*", "it has no effect without flow"},
    {"flow_sleep", "*", "it has no effect without flow"},
    {"flow_watermark", "*", "fio itself ignores it"},
    // Latency targets.
    {"max_latency", "0", kTarget},
    {"latency_target", "0", kTarget},
    {"latency_window", "*", kNoTarget},
    {"latency_percentile", "*", kNoTarget},
    {"latency_run", "0", kTarget},
    // Verifying.
    {"verify", "0 none", kVerify},
    {"do_verify", "*", kNoVerify},
    {"verify_only", "0", kVerify},
    {"verify_pattern", "", kVerify},
    {"verify_pattern_interval", "*", kNoVerify},
    {"verify_interval", "*", kNoVerify},
    {"verify_offset", "*", kNoVerify},
    {"verify_fatal", "*", kNoVerify},
    {"verify_dump", "*", kNoVerify},
    {"verify_async", "*", kNoVerify},
    {"verify_async_cpus", "*", kNoVerify},
    {"verify_backlog", "*", kNoVerify},
    {"verify_backlog_batch", "*", kNoVerify},
    {"experimental_verify", "*", kNoVerify},
    {"verify_state_load", "0", kVerify},
    {"verify_state_save", "*", kNoVerify},
    {"verify_write_sequence", "*", kNoVerify},
    {"verify_header_seed", "*", kNoVerify},
    {"verify_policy", "*", kNoVerify},
    {"verifysort", "*", "fio itself ignores it"},
    {"verifysort_nr", "*", "fio itself ignores it"},
    {"trim_percentage", "0", kTrim},
    {"trim_verify_zero", "*", "it has no effect without trim_percentage"},
    {"trim_backlog", "0", kTrim},
    {"trim_backlog_batch", "*", "it has no effect without trim_backlog"},
    // Traces.
    {"write_iolog", "", kTrace},
    {"read_iolog", "", kTrace},
    {"read_iolog_chunked", "*", kNoTrace},
    {"replay_no_stall", "*", kNoTrace},
    {"replay_redirect", "*", kNoTrace},
    {"replay_scale", "*", kNoTrace},
    {"replay_align", "*", kNoTrace},
    {"replay_time_scale", "*", kNoTrace},
    {"replay_skip", "*", kNoTrace},
    {"merge_blktrace_file", "", kTrace},
    {"merge_blktrace_scalars", "*", kNoTrace},
    {"merge_blktrace_iters", "*", kNoTrace},
    // CPUs, memory, identity.
    {"cpus_allowed_policy", "shared",
     "giving each copy its own CPU is not done yet; every copy may run on all of cpus_allowed"},
    {"cpumask", "", "a mask of CPUs is not done yet; cpus_allowed= takes a list"},
    {"numa_cpu_nodes", "", kNuma},
    {"numa_mem_policy", "default", kNuma},
    {"nice", "0", kPriority},
    {"prio", "0", kPriority},
    {"prioclass", "0", kPriority},
    {"priohint", "0", kPriority},
    {"uid", "", "changing the user is not done yet"},
    {"gid", "", "changing the group is not done yet"},
    {"cgroup", "", "cgroups are not done yet"},
    {"cgroup_weight", "*", "it has no effect without cgroup"},
    {"cgroup_nodelete", "*", "it has no effect without cgroup"},
    {"gpu_dev_id", "", "GPU memory is not done"},
    // Clock and cost.
    {"gtod_cpu", "", "each thread reads the clock by itself; gtod_reduce leaves that out"},
    {"disable_bw_measurement", "0", "bandwidth samples are always kept"},
    {"disable_bw", "0", "bandwidth samples are always kept"},
    {"job_start_clock_id", "0", "job_start is Unix time"},
    // Steady state.
    {"steadystate", "", kSteady},
    {"ss", "", kSteady},
    {"steadystate_duration", "*", kNoSteady},
    {"ss_dur", "*", kNoSteady},
    {"steadystate_ramp_time", "*", kNoSteady},
    {"ss_ramp", "*", kNoSteady},
    {"steadystate_check_interval", "*", kNoSteady},
    {"ss_interval", "*", kNoSteady},
    // Logs.
    {"write_bw_log", "", kLog},
    {"write_lat_log", "", kLog},
    {"write_iops_log", "", kLog},
    {"write_hist_log", "", kLog},
    {"log_avg_msec", "*", kNoLog},
    {"log_hist_msec", "*", kNoLog},
    {"log_hist_coarseness", "*", kNoLog},
    {"log_window_value", "*", kNoLog},
    {"log_max_value", "*", kNoLog},
    {"log_offset", "*", kNoLog},
    {"log_prio", "*", kNoLog},
    {"log_issue_time", "*", kNoLog},
    {"per_job_logs", "*", kNoLog},
    {"log_entries", "*", kNoLog},
    {"log_compression", "*", kNoLog},
    {"log_compression_cpus", "*", kNoLog},
    {"log_store_compressed", "*", kNoLog},
    {"log_alternate_epoch", "*", kNoLog},
    {"log_unix_epoch", "*", kNoLog},
    {"log_alternate_epoch_clock_id", "*", kNoLog},
    {"bwavgtime", "*", "samples are taken at chronio's own interval"},
    {"iopsavgtime", "*", "samples are taken at chronio's own interval"},
    // Report.
    {"significant_figures", "*",
     "figures are shown with four digits; the result file has them whole"},
    {"unified_rw_reporting", "0 none", "reads and writes are always reported apart"},
    {"disk_util", "*", "figures of the disk are not reported yet"},
    {"kb_base", "1024", "units of 1000 are not done yet; k is 1024, and so is KiB"},
    {"unit_base", "*", "bandwidth is shown in bytes"},
    {"block_error_percentiles", "0", "errors by block are not done yet"},
    {"continue_on_error", "none 0", "an I/O error ends its job"},
    {"ignore_error", "", "an I/O error ends its job"},
    {"error_dump", "*", "errors are always shown"},
    // Zones and data placement.
    {"zonemode", "none", kZone},
    {"zonesize", "0", kZone},
    {"zonerange", "0", kZone},
    {"zonecapacity", "0", kZone},
    {"zoneskip", "0", kZone},
    {"read_beyond_wp", "*", kNoZone},
    {"max_open_zones", "*", kNoZone},
    {"job_max_open_zones", "*", kNoZone},
    {"ignore_zone_limits", "*", kNoZone},
    {"zone_reset_threshold", "*", kNoZone},
    {"zone_reset_frequency", "*", kNoZone},
    {"recover_zbd_write_error", "*", kNoZone},
    {"write_zone_remainder", "*", kNoZone},
    {"fdp", "0", kFdp},
    {"dataplacement", "none", kFdp},
    {"plids", "*", kNoFdp},
    {"fdp_pli", "*", kNoFdp},
    {"plid_select", "*", kNoFdp},
    {"fdp_pli_select", "*", kNoFdp},
    {"dp_scheme", "*", kNoFdp},
    // Gone from fio.
    {"rwmixcycle", "", "fio itself refuses it"},
    {"percentage_sequential", "", "fio itself refuses it"},
};

}  // namespace

std::span<const ForeignOption> foreign_core_options() { return kRows; }

}  // namespace chronio::jobs
