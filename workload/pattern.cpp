// pattern.cpp: what a pattern is made from its specification.
#include "workload/pattern.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>

namespace chronio::workload {
namespace {

using jobs::Rw;

constexpr std::size_t kRead = 0;
constexpr std::size_t kWrite = 1;
constexpr std::size_t kTrim = 2;

/// Reads and writes of one job, drawn by rwmixread. trimwrite is no mix: its order is fixed.
bool is_mix(Rw rw) noexcept { return rw == Rw::readwrite || rw == Rw::randrw; }

// A mix of 0 or 100 percent has one direction and is planned as such: its lanes, passes and sizes
// are those of a job that never mixed.
bool reads(const PatternSpec& spec) noexcept {
  if (is_mix(spec.rw)) return spec.rwmixread > 0;
  return spec.rw == Rw::read || spec.rw == Rw::randread;
}

bool writes(const PatternSpec& spec) noexcept {
  if (is_mix(spec.rw)) return spec.rwmixread < 100;
  return jobs::writes(spec.rw);
}

/// The direction of the first lane of each file.
std::size_t first_direction(const PatternSpec& spec) noexcept {
  if (jobs::trims(spec.rw)) return kTrim;
  return reads(spec) ? kRead : kWrite;
}

Order order_of(const PatternSpec& spec) noexcept {
  if (!jobs::is_random(spec.rw)) return Order::sequential;
  return spec.norandommap ? Order::random_any : Order::random_once;
}

/// The number of which `percent` of all 64-bit numbers lie below. REQUIRES: percent < 100.
std::uint64_t threshold(std::uint32_t percent) noexcept {
  // Divided first: the product would exceed 64 bits. What that loses is below 10^-17.
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  return kAll / 100 * percent;
}

/// Bytes of the largest block in use.
std::uint64_t largest_block(const PatternSpec& spec) noexcept {
  return std::max({reads(spec) ? spec.bs[kRead] : 0, writes(spec) ? spec.bs[kWrite] : 0,
                   jobs::trims(spec.rw) ? spec.bs[kTrim] : 0});
}

/// Bytes of a pass over each file.
std::vector<std::uint64_t> whole_blocks(const PatternSpec& spec) {
  const std::uint64_t bs = largest_block(spec);
  std::vector<std::uint64_t> bytes;
  for (const Range& range : spec.files) bytes.push_back(range.bytes / bs * bs);
  return bytes;
}

}  // namespace

Pattern::Pattern(const PatternSpec& spec)
    : order_(order_of(spec)),
      ddir_(static_cast<Ddir>(first_direction(spec))),
      mixed_(reads(spec) && writes(spec)),
      // Sequential mixes as fio: reads and writes each have a position of their own. Two sizes
      // can't share a once-only order, whose numbers are blocks of one size.
      split_(mixed_ && (order_ == Order::sequential || spec.bs[kRead] != spec.bs[kWrite])),
      pairs_(jobs::trims_first(spec.rw)),
      waits_(spec.files_wait && order_ != Order::random_any && spec.files.size() > 1),
      plain_(!mixed_ && !pairs_ && spec.files.size() == 1),
      plain_random_(plain_ && order_ == Order::random_once),
      last_file_(static_cast<std::uint32_t>(spec.files.size() - 1)),
      reads_below_(mixed_ ? threshold(spec.rwmixread) : 0),
      // 0 draws directions and random_any offsets; lanes have the seeds from 1 on, so that none
      // runs in step with it.
      random_(mix_seed(spec.seed, 0)) {
  assert(!spec.files.empty());
  const auto add_lane = [&](const Range& range, std::size_t direction) {
    const std::uint32_t bs = spec.bs[direction];
    lanes_.emplace_back(range.offset, range.bytes / bs, bs, mix_seed(spec.seed, lanes_.size() + 1));
  };
  for (const Range& range : spec.files) {
    add_lane(range, first_direction(spec));
    if (split_) add_lane(range, kWrite);
  }
  if (!waits_) return;
  whole_ = whole_blocks(spec);
  // Of equal files none ever waits, and taking turns costs less.
  waits_ = std::adjacent_find(whole_.begin(), whole_.end(), std::not_equal_to<>()) != whole_.end();
  begin_pass();
}

void Pattern::begin_pass() noexcept {
  // As long as at first, so that no pass takes memory.
  left_ = whole_;
  unfinished_.resize(whole_.size());
  std::iota(unfinished_.begin(), unfinished_.end(), 0U);
  file_ = 0;
}

Lane* Pattern::choose_unfinished(Io& io) noexcept {
  if (file_ == unfinished_.size()) file_ = 0;
  io.file = unfinished_[file_];
  Lane* lane = draw(io);
  std::uint64_t& left = left_[io.file];
  left -= std::min<std::uint64_t>(left, lane->bs());
  if (left != 0) {
    ++file_;
  } else {
    unfinished_.erase(unfinished_.begin() + file_);  // those behind it move up: it is their turn
    if (unfinished_.empty()) begin_pass();
  }
  return lane;
}

void Pattern::next_of_pair(Io& io) noexcept {
  if (!write_is_due_) {
    choose(io);
    Lane& lane = lanes_[io.file];
    trimmed_ = {lane.next_offset(order_, random_), lane.bs()};
    // Kept, since the request of the write may be another one, and the lane has moved on.
    trimmed_file_ = io.file;
  }
  io.file = trimmed_file_;
  io.offset = trimmed_.offset;
  io.len = static_cast<std::uint32_t>(trimmed_.bytes);
  io.ddir = write_is_due_ ? Ddir::write : Ddir::trim;
  write_is_due_ = !write_is_due_;
}

std::uint64_t Pattern::pass_bytes(const PatternSpec& spec) {
  std::uint64_t sum = 0;
  for (const std::uint64_t whole : whole_blocks(spec)) {
    if (whole > std::numeric_limits<std::uint64_t>::max() - sum)
      return std::numeric_limits<std::uint64_t>::max();
    sum += whole;
  }
  return sum;
}

}  // namespace chronio::workload
