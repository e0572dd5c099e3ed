# clock_test.py: `chronio clock`, and what a run says of its clock.
import harness

NULL = ("--ioengine=null", "--size=1m", "--rw=randread")
BLOCK = {"source", "verdict", "read", "read_cost_ns", "stamp_bias_ns", "granule_ns", "hz", "hz_ppb", "hz_method",
         "hz_baseline_s", "mono_vs_raw_ppb", "cpus", "method", "pairs", "pairs_insufficient", "offset_bound_ns",
         "offsets", "skew_proven", "drift_bound_ppb", "monotone", "loops", "migrated_ios", "negative_deltas",
         "probe_ms", "kernel_clocksource", "suspend", "step_ns", "uncertainty_ns", "findings"}


class Clock(harness.Case):
    def clock(self, *args):
        status, out, err = self.run_program("clock", "--output-format=json", *args)
        self.assertEqual(err, "")
        document = harness.strict_json(out)
        self.assertEqual(set(document), {"clock"})
        return status, document["clock"]

    def test_the_certificate_is_whole_and_the_exit_code_its_verdict(self):
        status, clock = self.clock()
        self.assertEqual(set(clock), BLOCK)
        self.assertEqual(status, 0 if clock["verdict"] == "ok" else 1)
        self.assertEqual(set(clock["offset_bound_ns"]), {"start", "end"})
        self.assertGreater(clock["granule_ns"], 0)
        # The one is told by the first fit of the rate, the other by the last: they may differ by less than 1 ppm.
        self.assertGreaterEqual(clock["uncertainty_ns"]["single"] * (1 + 1e-6), clock["granule_ns"])

    def test_each_method_names_itself_and_finds_no_disorder(self):
        for method in ("oneway", "hop", "cas"):
            with self.subTest(method=method):
                status, clock = self.clock(f"--method={method}")
                if clock["verdict"] in ("fallback", "suspect"):
                    self.skipTest(f"no sound counter here: {clock['findings']}")
                self.assertEqual(clock["method"], method)
                self.assertFalse(clock["skew_proven"])
                self.assertIsNot(clock["monotone"], False)
                if method != "oneway":
                    self.assertEqual(status, 0)

    def test_one_cpu_is_within_nothing(self):
        status, clock = self.clock("--cpus=0")
        self.assertEqual(clock["cpus"], 1)
        self.assertEqual(clock["pairs"], 0)
        if clock["verdict"] == "ok":
            self.assertEqual((status, clock["offset_bound_ns"]["end"]), (0, 0))

    def test_a_tolerance_that_nothing_meets_is_insufficient(self):
        status, clock = self.clock("--clock-tolerance=1ns")
        if clock["cpus"] == 1 or clock["verdict"] == "fallback":
            self.skipTest("one CPU or no sound counter")
        self.assertEqual((status, clock["verdict"]), (1, "insufficient"))
        # The second where CPUs are too busy to meet at all.
        self.assertRegex(" ".join(clock["findings"]), "1 ns are wanted|did not run at the same time")

    def test_a_longer_calibration_fits_over_a_longer_time(self):
        _, clock = self.clock("--clock-calibrate=60ms")
        if clock["source"] == "tsc":
            self.assertGreaterEqual(clock["hz_baseline_s"], 0.055)

    def test_text_names_the_parts(self):
        _, out, _ = self.run_program("clock")
        for part in ("verdict", "source", "granule", "uncertainty", "compared", "offset bound", "order", "kernel"):
            self.assertRegex(out, f"(?m)^{part} *: ")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_wrong_calls_say_what_would_be_right(self):
        for word, right in (("--method=x", "one of oneway, hop, cas"), ("--cpus=", "the value is missing"),
                            ("--cpus=5-1", "cpus=5-1"), ("--cpus=4095", "may not use CPU 4095"),
                            ("--output-format=xml", "normal or json"), ("--clock-tolerance=x", "250ns is the default"),
                            ("--clock-quality=0", "from 1 to"), ("--clock-calibrate=0", "from 1ms"),
                            ("--nonsense", "--nonsense: no such option"), ("word", "word: no such option")):
            with self.subTest(word=word):
                self.assert_refused(("clock", word), right, "usage: chronio clock", status=2)

    def test_a_run_checks_the_options_of_its_clock_like_any_other(self):
        self.assert_refused(("--name=j", *NULL, "--clock-tolerance=5parsecs"), "clock-tolerance=5parsecs")
        clock = self.run_json("--name=j", *NULL, "--clock-calibrate=30ms")["chronio"]["clock"]
        self.assertEqual(set(clock), BLOCK)
        if clock["read"] == "rdtscp":
            self.assertIsNotNone(clock["migrated_ios"])

    def test_strict_demands_a_sound_clock(self):
        status, _, _ = self.run_program("--name=j", *NULL, "--clock-strict", "--clocksource=clock_gettime",
                                        "--output=r.txt")
        self.assertEqual(status, 0)  # the kernel's clock was asked for
        status, out, err = self.run_program("--name=j", *NULL, "--clock-strict", "--clock-tolerance=1ns",
                                            "--output-format=json")
        clock = harness.strict_json(out)["chronio"]["clock"]
        if clock["cpus"] > 1:
            self.assertEqual(status, 1)
            self.assertIn("chronio: clock: ", err)

    def test_tsc_is_another_word_for_cpu(self):
        clock = self.run_json("--name=j", *NULL, "--clocksource=tsc")["chronio"]["clock"]
        self.assertIn(clock["verdict"], ("forced", "suspect"))

    def test_the_clock_is_looked_at_after_every_job(self):
        # Nothing fails here, so nothing is told; two jobs one after the other must come through.
        run = self.run_json("--name=a", *NULL, "--name=b", "--stonewall", *NULL)
        self.assertEqual([job["jobname"] for job in run["jobs"]], ["a", "b"])
        self.assertEqual([job["chronio"]["negative_deltas"] for job in run["jobs"]], [0, 0])

    def test_the_word_of_fio_checks_the_clock_too(self):
        _, out, _ = self.run_program("--cpuclock-test")
        self.assertRegex(out, "(?m)^verdict *: ")


if __name__ == "__main__":
    harness.main()
