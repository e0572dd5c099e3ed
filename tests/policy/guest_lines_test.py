# guest_lines_test.py: what a guest left behind becomes TAP that hides no failure; needs no guest.
import importlib
import pathlib
import sys
import tempfile
import time
import unittest


class Lines(unittest.TestCase):
    def lines(self, status, plan, results):
        """TAP for a guest that ended with `status` after these lines of /share/plan and /share/results."""
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root)
            if plan is not None:
                (folder / "plan").write_text(plan, encoding="utf-8")
                (folder / "results").write_text(results, encoding="utf-8")
            return guest_test.report(status, "last words\n", guest_test.verdicts(folder))

    def test_each_verdict_is_a_line(self):
        found = self.lines(0, "a\nb\nc\n", "ok a: 3 I/Os: all\nskip b: Linux 6.12\nFAIL c: 2 #1, expected 3\n")
        self.assertEqual(found, ["ok 1 - a: 3 I/Os: all", "ok 2 - b # SKIP Linux 6.12",
                                 "not ok 3 - c: 2 No.1, expected 3", "# last words", "1..3"])

    def test_a_case_that_never_ended_failed(self):
        found = self.lines(None, "a\nb\n", "ok a: x\n")
        self.assertIn("not ok 2 - b: the guest ended before this case did", found)
        self.assertIn("Bail out! the guest ended without a status", found)

    def test_a_guest_that_ran_nothing_failed(self):
        for status in (None, 0, 1):
            self.assertTrue(any(line.startswith("Bail out!") for line in self.lines(status, None, None)))

    def test_a_runner_that_failed_after_its_cases_failed(self):
        self.assertIn("Bail out! the guest ended with status 1", self.lines(1, "a\n", "ok a: x\n"))

    def test_the_host_learns_what_to_boot_without_the_guests_devices(self):
        began = time.monotonic()
        files = sorted(GUEST.glob("*_cases.py"))
        self.assertGreater(len(files), 5)
        for cases in files:
            self.assertIsInstance(importlib.import_module(cases.stem).BOOT, boot.Boot)
        self.assertLess(time.monotonic() - began, 30, "a file of cases waits for a device when it is imported")


if __name__ == "__main__":
    GUEST = pathlib.Path(sys.argv[1]) / "tests" / "guest"
    sys.path.insert(0, str(GUEST))
    import boot
    import guest_test
    unittest.main(argv=["guest_lines_test"])
