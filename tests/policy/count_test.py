# count_test.py: .ci/count.py adds up what Meson's logs say and lets no failure or unnamed skip through.
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


class Count(unittest.TestCase):
    def count(self, *folders, skips="# why\nneeds_root  no loop devices\n", broken=(), options=()):
        """(exit status, lines) of count.py over logs made of (test, result) pairs."""
        with tempfile.TemporaryDirectory() as root:
            paths = []
            for number, tests in enumerate(folders):
                log = pathlib.Path(root) / f"build-{number}" / "meson-logs" / "testlog.json"
                log.parent.mkdir(parents=True)
                log.write_text("".join(json.dumps({"name": name, "result": result, "stdout": "".join(said) or "why\n"})
                                       + "\n" for name, result, *said in tests), encoding="utf-8")
                paths.append(log.parent.parent)
            paths.append(pathlib.Path(root) / "build-never-made")
            named = pathlib.Path(root) / "skips"
            named.write_text(skips, encoding="utf-8")
            options = [*options] + [word for stage in broken for word in ("--broken", stage)]
            run = subprocess.run([sys.executable, COUNT, *options, named, *paths], capture_output=True, text=True,
                                 check=False)
            return run.returncode, run.stdout.splitlines()

    def test_all_builds_add_up(self):
        status, lines = self.count([("a", "OK"), ("b", "EXPECTEDFAIL")], [("a", "OK")])
        self.assertEqual((status, lines), (0, ["3 passed, 0 failed, 0 skipped"]))

    def test_each_way_to_fail_fails(self):
        for result in ("FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT"):
            status, lines = self.count([("a", "OK"), ("b", result)])
            self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
            self.assertIn(f"b: {result}: why", lines[0])

    def test_a_skip_has_to_be_named(self):
        self.assertEqual(self.count([("a", "OK"), ("needs_root", "SKIP")])[0], 0)
        status, lines = self.count([("a", "OK"), ("needs_fio", "SKIP")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_skip_is_named_without_project_and_suites(self):
        tap = "ok 1 - old # SKIP Linux 6.12\n"
        status, lines = self.count([("chronio:unit+threads / needs_root", "SKIP"), ("chronio:guest / nvme", "OK", tap)],
                                   skips="needs_root  why\nnvme/old  why\n")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed, 2 skipped"))
        self.assertEqual(lines[1], "build-0: nvme/old: SKIP: Linux 6.12")

    def test_a_broken_stage_fails(self):
        status, lines = self.count([("a", "OK")], broken=["Clang build"])
        self.assertEqual((status, lines), (1, ["stage failed: Clang build", "1 passed, 1 failed, 0 skipped"]))

    def test_each_case_of_tap_counts(self):
        tap = "ok 1 - fast: 3 ms\nok 2 - plain\nnot ok 3 - slow: 5 s\nok 4 - old # SKIP Linux 6.12\n# note\n1..4\n"
        status, lines = self.count([("guest", "FAIL", tap)])
        self.assertEqual((status, lines[-1]), (1, "2 passed, 2 failed, 0 skipped"))
        self.assertEqual(lines[0], "build-0: guest/slow: FAIL: 5 s")
        self.assertIn("guest/old: SKIP that is not expected: Linux 6.12", lines[1])
        _, lines = self.count([("guest", "FAIL", tap)], skips="guest/old  by design\n")
        self.assertEqual(lines[-1], "2 passed, 1 failed, 1 skipped")

    def test_tap_that_ends_badly_or_skips_whole_counts_as_itself(self):
        for result in ("ERROR", "TIMEOUT"):
            status, lines = self.count([("guest", result, "ok 1 - fast\nBail out! gone\n")])
            self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        status, lines = self.count([("guest", "SKIP", "1..0 # SKIP no QEMU\n")])
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_list_names_what_passed_too(self):
        _, lines = self.count([("a", "OK")], options=("--list",))
        self.assertEqual(lines, ["build-0: a: OK: why", "1 passed, 0 failed, 0 skipped"])

    def test_nothing_run_is_no_success(self):
        self.assertEqual(self.count([]), (1, ["0 passed, 0 failed, 0 skipped"]))


if __name__ == "__main__":
    COUNT = pathlib.Path(sys.argv[1]) / ".ci" / "count.py"
    unittest.main(argv=["count_test"])
