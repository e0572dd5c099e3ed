# boot.py: boots a guest in QEMU, all CPUs emulated, and runs one shell command in it.
# usage: boot.py arm64|amd64 BUILD COMMAND    to look around; setup.sh has made the guest, BUILD is a build for it
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MACHINES = {
    "arm64": (["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "neoverse-n1"], "ttyAMA0"),
    "amd64": (["qemu-system-x86_64", "-M", "q35", "-cpu", "max"], "ttyS0"),
}
# Disks: -blockdev of each; {node} becomes its name, {image} an empty file of 64 MiB. Writes to ZEROES are forgotten.
# What follows after a space is how the namespace is formatted: METADATA has 8 bytes apart for each block of 512.
ZEROES = "driver=null-co,node-name={node},size=1073741824,read-zeroes=on"
IMAGE = "driver=raw,node-name={node},discard=unmap,file.driver=file,file.filename={image},file.discard=unmap"
METADATA = f"{IMAGE} ms=8,logical_block_size=512"
IMAGE_BYTES = 64 << 20


@dataclasses.dataclass
class Boot:
    """What one boot is like."""

    cpus: int = 2
    memory_mib: int = 768
    icount: bool = False   # virtual time: one instruction is 1 ns, and idle time is skipped
    kernel: str = "lts"    # or "newest"
    append: str = ""       # kernel parameters
    disks: tuple = (ZEROES,)  # one NVMe controller for each
    limit_s: int = 1200    # of real time; 20 s to 2 min are normal, and a busy host is ten times as slow


def guest_folder(arch):
    """Where setup.sh puts the guest of an architecture: its root, and a folder for each kernel."""
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "chronio-guest" / arch


def shared(tag, path, access):
    return ["-fsdev", f"local,id={tag},path={path},security_model=none{access}",
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def disk(number, description, folder):
    node = f"disk{number}"
    image = pathlib.Path(folder) / f"{node}.img"
    if "{image}" in description:
        image.touch()
        os.truncate(image, IMAGE_BYTES)
    backend, _, formatted = description.partition(" ")
    drive = f"drive={node}"
    namespace = ["-device", f"nvme-ns,{drive},bus=nvme{number},{formatted}"] if formatted else []
    return ["-blockdev", backend.format(node=node, image=image),
            "-device", f"pcie-root-port,id=port{number},chassis={number + 1}",
            "-device", f"nvme,id=nvme{number},serial=guest{number},bus=port{number}" + ("" if formatted else f",{drive}"),
            *namespace]


def qemu_command(boot, arch, build, folder):
    guest = guest_folder(arch)
    machine, console = MACHINES[arch]
    command = [*machine, "-accel", "tcg", "-smp", str(boot.cpus), "-m", str(boot.memory_mib), "-nodefaults",
               "-nographic", "-no-reboot", "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
               "-kernel", str(guest / boot.kernel / "vmlinuz"), "-initrd", str(guest / boot.kernel / "initrd"),
               "-append", f"console={console} quiet panic=-1 {boot.append}",
               *shared("root", guest / "root", ",readonly=on"), *shared("source", SOURCE, ",readonly=on"),
               *shared("build", pathlib.Path(build).resolve(), ",readonly=on"), *shared("share", folder, "")]
    if boot.icount:
        command += ["-icount", "shift=0,sleep=off"]
    for number, description in enumerate(boot.disks):
        command += disk(number, description, folder)
    return command


def run(boot, arch, build, folder, command):
    """(status of `command` or None when the guest ended before it, text of the console). `folder` is /share."""
    folder = pathlib.Path(folder)
    (folder / "command").write_text(command + "\n", encoding="utf-8")
    status = folder / "status"
    status.unlink(missing_ok=True)
    with open(folder / "console", "w+b") as console:
        try:
            subprocess.run(qemu_command(boot, arch, build, folder), stdin=subprocess.DEVNULL, stdout=console,
                           stderr=subprocess.STDOUT, timeout=boot.limit_s, check=False)
        except subprocess.TimeoutExpired:
            console.write(f"\nboot.py: no end within {boot.limit_s} s\n".encode())
        console.seek(0)
        text = console.read().decode(errors="replace")
    return int(status.read_text(encoding="utf-8")) if status.exists() else None, text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as share:
        answer, printed = run(Boot(append="nvme.poll_queues=1"), sys.argv[1], sys.argv[2], share, " ".join(sys.argv[3:]))
    print(printed)
    sys.exit(125 if answer is None else answer)
