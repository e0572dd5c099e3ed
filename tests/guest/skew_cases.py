# skew_cases.py: CPUs of an amd64 guest whose counters differ, by the preloaded library of tests/end_to_end/skewed_tsc.cpp.
# An emulated CPU takes 100 us for a reading that traps, so time goes at a 4096th: a reading then costs some 30 ns.
import json
import subprocess

from boot import Boot
from inside import CHRONIO, LIMIT_S, case, check, chronio, equal, programs

BOOT = Boot()


def clock(skew_ns, *options):
    """(status, certificate) of `chronio clock` where each CPU is skew_ns ahead of the one before."""
    words = ["env", f"LD_PRELOAD={programs()[0]}", f"CHRONIO_TEST_SKEW_NS={skew_ns}", "CHRONIO_TEST_TIME_DIVISOR=4096",
             CHRONIO, "clock", "--method=cas", "--clock-calibrate=2ms", "--output-format=json", *options]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, json.loads(done.stdout)["clock"]


@case
def a_microsecond_is_proven():
    """a skew of 1 us between the CPUs is found, and the kernel's clock taken"""
    status, found = clock(1000)
    said = [text for text in found["findings"] if "counters of CPU 0 and CPU 1 differ by" in text]
    equal((status, found["skew_proven"], found["verdict"], len(said)), (1, True, "fallback", 1))
    least = int(said[0].split()[-4])
    check(500 <= least <= 1100, said[0])  # what is proven is less than what is there, by half a round trip at most
    check(found["source"] in ("monotonic_raw", "monotonic"), found["source"])
    return said[0]


@case
def no_skew_is_not_accused():
    """the same without a skew proves none"""
    _, found = clock(0)
    equal(found["skew_proven"], False, str(found["findings"]))


@case
def the_counter_is_refused_without_a_promise():
    """an emulated CPU doesn't promise one rate of its counter: auto takes the kernel's clock and says why"""
    run = chronio("--ioengine=null --size=1m")
    own = run.result["chronio"]["clock"]
    equal(own["verdict"], "fallback")
    check("CPUID does not promise" in run.err, run.err)
    return own["source"]


@case
def the_counter_is_taken_when_asked_for():
    """clocksource=tsc reads the counter all the same, and no latency is negative"""
    run = chronio("--ioengine=null --size=1m --clocksource=tsc")
    own = run.result["chronio"]["clock"]
    equal((own["source"], own["negative_deltas"], run.ios()), ("tsc", 0, 256))
