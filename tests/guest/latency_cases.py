# latency_cases.py: null_blk answers after a known time of a virtual clock, and chronio has to measure that time.
# With -icount an instruction is 1 ns and idle time is skipped: figures don't depend on how busy the host is.
import os
import pathlib
import re

from boot import Boot
from inside import Failed, add_case, call, case, check, chronio, equal, fio, write

BOOT = Boot(icount=True, cpus=1)
DEVICES = pathlib.Path("/sys/kernel/config/nullb")
# Path of one I/O through the kernel at 1 ns an instruction, above the device's own time: 5 to 15 us were seen on
# Linux 6.12, most with psync, whose thread sleeps and wakes. Below the device's time nothing can be.
PATH_NS = 20_000
# The guest's kernel has work of its own, and pages of a program that is new to it come in the host's time: either may
# stand in the way of an I/O in 256, which is the percentile 99.9. What chronio gets wrong is wrong in each run.
RUNS = 3
COLD_NS = 1_000_000  # more that a first I/O may take, whose code is not in the caches and tables yet
RAMP = "--ramp_time=15ms"  # so that it is none of those measured
BUCKET = 0.004  # relative error of the histogram's percentiles
DEVICE_US = (100, 2_000, 10_000)
ENGINES = ("io_uring", "libaio", "psync")
IS_ARM = os.uname().machine == "aarch64"
# An emulated x86 doesn't promise one rate of its counter, so the job has to ask for it.
CLOCK = "--clocksource=auto" if IS_ARM else "--clocksource=tsc"
SOURCE, HZ = ("arm_counter", 62_500_000) if IS_ARM else ("tsc", 1_000_000_000)


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


def faults(clat, least, most):
    """What is wrong with latencies that have to be between the bounds; the percentiles by their bucket's error."""
    for name in ("min", "mean"):
        if not least <= clat[name] <= most:
            yield f"{name} {clat[name]} ns"
    for share, ns in clat["percentile"].items():
        if not least * (1 - BUCKET) <= ns <= most * (1 + BUCKET):
            yield f"percentile {share} {ns} ns"


def measures(engine, device_us):
    device = null_device(f"null{device_us}us", device_us * 1000)
    least, most = device_us * 1000, device_us * 1000 + PATH_NS
    for _ in range(RUNS):
        run = chronio(f"--ioengine={engine} --direct=1 --filename={device} --rw=read --size=1m {RAMP} {CLOCK}")
        equal(run.result["chronio"]["clock"]["source"], SOURCE)
        clat = run.job["read"]["clat_ns"]
        equal(clat["N"], 256, "samples")
        wrong = list(faults(clat, least, most))
        if not wrong:
            return f"mean {clat['mean'] / 1000:.2f} us, min {clat['min'] / 1000:.2f}, max {clat['max'] / 1000:.2f}"
    raise Failed(f"not within {least} and {most} ns in any of {RUNS} runs, in the last: {', '.join(wrong)}")


for _us in DEVICE_US:
    for _engine in ENGINES:
        add_case(f"{_engine}_measures_{_us}_us", f"{_engine} measures a device of {_us} us as {_us} to {_us + 20} us",
                 measures, _engine, _us)


@case
def counter_has_its_rate():
    """the counter's rate is found within 3 ppm: virtual time has no drift"""
    clock = chronio(f"--ioengine=null --size=1m {CLOCK}").result["chronio"]["clock"]
    equal(clock["source"], SOURCE)
    # An x86 kernel calibrates its own clock to 1 kHz, 1 ppm here, and that is what the counter is measured against.
    check(abs(clock["hz"] / HZ - 1) < 3e-6, f"{clock['hz']} Hz, expected {HZ}")
    return f"{clock['source']} {clock['hz']:.3f} Hz +-{clock['hz_ppb']} ppb"


@case
def fio_measures_the_same():
    """fio's mean over the device of 2 ms is within 1 % of chronio's"""
    options = f"--ioengine=io_uring --direct=1 --filename={null_device('null2000us', 2_000_000)} --rw=read --size=1m"
    theirs = fio("--name=j", *options.split())[0]["read"]["clat_ns"]["mean"]
    ours = chronio(f"{options} {CLOCK}").job["read"]["clat_ns"]["mean"]
    check(abs(ours / theirs - 1) < 0.01, f"{ours} ns, fio {theirs} ns")
    return f"{ours / 1000:.2f} us, fio {theirs / 1000:.2f} us"


@case
def late_answers_are_named():
    """a device that answers after 20 s is named on stderr after 5 s, and the run ends well"""
    device = null_device("late", 20_000_000_000)
    write("/sys/block/late/queue/io_timeout", 60_000)  # ms; null_blk's own is 5 s
    for engine in ("io_uring", "psync"):
        run = chronio(f"--ioengine={engine} --direct=1 --filename={device} --rw=read --bs=4k --size=4k {CLOCK}")
        named = re.search(rf"j: no completion for ([\d.]+) s, 1 I/O outstanding on {device}", run.err)
        check(named and 5 <= float(named[1]) < 6, f"{engine}: {run.err}")
        least = 20_000_000_000
        check(least <= run.job["read"]["clat_ns"]["min"] <= least + COLD_NS, str(run.job["read"]["clat_ns"]))
    return named[0]
