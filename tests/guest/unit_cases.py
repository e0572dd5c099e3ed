# unit_cases.py: every program of suite `unit`, built for the guest's CPU, is a case. In virtual time, or what the host
# does meanwhile would be time that a program spent. pmu_hardware_test needs a guest of one CPU: see pmu_cases.py.
import pathlib
import subprocess

from boot import Boot
from inside import LIMIT_S, Skip, add_case, check, programs

BOOT = Boot(icount=True)


def unit(program):
    """Passes, or skips with the reason that the program gives."""
    done = subprocess.run([program], cwd="/tmp", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    said = done.stdout.strip()
    if done.returncode == 77:
        raise Skip(said)
    check(done.returncode == 0, f"exit {done.returncode}: {said[-600:]}")
    return said.splitlines()[-1]


for _program in map(pathlib.Path, programs()):
    if _program.name != "pmu_hardware_test":
        add_case(_program.name, "holds on this CPU", unit, _program)
