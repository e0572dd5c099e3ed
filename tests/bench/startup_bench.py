# startup_bench.py: time and memory of a run that does one I/O, beside fio's where it is installed, alternating; then
# what each further job and each further file takes.
# usage: startup_bench.py CHRONIO [RUNS]
import pathlib
import shutil
import statistics
import sys
import tempfile

from measured import run

JOBS, FILES = 1000, 20_000


def line(what, runs):
    wall, cpu, memory = (sorted(values) for values in zip(*runs))
    print(f"{what:<26} wall {statistics.median(wall):7.1f} ms ({wall[0]:.1f} to {wall[-1]:.1f}), "
          f"CPU {statistics.median(cpu):6.1f} ms, resident {statistics.median(memory) / 1024:6.1f} MiB", flush=True)
    return statistics.median(memory)


def main():
    chronio = str(pathlib.Path(sys.argv[1]).resolve())
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    fio = shutil.which("fio")
    null = ["--name=j", "--ioengine=null", "--rw=randread", "--bs=4k", "--output=/dev/null"]
    one = ["--size=4k"]
    mine, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            mine.append(run([chronio, *null, *one], folder))
            if fio:
                theirs.append(run([fio, *null, *one, "--thread"], folder))
        alone = line("chronio, one I/O", mine)
        if fio:
            line("fio, one I/O", theirs)
        jobs = run([chronio, *null, *one, f"--numjobs={JOBS}", "--group_reporting"], folder)
        line(f"chronio, {JOBS} jobs", [jobs])
        files = run([chronio, *null, f"--nrfiles={FILES}", "--filesize=4k"], folder)
        line(f"chronio, {FILES} files", [files])
        print(f"each further job {(jobs[2] - alone) / (JOBS - 1):.0f} KiB, each further file "
              f"{(files[2] - alone) / (FILES - 1):.2f} KiB")


if __name__ == "__main__":
    main()
