# pmu_rights_test.py: counting as a user without rights. Needs root, to become that user; skips (77) without.
import os
import pathlib
import shutil

import harness

NOBODY = 65534
JOB = ("--name=t", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64m")


class Nobody(harness.Case):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.exe = shutil.copy(harness.program(), self.folder / "chronio")  # where nobody may look
        self.preexec = self.become_nobody

    @staticmethod
    def become_nobody():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)

    def level(self):
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())

    def test_what_the_level_forbids_is_named_and_the_rest_is_counted(self):
        result = self.run_json(*JOB, "--pmu=page-faults,context-switches")
        faults, switches = result["jobs"][0]["chronio"]["pmu"]["events"]
        level = self.level()
        if level < 2:
            self.assertEqual((faults["status"], switches["status"]), ("exact", "exact"))
            return
        self.assertEqual(switches["status"], "no_permission")
        self.assertIn(f"kernel.perf_event_paranoid={level} forbids", switches["reason"])
        self.assertIn("CAP_PERFMON permits it", switches["reason"])
        self.assertIsNone(switches["total"])
        if level == 2:
            self.assertEqual((faults["name"], faults["status"]), ("page-faults:u", "exact"))
            self.assertIn("the kernel's part", faults["reason"])

    def test_a_missing_kernels_part_is_told_of_events_that_take_turns_too(self):
        result = self.run_json(*JOB, "--pmu={page-faults},{minor-faults},{major-faults}", "--pmu_trigger=page-faults")
        counted = result["jobs"][0]["chronio"]["pmu"]
        if self.level() == 2:
            self.assertEqual(counted["mode"], "overflow")
            for event in counted["events"]:  # the trigger itself, and members
                self.assertTrue(event["name"].endswith("-faults:u"))
                self.assertIn("forbids this user to count the kernel's part", event["reason"])

    def test_the_time_of_both_modes_is_counted_without_the_right_to_the_kernels_part(self):
        clock = self.run_json(*JOB, "--pmu=task-clock")["jobs"][0]["chronio"]["pmu"]["events"][0]
        if self.level() <= 2:
            self.assertEqual((clock["name"], clock["status"]), ("task-clock", "exact"))
            self.assertFalse(clock.get("reason"))

    def test_hardware_events_are_told_by_their_true_reason(self):
        result = self.run_json(*JOB)
        reasons = {each["reason"] for each in result["jobs"][0]["chronio"]["pmu"]["events"]}
        has_pmu = any(path.read_text().strip() == "4"
                      for path in pathlib.Path("/sys/bus/event_source/devices").glob("*/type"))
        if not has_pmu and self.level() <= 2:
            self.assertEqual(reasons, {"no hardware counter for it in this machine; a virtual machine has some when "
                                       "its host gives it a PMU"})

    def test_required_counting_of_the_kernels_part_fails(self):
        if self.level() < 2:
            self.skipTest("this level permits it")
        status, _, err = self.run_program("--output-format=json", *JOB, "--pmu=require",
                                          "--pmu_events=context-switches")
        self.assertEqual(status, 1)
        self.assertIn("kernel.perf_event_paranoid", err)


if os.geteuid() != 0:
    harness.skip("needs root to become another user")
harness.main()
