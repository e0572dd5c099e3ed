# pmu_test.py: counting events of a job's threads, as a user asks for it: with perf, without it, and not at all.
import ctypes
import os
import platform
import signal
import struct

import harness

JOB = ("--name=t", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64m")
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
SECCOMP = ("a seccomp filter, as containers have by default, or a security module forbids perf_event_open; "
           "start the container with CAP_PERFMON")
KILL, EPERM = 0x80000000, 0x00050001  # SECCOMP_RET_KILL_PROCESS; SECCOMP_RET_ERRNO with EPERM


class Program(ctypes.Structure):
    """struct sock_fprog."""
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def answer_perf_with(action):
    """For preexec_fn: whenever the process opens a perf event, the kernel does `action`."""
    steps = ((0x20, 0, 0, 0),                # load the number of the system call
             (0x15, 0, 1, PERF_EVENT_OPEN),  # is it perf_event_open?
             (0x06, 0, 0, action),
             (0x06, 0, 0, 0x7fff0000))       # everything else is allowed
    code = b"".join(struct.pack("HBBI", *step) for step in steps)

    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(Program(len(steps), code))) != 0:
            os._exit(126)
    return install


def pmu_of(result):
    return result["jobs"][0]["chronio"]["pmu"]


def event(result, name):
    return next(each for each in pmu_of(result)["events"] if each["name"] == name)


class Counting(harness.Case):
    def setUp(self):
        super().setUp()
        self.can = {each["name"]: each for each in self.strict(self.run_well("pmu", "--output-format=json"))["events"]}

    strict = staticmethod(harness.strict_json)

    def test_what_this_machine_can_count_is_told_in_both_forms(self):
        text = self.run_well("pmu")
        for name, status in self.can.items():
            self.assertIn(name, text)
            self.assertEqual(status["reason"] == "", status["available"] and not status["user_only"])

    def test_software_events_are_counted_exactly(self):
        if not self.can["page-faults"]["available"]:
            self.skipTest("perf events can't be opened")
        result = self.run_json(*JOB, "--pmu=page-faults,task-clock")
        self.assertTrue(pmu_of(result)["available"])
        self.assertEqual(pmu_of(result)["mode"], "counting")
        for each in pmu_of(result)["events"]:
            self.assertEqual(each["status"], "exact")
            self.assertEqual(each["total"], each["counted"])
            self.assertAlmostEqual(each["per_io"], each["total"] / 16384, places=9)

    def test_groups_in_braces_take_turns_in_an_order_that_the_seed_decides(self):
        if not self.can["page-faults"]["available"]:
            self.skipTest("perf events can't be opened")
        orders = []
        for seed in (1, 1, 2):
            result = self.run_json(*JOB, "--runtime=1", "--time_based", "--pmu={page-faults},{minor-faults},{cs}",
                                   "--pmu_trigger=task-clock", "--pmu_period=1000000", "--pmu_budget=100",
                                   "--pmu_log=1", f"--randseed={seed}")
            counts = pmu_of(result)
            if counts["mode"] != "overflow":
                self.assertNotEqual(counts["reason"], "")
                return
            self.assertGreater(counts["switches"], 40)  # a busy machine makes windows longer
            for each in counts["events"]:
                self.assertIn(each["status"], ("ok", "no_permission", "insufficient"))
            orders.append(counts["log"]["group"][:40])
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])

    def test_totals_of_threads_add_up(self):
        if not self.can["page-faults"]["available"]:
            self.skipTest("perf events can't be opened")
        result = self.run_json(*JOB, "--runtime=0.5s", "--time_based", "--pmu=task-clock", "--numjobs=3",
                               "--group_reporting")
        clock = event(result, "task-clock")
        self.assertEqual(clock["status"], "exact")
        usage = result["jobs"][0]["chronio"]["usage"]
        used = usage["user_ns"] + usage["system_ns"]  # each thread's is up to a tick of 10 ms old at either end
        self.assertAlmostEqual(clock["total"], used, delta=0.2 * used + 6 * 10e6)

    def test_threads_that_are_not_counted_are_named(self):
        own = "the job's own threads"
        kernels = own + "; the kernel's threads that work for io_uring (iou-wrk, iou-sqp) are not in it"
        engines = own + "; threads that the engine starts are not in it"
        for engine, facts, scope, options in (
                ("io_uring", {"sq_poll": 0}, kernels, ["--force_async=1"]),
                ("io_uring", {"sq_poll": 1}, kernels, ["--sqthread_poll=1"]),
                ("posixaio", {}, engines, []),
                ("psync", {}, own, [])):
            job = ["--name=t", f"--ioengine={engine}", "--rw=randread", "--bs=4k", "--size=4m", "--filename=a.dat",
                   "--pmu=task-clock", *options]
            with self.subTest(engine=engine, options=options):
                result = self.run_json(*job)["jobs"][0]["chronio"]
                self.assertEqual(result["pmu"]["scope"], scope)
                self.assertEqual({name: result["facts"][name] for name in facts}, facts)
                if options == ["--force_async=1"]:
                    self.assertGreater(result["facts"]["kernel_workers"], 0)
                if not result["pmu"]["available"]:
                    continue
                told = " ".join(self.run_well(*job).split())
                self.assertEqual(f"counted of {scope}" in told, scope != own)

    def test_a_mistake_in_the_list_is_refused(self):
        self.assert_refused([*JOB, "--pmu=instrutions"], "no event is called instrutions")
        self.assert_refused([*JOB, "--pmu_events={cycles"], "pmu_events", "brace")
        self.assert_refused([*JOB, "--pmu_trigger=nothing"], "pmu_trigger", "no event is called nothing")
        self.assert_refused([*JOB, "--pmu=cycles", "--pmu_events=cycles"], "one would be right")

    def test_without_being_asked_the_report_says_what_was_counted(self):
        result = self.run_json(*JOB)
        names = [each["name"].removesuffix(":u") for each in pmu_of(result)["events"]]
        self.assertEqual(names, ["instructions", "cycles", "branch-misses", "cache-misses"])
        self.assertEqual(pmu_of(result)["available"], any(each["total"] is not None
                                                          for each in pmu_of(result)["events"]))
        self.assertRegex(self.run_well(*JOB), r"\n  pmu +: ")


class Refused(harness.Case):
    """The kernel itself answers perf_event_open."""

    def run_filtered(self, action, *args):
        self.preexec = answer_perf_with(action)
        return self.run_program("--output-format=json", *JOB, *args)

    def test_off_opens_no_event(self):
        status, out, err = self.run_filtered(KILL, "--pmu=off")
        self.assertEqual(status, 0, err)
        counts = pmu_of(harness.strict_json(out))
        self.assertEqual((counts["mode"], counts["available"], counts["events"]), ("off", False, []))

    def test_the_filter_would_have_caught_one(self):
        self.preexec = answer_perf_with(KILL)
        process = self.start("--output-format=json", *JOB)
        process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, -signal.SIGSYS)

    def test_a_container_without_perf_gives_a_result_and_the_reason(self):
        status, out, err = self.run_filtered(EPERM, "--pmu_events=default,page-faults")
        self.assertEqual(status, 0, err)
        counts = pmu_of(harness.strict_json(out))
        self.assertEqual((counts["mode"], counts["available"]), ("none", False))
        self.assertEqual(counts["reason"], "instructions: " + SECCOMP)
        for each in counts["events"]:
            self.assertEqual((each["status"], each["reason"], each["total"], each["per_io"]),
                             ("no_permission", SECCOMP, None, None))

    def test_required_events_that_cant_be_counted_end_the_run(self):
        status, out, err = self.run_filtered(EPERM, "--pmu=require")
        self.assertEqual(status, 1)
        self.assertIn("pmu=require: instructions: " + SECCOMP, err)
        result = harness.strict_json(out)
        self.assertEqual(result["jobs"][0]["read"]["total_ios"], 0)
        self.assertFalse(result["chronio"]["complete"])


if PERF_EVENT_OPEN is None:
    harness.skip("the number of perf_event_open is not known for this machine")
harness.main()
