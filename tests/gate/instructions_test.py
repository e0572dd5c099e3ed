# instructions_test.py: counts the worker's user instructions per I/O on the null engine and holds them to a limit.
# usage: instructions_test.py CHRONIO IODEPTH LIMIT [OPTION...]
# The figure is the slope between two run lengths under callgrind, so what a run costs once drops out; the threads
# of the workers alone count, so what goes by time (calibration, snapshots) does not blur it.
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
BS = 4096
SHORT, LONG = 20_000, 320_000  # I/Os; so far apart that what a start costs by chance is below 1 an I/O


def command(exe, iodepth, ios, options):
    return [exe, "--name=gate", "--ioengine=null", "--rw=randread", f"--bs={BS}", "--size=4g",
            f"--io_size={ios * BS}", f"--iodepth={iodepth}", "--clocksource=cpu", "--output=/dev/null", *options]


def thread_totals(folder):
    """Instructions of each thread but the first, which is the program's own."""
    totals = {}
    for path in pathlib.Path(folder).glob("counts.*"):
        hit = re.search(r"^totals: (\d+)$", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        thread = re.search(r"-(\d+)$", path.name)
        if hit and thread:
            totals[int(thread[1])] = int(hit[1])
    return [count for thread, count in totals.items() if thread > 1]


def worker_instructions(program):
    """Instructions of all worker threads of one run under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes",
                              f"--callgrind-out-file={folder}/counts.%p", *program],
                             cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        counts = thread_totals(folder)
        if run.returncode != 0 or not counts:
            sys.exit(f"{' '.join(program)}: exit {run.returncode}, {len(counts)} worker threads\n"
                     f"{run.stdout}{run.stderr}")
        return sum(counts)


def main():
    exe = str(pathlib.Path(sys.argv[1]).resolve())
    iodepth, limit, options = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIP
    short, long = (worker_instructions(command(exe, iodepth, ios, options)) for ios in (SHORT, LONG))
    per_io = (long - short) / (LONG - SHORT)
    print(f"null engine, iodepth {iodepth}: {per_io:.1f} instructions per I/O, at most {limit}")
    return 0 if 0 < per_io <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
