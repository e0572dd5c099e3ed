# harness.py: runs the program in an empty folder and looks at what it printed, wrote and answered.
# A case file defines subclasses of Case and ends with harness.main(); Meson gives it the program's path.
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
LIMIT_S = 60
SLOWDOWN = int(os.environ.get("CHRONIO_TEST_SLOWDOWN", "1"))  # of builds with sanitizers
_EXE = ""


def skip(reason):
    """Ends the whole file as skipped."""
    print(reason)
    sys.exit(SKIP)


def main():
    """Runs the caller's cases on the program named by the first argument."""
    global _EXE
    _EXE = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[2:]])


def program():
    """Path of the program that main() was given."""
    return _EXE


def _unique(pairs):
    keys = [key for key, _ in pairs]
    repeated = {key for key in keys if keys.count(key) > 1}
    if repeated:
        raise ValueError(f"repeated keys: {sorted(repeated)}")
    return dict(pairs)


def _no_number(name):
    raise ValueError(f"{name} is no JSON")


def strict_json(text):
    """One JSON document; ValueError on a repeated key, NaN, Infinity or anything after its end."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)


class Case(unittest.TestCase):
    """One or more runs in self.folder, an empty folder of this case alone."""

    maxDiff = None
    exe = None      # another program than the one that main() was given
    preexec = None  # called in each new process before the program

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="chronio-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        """A file of self.folder; `text` may be bytes. Returns its name."""
        data = text.encode() if isinstance(text, str) else text
        (self.folder / name).write_bytes(data)
        return name

    def start(self, *args, env=None, stdin=subprocess.DEVNULL):
        """The program, running; its output is piped. It is killed when the case ends."""
        process = subprocess.Popen([self.exe or _EXE, *map(str, args)], cwd=self.folder,
                                   env={**os.environ, **(env or {})}, preexec_fn=self.preexec,
                                   stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process):
        """Waits for a program that start() began: (status, stdout, stderr). No signal, no sanitizer's report."""
        out, err = process.communicate(timeout=LIMIT_S)
        self.assertGreaterEqual(process.returncode, 0, f"ended by signal {-process.returncode}:\n{err}")
        for report in ("Sanitizer", "runtime error:"):
            self.assertNotIn(report, err)
        return process.returncode, out, err

    def run_program(self, *args, env=None, stdin=subprocess.DEVNULL):
        """(status, stdout, stderr) of one run; `stdin` as subprocess.Popen takes it."""
        return self.finish(self.start(*args, env=env, stdin=stdin))

    def run_well(self, *args, env=None):
        """stdout of a run that has to succeed."""
        status, out, err = self.run_program(*args, env=env)
        self.assertEqual(status, 0, f"{args}: exit {status}\n{err}{out}")
        return out

    def run_json(self, *args, output_format="json", env=None):
        """The result of a run that has to succeed, read strictly."""
        return strict_json(self.run_well(f"--output-format={output_format}", *args, env=env))

    def contents(self):
        """Every file of self.folder: {name: bytes}."""
        return {path.relative_to(self.folder).as_posix(): path.read_bytes()
                for path in sorted(self.folder.rglob("*")) if path.is_file() and not path.is_symlink()}

    def assert_refused(self, args, *messages, status=1, env=None):
        """The run ends with `status`, says each of `messages` on stderr, nothing on stdout, and changes no file."""
        before = self.contents()
        answered, out, err = self.run_program(*args, env=env)
        self.assertEqual(answered, status, err + out)
        self.assertEqual(out, "")
        for message in messages:
            self.assertIn(message, err)
        self.assertEqual(self.contents(), before)
        return err
