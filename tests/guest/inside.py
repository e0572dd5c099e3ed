# inside.py: what cases run on inside the guest: programs to call, checks, and a line of result for each case.
# usage, in the guest: inside.py CASES    the module CASES is imported and its cases run in the order they stand in
# A case is a function with @case; its docstring is the claim, and what it returns is told beside "ok".
import contextlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback

LIMIT_S = 3600  # of the guest's time, which runs fast where idle time is skipped; boot.py ends a guest that hangs
SHARE = pathlib.Path("/share")
CHRONIO = "/build/cli/chronio"
_CASES = {}


class Skip(Exception):
    """This case can't run here; says why."""


class Failed(Exception):
    """A check that did not hold."""


def case(function):
    """Marks a function as a case of that name."""
    _CASES[function.__name__] = function
    return function


def add_case(name, claim, function, *arguments):
    """A case made by a loop: `function(*arguments)` under a name of its own."""
    def run():
        return function(*arguments)
    run.__doc__ = claim
    _CASES[name] = run


def equal(found, expected, what=""):
    if found != expected:
        raise Failed(f"{what or 'value'}: {found!r}, expected {expected!r}")


def check(holds, message):
    if not holds:
        raise Failed(message)


def call(*words, status=0):
    """stdout and stderr of a program that has to end with `status`."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    check(done.returncode == status, f"{' '.join(map(str, words))}: exit {done.returncode}, expected {status}: "
                                     f"{done.stdout}")
    return done.stdout


def write(path, text):
    """Into a file of sysfs, configfs or the like."""
    pathlib.Path(path).write_text(str(text), encoding="ascii")


def wait_until(holds, what):
    """Polls until holds() is true."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.02)
    raise Failed(f"waited in vain until {what}")


def named_by_serial(pattern, serial, number):
    """Name of what has the serial number of disk `number` of the boot: the kernel finds disks in any order, in its time."""
    def found():
        return [path.name for path in pathlib.Path("/sys").glob(pattern)
                if (path / serial).read_text(encoding="ascii").strip() == f"guest{number}"]
    if not SHARE.exists():  # the host, which imports a file of cases for its BOOT only
        return "nothing"
    wait_until(found, f"disk {number} is there")
    return found()[0]


def controller(number):
    """Name of the NVMe controller of disk `number`."""
    return named_by_serial("class/nvme/nvme*", "serial", number)


def block(number=0):
    """Block device of disk `number`."""
    return "/dev/" + named_by_serial("block/nvme*n1", "device/serial", number)


def generic(number=0):
    """Its character device for passthrough."""
    return block(number).replace("/dev/nvme", "/dev/ng")


def programs():
    """The programs that Meson named for this boot."""
    named = SHARE / "programs"
    return named.read_text(encoding="utf-8").split() if named.exists() else []


class Run:
    """One run of chronio; when it ended: status, stderr, the result and its first job."""

    def __init__(self, options, env=None):
        words = options.split()
        job = [] if words[0].endswith(".fio") else ["--name=j"]
        self.options = options
        self._process = subprocess.Popen([CHRONIO, "--eta=never", "--output-format=json", *job, *words],
                                         env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def cpu_ns(self):
        """CPU time of its threads so far."""
        return sum(ns for ns, _ in self.threads().values())

    def threads(self):
        """{number: (CPU time in ns, how often it went to sleep)} of its threads that live."""
        found = {}
        for thread in pathlib.Path(f"/proc/{self._process.pid}/task").glob("*"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                cpu = (thread / "schedstat").read_text(encoding="ascii").split()[0]
                slept = (thread / "status").read_text(encoding="ascii").split("\nvoluntary_ctxt_switches:")[1].split()[0]
                found[thread.name] = (int(cpu), int(slept))
        return found

    def ended(self):
        return self._process.poll() is not None

    def end(self, status=0):
        """Waits for the end, which has to come with `status`; None: with any. Returns self."""
        out, self.err = self._process.communicate(timeout=LIMIT_S)
        self.status = self._process.returncode
        self.result = json.loads(out) if out else None
        self.job = self.result["jobs"][0] if self.result else None
        check(status in (self.status, None), f"chronio {self.options}: exit {self.status}, expected {status}: {self.err}")
        return self

    def fact(self, name):
        """What the engine told of itself, such as polled or fixed_buffers."""
        return self.job["chronio"]["facts"][name]

    def errors(self):
        """The failed I/Os that the result names."""
        return self.job["chronio"]["errors"]

    def ios(self, direction="read"):
        return self.job[direction]["total_ios"]


def chronio(options, status=0, env=None):
    """The ended Run of a job file, or of one job "j" with these options."""
    return Run(options, env).end(status)


def fio(*words):
    """The jobs of fio's JSON for these words of a command line."""
    text = call("fio", "--eta=never", "--output-format=json", "--thread", *words)
    return json.loads(text[text.index("{"):])["jobs"]


def refused(options, *messages):
    """chronio ends with 1, prints no result, and says each of `messages`."""
    run = chronio(options, status=1)
    check(run.result is None, f"chronio {options}: printed a result")
    for message in messages:
        check(message in run.err, f"chronio {options}: not said: {message}: {run.err}")
    return run.err.strip().splitlines()[0]


def verdict(function):
    """(ok, FAIL or skip; detail) of one case."""
    try:
        return "ok", function() or (function.__doc__ or "").strip()
    except Skip as reason:
        return "skip", reason
    except Exception as error:  # the next case has to run whatever this one did
        where = traceback.extract_tb(error.__traceback__)[-1].lineno if not isinstance(error, Failed) else ""
        return "FAIL", f"{function.__doc__}: {type(error).__name__} {where} {error}"


def main(module):
    importlib.import_module(module)
    (SHARE / "plan").write_text("\n".join(_CASES), encoding="utf-8")
    with open(SHARE / "results", "w", encoding="utf-8") as results:
        for name, function in _CASES.items():
            began = time.monotonic()
            word, detail = verdict(function)
            line = f"{word} {name}: {' '.join(str(detail).split())[:600]}"
            print(line, file=results, flush=True)
            print(f"{line} ({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    sys.modules["inside"] = sys.modules["__main__"]
    main(sys.argv[1])
