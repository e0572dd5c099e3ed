# peers_bench.py: CPU time per I/O of chronio and, where it is installed, of fio: alternating runs, so that what
# slows the machine slows both. Then two null jobs on two CPUs against one.
# usage: peers_bench.py CHRONIO [PAIRS]
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from measured import run

SHORT, LONG = 100_000, 1_600_000  # I/Os; the slope between them leaves out what a start costs
FILE_SHORT, FILE_LONG = 20_000, 200_000
FILE_BYTES = 64 << 20


def cpu_ns(command, folder):
    """User and system time of one run and its threads, in ns."""
    return run(command, folder)[1] * 1e6


def job(exe, ios, options):
    words = ["--name=j", "--rw=randread", "--bs=4k", f"--io_size={ios * 4096}", "--clocksource=cpu", *options]
    own = ["--thread", "--output=/dev/null"] if exe.endswith("fio") else ["--output=/dev/null", "--eta=never"]
    return [exe, *words, *own]


def per_io(exe, options, folder, lengths):
    short, long = (cpu_ns(job(exe, ios, options), folder) for ios in lengths)
    return (long - short) / (lengths[1] - lengths[0])


def compare(what, chronio, fio, options, folder, pairs, lengths=(SHORT, LONG)):
    mine, theirs = [], []
    for _ in range(pairs):
        mine.append(per_io(chronio, options, folder, lengths))
        if fio:
            theirs.append(per_io(fio, options, folder, lengths))
    text = f"{what:<34} chronio {statistics.median(mine):7.0f} ns"
    if fio:
        ratios = [a / b for a, b in zip(mine, theirs)]
        text += (f", fio {statistics.median(theirs):7.0f} ns, ratio {statistics.median(ratios):.2f} "
                 f"({min(ratios):.2f} to {max(ratios):.2f})")
    print(text, flush=True)


def iops(chronio, jobs, folder):
    """I/Os per second of `jobs` null jobs, each on a CPU of its own."""
    words = [chronio, "--ioengine=null", "--rw=randread", "--bs=4k", "--size=4g", "--runtime=1", "--time_based",
             "--output-format=json", "--eta=never"]
    for cpu in range(jobs):
        words += [f"--name=j{cpu}", f"--cpus_allowed={cpu}"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return sum(each["read"]["iops"] for each in json.loads(ended.stdout)["jobs"])


def scaling(chronio, folder, pairs):
    if len(os.sched_getaffinity(0)) < 2:
        print("two null jobs against one: one CPU only")
        return
    ratios = [iops(chronio, 2, folder) / iops(chronio, 1, folder) for _ in range(pairs)]
    print(f"{'two null jobs on two CPUs':<34} {statistics.median(ratios):.2f} of one "
          f"({min(ratios):.2f} to {max(ratios):.2f})")


def main():
    chronio = str(pathlib.Path(sys.argv[1]).resolve())
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    fio = shutil.which("fio")
    null = ["--ioengine=null", "--size=4g"]
    batch = ["--iodepth=32", "--iodepth_batch_submit=16", "--iodepth_batch_complete_min=16"]
    with tempfile.TemporaryDirectory() as folder:
        compare("null, iodepth 1", chronio, fio, null, folder, pairs)
        compare("null, iodepth 32", chronio, fio, [*null, "--iodepth=32"], folder, pairs)
        compare("null, iodepth 32, batches of 16", chronio, fio, [*null, *batch], folder, pairs)
        (pathlib.Path(folder) / "data").write_bytes(os.urandom(FILE_BYTES))
        data = ["--filename=data", f"--size={FILE_BYTES}", "--invalidate=0"]
        lengths = (FILE_SHORT, FILE_LONG)
        compare("psync, cached file", chronio, fio, [*data, "--ioengine=psync"], folder, pairs, lengths)
        compare("io_uring, cached file, batches", chronio, fio, [*data, "--ioengine=io_uring", *batch], folder,
                pairs, lengths)
        scaling(chronio, folder, pairs)


if __name__ == "__main__":
    main()
