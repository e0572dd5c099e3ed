// counts.cpp: merge, percentiles and estimates from sparse bucket counts.
#include "stats/counts.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>

namespace chronio::stats {
namespace {

/// With 10 latencies drawn from a smooth distribution, linear is off by more than half a bucket
/// (0.39 %) with probability 0.45^10 at most; with 2, in up to one case of 16.
constexpr std::uint64_t kFewInBucket = 10;

/// A number as `digits` / 10^`decimals`. Below 0 decimals where the number ends in zeros: 1e+02 is
/// 1 with -2.
struct Decimal {
  std::uint64_t digits = 0;
  int decimals = 0;
};

/// The shortest decimal that reads back as `value`, which is what a user wrote: 99.9 has no exact
/// double, and the exact value of the nearest one lies above it.
Decimal shortest_decimal(double value) noexcept {
  char text[32];  // 17 digits, sign, point, exponent
  const auto written =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::scientific);
  Decimal decimal;
  const char* c = text;
  for (bool after_point = false; c != written.ptr && *c != 'e'; ++c) {
    if (*c == '.') {
      after_point = true;
    } else {
      decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*c - '0');
      if (after_point) ++decimal.decimals;
    }
  }
  int exponent = 0;
  if (c != written.ptr) {
    const char* digits = c + 1;
    if (*digits == '+') ++digits;  // from_chars takes no plus sign
    std::from_chars(digits, written.ptr, exponent);
  }
  decimal.decimals -= exponent;
  return decimal;
}

/// ceil(percent / 100 * n) in integers, at least 1. REQUIRES: 0 <= percent <= 100, n > 0.
std::uint64_t rank_of(double percent, std::uint64_t n) noexcept {
  Decimal share = shortest_decimal(percent);
  // Percent to a share, without rounding.
  share.decimals += 2;
  constexpr int kMostDecimals = 38;  // 10^38 < 2^128; 17 digits times 2^64 stay below 10^37
  // So small a share of 2^64 latencies is below the first of them.
  if (share.decimals > kMostDecimals) return 1;
  const Uint128 product = static_cast<Uint128>(share.digits) * n;
  Uint128 divisor = 1;
  for (int i = 0; i < share.decimals; ++i) divisor *= 10;
  const Uint128 rank = product / divisor + (product % divisor != 0 ? 1 : 0);
  return static_cast<std::uint64_t>(std::clamp<Uint128>(rank, 1, n));
}

/// The k-th of `count` latencies in [low, low + width), taken to be spread evenly. A few of them
/// seldom are: for these the middle answers, which is at most half a bucket off.
double inside(std::uint64_t low, std::uint64_t width, std::uint64_t k, std::uint64_t count) {
  const bool few = count < kFewInBucket;
  const double share = few ? 0.5 : (static_cast<double>(k) - 0.5) / static_cast<double>(count);
  return static_cast<double>(low) + static_cast<double>(width - 1) * share;
}

/// The latency of rank `rank` as far as buckets tell. REQUIRES: 1 <= rank <= counts.total().
double value_at(const Counts& counts, const Moments& moments, std::uint64_t rank) {
  std::uint64_t before = 0;
  for (const auto& [index, count] : counts.buckets) {
    if (rank - before <= count)
      return inside(bucket_low(index), bucket_width(index), rank - before, count);
    before += count;
  }
  // Of those without a bucket only the highest is known.
  const std::uint64_t highest = std::max(moments.max, kLimit);
  return inside(kLimit, highest - kLimit + 1, rank - before, counts.overflow);
}

}  // namespace

std::uint64_t Counts::total() const noexcept {
  std::uint64_t sum = overflow;
  for (const auto& bucket : buckets) sum += bucket.second;
  return sum;
}

void merge(Counts& into, const Counts& from) {
  // A list of its own, so that both may be the same.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> merged;
  merged.reserve(into.buckets.size() + from.buckets.size());
  auto a = into.buckets.cbegin();
  auto b = from.buckets.cbegin();
  while (a != into.buckets.cend() && b != from.buckets.cend()) {
    if (a->first < b->first) {
      merged.push_back(*a++);
    } else if (b->first < a->first) {
      merged.push_back(*b++);
    } else {
      merged.emplace_back(a->first, a->second + b->second);
      ++a;
      ++b;
    }
  }
  merged.insert(merged.end(), a, into.buckets.cend());
  merged.insert(merged.end(), b, from.buckets.cend());
  into.overflow += from.overflow;
  into.buckets = std::move(merged);
}

std::optional<double> percentile(const Counts& counts, const Moments& moments, double percent) {
  assert(percent >= 0 && percent <= 100);
  const std::uint64_t n = counts.total();
  if (n == 0) return std::nullopt;
  const double value = value_at(counts, moments, rank_of(percent, n));
  // No percentile lies outside of what was measured, whatever its bucket's edges say.
  return std::max(static_cast<double>(moments.min),
                  std::min(value, static_cast<double>(moments.max)));
}

Moments moments_of(const Counts& counts) {
  Moments moments;
  const auto add = [&moments](std::uint64_t low, std::uint64_t width, std::uint64_t count) {
    const std::uint64_t middle = low + width / 2;
    moments.n += count;
    moments.sum += middle * count;
    moments.sum_squares += static_cast<Uint128>(middle) * middle * count;
    moments.min = std::min(moments.min, low);
    moments.max = std::max(moments.max, low + width - 1);
  };
  for (const auto& [index, count] : counts.buckets)
    add(bucket_low(index), bucket_width(index), count);
  if (counts.overflow != 0) add(kLimit, 1, counts.overflow);
  return moments;
}

}  // namespace chronio::stats
