# latency_cases.py: null_blk answers after a known time of a virtual clock, and chronio has to measure that time.
# With -icount an instruction is 1 ns and idle time is skipped: figures don't depend on how busy the host is.
import pathlib
import re

from boot import Boot
from inside import add_case, call, case, check, chronio, equal, fio, write

BOOT = Boot(icount=True, cpus=1)
DEVICES = pathlib.Path("/sys/kernel/config/nullb")
# Path of one I/O through the kernel at 1 ns an instruction, above the device's own time: 2 to 9 us were seen on
# Linux 6.12, up to 20 us with a tick of the scheduler inside. Below the device's time nothing can be.
PATH_NS = 20_000
BUCKET = 0.004  # relative error of the histogram's percentiles
DEVICE_US = (100, 2_000, 10_000)
ENGINES = ("io_uring", "libaio", "psync")


def null_device(name, completion_ns):
    """A new null_blk device of 64 MiB that answers after completion_ns, by a timer."""
    if not DEVICES.exists():
        call("modprobe", "null_blk", "nr_devices=0")
    folder = DEVICES / name
    if not folder.exists():
        folder.mkdir()
        for key, value in (("irqmode", 2), ("completion_nsec", completion_ns), ("size", 64), ("power", 1)):
            write(folder / key, value)
    return f"/dev/{name}"


def percentiles(clat):
    return {float(share): ns for share, ns in clat["percentile"].items()}


def measures(engine, device_us):
    device = null_device(f"null{device_us}us", device_us * 1000)
    least, most = device_us * 1000, device_us * 1000 + PATH_NS
    clat = chronio(f"--ioengine={engine} --direct=1 --filename={device} --rw=read --size=1m").job["read"]["clat_ns"]
    equal(clat["N"], 256, "samples")
    check(least <= clat["mean"] <= most, f"mean {clat['mean']} ns, not within {least} and {most}")
    # The first I/O also reads the kernel's own code in; the rest have no reason to differ.
    for share, ns in percentiles(clat).items():
        if share <= 99:
            check(least * (1 - BUCKET) <= ns <= most * (1 + BUCKET), f"p{share} is {ns} ns")
    check(clat["min"] >= least, f"minimum {clat['min']} ns is below the device's {least} ns")
    return f"mean {clat['mean'] / 1000:.2f} us, min {clat['min'] / 1000:.2f}, max {clat['max'] / 1000:.2f}"


for _us in DEVICE_US:
    for _engine in ENGINES:
        add_case(f"{_engine}_measures_{_us}_us", f"{_engine} measures a device of {_us} us as {_us} to {_us + 20} us",
                 measures, _engine, _us)


@case
def fio_measures_the_same():
    """fio's mean over the device of 2 ms is within 1 % of chronio's"""
    options = f"--ioengine=io_uring --direct=1 --filename={null_device('null2000us', 2_000_000)} --rw=read --size=1m"
    ours, theirs = (run["read"]["clat_ns"]["mean"] for run in (chronio(options).job, fio(options)))
    check(abs(ours / theirs - 1) < 0.01, f"{ours} ns, fio {theirs} ns")
    return f"{ours / 1000:.2f} us, fio {theirs / 1000:.2f} us"


@case
def late_answers_are_named():
    """a device that answers after 20 s is named on stderr after 5 s, and the run ends well"""
    device = null_device("late", 20_000_000_000)
    for engine in ("io_uring", "psync"):
        run = chronio(f"--ioengine={engine} --direct=1 --filename={device} --rw=read --bs=4k --size=4k")
        equal(run.ios(), 1)
        named = re.search(rf"j: no completion for ([\d.]+) s, 1 I/O outstanding on {device}", run.err)
        check(named and 5 <= float(named[1]) < 6, f"{engine}: {run.err}")
        least = 20_000_000_000
        check(least <= run.job["read"]["clat_ns"]["min"] <= least + 1_000_000, str(run.job["read"]["clat_ns"]))
    return named[0]
