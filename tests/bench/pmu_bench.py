# pmu_bench.py: what counting events costs a job: CPU time per I/O, I/Os per second and p99, with and without.
# Blocks of four jobs (with, without, without, with) in one process, so that what slows the machine, and drifts,
# meets both. Says "inconclusive" where an interval is too wide to tell a loss of 1.5 % from none.
# usage: pmu_bench.py CHRONIO [BLOCKS [SECONDS]]
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

LOSS = 0.015
FILE_BYTES = 64 << 20
BLOCKS_IN_A_RUN = 5
FEWEST = 6  # of fewer, not even the widest interval of signed ranks holds 95 %
WAYS = {
    "default": ["--pmu=auto"],
    "three groups": ["--pmu={page-faults},{minor-faults},{cs}", "--pmu_trigger=task-clock"],
}
FILE = ["--filename=data", f"--size={FILE_BYTES}", "--invalidate=0"]
JOBS = {
    "null, depth 1": ["--ioengine=null", "--size=4g"],
    "psync, depth 1, cached file": ["--ioengine=psync", *FILE],
    "psync, depth 1, file": ["--ioengine=psync", "--direct=1", *FILE],
    "io_uring, depth 16, file": ["--ioengine=io_uring", "--iodepth=16", "--direct=1", *FILE],
}


def interval(ratios):
    """(estimate, low, high) of the ratio, 95 %: Hodges and Lehmann's, by signed ranks of the logarithms. A few runs
    that the machine disturbed move it little."""
    logs = [math.log(ratio) for ratio in ratios]
    count = len(logs)
    means = sorted((a + b) / 2 for i, a in enumerate(logs) for b in logs[i:])
    margin = 1.96 * math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    rank = max(0, math.floor(len(means) / 2 - margin))
    middle = (means[(len(means) - 1) // 2] + means[len(means) // 2]) / 2
    return tuple(map(math.exp, (middle, means[rank], means[-1 - rank])))


def verdict(low, high, more_is_worse):
    """Of a ratio's interval: is a loss of LOSS excluded, shown, or neither?"""
    if not more_is_worse:
        low, high = 1 / high, 1 / low
    limit = 1 / (1 - LOSS)
    if high < limit:
        return "a loss of 1.5 % is excluded"
    return "a loss of 1.5 % or more is shown" if low > limit else "inconclusive"


def figures(job):
    own = job["chronio"]["usage"]
    return {"CPU time per I/O": (own["user_ns"] + own["system_ns"]) / job["read"]["total_ios"],
            "IOPS": job["read"]["iops"],
            "p99": job["read"]["clat_ns"]["percentile"]["99.000000"]}


def run(chronio, options, way, blocks, folder, seconds):
    """Figures of each job, four to a block."""
    words = [chronio, "--rw=randread", "--bs=4k", "--time_based", f"--runtime={seconds}", "--output-format=json",
             "--eta=never", *options]
    if len(os.sched_getaffinity(0)) > 1:
        words.append(f"--cpus_allowed={max(os.sched_getaffinity(0))}")
    for number in range(4 * blocks):
        counted = number % 4 in (0, 3)
        words += [f"--name=j{number}", "--stonewall", *(way if counted else ["--pmu=off"])]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return [figures(job) for job in json.loads(done.stdout)["jobs"]]


def bench(what, chronio, options, way, blocks, folder, seconds):
    rows = []
    while len(rows) < 4 * blocks:
        rows += run(chronio, options, way, min(BLOCKS_IN_A_RUN, blocks - len(rows) // 4), folder, seconds)
    print(what, flush=True)
    for name in rows[0]:
        values = [row[name] for row in rows]
        fours = [values[at:at + 4] for at in range(0, len(values), 4)]
        ratio, low, high = interval([math.sqrt(a * d / (b * c)) for a, b, c, d in fours])
        text = "" if name == "p99" else ": " + verdict(low, high, name == "CPU time per I/O")
        print(f"  {name:<17} {ratio:.4f} [{low:.4f}, {high:.4f}]{text}", flush=True)


def main():
    chronio = str(pathlib.Path(sys.argv[1]).resolve())
    blocks = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    seconds = sys.argv[3] if len(sys.argv) > 3 else "0.4"
    if blocks < FEWEST:
        sys.exit(f"pmu_bench.py: {blocks} blocks allow no interval, at least {FEWEST} do")
    print(f"with counting / without, {blocks} blocks of four jobs of {seconds} s, 95 % intervals")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        (pathlib.Path(folder) / "data").write_bytes(os.urandom(FILE_BYTES))
        for way, events in WAYS.items():
            for job, options in JOBS.items():
                bench(f"{job}; {way}", chronio, options, events, blocks, folder, seconds)


if __name__ == "__main__":
    main()
