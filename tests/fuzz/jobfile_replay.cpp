// jobfile_replay.cpp: the fuzz target over the job files given, known bad inputs, and fixed-seed
// mutations.
#include "jobs/diagnostic.hpp"
#include "jobs/options.hpp"
#include "tests/fuzz/jobfile_fuzz.hpp"
#include "tests/jobs_text.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kMutations = 20000;

void run(const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  static_cast<void>(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()));
}

/// Inputs of the kinds that other parsers fell over.
std::vector<std::string> bad_inputs() {
  return {"",
          "[",
          "[]",
          "[global]",
          "[u]\nioengine=psync\nfilename=iec.dat\nrw=read\nsize=1MiB\nbs=4KiB\n",
          "[a]\nioengine=null ; remark\nbs=8kb\nsize=1Mb # other\n",
          "[c]\r\nfilename=crlf.dat\r\nrw=write\r\nsize=64k\r\n",
          "\xEF\xBB\xBF[b]\nrw=read\n",
          std::string("\xFF\xFE[\0b\0]\0", 8),
          "[w]\nbuffer_pattern\nverify\nrw\n",
          "[t]\nfilename=" + std::string(4096, '@') + "\n",
          "[" + std::string(5000, 'n') + "]\ndescription=" + std::string(70000, 'x') + "\n",
          "[t]\ndescription=$ncpus_\nsize=8*$pagesize\nbs=$",
          "[a]\nrw=randrw:foo\nrw=randread:8\nrw=read:-8k\n",
          "[e]\nsize=${SIZE}\nnumjobs=${N}\n${LINE}\niodepth=${NOPE}\nbs=${\nbs=${}\n",
          "[global]\ninclude base.fio\ninclude deep/a.fio\ninclude loop.fio\ninclude\n[a]\n",
          "[r]\nfilename=a\nfilename=b\\:c:d\nfilename=\\\n",
          "[global]\noutput-format=json\nname=g\n[a]\nthread=0\nhipri=1\n--rw=read\n",
          std::string("\x7F"
                      "ELF\x02\x01\x01\0name=\0[\xFF",
                      17),
          "[p]\npercentile_list=1:2:3:99.999999:100:100\ncpus_allowed=0-3,5,4095-0\nbs=,8k,4k-8k\n",
          "[s]\nsize = 8k\nruntime = 0.5\nstartdelay=1-2\nsize=40%\noffset=4.5k\n"};
}

std::string read_file(const char* path) {
  std::string why;
  return chronio::jobs::real_world().read_file(path, why).value_or(std::string());
}

/// One of a few small changes at a random place.
void mutate(std::string& text, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  constexpr std::string_view kTelling = "=:,;#[]$%{}\\\n\r \t0-9.kKiB/\"'\xFF\0\x7F";
  const std::size_t at = random() % (text.size() + 1);
  const std::string& other = seeds[random() % seeds.size()];
  const std::size_t from = random() % (other.size() + 1);
  switch (random() % 5) {
    case 0: text.insert(at, 1, kTelling[random() % kTelling.size()]); break;
    case 1: text.erase(at, random() % 8); break;
    case 2: text.insert(at, other.substr(from, random() % 40)); break;
    case 3: text.insert(at, text.substr(at, random() % 40)); break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(random());
  }
}

/// Our own job files must be without any mistake or doubt.
bool is_clean(const char* path, const std::string& text) {
  const auto outcome = chronio::jobs::read_jobs(text);
  std::fputs(outcome.text().c_str(), stderr);
  if (outcome.diagnostics.empty() && !outcome.jobs.empty()) return true;
  std::fprintf(stderr, "%s: not a clean job file\n", path);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> seeds = bad_inputs();
  bool clean = argc > 1;
  for (int i = 1; i < argc; ++i) {
    seeds.push_back(read_file(argv[i]));
    clean = is_clean(argv[i], seeds.back()) && clean;
  }
  for (const std::string& seed : seeds) run(seed);
  std::mt19937_64 random(2024);
  for (int i = 0; i < kMutations; ++i) {
    std::string text = seeds[random() % seeds.size()];
    // The long seeds are for their length; mutating them would only cost time.
    if (text.size() > 2000) text.resize(2000);
    for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes)
      mutate(text, seeds, random);
    run(text);
  }
  return clean ? 0 : 1;
}
