# counters.py: the emulated arm64 PMU, taken away from whom it counts for.
import contextlib
import ctypes
import os
import struct

from inside import check

PERF_EVENT_OPEN = 241
CYCLES, INSTRUCTIONS = 0x11, 0x08


@contextlib.contextmanager
def counters_taken():
    """Meanwhile all counters of CPU 0 belong to somebody who goes before every thread."""
    libc = ctypes.CDLL(None, use_errno=True)
    taken = []
    for config in (CYCLES, *[INSTRUCTIONS] * 6):
        # perf_event_attr: type (raw), size, config, sample_period, sample_type, read_format, flags (pinned)
        attr = struct.pack("<IIQQQQQ", 4, 64, config, 0, 0, 0, 1 << 2).ljust(64, b"\0")
        taken.append(libc.syscall(PERF_EVENT_OPEN, attr, -1, 0, -1, 0))  # whoever runs on CPU 0
    try:
        check(min(taken) >= 0, f"counters could not be taken: {taken}, errno {ctypes.get_errno()}")
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
