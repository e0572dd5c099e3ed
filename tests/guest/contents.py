# contents.py: cases of what stands on a disk that remembers, before and after a job: which bytes changed, and to what.
import functools
import mmap
import os
import random
import struct

from inside import add_case, block, check, chronio, equal, generic

BYTES = 64 << 20  # of the disk, which is number 1
SECTOR = 512
# First byte, bytes, block: one that begins at no page, one of pages, one as large as the device moves at once.
SHAPES = {
    "sectors": ((5 << 20) + SECTOR, 256 << 10, SECTOR),
    "pages": ((9 << 20) + 4096, 4 << 20, 4096),
    "largest": ((20 << 20) + 4096, 16 << 20, 512 << 10),
}
TRIMMED = {**SHAPES, "beyond": ((20 << 20) + 4096, 16 << 20, 2 << 20)}  # and one that is larger than that
ENGINES = {
    "psync": ("psync --direct=1", block, {}),
    "block": ("io_uring --direct=1", block, {"plain": "", "fixedbufs": "--fixedbufs", "hipri": "--hipri"}),
    "ng": ("io_uring_cmd", generic, {"plain": "", "fixedbufs": "--fixedbufs", "vectors": "--nonvectored=0",
                                     "vectors_fixed": "--nonvectored=0 --fixedbufs", "hipri": "--hipri",
                                     "hipri_fixed": "--hipri --fixedbufs --registerfiles"}),
}


@functools.cache
def before():
    """What fill() writes: no two sectors are alike."""
    return random.Random(1).randbytes(BYTES)


def disk(flags):
    """A descriptor of the disk that no cache stands before."""
    return os.open(block(1), flags | os.O_DIRECT)


def fill():
    """Overwrites the whole disk, and so whatever an earlier case left there."""
    with mmap.mmap(-1, BYTES) as buffer:
        buffer[:] = before()
        device = disk(os.O_WRONLY | os.O_EXCL)
        equal(os.pwritev(device, [buffer], 0), BYTES, "bytes written to the disk")
        os.close(device)


def contents():
    with mmap.mmap(-1, BYTES) as buffer:
        device = disk(os.O_RDONLY)
        equal(os.preadv(device, [buffer], 0), BYTES, "bytes read from the disk")
        os.close(device)
        return bytes(buffer)


def after(engine, rw, shape, options):
    """What a job left of its range on a disk that was filled. Outside of it, nothing may have changed."""
    words, node, _ = ENGINES[engine]
    first, size, bs = TRIMMED[shape]
    fill()
    run = chronio(f"--ioengine={words} --filename={node(1)} --rw={rw} --offset={first} --size={size} --bs={bs} {options}")
    equal(run.ios({"w": "write", "t": "trim"}.get(rw.replace("rand", "")[0], "read")), size // bs, "I/Os")
    found = contents()
    check(found[:first] == before()[:first], "something before the range changed")
    check(found[first + size:] == before()[first + size:], "something behind the range changed")
    return found[first:first + size]


def marks(data):
    """(offset, number of the write) of each sector, as the program puts them into what it writes."""
    return [struct.unpack_from("<QQ", data, at) for at in range(0, len(data), SECTOR)]


@functools.cache
def one_after_the_other(rw, shape):
    """What psync leaves: at depth 1 every engine writes the same, from its only buffer."""
    return after("psync", rw, shape, "")


def writes_alike(engine, rw, shape, options):
    equal(after(engine, rw, shape, f"--iodepth=1 {options}") == one_after_the_other(rw, shape), True,
          "the same bytes as by psync")
    return f"{SHAPES[shape][1]} bytes"


def writes_in_place(engine, rw, shape, options):
    first, size, bs = SHAPES[shape]
    found = marks(after(engine, rw, shape, f"--iodepth=8 {options}"))
    equal([offset for offset, _ in found], list(range(first, first + size, SECTOR)), "offsets in the sectors")
    writes = [{number for _, number in found[at:at + bs // SECTOR]} for at in range(0, len(found), bs // SECTOR)]
    check(all(len(each) == 1 for each in writes), "a block holds the data of two writes")
    equal(sorted(each.pop() for each in writes), list(range(1, size // bs + 1)), "writes that are on the disk")
    return f"{size // bs} writes, each where it belongs"


def trims_exactly(engine, rw, shape, options):
    equal(after(engine, rw, shape, f"--iodepth=8 {options}").count(0), TRIMMED[shape][1], "bytes that are zero")
    return f"{TRIMMED[shape][1]} bytes are zero, and no other"


def reads_only(engine, rw, shape, options):
    first, size, _ = SHAPES[shape]
    equal(after(engine, rw, shape, f"--iodepth=8 {options}") == before()[first:first + size], True, "unchanged")
    return "nothing changed"


def add_contents():
    """Cases of each engine and mode, on the second disk: writes, trims and reads of a part of it."""
    for engine, (_, _, modes) in ENGINES.items():
        for mode, options in modes.items():
            for shape in SHAPES:
                name = f"{engine}_{mode}_{shape}"
                add_case(f"{name}_alike", f"{name}: what is written is what psync writes, there and nowhere else",
                         writes_alike, engine, "write", shape, options)
            add_case(f"{engine}_{mode}_in_place", f"{engine} {options}: each of 8 writes at a time goes where it belongs",
                     writes_in_place, engine, "randwrite", "pages", options)
        for rw, shape in (("trim", "sectors"), ("randtrim", "pages"), ("trim", "largest"), ("randtrim", "beyond")):
            add_case(f"{engine}_{rw}_{shape}_exact", f"{engine}: {rw} makes its range zero and nothing else", trims_exactly,
                     engine, rw, shape, "")
        add_case(f"{engine}_reads_only", f"{engine}: reads change nothing", reads_only, engine, "randread", "pages", "")
