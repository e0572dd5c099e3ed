// pattern_test.cpp: offsets, lengths, directions and files of every kind of rw.
#include "workload/pattern.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

using chronio::Ddir;
using chronio::Io;
using chronio::jobs::Rw;
using namespace chronio::workload;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

PatternSpec spec(Rw rw, std::vector<Range> files, std::uint32_t bs = 4096) {
  PatternSpec result;
  result.rw = rw;
  result.bs = {bs, bs, bs};
  result.files = std::move(files);
  result.seed = 1;
  return result;
}

std::vector<Io> draw(Pattern& pattern, std::size_t n) {
  std::vector<Io> ios(n);
  for (Io& io : ios) {
    pattern.prepare(io);
    pattern.next(io);
  }
  return ios;
}

std::vector<Io> draw(const PatternSpec& of, std::size_t n) {
  Pattern pattern(of);
  return draw(pattern, n);
}

std::vector<std::uint64_t> offsets(const std::vector<Io>& ios) {
  std::vector<std::uint64_t> result;
  for (const Io& io : ios) result.push_back(io.offset);
  return result;
}

using Fields = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, Ddir>;

std::vector<Fields> fields(const PatternSpec& of, std::size_t n) {
  std::vector<Fields> result;
  for (const Io& io : draw(of, n)) result.emplace_back(io.offset, io.len, io.file, io.ddir);
  return result;
}

std::vector<Io> of_direction(const std::vector<Io>& ios, Ddir ddir) {
  std::vector<Io> result;
  std::copy_if(ios.begin(), ios.end(), std::back_inserter(result),
               [ddir](const Io& io) { return io.ddir == ddir; });
  return result;
}

/// True when `ios` are the blocks of `range`, each once, in any order.
bool covers(const std::vector<Io>& ios, const Range& range, std::uint64_t bs) {
  std::vector<std::uint64_t> sorted = offsets(ios);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < range.bytes / bs; ++i) blocks.push_back(range.offset + i * bs);
  return sorted == blocks;
}

std::vector<Io> part(const std::vector<Io>& ios, std::size_t first, std::size_t n) {
  const auto begin = ios.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

constexpr std::array kAll = {Rw::read,      Rw::write,     Rw::randread,
                             Rw::randwrite, Rw::readwrite, Rw::randrw};

}  // namespace

TEST_CASE("pattern: each rw issues its directions and no other", "[workload]") {
  const std::map<Rw, std::set<Ddir>> expected = {{Rw::read, {Ddir::read}},
                                                 {Rw::randread, {Ddir::read}},
                                                 {Rw::write, {Ddir::write}},
                                                 {Rw::randwrite, {Ddir::write}},
                                                 {Rw::randrw, {Ddir::read, Ddir::write}},
                                                 {Rw::readwrite, {Ddir::read, Ddir::write}}};
  for (const auto& [rw, directions] : expected) {
    std::set<Ddir> found;
    for (const Io& io : draw(spec(rw, {{0, kMiB}}), 1'000)) found.insert(io.ddir);
    CHECK(found == directions);
  }
}

TEST_CASE("pattern: sets offset, len, file and ddir and touches nothing else", "[workload]") {
  for (const Rw rw : kAll) {
    Pattern pattern(spec(rw, {{0, kMiB}, {0, kMiB}}));
    std::byte byte = {};
    Io io = {};
    io.buf = &byte;
    io.index = 7;
    io.flags = 3;
    io.ioprio = 5;
    io.result = -9;
    io.engine_data = &byte;
    io.reserved[0] = 11;
    pattern.prepare(io);
    for (int i = 0; i < 100; ++i) pattern.next(io);
    const bool kept = io.buf == &byte && io.index == 7 && io.flags == 3 && io.ioprio == 5 &&
                      io.result == -9 && io.engine_data == &byte && io.reserved[0] == 11;
    CHECK(kept);
    CHECK(io.len == 4096);
  }
}

TEST_CASE("pattern: sequential goes up block by block and begins again after the last whole one",
          "[workload]") {
  for (const Rw rw : {Rw::read, Rw::write}) {
    const std::vector<Io> ios = draw(spec(rw, {{1'000, 3 * 4096 + 4095}}), 7);
    CHECK(offsets(ios) ==
          std::vector<std::uint64_t>{1'000, 5'096, 9'192, 1'000, 5'096, 9'192, 1'000});
  }
}

TEST_CASE("pattern: random touches each whole block once per pass, in new orders", "[workload]") {
  const Range range = {12'345, 64 * 4096 + 100};
  for (const Rw rw : {Rw::randread, Rw::randwrite}) {
    const std::vector<Io> ios = draw(spec(rw, {range}), 3 * 64);
    const std::vector<Io> first = part(ios, 0, 64);
    const std::vector<Io> second = part(ios, 64, 64);
    const std::vector<Io> third = part(ios, 128, 64);
    CHECK(covers(first, range, 4096));
    CHECK(covers(second, range, 4096));
    CHECK(covers(third, range, 4096));
    CHECK(offsets(first) != offsets(second));
    CHECK(offsets(second) != offsets(third));
    CHECK(offsets(first) != offsets(third));
  }
}

TEST_CASE("pattern: 64 MiB at 4 KiB are exactly 16,384 reads, each block once", "[workload]") {
  const Range range = {0, 64 * kMiB};
  CHECK(covers(draw(spec(Rw::randread, {range}), 16'384), range, 4096));
}

TEST_CASE("pattern: norandommap draws whole blocks with replacement, all alike", "[workload]") {
  constexpr std::uint64_t kBlocks = 50;
  constexpr std::size_t kDraws = 50'000;
  PatternSpec with = spec(Rw::randread, {{777, kBlocks * 512 + 511}}, 512);
  with.norandommap = true;
  std::map<std::uint64_t, double> hits;
  for (const Io& io : draw(with, kDraws)) ++hits[io.offset];
  REQUIRE(hits.size() == kBlocks);
  double chi_square = 0;
  for (const auto& [offset, hit] : hits) {
    CHECK((offset - 777) % 512 == 0);
    CHECK(offset + 512 <= 777 + kBlocks * 512);
    const double expected = static_cast<double>(kDraws) / kBlocks;
    chi_square += (hit - expected) * (hit - expected) / expected;
  }
  CHECK(chi_square > 23);  // 0.1 % points of 49 degrees of freedom
  CHECK(chi_square < 86);
}

TEST_CASE("pattern: norandommap changes nothing for sequential I/O", "[workload]") {
  PatternSpec with = spec(Rw::read, {{0, 10 * 4096}});
  const std::vector<Fields> without = fields(with, 25);
  with.norandommap = true;
  CHECK(fields(with, 25) == without);
}

TEST_CASE("pattern: mixes read as often as rwmixread asks, within 1 % over 20,000", "[workload]") {
  for (const Rw rw : {Rw::randrw, Rw::readwrite}) {
    for (const std::uint32_t percent : {1U, 30U, 50U, 75U, 99U}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        PatternSpec mix = spec(rw, {{0, 80 * kMiB}});
        mix.rwmixread = percent;
        mix.seed = seed;
        const std::size_t reads = of_direction(draw(mix, 20'000), Ddir::read).size();
        CAPTURE(percent, seed);
        // Four standard deviations of 20,000 draws, in percent: 1 % of reads must not pass as none.
        const double margin = 4 * std::sqrt(percent * (100.0 - percent) / 20'000);
        CHECK(static_cast<double>(reads) / 200 == Approx(percent).margin(std::min(margin, 1.0)));
      }
    }
  }
}

TEST_CASE("pattern: a request that was a write is as likely a read the next time", "[workload]") {
  for (const Rw rw : {Rw::randrw, Rw::readwrite}) {
    Pattern reused(spec(rw, {{0, 4 * kMiB}}));
    Pattern fresh(spec(rw, {{0, 4 * kMiB}}));
    Io same;
    reused.prepare(same);
    for (int i = 0; i < 1000; ++i) {
      Io once;
      fresh.prepare(once);
      fresh.next(once);
      reused.next(same);
      REQUIRE(same.ddir == once.ddir);
      REQUIRE(same.offset == once.offset);
    }
  }
}

TEST_CASE("pattern: rwmixread of 0 and 100 leave one direction", "[workload]") {
  PatternSpec mix = spec(Rw::randrw, {{0, 4 * kMiB}});
  mix.rwmixread = 0;
  CHECK(of_direction(draw(mix, 5'000), Ddir::write).size() == 5'000);
  mix.rwmixread = 100;
  CHECK(of_direction(draw(mix, 5'000), Ddir::read).size() == 5'000);
}

TEST_CASE("pattern: a random mix of one block size shares one pass", "[workload]") {
  const Range range = {4096, 4 * kMiB};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    PatternSpec mix = spec(Rw::randrw, {range});
    mix.seed = seed;
    Pattern pattern(mix);
    REQUIRE(covers(draw(pattern, 1'024), range, 4096));
    REQUIRE(covers(draw(pattern, 1'024), range, 4096));
  }
}

TEST_CASE("pattern: in a random mix of two block sizes each direction makes its own pass",
          "[workload]") {
  const Range range = {512, 100 * 4096};
  PatternSpec mix = spec(Rw::randrw, {range});
  mix.bs = {4096, 16384, 0};
  const std::vector<Io> ios = draw(mix, 1'000);
  const std::vector<Io> reads = of_direction(ios, Ddir::read);
  const std::vector<Io> writes = of_direction(ios, Ddir::write);
  REQUIRE(reads.size() > 100);
  CHECK(covers(part(reads, 0, 100), range, 4096));
  CHECK(covers(part(writes, 0, 25), range, 16384));
  for (const Io& io : reads) REQUIRE(io.len == 4096);
  for (const Io& io : writes) REQUIRE(io.len == 16384);
}

TEST_CASE("pattern: in sequential mixes each direction keeps its own position", "[workload]") {
  PatternSpec mix = spec(Rw::readwrite, {{0, 10 * 4096}});
  for (const std::uint32_t write_bs : {4096U, 8192U}) {
    mix.bs[1] = write_bs;
    const std::vector<Io> ios = draw(mix, 200);
    for (const Ddir ddir : {Ddir::read, Ddir::write}) {
      const std::uint64_t bs = ddir == Ddir::read ? 4096 : write_bs;
      std::uint64_t expected = 0;
      for (const Io& io : of_direction(ios, ddir)) {
        REQUIRE(io.offset == expected);
        expected = expected + 2 * bs > std::uint64_t{10} * 4096 ? 0 : expected + bs;
      }
    }
  }
}

TEST_CASE("pattern: several files take turns, one I/O each", "[workload]") {
  for (const Rw rw : kAll) {
    const std::vector<Io> ios = draw(spec(rw, {{0, kMiB}, {0, kMiB}, {0, kMiB}}), 300);
    for (std::size_t i = 0; i < ios.size(); ++i) REQUIRE(ios[i].file == i % 3);
  }
}

TEST_CASE("pattern: a smaller file finishes its pass earlier and begins its next", "[workload]") {
  const std::vector<Range> files = {{0, 12 * 4096}, {4096, 3 * 4096 + 17}, {100, 5 * 4096}};
  for (const Rw rw : {Rw::read, Rw::randread, Rw::randrw}) {
    std::vector<std::vector<Io>> by_file(files.size());
    for (const Io& io : draw(spec(rw, files), 3 * 60)) by_file.at(io.file).push_back(io);
    for (std::size_t file = 0; file < files.size(); ++file) {
      const std::size_t blocks = files[file].bytes / 4096;
      for (std::size_t pass = 0; pass < 60 / blocks; ++pass)
        REQUIRE(covers(part(by_file[file], pass * blocks, blocks), files[file], 4096));
    }
  }
}

TEST_CASE("pattern: with files_wait a pass has each block of each file once", "[workload]") {
  const std::vector<Range> files = {{0, 12 * 4096}, {4096, 3 * 4096 + 17}, {100, 5 * 4096}};
  for (const Rw rw : {Rw::read, Rw::randread, Rw::randrw, Rw::trim}) {
    PatternSpec waiting = spec(rw, files);
    waiting.files_wait = true;
    Pattern pattern(waiting);
    for (int pass = 0; pass < 3; ++pass) {
      const std::vector<Io> ios = draw(pattern, 20);
      for (std::uint32_t file = 0; file < files.size(); ++file) {
        std::vector<Io> own;
        std::copy_if(ios.begin(), ios.end(), std::back_inserter(own),
                     [file](const Io& io) { return io.file == file; });
        REQUIRE(covers(own, files[file], 4096));
      }
    }
  }
}

TEST_CASE("pattern: files of equal size get different random orders", "[workload]") {
  std::vector<std::vector<std::uint64_t>> by_file(2);
  for (const Io& io : draw(spec(Rw::randread, {{0, kMiB}, {0, kMiB}}), 512))
    by_file.at(io.file).push_back(io.offset);
  CHECK(by_file[0] != by_file[1]);
}

TEST_CASE("pattern: the same seed gives the same list, 40 seeds give 40 lists", "[workload]") {
  for (const bool norandommap : {false, true}) {
    std::set<std::vector<Fields>> lists;
    for (std::uint64_t i = 1; i <= 40; ++i) {
      PatternSpec mix = spec(Rw::randrw, {{0, 4 * kMiB}});
      mix.seed = i * 239;
      mix.norandommap = norandommap;
      lists.insert(fields(mix, 1'024));
      REQUIRE(fields(mix, 1'024) == fields(mix, 1'024));
    }
    CHECK(lists.size() == 40);
  }
}

TEST_CASE("pattern: no I/O leaves its range, whatever the sizes", "[workload]") {
  for (const Rw rw : kAll) {
    for (std::uint64_t tail = 0; tail < 4096; tail += 455) {
      for (const bool norandommap : {false, true}) {
        const std::vector<Range> files = {{513, 16384 + tail}, {0, 5 * 4096 + tail}};
        PatternSpec any = spec(rw, files);
        any.bs = {512, 16384, 0};
        any.norandommap = norandommap;
        for (const Io& io : draw(any, 500)) {
          const Range& range = files.at(io.file);
          const bool inside =
              io.offset >= range.offset && io.offset + io.len <= range.offset + range.bytes;
          REQUIRE(inside);
        }
      }
    }
  }
}

TEST_CASE("pattern: offsets just below 2^63 don't overflow", "[workload]") {
  const Range range = {(std::uint64_t{1} << 63) - 8 * 4096 - 1, 8 * 4096};
  const Range huge = {4096, (std::uint64_t{1} << 63) - 4096 - 1};
  for (const Rw rw : kAll) {
    for (const Io& io : draw(spec(rw, {range, huge}), 200)) {
      REQUIRE(io.offset >= 4096);
      REQUIRE(io.offset + io.len < std::uint64_t{1} << 63);
    }
  }
}

TEST_CASE("pattern: a range of one block is that block for ever", "[workload]") {
  for (const Rw rw : kAll)
    for (const Io& io : draw(spec(rw, {{512, 4096 + 1}}), 20)) REQUIRE(io.offset == 512);
}

TEST_CASE("pattern: pass_bytes are the whole blocks of all files", "[workload]") {
  PatternSpec two = spec(Rw::randread, {{0, 10 * 4096 + 4095}, {77, 3 * 4096}});
  CHECK(Pattern::pass_bytes(two) == 13 * 4096);
  two.bs = {4096, 8192, 65536};
  CHECK(Pattern::pass_bytes(two) == 13 * 4096);
  two.rw = Rw::randwrite;
  CHECK(Pattern::pass_bytes(two) == 5 * 8192 + 1 * 8192);
  two.rw = Rw::randrw;
  CHECK(Pattern::pass_bytes(two) == 5 * 8192 + 1 * 8192);
  two.rwmixread = 100;
  CHECK(Pattern::pass_bytes(two) == 13 * 4096);
}

TEST_CASE("pattern: pass_bytes stay at the highest number instead of wrapping", "[workload]") {
  const Range half = {0, std::uint64_t{1} << 63};
  CHECK(Pattern::pass_bytes(spec(Rw::read, {half, half, half})) == ~std::uint64_t{0});
}

TEST_CASE("pattern: trimwrite trims a block, then writes it, each block once in a pass",
          "[workload]") {
  for (const Rw rw : {Rw::trimwrite, Rw::randtrimwrite}) {
    const std::vector<Io> ios = draw(spec(rw, {{0, 8 * 4096}, {4096, 8 * 4096}}), 32);
    std::set<std::pair<std::uint32_t, std::uint64_t>> trimmed;
    for (std::size_t i = 0; i < ios.size(); i += 2) {
      CHECK(ios[i].ddir == Ddir::trim);
      CHECK(ios[i + 1].ddir == Ddir::write);
      CHECK(ios[i].offset == ios[i + 1].offset);
      CHECK(ios[i].file == ios[i + 1].file);
      CHECK(ios[i].len == ios[i + 1].len);
      trimmed.emplace(ios[i].file, ios[i].offset);
    }
    CHECK(trimmed.size() == 16);
  }
}

TEST_CASE("pattern: trim has the block size of trims and no other direction", "[workload]") {
  PatternSpec only = spec(Rw::randtrim, {{0, 8 * 16384}});
  only.bs[2] = 16384;
  CHECK(Pattern::pass_bytes(only) == 8 * 16384);
  for (const Io& io : draw(only, 8)) {
    CHECK(io.ddir == Ddir::trim);
    CHECK(io.len == 16384);
  }
}
