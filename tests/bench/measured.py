# measured.py: what the benchmarks measure programs with.
import os
import subprocess
import sys
import time


def run(command, folder):
    """(wall ms, CPU ms of user and system, most resident KiB) of one run that has to succeed."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{err.decode(errors='replace')}")
    return 1e3 * (time.monotonic() - began), 1e3 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss
