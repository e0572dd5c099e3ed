# limits_test.py: runs that may not have all the threads they need. Needs root, to become another user; skips (77) without.
import errno
import functools
import os
import resource
import shutil

import harness

JOB = ("--ioengine=null", "--rw=read", "--bs=4k", "--size=1m")
THREADS = 8  # of the program, its first one included, and one that the thread sanitizer starts


class Limits(harness.Case):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.exe = shutil.copy(harness.program(), self.folder / "chronio")  # where another user may not look
        self.preexec = lambda: self.become_limited(THREADS)

    @staticmethod
    def become_limited(threads):
        """A user that nobody else is, since the limit is on all threads of a user."""
        user = 61184 + os.getpid() % 4096
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)

    def failing(self, *args):
        status, out, err = self.run_program("--output-format=json", *args)
        self.assertEqual(status, 1, err)
        run = harness.strict_json(out)
        self.assertIs(run["chronio"]["complete"], False)
        return run, err

    def test_a_thread_that_cannot_start_ends_the_run_and_is_told(self):
        for more in ((), ("--group_reporting",), ("--startdelay=600",)):
            with self.subTest(more):
                run, err = self.failing("--name=crowd", *JOB, "--numjobs=20", *more)
                self.assertEqual(sum(job["read"]["total_ios"] for job in run["jobs"]), 0)
                told = [line for line in err.splitlines() if "cannot start the thread" in line]
                self.assertEqual(len(told), 1, err)
                for words in ("of job crowd (worker ", " of 20)", "Resource temporarily unavailable", "ulimit -u",
                              "pids.max", "numjobs"):
                    self.assertIn(words, told[0])

    def test_jobs_that_ran_before_keep_their_results(self):
        run, _ = self.failing("--name=before", *JOB, "--name=crowd", *JOB, "--numjobs=20", "--stonewall")
        ios = {job["jobname"]: job["read"]["total_ios"] for job in run["jobs"]}
        self.assertEqual(ios, {"before": 256, "crowd": 0})

    def test_as_many_as_may_start_run(self):
        run = self.run_json("--name=few", *JOB, f"--numjobs={THREADS - 2}")
        self.assertEqual([job["read"]["total_ios"] for job in run["jobs"]], [256] * (THREADS - 2))

    def test_a_worker_that_cannot_be_set_up_has_an_error(self):
        """Polling for overflows wants a thread more. Where events can't be counted at all, none is started."""
        for threads in (2, 3):
            self.preexec = functools.partial(self.become_limited, threads)
            status, out, err = self.run_program("--output-format=json", "--name=polled", *JOB, "--pmu_notify=poll",
                                                "--pmu_events={page-faults},{minor-faults}", "--pmu_trigger=task-clock",
                                                "--pmu_period=1000000", "--pmu_budget=100")
            if "set-up" in err:
                self.assertEqual(status, 1)
                self.assertEqual(harness.strict_json(out)["jobs"][0]["error"], errno.EAGAIN)
                self.assertIn("Resource temporarily unavailable", err)
                return
            if status == 0:
                self.assertNotEqual(harness.strict_json(out)["jobs"][0]["chronio"]["pmu"]["mode"], "overflow")
                self.skipTest("events take no turns here")
        self.fail(err)


if os.geteuid() != 0:
    harness.skip("needs root to become another user")
harness.main()
