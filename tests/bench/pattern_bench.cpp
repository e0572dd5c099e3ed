// pattern_bench.cpp: what the next I/O costs: offset, length, direction and file, by kind of
// pattern, beside a draw of the standard library's generator in the same run.
#include "tests/bench/subjects.hpp"
#include "workload/pattern.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace chronio;
using namespace chronio::bench;
using jobs::Rw;

/// `blocks` of 4 KiB in `files` files. A number just above a power of two is the dearest for orders
/// that give each block once: half of what they draw falls outside.
Subject pattern(std::string name, Rw rw, std::uint64_t blocks, std::size_t files = 1,
                bool norandommap = false) {
  workload::PatternSpec spec;
  spec.rw = rw;
  spec.bs = {4096, 4096, 4096};
  spec.files.assign(files, workload::Range{0, blocks * 4096});
  spec.seed = 1;
  spec.norandommap = norandommap;
  return {std::move(name), [generator = workload::Pattern(spec), io = Io{}]() mutable {
            generator.prepare(io);
            for (int i = 0; i < kCalls; ++i) {
              generator.next(io);
              keep(io.offset);
            }
          }};
}

}  // namespace

int main() {
  constexpr std::uint64_t kRange = 1 << 20;
  std::vector<Subject> subjects = {
      {"std::mt19937_64, one draw",
       [generator = std::mt19937_64(1)]() mutable {
         for (int i = 0; i < kCalls; ++i) keep(generator());
       }},
      pattern("read", Rw::read, kRange),
      pattern("randread", Rw::randread, kRange),
      pattern("randread, 2^20 + 1 blocks", Rw::randread, kRange + 1),
      pattern("randread, norandommap", Rw::randread, kRange, 1, true),
      pattern("randrw", Rw::randrw, kRange),
      pattern("readwrite", Rw::readwrite, kRange),
      pattern("randread, 16 files", Rw::randread, kRange, 16),
      pattern("randtrimwrite", Rw::randtrimwrite, kRange),
  };
  measure(subjects);
  for (const Subject& subject : subjects)
    fmt::print("next I/O  {:<28} {:>6.2f} ns, {:.2f} of a draw\n", subject.name, subject.ns,
               subject.ns / subjects.front().ns);
}
