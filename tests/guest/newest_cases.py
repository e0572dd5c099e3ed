# newest_cases.py: cases on the newest kernel that Debian has: what the lts kernel lacks, and overflows in the host's time.
import functools
import time

from boot import IMAGE, ZEROES, Boot
from counters import counters_taken
from inside import Run, add_case, block, call, case, check, chronio, equal, wait_until
from rings import BLOCK, IOS, PASS, RING, add_rings

BOOT = Boot(kernel="newest", append="nvme.poll_queues=1", disks=(ZEROES, IMAGE))
add_rings(("plain", "hipri_fixed", "hipri_sqpoll", "hybrid", "hybrid_fixed"))


def sleeps(where):
    def switches(more):
        return chronio(f"{where} --rw=randread --iodepth=1 --hipri {more}").job["chronio"]["usage"]["context_switches"]
    spinning, hybrid = switches(""), switches("--hybrid_poll")
    check(spinning < IOS / 10 and hybrid > IOS / 2, f"{spinning} context switches without, {hybrid} with it")
    return f"{hybrid} context switches for {IOS} I/Os, {spinning} without it"


for _name, _where in (("block", RING), ("ng", PASS)):
    add_case(f"{_name}_hybrid_sleeps", "hybrid polling sleeps before it polls", sleeps, _where)


def cached(path):
    """Bytes of a file in the page cache."""
    return int(call("fincore", "--bytes", "--noheadings", "--output=RES", path))


@functools.cache
def ext4():
    """Folder of a file system on the second disk."""
    call("modprobe", "ext4")
    call("mkfs.ext4", "-q", block(1))
    call("mount", "-t", "ext4", block(1), "/mnt")
    return "/mnt"


def emptied(path):
    """Whether the page cache holds nothing of a file, within two seconds."""
    for _ in range(100):
        if cached(path) == 0:
            return True
        time.sleep(0.02)
    return False


def leaves_nothing(engine):
    def run(name, options):
        path = f"{ext4()}/{engine}_{name}"
        chronio(f"--ioengine={engine} --filename={path} --bs=64k --size=1m --end_fsync=1 {options}")
        return path
    equal(cached(run("kept", "--rw=write")), 1 << 20, "bytes in the page cache without it")
    for rw in ("write", "read"):
        # A file of its own for each: what is cached already would stay, and so does a page that something else holds at the
        # moment when it could be dropped (Linux 7.3), which a busy machine makes likelier.
        check(any(emptied(run(f"{rw}_{number}", f"--rw={rw} --uncached")) for number in range(8)),
              f"the page cache holds something of each of 8 files after a {rw}")


for _engine in ("io_uring", "pvsync2"):
    add_case(f"{_engine}_uncached", "uncached leaves nothing of a file in the page cache", leaves_nothing, _engine)


# More than the seven counters: cycles and stalls by mode.
NINE = ",".join(f"{code}{mode}" for code in ("r11", "r23", "r24") for mode in ("", ":u", ":k"))


def switches(notify):
    run = chronio("--ioengine=null --rw=randread --bs=4k --size=1g --pmu_trigger=cycles --pmu_period=1000000 "
                  f"--pmu_budget=100 --pmu={NINE} --pmu_notify={notify}")
    pmu = run.job["chronio"]["pmu"]
    equal((pmu["mode"], pmu["notify"]), ("overflow", notify))
    check(pmu["switches"] > 2, pmu["switches"])  # a busy host lets `poll` look seldom
    return f"{pmu['switches']} windows"


for _notify in ("sigtrap", "signal", "poll"):
    add_case(f"switched_by_{_notify}", f"counters are switched when {_notify} tells of an overflow", switches, _notify)


@case
def counters_taken_from_poll():
    """while a group has no counters, the thread that waits for its overflow waits"""
    run = Run("--ioengine=null --rw=randread --bs=4k --size=1g --time_based --runtime=5 --cpus_allowed=0 --pmu_trigger=cycles "
              f"--pmu_period=10000000 --pmu_budget=100 --pmu={NINE} --pmu_notify=poll")
    wait_until(lambda: run.cpu_ns() > 1_000_000_000, "the job has counted")
    with counters_taken():
        before, began = run.threads(), run.cpu_ns()
        wait_until(lambda: run.cpu_ns() > began + 1_000_000_000, "it has run without counters")
        since = {thread: (ns - before[thread][0], slept - before[thread][1])
                 for thread, (ns, slept) in run.threads().items() if thread in before}
    run.end()
    check(run.job["chronio"]["pmu"]["windows_dropped"] > 0, "no window lost its counters: nothing was tried")
    # By sleeps: what share of a slow CPU the thread has between two of them is the host's affair.
    job = max(since, key=lambda thread: since[thread][0])
    for thread, (ns, slept) in since.items():
        check(thread == job or ns <= 50_000_000 * (slept + 1), f"beside the job a thread slept {slept} times in {ns} ns of CPU")
    return f"beside the job: {sorted(each for thread, each in since.items() if thread != job)} ns, sleeps"


def flood(notify):
    run = chronio(f"--ioengine=psync --direct=1 --filename={BLOCK} --rw=randread --bs=4k --size=16m --pmu={NINE} "
                  f"--pmu_trigger=cycles --pmu_period=20000 --pmu_budget=100 --pmu_notify={notify}")
    equal((run.ios(), run.job["error"]), (4096, 0))
    pmu = run.job["chronio"]["pmu"]
    check(pmu["switches"] > 100, f"{pmu['switches']} windows: nothing was tried")
    return f"{pmu['switches']} windows, {pmu['windows_dropped']} dropped, mode {pmu['mode']}"


# Emulated cycles are those of the host: an overflow every 20,000, some 8 us, is more than a guest can take.
for _notify in ("sigtrap", "signal"):
    add_case(f"flood_by_{_notify}", "more overflows than the guest can take lose no I/O and end no run", flood, _notify)
