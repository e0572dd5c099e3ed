# outside_test.py: an engine outside the tree needs the header and one compiler command, nothing else.
#
# outside_test.py HEADER SOURCE CONFORMANCE COMPILER [ARGUMENT...]
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main(header, source, conformance, *compiler):
    program = pathlib.Path(conformance).resolve()
    with tempfile.TemporaryDirectory() as folder:
        installed = pathlib.Path(folder) / "include" / "chronio" / "engines"
        installed.mkdir(parents=True)
        shutil.copy(header, installed)
        shutil.copy(source, folder)
        command = [*compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
                   "-Iinclude/chronio", pathlib.Path(source).name, "-o", "outside.so"]
        print(" ".join(command), flush=True)
        subprocess.run(command, cwd=folder, check=True)
        # A path without a slash: it is a file here, not a library to search for.
        return subprocess.run([program, "--engine=external:outside.so"], cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
