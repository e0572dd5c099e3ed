# skew_test.py: CPUs whose counters differ, in the real program: a preloaded library answers RDTSC and RDTSCP.
# usage: skew_test.py CHRONIO LIBRARY
import os
import pathlib
import subprocess
import sys

import harness

BRIEF = "--clock-calibrate=2ms"  # time goes slowly under the library


class Skew(harness.Case):
    """The library makes each CPU's counter so many ns ahead of the one before."""

    library = ""

    def clock(self, skew_ns, *args):
        env = {"LD_PRELOAD": self.library, "CHRONIO_TEST_SKEW_NS": str(skew_ns)}
        status, out, err = self.run_program("clock", "--output-format=json", BRIEF, *args, env=env)
        self.assertEqual(err, "")
        return status, harness.strict_json(out)["clock"]

    def test_a_microsecond_between_cpus_is_proven_and_the_kernel_clock_taken(self):
        status, clock = self.clock(1000)
        findings = " ".join(clock["findings"])
        self.assertEqual(status, 1)
        self.assertTrue(clock["skew_proven"], findings)
        self.assertEqual(len(clock["findings"]), 1, findings)
        self.assertRegex(findings, "counters of CPU 0 and CPU [0-9]+ differ by [0-9]+ ns or more")
        self.assertEqual(clock["verdict"], "fallback")
        self.assertIn(clock["source"], ("monotonic_raw", "monotonic"))

    def test_the_other_method_with_threads_proves_it_too(self):
        status, clock = self.clock(1000, "--method=cas")
        self.assertEqual(status, 1)
        self.assertTrue(clock["skew_proven"])

    def test_the_same_without_a_skew_is_not_accused(self):
        for method in ("oneway", "cas"):
            with self.subTest(method=method):
                _, clock = self.clock(0, f"--method={method}")
                self.assertIn(clock["verdict"], ("ok", "insufficient"), clock["findings"])
                self.assertFalse(clock["skew_proven"])
                self.assertIsNot(clock["monotone"], False)
                self.assertNotIn("differ by", " ".join(clock["findings"]))

    def test_a_run_falls_back_and_says_so(self):
        env = {"LD_PRELOAD": self.library, "CHRONIO_TEST_SKEW_NS": "1000"}
        args = ("--name=j", "--ioengine=null", "--size=1m", "--output-format=json", BRIEF)
        status, out, err = self.run_program(*args, env=env)
        self.assertEqual(status, 0, err)
        self.assertEqual(harness.strict_json(out)["chronio"]["clock"]["verdict"], "fallback")
        self.assertIn("chronio: clock: the counters of CPU 0 and CPU", err)
        status, _, _ = self.run_program(*args, "--clock-strict", env=env)
        self.assertEqual(status, 1)


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) < 2:
        harness.skip("one CPU has nothing to differ from")
    Skew.library = str(pathlib.Path(sys.argv.pop(2)).resolve())
    probe = subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": Skew.library}, capture_output=True, text=True,
                           check=False)
    if probe.returncode == harness.SKIP:
        harness.skip(probe.stderr)
    harness.main()
