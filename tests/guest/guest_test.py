# guest_test.py: boots one guest, runs all cases of a file in it, and prints a line of TAP for each.
# usage: guest_test.py CASES.py FAMILY BUILD [PROGRAM...]
# FAMILY is Meson's name of the CPUs that BUILD was built for; programs of BUILD are for cases that ask for them.
import importlib
import pathlib
import shutil
import sys
import tempfile

import boot

ARCHITECTURES = {"aarch64": "arm64", "x86_64": "amd64"}
LINES_OF_CONSOLE = 40


def skip(reason):
    """Ends the test as skipped."""
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def verdicts(folder):
    """[(word, name, detail)] that inside.py left in /share/results, then ("FAIL", ...) for what it planned and lacks."""
    planned = (folder / "plan").read_text(encoding="utf-8").split() if (folder / "plan").exists() else []
    lines = (folder / "results").read_text(encoding="utf-8").splitlines() if (folder / "results").exists() else []
    found = []
    for line in lines:
        heading, _, detail = line.partition(": ")
        word, _, name = heading.partition(" ")
        found.append((word, name, detail))
    done = {name for _, name, _ in found}
    return found + [("FAIL", name, "the guest ended before this case did") for name in planned if name not in done]


def tap(number, verdict):
    word, name, detail = verdict
    detail = detail.replace("#", "No.")
    if word == "skip":
        return f"ok {number} - {name} # SKIP {detail}"
    return f"{'ok' if word == 'ok' else 'not ok'} {number} - {name}: {detail}"


def report(status, console, found):
    """The lines of TAP of one boot. Its console follows where a case failed; a guest that died fails the whole."""
    lines = [tap(number, verdict) for number, verdict in enumerate(found, 1)]
    if status != 0 or any(word == "FAIL" for word, _, _ in found):
        lines += ["# " + line for line in console.splitlines()[-LINES_OF_CONSOLE:]]
    if status != 0 or not found:
        lines.append("Bail out! the guest ended " + ("without a status" if status is None else f"with status {status}"))
    return [*lines, f"1..{len(found)}"]


def main(cases, family, build, programs):
    arch = ARCHITECTURES[family]
    sys.path.insert(0, str(pathlib.Path(cases).parent))
    wanted = importlib.import_module(pathlib.Path(cases).stem).BOOT
    qemu = boot.MACHINES[arch][0][0]
    if shutil.which(qemu) is None:
        skip(f"{qemu} is not installed: tools/test --guest installs it")
    if not (boot.guest_folder(arch) / wanted.kernel / "initrd.key").exists():
        skip(f"no {arch} guest with the {wanted.kernel} kernel in {boot.guest_folder(arch)}: tools/test --guest makes it")
    build = pathlib.Path(build).resolve()
    inside = [f"/build/{pathlib.Path(program).resolve().relative_to(build)}" for program in programs]
    with tempfile.TemporaryDirectory(prefix="chronio-guest-") as folder:
        (pathlib.Path(folder) / "programs").write_text("\n".join(inside), encoding="utf-8")
        command = f"exec python3 -B /source/tests/guest/inside.py {pathlib.Path(cases).stem}"
        status, console = boot.run(wanted, arch, build, folder, command)
        print("\n".join(report(status, console, verdicts(pathlib.Path(folder)))))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
