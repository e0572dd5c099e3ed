# fault_cases.py: cases of devices that fail: an error at a sector, a reset, a removal in mid-run.
import pathlib
import re

from boot import ZEROES, Boot
from inside import Run, add_case, block, case, check, chronio, controller, equal, generic, wait_until, write

BAD_SECTOR = 1024
BAD_READ = ("driver=blkdebug,node-name={node},inject-error.0.event=none,inject-error.0.iotype=read,"
            f"inject-error.0.errno=5,inject-error.0.sector={BAD_SECTOR},"
            "image.driver=null-co,image.size=1073741824,image.read-zeroes=on")
BOOT = Boot(disks=(ZEROES, BAD_READ, ZEROES, ZEROES))
RESET, BAD = 0, 1  # numbers of the disks
REMOVED = {"block": 2, "ng": 3}


def path(kind, disk):
    """Options of one disk by its block device or by passthrough."""
    if kind == "ng":
        return f"--ioengine=io_uring_cmd --filename={generic(disk)}"
    return f"--ioengine=io_uring --direct=1 --filename={block(disk)}"


def interrupts(disk):
    """Of a controller so far: they come with every completion that is not polled for."""
    name = re.compile(rf"\b{controller(disk)}q[1-9]")
    lines = pathlib.Path("/proc/interrupts").read_text(encoding="ascii").splitlines()
    return sum(int(word) for line in lines if name.search(line) for word in line.split()[1:] if word.isdigit())


def runs(options, disk):
    """A Run that has done some I/O."""
    before = interrupts(disk)
    run = Run(options)
    wait_until(lambda: interrupts(disk) > before + 100 or run.ended(), f"{options} does I/O")
    return run


def read_error(options, words):
    before = BAD_SECTOR * 512 // 4096
    run = chronio(f"{options} --rw=read --bs=4k --size=4m", status=1)
    equal(run.ios(), before, "good reads before the bad one")
    equal(len(run.errors()), 1, "failed I/Os")
    error = run.errors()[0]
    equal((error["operation"], error["offset"], error["length"]), ("read", BAD_SECTOR * 512, 4096))
    check(words in error["text"] and words in run.err, f"{words} is not said: {error['text']}: {run.err}")
    return error["text"]


# The block layer makes ENODATA of the device's status 0x281; passthrough hands it on.
add_case("block_read_error", "one bad sector is one failed read, told in words", lambda: read_error(
    path("block", BAD), "No data available"))
add_case("psync_read_error", "one bad sector is one failed read, told in words", lambda: read_error(
    f"--ioengine=psync --direct=1 --filename={block(BAD)}", "No data available"))
add_case("ng_read_error", "one bad sector is one failed read, told by the device's status in words", lambda: read_error(
    path("ng", BAD), "unrecovered read error"))


@case
def a_bad_sector_fails_its_neighbours_at_most():
    """at depth 4 the bad read fails with what it was merged with; what was read meanwhile counts as good"""
    bad = BAD_SECTOR * 512
    for kind in ("block", "ng"):
        run = chronio(f"{path(kind, BAD)} --rw=read --bs=4k --size=4m --iodepth=4", status=1)
        offsets = sorted(error["offset"] for error in run.errors())
        check(bad in offsets and len(set(offsets)) == len(offsets) <= 4, f"{kind}: {offsets}")
        check(bad - 3 * 4096 <= offsets[0] and offsets[-1] <= bad + 3 * 4096, f"{kind}: {offsets}")
        check(bad // 4096 - 3 <= run.ios() <= 1024 - len(offsets), f"{kind}: {run.ios()} good reads")
        equal(run.job["read"]["clat_ns"]["N"], run.ios(), "samples")
    return f"{run.ios()} good, {len(offsets)} failed"


def reset(kind):
    run = runs(f"{path(kind, RESET)} --rw=randread --bs=4k --size=64m --io_size=64m --iodepth=8", RESET)
    resets = 0
    while not run.ended() and resets < 3:
        write(f"/sys/class/nvme/{controller(RESET)}/reset_controller", 1)
        resets += 1
    run.end()
    check(resets > 0, "the run ended before a reset")
    equal(run.ios(), 16384, "I/Os")
    equal(run.errors(), [], "errors")
    equal(run.job["error"], 0, "error")
    return f"{resets} resets, no I/O lost of {run.ios()}"


add_case("block_controller_reset", "a reset of the controller in mid-run loses no I/O", reset, "block")


@case
def ng_controller_reset():
    """passthrough gets every command back over a reset: good ones are counted, others are told in words"""
    run = runs(f"{path('ng', RESET)} --rw=randread --bs=4k --size=64m --iodepth=8", RESET)
    write(f"/sys/class/nvme/{controller(RESET)}/reset_controller", 1)
    run.end(None)
    equal(run.status, 1 if run.errors() else 0, "exit status")
    check(run.errors() or run.ios() == 16384, f"{run.ios()} I/Os and no error")
    check(len(run.errors()) <= 8, f"{run.errors()}")
    return f"{run.ios()} good, then: {run.errors()[0]['text'] if run.errors() else 'all'}"


def removal(kind):
    disk = REMOVED[kind]
    run = runs(f"{path(kind, disk)} --rw=randread --bs=4k --time_based --runtime=60 --iodepth=4", disk)
    write(f"/sys/class/nvme/{controller(disk)}/device/remove", 1)
    run.end(1)
    check(run.ios() > 0, "no I/O of before is in the result")
    read = run.job["read"]
    equal(read["io_bytes"], 4096 * run.ios(), "bytes: a completion of 0 bytes is no I/O")
    equal(read["clat_ns"]["N"], run.ios(), "samples")
    check(run.job["error"] != 0 and run.errors(), "no error in the result")
    check(run.job["chronio"]["runtime_ns"] < 50e9, "it went on without a device")
    check(run.errors()[0]["text"] in run.err, run.err)
    return f"{run.ios()} good, then: {run.errors()[0]['text']}"


for _kind in REMOVED:
    add_case(f"{_kind}_removed_in_mid_run", "a device that goes ends the run: error, exit 1, results kept", removal, _kind)
