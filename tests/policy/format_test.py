# format_test.py: fails when clang-format would change a C++ file. The style is pinned to one version.
import pathlib
import re
import shutil
import subprocess
import sys

import tree

PINNED_MAJOR = 14
SKIP = 77


def pinned_clang_format():
    """The clang-format to use, or None when the pinned version isn't here."""
    for name in (f"clang-format-{PINNED_MAJOR}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
        if re.search(rf"version {PINNED_MAJOR}\.", version):
            return path
    return None


def check(program, root):
    """One line for each file that clang-format would change."""
    files = [str(path.relative_to(root)) for path in tree.cpp_files(root)]
    run = subprocess.run([program, "--style=file", "--dry-run", *files], cwd=root, capture_output=True,
                         text=True, check=True)
    places = re.findall(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", run.stderr, re.MULTILINE)
    first = {name: line for name, line in reversed(places)}
    return [f"{name}:{first[name]}: run clang-format -i on this file" for name in sorted(first)]


if __name__ == "__main__":
    PROGRAM = pinned_clang_format()
    if PROGRAM is None:
        print(f"clang-format {PINNED_MAJOR} is not installed")
        sys.exit(SKIP)
    tree.finish(check(PROGRAM, pathlib.Path(sys.argv[1])), "the format holds")
