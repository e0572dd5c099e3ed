# interrupt_test.py: signals and failing I/O: results so far are kept, and the exit code says so.
# usage: interrupt_test.py CHRONIO FAULTY_PLUGIN
import errno
import contextlib
import os
import pathlib
import re
import resource
import signal
import sys
import time

import harness

FAULTY = os.path.abspath(sys.argv.pop(2))
# What took its time would take minutes. A busy machine needs a part of a second, a build with sanitizers five times that.
AT_ONCE_S = 4 * harness.SLOWDOWN
LONG = ("--ioengine=null", "--size=1m", "--time_based", "--runtime=600")


class Interrupt(harness.Case):
    def wait_until(self, what, condition):
        until = time.monotonic() + harness.LIMIT_S
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.01)

    @staticmethod
    def tasks(process):
        """(state, CPU ticks) of each thread of a running program."""
        found = []
        for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):
                fields = path.read_text().rpartition(")")[2].split()
                found.append((fields[0], int(fields[11]) + int(fields[12])))
        return found

    @staticmethod
    def pending(process):
        """Whether a signal waits for the program to read it."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        return any(int(mask, 16) for mask in re.findall(r"^ShdPnd:\s*(\w+)", status, re.MULTILINE))

    def started(self, *args):
        """A run whose worker has been busy for a while."""
        process = self.start("--name=a", *LONG, *args)
        self.wait_until("the worker's CPU time", lambda: any(ticks >= 20 for _, ticks in self.tasks(process)))
        return process

    def stopped(self, process, number):
        """The result that a run leaves when that signal comes."""
        process.send_signal(number)
        status, out, _ = self.finish(process)
        self.assertEqual(status, 1)
        run = harness.strict_json(out)
        self.assertIs(run["chronio"]["complete"], False)
        self.assertEqual(run["chronio"]["stopped_by"], signal.Signals(number).name)
        return run

    def test_a_signal_keeps_the_results(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process = self.started("--output-format=json")
                run = self.stopped(process, number)
                self.assertGreater(run["jobs"][0]["read"]["total_ios"], 0)

    def test_a_signal_during_layout_leaves_a_result_without_jobs(self):
        """Eight gigabytes take seconds at least; few of them are written."""
        room = os.statvfs(self.folder)
        if room.f_bavail * room.f_frsize < 9 << 30:
            self.skipTest("8 GiB are not free")
        path = self.folder / "big.dat"
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process = self.start("--name=l", "--ioengine=psync", "--rw=read", "--size=8g", "--filename=big.dat",
                                     "--output-format=json")
                self.wait_until("the first bytes", lambda: path.exists() and path.stat().st_size > 0)
                run = self.stopped(process, number)
                self.assertEqual(run["jobs"], [])
                self.assertFalse(path.exists())

    def test_requests_that_are_done_at_once_are_stopped_too(self):
        """A trim is done inside the queue call: no completion is ever waited for."""
        for engine in ("io_uring", "libaio", "posixaio", "vsync"):
            with self.subTest(engine):
                self.write("t.dat", b"x" * (1 << 20))
                process = self.start("--name=t", f"--ioengine={engine}", "--rw=randtrim", "--filename=t.dat",
                                     "--time_based", "--runtime=600", "--iodepth=4", "--output-format=json")
                self.wait_until("the worker's CPU time", lambda: any(ticks >= 20 for _, ticks in self.tasks(process)))
                process.send_signal(signal.SIGINT)
                began = time.monotonic()
                status, out, _ = self.finish(process)
                self.assertLess(time.monotonic() - began, AT_ONCE_S)
                self.assertEqual(status, 1)
                self.assertGreater(harness.strict_json(out)["jobs"][0]["trim"]["total_ios"], 0)

    def test_a_second_signal_ends_a_run_that_hangs(self):
        process = self.start("--name=h", f"--ioengine=external:{FAULTY}", "--size=1m", "--bs=4k", "--hang_at=5",
                             "--output-format=json")
        looks = []  # start-up sleeps too, but never for 50 looks of 10 ms

        def asleep():
            states = [state for state, _ in self.tasks(process)]
            looks.append(len(states) >= 2 and set(states) == {"S"})
            return len(looks) >= 50 and all(looks[-50:])

        self.wait_until("main and worker asleep for good", asleep)
        process.send_signal(signal.SIGINT)
        self.wait_until("the first signal taken", lambda: not self.pending(process))
        self.assertIsNone(process.poll(), "one signal waits for what is outstanding")
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        status, out, _ = self.finish(process)
        self.assertLess(time.monotonic() - began, AT_ONCE_S)
        self.assertEqual(status, 1)
        run = harness.strict_json(out)
        self.assertIs(run["chronio"]["complete"], False)
        self.assertEqual(run["jobs"][0]["chronio"]["outstanding"], 1)

    def failing(self, *options):
        status, out, err = self.run_program("--name=f", f"--ioengine=external:{FAULTY}", "--size=1m", "--bs=4k",
                                            "--rw=read", "--output-format=json", *options)
        return status, harness.strict_json(out), err

    def test_an_io_error_ends_the_job_and_is_told(self):
        status, run, err = self.failing("--error_at=10", "--error_number=5")
        self.assertEqual(status, 1)
        job = run["jobs"][0]
        self.assertEqual(job["error"], 5)
        self.assertEqual(job["read"]["total_ios"], 9)
        error = job["chronio"]["errors"][0]
        self.assertEqual((error["operation"], error["offset"]), ("read", 9 * 4096))
        self.assertIn("at offset 36864", err)
        self.assertIn("Input/output error", err)

    def test_an_engine_that_cannot_be_opened_is_told_without_advice_that_is_for_another_one(self):
        for error in (errno.EPERM, errno.ENOSYS):
            status, run, err = self.failing(f"--open_error={error}")
            self.assertEqual((status, run["jobs"][0]["error"]), (1, error))
            self.assertIn(os.strerror(error), err)
            self.assertNotIn("io_uring", err)

    def test_a_failed_sync_has_no_offset_and_no_length(self):
        for option, operation in (("--fsync=1", "fsync"), ("--fdatasync=1", "fdatasync")):
            with self.subTest(option):
                status, run, err = self.failing("--rw=write", option, "--error_at=2", "--filename=x")
                self.assertEqual(status, 1)
                self.assertEqual(run["jobs"][0]["chronio"]["errors"][0]["operation"], operation)
                self.assertEqual(err, f"chronio: job f: {operation} of x: Input/output error\n")

    def test_zero_bytes_where_data_was_due_are_an_error(self):
        status, run, err = self.failing("--zero_at=3")
        self.assertEqual(status, 1)
        self.assertEqual(run["jobs"][0]["read"]["total_ios"], 2)
        self.assertIn("0 bytes", err)

    def test_a_short_transfer_is_continued_and_counted(self):
        status, run, _ = self.failing("--short_at=7")
        self.assertEqual(status, 0)
        read = run["jobs"][0]["read"]
        self.assertEqual((read["total_ios"], read["short_ios"], read["io_bytes"]), (256, 1, 1 << 20))

    def test_a_busy_engine_loses_nothing(self):
        status, run, _ = self.failing("--busy_every=3", "--iodepth=8")
        self.assertEqual(status, 0)
        self.assertEqual(run["jobs"][0]["read"]["total_ios"], 256)

    def test_one_failed_job_does_not_hide_the_others(self):
        status, out, _ = self.run_program("--size=1m", "--bs=4k", "--output-format=json", "--name=good",
                                          "--ioengine=null", "--name=bad", f"--ioengine=external:{FAULTY}",
                                          "--error_at=1")
        self.assertEqual(status, 1)
        jobs = {job["jobname"]: job for job in harness.strict_json(out)["jobs"]}
        self.assertEqual(jobs["good"]["read"]["total_ios"], 256)
        self.assertNotEqual(jobs["bad"]["error"], 0)

    def test_a_file_that_may_not_grow_is_an_error_of_the_run(self):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        try:
            status, _, err = self.run_program("--name=w", "--rw=write", "--bs=64k", "--size=4m", "--filename=w.dat")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(status, 1)
        self.assertIn("w.dat", err)


if __name__ == "__main__":
    harness.main()
