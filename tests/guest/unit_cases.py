# unit_cases.py: every program of suite `unit`, built for the guest's CPU, is a case.
import pathlib
import subprocess

from boot import Boot
from inside import LIMIT_S, Skip, add_case, check, programs

BOOT = Boot()


def unit(program):
    """Passes, or skips with the reason that the program gives."""
    done = subprocess.run([program], cwd="/tmp", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    said = done.stdout.strip()
    if done.returncode == 77:
        raise Skip(said)
    check(done.returncode == 0, f"exit {done.returncode}: {said[-600:]}")
    return said.splitlines()[-1]


for _program in programs():
    add_case(pathlib.Path(_program).name, "holds on this CPU", unit, _program)
