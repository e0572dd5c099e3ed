# pmu_cases.py: cases of counting by real counters: PMUv3 with the counter of cycles and six more, which raise interrupts.
# Emulated with virtual time: an instruction is a cycle and 1 ns, so what a program executes is known.
import json
import pathlib

from boot import Boot
from counters import counters_taken
from inside import CHRONIO, Failed, Run, add_case, block, call, case, check, chronio, equal, programs, wait_until

BOOT = Boot(icount=True, cpus=1)
JOB = "--ioengine=null --rw=randread --bs=4k --size=1g"
TRIGGER = "--pmu_trigger=cycles --pmu_period=1000000 --pmu_budget=100"
# More than fit: instructions and cycles by mode, and stalls, which this machine counts and has none of.
TEN = "--pmu=r08:u,r08:k,r08,r11:u,r11:k,r11,r23:u,r23:k,r24:u,r24:k"


def pmu(run):
    return run.job["chronio"]["pmu"]


def event(run, name):
    return next(each for each in pmu(run)["events"] if each["name"] == name)


def hardware(tag):
    """Cases of the program of that tag; the lines that it prints are worth reading."""
    program = next(each for each in programs() if pathlib.Path(each).name == "pmu_hardware_test")
    lines = call(program, f"[{tag}]").splitlines()
    return "; ".join(line for line in lines if line and not line.startswith(("=", "All tests")))


for _tag, _claim in (("found", "the counters and their device are found"),
                     ("windows", "windows end when the trigger says so, at periods from 20,000 to 10 million, by each way"),
                     ("loop", "one group counts a loop's instructions within 0.1 %"),
                     ("turns", "of three groups that take turns, a loop's instructions are within the interval")):
    add_case(f"hardware_{_tag}", _claim, hardware, _tag)


@case
def what_the_machine_can_count_is_found():
    """the device, its counters, what it counts and what not, and all three ways to tell of an overflow"""
    found = json.loads(call(CHRONIO, "pmu", "--output-format=json"))
    can = {each["name"]: each for each in found["events"]}
    check(found["device"].startswith("armv8_pmuv3"), found["device"])
    equal(found["counters"], 7, "counters")
    for name in ("cycles", "instructions"):
        check(can[name]["available"] and not can[name]["user_only"], can[name])
    check(not can["branch-misses"]["available"] and can["branch-misses"]["reason"], can["branch-misses"])
    equal([path["notify"] for path in found["notify"] if path["works"]], ["sigtrap", "signal", "poll"])
    return f"{found['device']}, {found['counters']} counters, trigger {found['trigger']}"


@case
def counts_of_each_io_repeat():
    """instructions of a null I/O differ by less than 0.1 % from run to run, once the program is in memory"""
    options = f"{JOB} --pmu=instructions:u,cycles:u"
    chronio(options)
    found = []
    for _ in range(3):
        run = chronio(options)
        equal((pmu(run)["mode"], event(run, "instructions:u")["status"]), ("counting", "exact"))
        found.append(event(run, "instructions:u")["per_io"])
    check(max(found) - min(found) < 0.001 * min(found), found)
    return f"{found[0]:.2f} instructions:u per I/O"


def ten_events(how):
    """(estimate of instructions:u per I/O, half width, the truth, the Run) of ten events on seven counters."""
    truth = event(chronio(f"{JOB} --pmu=r08:u"), "r08:u")["per_io"]
    run = chronio(f"{JOB} {TEN} {how}")
    found = event(run, "r08:u")
    check(found["total"] is not None, found)
    return found["per_io"], found["per_io_ci95"], truth, run


def by_overflow(notify):
    found, half, truth, run = ten_events(f"{TRIGGER} --pmu_notify={notify}")
    equal((pmu(run)["mode"], pmu(run)["notify"], pmu(run)["windows_dropped"]), ("overflow", notify, 0))
    check(pmu(run)["switches"] > 20, pmu(run)["switches"])
    # The handler's own instructions in user mode, some 500 of a million, are counted as the job's.
    check(abs(found - truth) <= half + 0.002 * truth, f"{found} +- {half}, truly {truth}")
    return f"{found:.2f} +- {half:.2f}, truly {truth:.2f}, {pmu(run)['switches']} windows"


for _notify in ("sigtrap", "signal", "poll"):
    add_case(f"ten_events_by_{_notify}", "ten events on seven counters: the estimate holds", by_overflow, _notify)


def survives_theft(notify):
    job = JOB.replace("size=1g", "size=1g --io_size=24g")
    run = Run(f"{job} {TEN} {TRIGGER} --pmu_notify={notify}")
    wait_until(lambda: run.cpu_ns() > 300_000_000, "the job has counted")
    with counters_taken():
        began = run.cpu_ns()
        wait_until(lambda: run.cpu_ns() > began + 200_000_000, "the job has run without counters")
    run.end()
    found = event(run, "r08:u")
    check(pmu(run)["windows_dropped"] > 0, "no window lost its counters: nothing was tried")
    equal((found["status"], found["per_io_ci95"]), ("insufficient", None))
    check("% of the CPU time is in no total: the counters were taken away" in found["reason"], found["reason"])
    usage = run.job["chronio"]["usage"]
    share = found["time_enabled"] / (usage["user_ns"] + usage["system_ns"])
    check(share > 0.5, f"counted for {share:.0%} of the CPU time: not again after the counters were free")
    return f"counted for {share:.0%}; {found['reason']}"


for _notify in ("sigtrap", "signal", "poll"):
    add_case(f"stolen_counters_by_{_notify}", "who loses its counters says so, and counts again when they are free",
             survives_theft, _notify)


@case
def counters_that_are_taken_are_named():
    """one group whose counters somebody else has gets no total, and a run that says who may have them"""
    with counters_taken():
        run = chronio(f"{JOB} --pmu=r08:u,r11:u")
    for name in ("r08:u", "r11:u"):
        equal(event(run, name)["total"], None, name)
    check("another user holds the counters" in pmu(run)["reason"], pmu(run))
    return f"{pmu(run)['mode']}: {pmu(run)['reason']}"


@case
def ten_events_by_the_kernel():
    """switched by the kernel's timer, a total has no interval and says so"""
    found, half, truth, run = ten_events("--pmu_switch=kernel")
    equal((pmu(run)["mode"], half), ("kernel", None))
    return f"{found:.2f}, truly {truth:.2f}"


@case
def overflows_leave_io_as_it_is():
    """an overflow every 40,000 cycles changes no I/O of the kernel's NVMe driver"""
    for engine in ("psync", "io_uring --iodepth=8", "libaio --iodepth=8"):
        run = chronio(f"--filename={block()} --ioengine={engine} --direct=1 --rw=randread --bs=4k --size=16m "
                      "--pmu={instructions:u},{cycles:u},{cycles:k} --pmu_trigger=cycles --pmu_period=40000 "
                      "--pmu_budget=100")
        equal(run.ios(), 4096, engine)
        equal((pmu(run)["mode"], pmu(run)["windows_dropped"]), ("overflow", 0), engine)
        if pmu(run)["switches"] < 100:
            raise Failed(f"{engine}: {pmu(run)['switches']} windows: nothing was tried")
