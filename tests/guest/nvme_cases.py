# nvme_cases.py: cases on NVMe's own driver: every engine and mode on the block device, and commands past it.
import functools
import hashlib
import itertools
import os
import pathlib
import re
import shlex
import tempfile

from boot import IMAGE, METADATA, ZEROES, Boot
from contents import add_contents
from inside import CHRONIO, add_case, block, call, case, check, chronio, equal, fio, generic, refused
from rings import BLOCK, IOS, MODES, NG, PASS, RING, SIZE, add_rings

BOOT = Boot(append="nvme.poll_queues=1", disks=(ZEROES, IMAGE, METADATA))
JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
DOC = JOBS.parent / "docs" / "nvme.md"
add_rings(mode for mode in MODES if "hybrid" not in mode)
add_contents()


@case
def ng_mixes_with_flushes():
    """passthrough mixes reads and writes, with a flush after every 16 writes"""
    run = chronio(f"{PASS} --rw=randrw --fsync=16")
    equal(run.ios("read") + run.ios("write"), IOS)
    equal(run.job["sync"]["total_ios"], run.ios("write") // 16, "flushes")


@case
def ng_trims():
    """passthrough trims"""
    equal(chronio(f"{PASS} --rw=randtrim").ios("trim"), IOS)


@case
def ng_passes_vectors():
    """passthrough passes vectors"""
    equal(chronio(f"{PASS} --rw=randread --nonvectored=0").ios(), IOS)


@case
def ng_forces_unit_access():
    """passthrough writes past the cache of the device"""
    equal(chronio(f"{PASS} --rw=write --writefua").ios("write"), IOS)


@case
def ng_takes_the_size_from_identify():
    """without size= the whole namespace is the target"""
    equal(chronio(f"--ioengine=io_uring_cmd --filename={NG} --rw=read --bs=64k --io_size=1m").ios(), 16)


@case
def ng_refuses_what_does_not_fit():
    """a block that is no multiple of the format's, and what lies past the end, are refused"""
    refused(f"--ioengine=io_uring_cmd --filename={NG} --rw=read --bs=4000 --size=1m", f"logical block size of {NG}")
    return refused(f"--ioengine=io_uring_cmd --filename={NG} --rw=read --size=1m --offset=1t", f"past the end of {NG}")


@case
def ng_refuses_to_write_what_it_may_trim():
    """a write of more than the device moves at once is refused"""
    return refused(f"--ioengine=io_uring_cmd --filename={NG} --rw=write --bs=1m --size=4m", "moves at once", "524288")


def holds_metadata(bs):
    job = f"--ioengine=io_uring_cmd --filename={generic(2)} --bs={bs} --size=1m --iodepth=4"
    needed = bs // 512 * 8
    refused(f"{job} --rw=randread --md_per_io_size={needed - 1}", f"md_per_io_size={needed} would hold them")
    for rw, direction in (("randread", "read"), ("write", "write")):
        equal(chronio(f"{job} --rw={rw} --md_per_io_size={needed}").ios(direction), (1 << 20) // bs, rw)
    return f"{needed} bytes are enough"


for _bs in (512, 1024, 4096, 65536):
    add_case(f"ng_holds_metadata_of_{_bs}", "room for the metadata of a block is enough, of whatever size it is",
             holds_metadata, _bs)


@case
def ng_trims_without_room_for_metadata():
    """a trim moves no metadata, so none need room"""
    equal(chronio(f"--ioengine=io_uring_cmd --filename={generic(2)} --rw=randtrim --bs=1m --size=16m").ios("trim"), 16)


@case
def ng_is_named_for_a_block_device():
    """who gives passthrough the block device hears the generic node's name"""
    return refused(f"--ioengine=io_uring_cmd --filename={BLOCK} --rw=read --size=4k", f"{NG} is the same namespace")


@case
def completions_are_collected_by_the_worker():
    """with DEFER_TASKRUN no completion needs a call of its own: at depth 8 fewer than two calls an I/O"""
    calls = chronio(f"{RING} --rw=randread").fact("enter_calls")
    check(0 < calls <= 2 * IOS, f"{calls} calls for {IOS} I/Os")
    return f"{calls} calls for {IOS} I/Os"


@case
def hybrid_polling_is_refused_by_an_old_kernel():
    """hybrid polling needs Linux 6.13: before, the job fails with the kernel's word, and nothing is counted"""
    run = chronio(f"{RING} --rw=randread --hipri --hybrid_poll", status=1)
    check("6.13" in run.err or "Invalid argument" in run.err, run.err)
    check(run.job is None or run.ios() == 0, "I/Os were counted")
    return run.err.strip().splitlines()[0]


def simple(options, rw):
    run = chronio(f"--direct=1 --filename={BLOCK} {SIZE} {options} --rw={rw}")
    equal(run.ios({"write": "write", "randtrim": "trim"}.get(rw, "read")), IOS, "I/Os")


for _name, _options in (("libaio", "--ioengine=libaio"), ("psync", "--ioengine=psync --iodepth=1"),
                        ("pvsync2_hipri", "--ioengine=pvsync2 --hipri --iodepth=1"), ("io_uring", "--ioengine=io_uring")):
    for _rw in ("randread", "write", "randtrim"):
        if not (_name == "pvsync2_hipri" and _rw == "randtrim"):
            add_case(f"{_name}_{_rw}", f"{_options} does every I/O of {_rw}", simple, _options, _rw)


AGREED = {f"{name}_{rw}": f"{options} --rw={rw}" for rw in ("randread", "write") for name, options in (
    ("io_uring", RING), ("io_uring_hipri", f"{RING} --hipri"), ("io_uring_cmd", PASS),
    ("libaio", RING.replace("io_uring", "libaio")), ("psync", RING.replace("io_uring", "psync")),
    ("pvsync2", RING.replace("io_uring", "pvsync2")))}


@functools.cache
def of_fio():
    """{name: fio's job} of all that is compared, in one call: fio's start takes longer than a job."""
    words = [word for name, options in AGREED.items() for word in (f"--name={name}", "--stonewall", *options.split())]
    return {job["jobname"]: job for job in fio(*words)}


def agree(name):
    ours = chronio(AGREED[name])
    for direction in ("read", "write"):
        equal(ours.ios(direction), of_fio()[name][direction]["total_ios"], f"{direction}s, ours and fio's")
    return f"{ours.ios('read')} reads, {ours.ios('write')} writes"


for _name, _options in AGREED.items():
    add_case(f"fio_agrees_{_name}", f"fio counts as many I/Os: {_options}", agree, _name)


def digest(device):
    os.sync()
    return hashlib.sha256(pathlib.Path(device).read_bytes()).hexdigest()


@case
def guard_refuses_a_file_system_by_both_nodes():
    """a namespace with ext4 on it is refused as a block device and as /dev/ng, and is the same afterwards"""
    call("mkfs.ext4", "-q", block(1))
    before = digest(block(1))
    for rw in ("write", "randwrite", "randrw", "trim", "randtrim", "trimwrite"):
        refused(f"--filename={block(1)} --size=1m --rw={rw}", "ext4", block(1))
        said = refused(f"--ioengine=io_uring_cmd --filename={generic(1)} --size=1m --rw={rw}", "ext4", generic(1))
    equal(digest(block(1)), before, "SHA-256 of the namespace")
    call("e2fsck", "-fn", block(1))
    return said


@case
def guard_refuses_a_mounted_namespace_by_both_nodes():
    """a mounted namespace is refused as a block device and as /dev/ng"""
    call("modprobe", "ext4")
    call("mount", "-t", "ext4", block(1), "/mnt")
    try:
        refused(f"--filename={block(1)} --size=1m --rw=write", "mounted", "/mnt")
        return refused(f"--ioengine=io_uring_cmd --filename={generic(1)} --size=1m --rw=write", "mounted", "/mnt")
    finally:
        call("umount", "/mnt")


@case
def guard_lets_reads_through():
    """a namespace with ext4 on it may be read by both nodes"""
    equal(chronio(f"--filename={block(1)} --io_size=1m --rw=read").ios(), 256)
    equal(chronio(f"--ioengine=io_uring_cmd --filename={generic(1)} --io_size=1m --rw=read").ios(), 256)


def job_file(path):
    device = NG if "io_uring_cmd" in path.read_text(encoding="utf-8") else BLOCK
    if "size=100%" in path.read_text(encoding="utf-8"):
        device = block(1)  # a smaller one, which holds the guard's ext4
        call("wipefs", "-qa", device)
    run = chronio(str(path), env={"DEVICE": device})
    for job in run.result["jobs"]:
        equal(job["error"], 0, f"error of {job['jobname']}")
        check(sum(job[rw]["total_ios"] for rw in ("read", "write", "trim")) > 0, f"{job['jobname']} did no I/O")
    return f"on {device}: {len(run.result['jobs'])} jobs"


def documented(line):
    words = shlex.split(line.replace("/dev/nvme0n1", BLOCK).replace("/dev/ng0n1", NG))
    settings = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: word != "chronio", words))
    arguments = words[len(settings) + 1:]
    os.chdir(tempfile.mkdtemp())
    for word in arguments:
        if word.endswith(".fio"):  # runs are shortened: what is tested is that the command works
            pathlib.Path("jobs").mkdir()
            text = (JOBS / pathlib.Path(word).name).read_text(encoding="utf-8")
            pathlib.Path(word).write_text(re.sub("(runtime|ramp_time)=[0-9]+", r"\1=200ms", text), encoding="utf-8")
    call("env", *(f"{name}={value}" for name, value in settings.items()), CHRONIO, *arguments)
    return line


for _number, _line in enumerate(re.findall(r"^\$ (DEVICE=.*)$", DOC.read_text(encoding="utf-8"), re.MULTILINE), 1):
    add_case(f"nvme_md_{_number}", "docs/nvme.md: " + _line, documented, _line)

for _path in sorted(JOBS.glob("nvme-*.fio")):
    add_case(f"job_{_path.stem}", f"jobs/{_path.name} runs unmodified with DEVICE set", job_file, _path)
