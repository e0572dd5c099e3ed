# instructions_test.py: counts the worker's user instructions per I/O, the engine's included, and holds them to a limit.
# usage: instructions_test.py CHRONIO IOENGINE IODEPTH LIMIT [OPTION...]
# The figure is the slope between two run lengths under callgrind, so what a run costs once drops out. Only what is done
# inside the loop counts: set-up, calibration and probes between CPUs go by time, and blur it by some per cent.
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
BS = 4096
FILE_BYTES = 64 << 20
SHORT, LONG = 20_000, 120_000  # I/Os
LOOP = "chronio::runner::run_loop(*"


def command(exe, ioengine, iodepth, ios, options):
    target = ["--size=4g"] if ioengine == "null" else ["--filename=data", f"--size={FILE_BYTES}", "--invalidate=0"]
    return [exe, "--name=gate", f"--ioengine={ioengine}", "--rw=randread", f"--bs={BS}", *target,
            f"--io_size={ios * BS}", f"--iodepth={iodepth}", "--clocksource=cpu", "--output=/dev/null", *options]


def loop_instructions(program):
    """Instructions of the loop in one run under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data").write_bytes(bytes(FILE_BYTES))
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--toggle-collect={LOOP}",
                              f"--callgrind-out-file={folder}/counts", *program],
                             cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        text = "".join(path.read_text(encoding="utf-8", errors="replace")
                       for path in pathlib.Path(folder).glob("counts*"))
        hit = re.search(r"^(?:totals|summary): (\d+)$", text, re.MULTILINE)
        if run.returncode != 0 or not hit or int(hit[1]) == 0:
            sys.exit(f"{' '.join(program)}: exit {run.returncode}\n{run.stdout}{run.stderr}")
        return int(hit[1])


def main():
    exe = str(pathlib.Path(sys.argv[1]).resolve())
    ioengine, iodepth, limit, options = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIP
    short, long = (loop_instructions(command(exe, ioengine, iodepth, ios, options)) for ios in (SHORT, LONG))
    per_io = (long - short) / (LONG - SHORT)
    print(f"{ioengine}, iodepth {iodepth}: {per_io:.1f} instructions per I/O, at most {limit}")
    return 0 if 0 < per_io <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
