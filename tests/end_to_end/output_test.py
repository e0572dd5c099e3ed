# output_test.py: where results go: nothing old is lost, nothing is mixed, nothing stands on a target.
import json
import os
import stat
import subprocess

import harness

JOB = ("--name=a", "--ioengine=null", "--size=64k")


class Output(harness.Case):
    def test_json_on_stdout_is_one_document(self):
        """A psync job with a depth draws a warning; it must not stand in the JSON."""
        status, out, err = self.run_program("--name=a", "--ioengine=psync", "--rw=write", "--size=64k", "--iodepth=64",
                                            "--output-format=json")
        self.assertEqual(status, 0)
        harness.strict_json(out)
        self.assertIn("iodepth=64", err)

    def test_a_character_device_stays_one(self):
        self.run_well(*JOB, "--output=/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_symbolic_link_stays_one_and_its_target_is_replaced(self):
        self.write("real.json", "old")
        os.chmod(self.folder / "real.json", 0o600)
        os.symlink("real.json", self.folder / "link.json")
        self.run_well(*JOB, "--output-format=json", "--output=link.json")
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertEqual(stat.S_IMODE((self.folder / "real.json").stat().st_mode), 0o600)
        harness.strict_json((self.folder / "real.json").read_text())

    def test_a_large_result_is_read_and_only_one_over_the_limit_refused(self):
        self.write("r.json", self.run_well(*JOB, "--output-format=json"))
        with open(self.folder / "r.json", "ab") as file:
            file.write(b" " * (65 << 20))
        self.assertIn("a: (groupid=0", self.run_well("report", "r.json"))
        self.run_well("compare", "r.json", "r.json")
        os.truncate(self.folder / "r.json", (512 << 20) + 1)
        for words in (["report", "r.json"], ["compare", "r.json", "r.json"]):
            status, out, err = self.run_program(*words)
            self.assertEqual((status, out), (1, ""))
            self.assertEqual(err, "chronio: r.json: is over 536870912 bytes, too large for a result file\n")

    def test_output_on_a_target_is_refused(self):
        self.write("t.dat", b"x" * 65536)
        os.symlink("t.dat", self.folder / "link")
        for output in ("t.dat", "./t.dat", "link"):
            self.assert_refused(["--name=a", "--rw=read", "--filename=t.dat", f"--output={output}"], "t.dat")

    def test_a_folder_that_is_missing_is_told_before_the_run(self):
        self.assert_refused(["--name=a", "--rw=write", "--size=64k", "--filename=f", "--output=no/such/r.json"],
                            "no/such")

    def test_a_full_device_fails_loudly_and_the_result_still_comes(self):
        status, out, err = self.run_program(*JOB, "--output-format=json", "--output=/dev/full")
        self.assertEqual(status, 1)
        self.assertIn("/dev/full", err)
        harness.strict_json(out)

    def run_with(self, args, **streams):
        """Exit status of a run whose stdout and stderr are those given; 0 or above: it ended by no signal."""
        run = subprocess.run([harness.program(), *args], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=harness.LIMIT_S,
                             check=False, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams})
        self.assertGreaterEqual(run.returncode, 0, f"{args}: ended by signal {-run.returncode}")
        return run.returncode

    def test_a_stderr_that_takes_nothing_loses_no_result(self):
        job = ("--name=a", "--ioengine=psync", "--rw=write", "--size=64k", "--iodepth=4", "--filename=f")
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.run_with((*job, "--json=a.json"), stderr=full), 0)
            self.assertEqual(harness.strict_json(self.contents()["a.json"])["jobs"][0]["error"], 0)
            for words in (("--nosuch",), (), ("compare", "a", "b"), ("report",), ("report", "none"), ("nosuch",),
                          ("options", "nosuch"), ("explain", "none"), ("clock", "--nosuch"), ("pmu", "--nosuch")):
                self.assertGreater(self.run_with(words, stderr=full), 0, words)

    def test_a_stdout_that_takes_nothing_loses_no_file(self):
        with open("/dev/full", "wb") as full:
            job = ("--name=a", "--ioengine=null", "--size=64k", "--json=a.json")
            self.assertEqual(self.run_with(job, stdout=full), 1)
        self.assertEqual(harness.strict_json(self.contents()["a.json"])["jobs"][0]["error"], 0)

    def test_messages_never_go_into_a_file_of_the_job(self):
        def close_all():
            for fd in range(3):
                os.close(fd)
        self.write("f", bytes(65536))
        self.run_with(("--name=a", "--ioengine=psync", "--rw=read", "--iodepth=4", "--filename=f"), preexec_fn=close_all)
        self.assertEqual(self.contents(), {"f": bytes(65536)})

    def test_nothing_but_the_result_is_left_behind(self):
        self.run_well(*JOB, "--output=r.txt", "--json=r.json")
        self.assertEqual(set(self.contents()), {"r.txt", "r.json"})

    def test_json_beside_the_report(self):
        out = self.run_well(*JOB, "--json=r.json")
        self.assertIn("IOPS=", out)
        result = harness.strict_json((self.folder / "r.json").read_text())
        self.assertIn("bins", result["jobs"][0]["read"]["clat_ns"])

    def test_one_file_for_two_results_is_refused(self):
        self.assert_refused([*JOB, "--output=r", "--json=r"], "--output and --json")

    def test_an_option_has_the_origin_of_its_complement_too(self):
        job = self.run_json("--name=j", "--ioengine=null", "--size=1m", "--rw=randrw", "--rwmixwrite=30", "--buffered=0")["jobs"][0]
        options = job["chronio"]["options"]
        for key, value in (("rwmixread", "70"), ("rwmixwrite", "30"), ("direct", "1"), ("buffered", "0")):
            self.assertEqual(options[key], {"value": value, "origin": "command line"}, key)
        self.assertEqual(options["iodepth"]["origin"], "default")

    def test_bins_add_up(self):
        run = self.run_json("--name=b", "--ioengine=null", "--rw=randread", "--size=4m", output_format="json+")
        read = run["jobs"][0]["read"]
        self.assertEqual(sum(read["clat_ns"]["bins"].values()), read["total_ios"])

    def test_a_result_reads_back_to_the_same_report(self):
        self.run_well(*JOB, "--output-format=json", "--output=r.json")
        first = self.run_well("report", "r.json")
        self.assertIn("read: IOPS=", first)
        self.assertIn("clat percentiles", first)
        self.assertIn("clock:", first)

    def test_compare_with_itself_shows_no_difference(self):
        self.run_well(*JOB, "--output-format=json", "--output=r.json")
        out = self.run_well("compare", "r.json", "r.json")
        self.assertIn("no difference", out)

    def test_compare_says_that_one_run_each_is_no_verdict(self):
        for name in ("a", "b"):
            self.run_well(*JOB, "--output-format=json", f"--output={name}.json")
        out = self.run_well("compare", "a.json", "b.json")
        self.assertIn("no verdict", out)

    def test_compare_refuses_what_is_no_result(self):
        self.write("a.json", json.dumps({"x": 1}))
        self.assert_refused(["compare", "a.json", "a.json"], "a.json")
        self.assert_refused(["compare", "absent.json", "a.json"], "absent.json")
        self.assert_refused(["compare", "a.json"], "usage", status=2)

    def test_other_workloads_are_not_comparable(self):
        self.run_well(*JOB, "--bs=4k", "--output-format=json", "--output=a.json")
        self.run_well(*JOB, "--bs=8k", "--output-format=json", "--output=b.json")
        status, out, _ = self.run_program("compare", "a.json", "b.json")
        self.assertEqual(status, 4)
        self.assertIn("not comparable", out)


if __name__ == "__main__":
    harness.main()
