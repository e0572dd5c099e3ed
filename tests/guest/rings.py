# rings.py: jobs of io_uring and io_uring_cmd on the guest's NVMe disk, and what a ring can be asked for.
from inside import add_case, block, chronio, equal, generic

BLOCK, NG = block(), generic()
SIZE = "--size=4m --bs=4k --iodepth=8"
IOS = 1024
RING = f"--ioengine=io_uring --direct=1 --filename={BLOCK} {SIZE}"
PASS = f"--ioengine=io_uring_cmd --cmd_type=nvme --filename={NG} {SIZE}"
# What a ring can be asked for: options, and the facts that the result has to tell then.
MODES = {
    "plain": ("", {"polled": 0, "fixed_buffers": False, "registered_files": False, "sq_poll": False}),
    "fixedbufs": ("--fixedbufs", {"fixed_buffers": True}),
    "registerfiles": ("--registerfiles", {"registered_files": True}),
    "both": ("--fixedbufs --registerfiles", {"fixed_buffers": True, "registered_files": True}),
    "sqpoll": ("--sqthread_poll", {"sq_poll": True}),
    "hipri": ("--hipri", {"polled": IOS}),
    "hipri_fixed": ("--hipri --fixedbufs --registerfiles", {"polled": IOS, "fixed_buffers": True}),
    "hybrid": ("--hipri --hybrid_poll", {"polled": IOS}),
    "hybrid_fixed": ("--hipri --hybrid_poll --fixedbufs --registerfiles", {"polled": IOS, "fixed_buffers": True}),
    "hipri_sqpoll": ("--hipri --sqthread_poll", {"polled": IOS, "sq_poll": True}),
}


def ring(where, rw, mode):
    options, facts = MODES[mode]
    run = chronio(f"{where} --rw={rw} {options}")
    equal(run.ios("write" if rw.endswith("write") else "read"), IOS, "I/Os")
    equal(run.job["error"], 0, "error")
    for name, expected in facts.items():
        equal(run.fact(name), expected, name)
    return f"{IOS} I/Os, {facts}"


def add_rings(modes):
    """Cases of each mode by the block device and by passthrough, reads and writes."""
    for engine, where in (("block", RING), ("ng", PASS)):
        for mode in modes:
            for rw in ("randread", "write"):
                add_case(f"{engine}_{mode}_{rw}", f"{rw} {MODES[mode][0]} does all I/Os and tells what was in use", ring,
                         where, rw, mode)
