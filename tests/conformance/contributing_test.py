# contributing_test.py: "Add an engine in ten minutes" of CONTRIBUTING.md, followed to the letter in a copy of the tree.
#
# contributing_test.py ROOT. Takes minutes, since it builds the program once more.
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What step 1 says to change in the copy of null.cpp, as a reader does it.
CHANGES = (("null.cpp: completes every request", "foo.cpp: completes every request"), ("Null", "Foo"),
           ('CHRONIO_ENGINE("null"', 'CHRONIO_ENGINE("foo"'))


def steps(markdown):
    """The text of the numbered steps of that section."""
    section = markdown.split("## Add an engine in ten minutes")[1].split("\n## ")[0]
    return [" ".join(step.split()) for step in re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]]


def first_code(step):
    return re.search(r"`([^`]+)`", step)[1]


def run(command, folder):
    print("$ " + command, flush=True)
    subprocess.run(command, cwd=folder, shell=True, check=True)


def follow(folder):
    copy, _, entry, build, use, _ = steps((folder / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    run(first_code(copy), folder)
    engine = folder / "engines" / "foo.cpp"
    text = engine.read_text(encoding="utf-8")
    for old, new in CHANGES:
        assert old in text, f"null.cpp has no {old!r} to change"
        text = text.replace(old, new)
    engine.write_text(text, encoding="utf-8")
    listing = folder / "engines" / "meson.build"
    lines = listing.read_text(encoding="utf-8")
    listing.write_text(lines.replace("engines = {\n", f"engines = {{\n  {first_code(entry)}\n", 1), encoding="utf-8")
    run("meson setup --wrap-mode=nofallback -Dtests=true build", folder)
    run(first_code(build), folder)
    run(first_code(use), folder)
    listed = subprocess.run(["build/cli/chronio", "engines", "foo"], cwd=folder, check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    assert listed.startswith("foo: "), listed


def outside(folder):
    """The same source outside the tree, with the installed header and the pkg-config file."""
    run("meson install -C build --no-rebuild --tags devel --destdir ../installed", folder)
    found = next((folder / "installed").rglob("chronio.pc"))
    flags = f"PKG_CONFIG_SYSROOT_DIR={folder}/installed PKG_CONFIG_PATH={found.parent} pkg-config --cflags chronio"
    away = folder / "away"
    away.mkdir()
    shutil.copy(folder / "engines" / "foo.cpp", away)
    run(f"g++ -std=c++20 -O2 -fPIC -shared $({flags}) foo.cpp -o foo.so", away)
    run("../build/cli/chronio --name=t --ioengine=external:./foo.so --size=64m --rw=randread --bs=4k", away)
    run("../build/cli/chronio engines ./foo.so", away)


def main(root):
    with tempfile.TemporaryDirectory(prefix="chronio-") as name:
        folder = pathlib.Path(name).resolve() / "tree"
        shutil.copytree(root, folder, ignore=shutil.ignore_patterns(".git", "build*", "__pycache__"))
        follow(folder)
        outside(folder)
    print("the steps work as they are written")


if __name__ == "__main__":
    main(sys.argv[1])
