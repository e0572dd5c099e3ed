// foreign_engines.cpp: options of fio's ioengines. The job's own ioengine may have one of the same
// name, so they are judged when that is known.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

constexpr std::string_view kIoUring = "an option of the io_uring ioengine; this job has another";
constexpr std::string_view kCmdprio = "I/O priorities are not done yet";
constexpr std::string_view kCmd = "an option of the io_uring_cmd ioengine; this job has another";
constexpr std::string_view kProtection =
    "protection information and special commands are not done yet";
constexpr std::string_view kLibaio = "an option of the libaio ioengine; this job has another";
constexpr std::string_view kPvsync2 = "an option of the pvsync2 ioengine; this job has another";
constexpr std::string_view kCpuio = "an option of the cpuio ioengine; this job has another";
constexpr std::string_view kExec = "an option of fio's exec ioengine, which chronio does not have";
constexpr std::string_view kE4 =
    "an option of fio's e4defrag ioengine, which chronio does not have";
constexpr std::string_view kSg = "an option of fio's sg ioengine, which chronio does not have";
constexpr std::string_view kNet = "an option of fio's net ioengine, which chronio does not have";
constexpr std::string_view kRdma = "an option of fio's rdma ioengine, which chronio does not have";
constexpr std::string_view kCeph = "an option of fio's Ceph ioengines, which chronio does not have";
constexpr std::string_view kHttp = "an option of fio's http ioengine, which chronio does not have";
constexpr std::string_view kGfapi =
    "an option of fio's gfapi ioengines, which chronio does not have";
constexpr std::string_view kHdfs =
    "an option of fio's libhdfs ioengine, which chronio does not have";
constexpr std::string_view kDfs = "an option of fio's dfs ioengine, which chronio does not have";
constexpr std::string_view kBlkio =
    "an option of fio's libblkio ioengine, which chronio does not have";
constexpr std::string_view kGpu = "an option of fio's GPU ioengines, which chronio does not have";
constexpr std::string_view kXnvme =
    "an option of fio's xnvme ioengine, which chronio does not have";

// Key, harmless values, reason.
constexpr ForeignOption kRows[] = {
    {"hipri", "", kIoUring, true},
    {"fixedbufs", "", kIoUring, true},
    {"registerfiles", "", kIoUring, true},
    {"sqthread_poll", "", kIoUring, true},
    {"sqthread_poll_cpu", "", kIoUring, true},
    {"nonvectored", "*", "I/O always has one buffer", true},
    {"nowait", "0", "an option of pvsync2, libaio and io_uring; this job has another ioengine",
     true},
    {"uncached", "0", "an option of pvsync2 and io_uring; this job has another ioengine", true},
    {"force_async", "0", kIoUring, true},
    {"cmdprio_percentage", "", kCmdprio, true},
    {"cmdprio_class", "", kCmdprio, true},
    {"cmdprio_hint", "", kCmdprio, true},
    {"cmdprio", "", kCmdprio, true},
    {"cmdprio_bssplit", "", kCmdprio, true},
    {"cmd_type", "", kCmd, true},
    {"cdb_len", "", kProtection, true},
    {"readfua", "", kCmd, true},
    {"writefua", "", kCmd, true},
    {"write_mode", "", kProtection, true},
    {"read_mode", "", kProtection, true},
    {"verify_mode", "", kProtection, true},
    {"verify_bytchk", "", kProtection, true},
    {"md_per_io_size", "", kCmd, true},
    {"pi_act", "", kProtection, true},
    {"pi_chk", "", kProtection, true},
    {"apptag", "", kProtection, true},
    {"apptag_mask", "", kProtection, true},
    {"deac", "", kProtection, true},
    {"userspace_reap", "", kLibaio, true},
    {"libaio_vectored", "", kLibaio, true},
    {"hipri_percentage", "", kPvsync2, true},
    {"thp", "0", "an option of the mmap ioengine; this job has another", true},
    {"cpuload", "", kCpuio, true},
    {"cpumode", "", kCpuio, true},
    {"cpuchunks", "", kCpuio, true},
    {"exit_on_io_done", "0", "ending with the other jobs is not done yet", true},
    {"program", "", kExec, true},
    {"arguments", "", kExec, true},
    {"grace_time", "", kExec, true},
    {"std_redirect", "", kExec, true},
    {"stat_type", "", "an option of the filestat ioengine; this job has another", true},
    {"donorname", "", kE4, true},
    {"inplace", "", kE4, true},
    {"skip_bad", "", "an option of fio's mtd ioengine, which chronio does not have", true},
    {"sg_write_mode", "", kSg, true},
    {"stream_id", "", kSg, true},
    {"hostname", "", kNet, true},
    {"port", "", kNet, true},
    {"protocol", "", kNet, true},
    {"listen", "", kNet, true},
    {"nodelay", "", kNet, true},
    {"interface", "", kNet, true},
    {"ttl", "", kNet, true},
    {"pingpong", "", kNet, true},
    {"window_size", "", kNet, true},
    {"mss", "", kNet, true},
    {"netsplice", "", kNet, true},
    {"proto", "", kNet, true},
    {"verb", "", kRdma, true},
    {"bindname", "", kRdma, true},
    {"cudaenabled", "", kRdma, true},
    {"clustername", "", kCeph, true},
    {"clientname", "", kCeph, true},
    {"rbdname", "", kCeph, true},
    {"pool", "", kCeph, true},
    {"busy_poll", "", kCeph, true},
    {"touch_objects", "", kCeph, true},
    {"conf", "", kCeph, true},
    {"https", "", kHttp, true},
    {"http_host", "", kHttp, true},
    {"http_mode", "", kHttp, true},
    {"http_verbose", "", kHttp, true},
    {"http_user", "", kHttp, true},
    {"http_pass", "", kHttp, true},
    {"http_s3_key", "", kHttp, true},
    {"http_s3_keyid", "", kHttp, true},
    {"http_s3_region", "", kHttp, true},
    {"http_s3_security_token", "", kHttp, true},
    {"http_s3_sse_customer_algorithm", "", kHttp, true},
    {"http_s3_sse_customer_key", "", kHttp, true},
    {"http_s3_storage_class", "", kHttp, true},
    {"http_swift_auth_token", "", kHttp, true},
    {"http_object_mode", "", kHttp, true},
    {"nfs_url", "", "an option of fio's nfs ioengine, which chronio does not have", true},
    {"uri", "", "an option of fio's nbd ioengine, which chronio does not have", true},
    {"volume", "", kGfapi, true},
    {"brick", "", kGfapi, true},
    {"namenode", "", kHdfs, true},
    {"hdfsdirectory", "", kHdfs, true},
    {"chunk_size", "", kHdfs, true},
    {"single-instance", "", kHdfs, true},
    {"single_instance", "", kHdfs, true},
    {"hdfs_use_direct", "", kHdfs, true},
    {"cont", "", kDfs, true},
    {"object_class", "", kDfs, true},
    {"svcl", "", kDfs, true},
    {"libblkio_driver", "", kBlkio, true},
    {"libblkio_path", "", kBlkio, true},
    {"libblkio_pre_connect_props", "", kBlkio, true},
    {"libblkio_num_entries", "", kBlkio, true},
    {"libblkio_queue_size", "", kBlkio, true},
    {"libblkio_pre_start_props", "", kBlkio, true},
    {"libblkio_vectored", "", kBlkio, true},
    {"libblkio_write_zeroes_on_trim", "", kBlkio, true},
    {"libblkio_wait_mode", "", kBlkio, true},
    {"libblkio_force_enable_completion_eventfd", "", kBlkio, true},
    {"gpu_dev_ids", "", kGpu, true},
    {"cuda_io", "", kGpu, true},
    {"rocm_io", "", kGpu, true},
    {"xnvme_async", "", kXnvme, true},
    {"xnvme_sync", "", kXnvme, true},
    {"xnvme_admin", "", kXnvme, true},
    {"xnvme_dev_nsid", "", kXnvme, true},
    {"xnvme_iovec", "", kXnvme, true},
    {"xnvme_mem", "", kXnvme, true},
    {"xnvme_dev_subnqn", "", kXnvme, true},
};

}  // namespace

std::span<const ForeignOption> foreign_engine_options() { return kRows; }

}  // namespace chronio::jobs
