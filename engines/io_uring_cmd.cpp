// io_uring_cmd.cpp: NVMe commands straight to the driver, through an io_uring(7) ring: /dev/ngXnY.
#include "engines/engine.hpp"
#include "engines/nvme.hpp"
#include "engines/option_decls.hpp"
#include "engines/posix_io.hpp"
#include "engines/uring_queue.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <sys/stat.h>

namespace {

using namespace chronio;

// In the order of kOptions below, behind those that all rings have.
enum Option : std::uint32_t {
  cmd_type = ring_options,
  nonvectored,
  md_per_io_size,
  readfua,
  writefua
};

constexpr const char* kTypes[] = {"nvme", nullptr};
constexpr auto kOptions = with_ring_options(std::array{
    OptionDecl{"cmd_type", OptionType::choice, OptionUnit::none, 0, 0, kTypes, "nvme",
               "the kind of device that is driven"},
    number_option("nonvectored", -1, 1, "-1",
                  "0: pass each buffer as a vector of one; else as it is"),
    OptionDecl{"md_per_io_size", OptionType::number, OptionUnit::bytes, 0, 1 << 30, nullptr, "0",
               "metadata buffer of each I/O in bytes, for formats that have metadata apart"},
    flag_option("readfua", "read past the device's own cache (force unit access)"),
    flag_option("writefua", "write past the device's own cache (force unit access)"),
});

/// What identify says of an open /dev/ngXnY.
struct Description {
  std::uint32_t id = 0;
  nvme::Format format;
  std::uint32_t max_transfer = 0;  // bytes; 0: no limit
  bool deallocates = false;
};

using Page = std::array<std::byte, nvme::kIdentifyBytes>;

/// Asks the controller for a data structure. 0, -errno, or -EIO when the device itself refused: its
/// status would say nothing to who only wanted a size. [setup]
int identify(int fd, std::uint32_t id, std::uint32_t what, Page& page) noexcept {
  nvme_admin_cmd command{};
  command.opcode = nvme::kAdminIdentify;
  command.nsid = id;
  command.addr = reinterpret_cast<std::uintptr_t>(page.data());
  command.data_len = sizeof page;
  command.cdw10 = what;
  const std::int64_t status =
      uninterrupted([&] { return ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command); });
  return status > 0 ? -EIO : static_cast<int>(status);
}

/// 0 or -errno: ENODEV: no NVMe generic device; EMEDIUMTYPE: a format that can't be used.
int describe(int fd, Description& out) noexcept {
  struct stat found {};
  if (fstat(fd, &found) != 0) return -errno;
  // The block device answers NVME_IOCTL_ID, too, but takes no NVMe commands by io_uring.
  if (!S_ISCHR(found.st_mode)) return -ENODEV;
  const std::int64_t id = uninterrupted([&] { return ioctl(fd, NVME_IOCTL_ID); });
  if (id <= 0) return -ENODEV;
  out.id = static_cast<std::uint32_t>(id);
  alignas(4096) Page page;
  int error = identify(fd, out.id, nvme::kOfNamespace, page);
  if (error < 0) return error;
  out.format = nvme::format_of(page);
  // With metadata between the blocks, lengths and buffers would no longer be those of the data.
  if (out.format.block_bytes == 0 || out.format.interleaved) return -EMEDIUMTYPE;
  // The controller is asked without a namespace: NSID 0.
  error = identify(fd, 0, nvme::kOfController, page);
  if (error < 0) return error;
  out.max_transfer = nvme::max_transfer_of(page, 4096);
  out.deallocates = nvme::deallocates(page);
  return 0;
}

/// A command moves all of its data or fails, so the length is that of the request.
struct NvmeResult {
  std::int64_t operator()(const Io& io, int res) const noexcept { return nvme::result_of(io, res); }
};

class IoUringCmd final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    UringWish wish = wish_of(setup);
    // A command has 72 bytes, more than a plain entry holds, and the driver demands large
    // completions as well. Both since Linux 5.19: older kernels answer EINVAL.
    wish.flags |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
    vectored_ = setup.option(nonvectored).number == 0 && !wish.fixed_buffers;
    metadata_stride_ = static_cast<std::size_t>(setup.option(md_per_io_size).number);
    spaces_.reset(new (std::nothrow) nvme::Namespace[setup.file_count]);
    ranges_.reset(new (std::nothrow) nvme::Range[setup.iodepth]);
    parts_.reset(new (std::nothrow) iovec[setup.iodepth]);
    metadata_.reset(new (std::nothrow) std::byte[metadata_stride_ * setup.iodepth + 1]);
    if (!spaces_ || !ranges_ || !parts_ || !metadata_) return -ENOMEM;
    for (std::uint32_t i = 0; i < setup.file_count; ++i) {
      const int error = open_namespace(setup.file(i).fd, spaces_[i]);
      if (error < 0) return error;
    }
    return queue_.open(setup, wish);
  }

  Queued queue(Io& io) noexcept override {
    const nvme::Namespace& space = spaces_[io.file];
    const bool transfers = io.ddir == Ddir::read || io.ddir == Ddir::write;
    if (transfers && io.len > space.largest) [[unlikely]] {
      io.result = -EMSGSIZE;
      return Queued::completed;
    }
    // By slot: the device reads the range, and writes metadata, until the request is back.
    nvme::Range& range = ranges_[io.index];
    std::byte* metadata = metadata_.get() + metadata_stride_ * io.index;
    const nvme_uring_cmd command = nvme::command_of(io, space, metadata, range);
    // Before an entry is taken: a taken one can't be given back.
    if (command.opcode == nvme::kNone) {
      io.result = -EOPNOTSUPP;
      return Queued::completed;
    }
    io_uring_sqe* sqe = queue_.next();
    if (sqe == nullptr) return Queued::busy;
    prepare(*sqe, io, command, transfers);
    queue_.add(*sqe, io);
    return Queued::pending;
  }

  int commit() noexcept override { return queue_.commit(); }

  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
    return queue_.reap(min, done, timeout_ns);
  }

  void close() noexcept override { queue_.close(); }

  int geometry(const File& file, Geometry& out) noexcept override {
    struct stat what {};
    // ENODEV for whatever is no character device, missing ones included: the plan adds to it what
    // stands there.
    if (stat(file.path, &what) != 0) return errno == ENOENT ? -ENODEV : -errno;
    if (!S_ISCHR(what.st_mode)) return -ENODEV;
    // Read-only is enough for identify, and the guard has not been asked about writing yet.
    const int fd = ::open(file.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return -errno;
    Description found;
    const int error = describe(fd, found);
    ::close(fd);
    if (error < 0) return error;
    out.bytes = found.format.blocks * found.format.block_bytes;
    out.logical_block = found.format.block_bytes;
    out.metadata_bytes = found.format.metadata_bytes;
    out.max_transfer = nvme::largest_command(found.format, found.max_transfer);
    return 0;
  }

  void facts(Facts& out) const noexcept override { queue_.facts(out); }

 private:
  int open_namespace(int fd, nvme::Namespace& space) const noexcept {
    Description found;
    const int error = describe(fd, found);
    if (error < 0) return error;
    space.id = found.id;
    space.block_shift = static_cast<std::uint32_t>(std::countr_zero(found.format.block_bytes));
    space.metadata_bytes = found.format.metadata_bytes;
    // Held against each request: how large they are nobody tells, a buffer is a page at least, and
    // trims may be larger.
    space.largest = nvme::largest_command(found.format, found.max_transfer, metadata_stride_);
    space.deallocates = found.deallocates;
    space.force_unit_access[0] = setup_.option(readfua).number != 0;
    space.force_unit_access[1] = setup_.option(writefua).number != 0;
    return 0;
  }

  void prepare(io_uring_sqe& sqe, const Io& io, nvme_uring_cmd command, bool transfers) noexcept {
    std::memset(&sqe, 0, 2 * sizeof sqe);  // the ring's entries have 128 bytes
    sqe.opcode = IORING_OP_URING_CMD;
    sqe.flags = queue_.flags();
    sqe.fd = queue_.fd(io);
    sqe.cmd_op = NVME_URING_CMD_IO;
    sqe.ioprio = io.ioprio;
    // Only data: the range of a trim lies in no registered buffer.
    if (transfers && queue_.wish().fixed_buffers) {
      sqe.uring_cmd_flags = IORING_URING_CMD_FIXED;
      sqe.buf_index = static_cast<std::uint16_t>(io.index);
    } else if (transfers && vectored_) {
      iovec& part = parts_[io.index] = {io.buf, io.len};
      sqe.cmd_op = NVME_URING_CMD_IO_VEC;
      command.addr = reinterpret_cast<std::uintptr_t>(&part);
      command.data_len = 1;
    }
    std::memcpy(sqe.cmd, &command, sizeof command);
  }

  Setup setup_{};
  UringQueue<NvmeResult> queue_;
  std::unique_ptr<nvme::Namespace[]> spaces_;  // by file
  std::unique_ptr<nvme::Range[]> ranges_;      // by slot
  std::unique_ptr<iovec[]> parts_;             // by slot
  std::unique_ptr<std::byte[]> metadata_;      // by slot, metadata_stride_ bytes each
  std::size_t metadata_stride_ = 0;
  bool vectored_ = false;
};

}  // namespace

CHRONIO_ENGINE("io_uring_cmd", IoUringCmd, kTrims, (std::span<const OptionDecl>{kOptions}),
               "NVMe commands to /dev/ngXnY by io_uring; asynchronous");
