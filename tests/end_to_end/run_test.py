# run_test.py: jobs run to their end: counts, files, phases, groups, JSON.
import os
import time
import unittest

import harness

LATE_MS = 20
NULL = ("--ioengine=null", "--size=1m", "--bs=4k")


class Run(harness.Case):
    def run_for(self, limit_ms, *args):
        """The first result that met its time limit within LATE_MS. Time slices of others add to a run now and then; what
        the program adds is in each of ten."""
        for _ in range(10):
            run = self.run_json(*args)
            late_ms = run["jobs"][0]["job_runtime"] - limit_ms
            self.assertGreaterEqual(late_ms, 0)
            if late_ms <= LATE_MS:
                return run
        self.fail(f"{late_ms} ms late")

    def test_a_time_based_null_job_gives_fios_keys(self):
        """The everyday call: valid JSON with the keys that fio's readers take."""
        run = self.run_for(1000, "--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--iodepth=32",
                           "--runtime=1", "--time_based")
        job = run["jobs"][0]
        read = job["read"]
        self.assertGreater(read["total_ios"], 1000)
        self.assertEqual(read["io_bytes"], read["total_ios"] * 4096)
        self.assertEqual(read["clat_ns"]["N"], read["total_ios"])
        self.assertEqual(read["slat_ns"]["N"], read["total_ios"])
        self.assertIn("99.000000", read["clat_ns"]["percentile"])
        for key in ("rw", "bs", "iodepth", "numjobs"):
            self.assertIn(key, job["job options"])
        self.assertEqual(job["write"]["total_ios"], 0)
        self.assertIs(run["chronio"]["complete"], True)

    def test_writers_leave_exactly_the_file_they_were_asked_for(self):
        for ioengine in ("io_uring", "psync", "sync"):
            with self.subTest(ioengine):
                self.run_json("--name=w", f"--ioengine={ioengine}", "--rw=write", "--bs=64k", "--size=16m",
                              f"--filename={ioengine}.dat", "--iodepth=4")
                self.assertEqual((self.folder / f"{ioengine}.dat").stat().st_size, 16 << 20)
                blocks = (self.folder / f"{ioengine}.dat").read_bytes()
                # Every 512 bytes are unlike any others, so no block was left unwritten or written twice elsewhere.
                self.assertEqual(len({blocks[i:i + 512] for i in range(0, len(blocks), 512)}), (16 << 20) // 512)

    def test_random_reads_cover_every_block_once_by_count(self):
        run = self.run_json("--name=r", "--ioengine=psync", "--rw=randread", "--bs=4k", "--size=4m")
        self.assertEqual(run["jobs"][0]["read"]["total_ios"], 1024)

    def test_a_flag_leaves_the_job_file_behind_it_alone(self):
        """Flags of the program, of jobs and of engines; with one dash or two; with a value of their own, too."""
        self.write("j.fio", "[j]\nioengine=null\nrw=read\nsize=64k\n")
        for flag in ("--readonly", "-readonly", "--warnings-fatal", "--group_reporting", "-thread", "--time_based=0",
                     "--time_based 0", "--readonly 1", "--gtod_reduce", "--norandommap"):
            with self.subTest(flag):
                run = self.run_json(*flag.split(), "j.fio")
                self.assertEqual(run["jobs"][0]["read"]["total_ios"], 16)
        self.write("u.fio", "[u]\nioengine=io_uring\nrw=read\nsize=64k\n")
        for flag, expected in (("--fixedbufs", 1), ("--fixedbufs 0", 0), ("-fixedbufs", 1), ("--fixedbufs=1", 1)):
            with self.subTest(flag):
                run = self.run_json(*flag.split(), "u.fio")
                self.assertEqual(run["jobs"][0]["chronio"]["facts"]["fixed_buffers"], expected)

    def test_stonewalled_jobs_run_one_after_the_other(self):
        began = time.monotonic()
        run = self.run_json("--time_based", "--runtime=300ms", *NULL, "--name=a", "--name=b", "--stonewall")
        self.assertGreaterEqual(time.monotonic() - began, 0.6)
        starts = [job["job_start"] for job in run["jobs"]]
        self.assertGreaterEqual(starts[1] - starts[0], 290)
        self.assertEqual([job["groupid"] for job in run["jobs"]], [0, 1])

    def test_group_reporting_adds_up(self):
        one_by_one = self.run_json("--name=g", *NULL, "--rw=randread", "--numjobs=4")
        group = self.run_json("--name=g", *NULL, "--rw=randread", "--numjobs=4", "--group_reporting")
        self.assertEqual(len(one_by_one["jobs"]), 4)
        self.assertEqual(len(group["jobs"]), 1)
        for key in ("total_ios", "io_bytes"):
            self.assertEqual(group["jobs"][0]["read"][key], sum(job["read"][key] for job in one_by_one["jobs"]))

    def test_the_ramp_counts_for_nothing(self):
        began = time.monotonic()
        self.run_for(300, "--name=r", "--ioengine=null", "--size=4k", "--bs=4k", "--time_based", "--runtime=300ms",
                     "--ramp_time=700ms")
        self.assertGreaterEqual(time.monotonic() - began, 1.0)

    def test_a_ramp_does_not_use_up_the_bytes(self):
        run = self.run_json("--name=r", *NULL, "--rw=randread", "--ramp_time=200ms")
        self.assertEqual(run["jobs"][0]["read"]["total_ios"], 256)

    def test_mixes_keep_their_share_and_add_up_to_the_size(self):
        run = self.run_json("--name=m", "--ioengine=null", "--rw=randrw", "--rwmixread=75", "--bs=4k", "--size=80m")
        reads, writes = (run["jobs"][0][ddir]["total_ios"] for ddir in ("read", "write"))
        self.assertEqual(reads + writes, 20480)
        self.assertAlmostEqual(reads / 20480, 0.75, delta=0.01)

    def test_syncs_have_a_block_of_their_own(self):
        for option, ioengine in (("fdatasync", "sync"), ("fsync", "io_uring")):
            with self.subTest(option):
                run = self.run_json("--name=s", f"--ioengine={ioengine}", "--rw=write", "--bs=2300", "--size=46000",
                                    f"--{option}=1")
                self.assertEqual(run["jobs"][0]["write"]["total_ios"], 20)
                self.assertEqual(run["jobs"][0]["sync"]["total_ios"], 20)
                self.assertEqual(run["jobs"][0]["sync"]["lat_ns"]["N"], 20)

    def test_a_file_that_is_read_is_laid_out_and_told(self):
        run = self.run_json("--name=r", "--ioengine=psync", "--rw=read", "--size=1m", "--filename=new.dat")
        self.assertEqual((self.folder / "new.dat").stat().st_size, 1 << 20)
        self.assertTrue(any("laid out" in note for note in run["jobs"][0]["chronio"]["notes"]))

    def test_what_is_not_measured_is_absent_not_zero(self):
        """gtod_reduce and the disable options: no samples, no percentiles; counts and rates as ever."""
        cases = {"--gtod_reduce=1": (), "--disable_slat=1": ("clat", "lat"), "--disable_clat=1": ("slat", "lat"),
                 "--disable_lat=1": ("slat", "clat")}
        for option, measured in cases.items():
            with self.subTest(option):
                run = self.run_json("--name=d", *NULL, "--rw=randwrite", "--iodepth=4", "--fsync=16", option)
                write = run["jobs"][0]["write"]
                self.assertEqual(write["total_ios"], 256)
                self.assertGreater(write["iops"], 0)
                for kind in ("slat", "clat", "lat"):
                    self.assertEqual(write[f"{kind}_ns"]["N"], 256 if kind in measured else 0)
                self.assertEqual("percentile" in write["clat_ns"], "clat" in measured)
                self.assertEqual(run["jobs"][0]["sync"]["lat_ns"]["N"], 16 if measured else 0)
        text = self.run_well("--name=d", *NULL, "--gtod_reduce=1")
        self.assertNotIn("lat (", text)

    def test_a_latency_that_is_measured_alone_fits_into_the_run(self):
        """One I/O at a time: all latencies together are less than the time they took."""
        others = {"clat": ("--disable_lat=1", "--disable_slat=1"), "lat": ("--disable_clat=1", "--disable_slat=1")}
        for kind, options in others.items():
            for engine in ("psync", "libaio"):
                with self.subTest(kind=kind, engine=engine):
                    run = self.run_json("--name=d", f"--ioengine={engine}", "--rw=randread", "--size=1m", *options)
                    read = run["jobs"][0]["read"]
                    latency = read[f"{kind}_ns"]
                    self.assertEqual(latency["N"], 256)
                    self.assertGreater(latency["min"], 0)
                    self.assertLess(latency["mean"] * 256, run["jobs"][0]["chronio"]["runtime_ns"])

    def test_a_run_without_stamps_ends_in_time(self):
        for engine, depth in (("psync", 1), ("null", 32)):
            self.run_for(300, "--name=t", f"--ioengine={engine}", "--rw=randread", "--size=1m", f"--iodepth={depth}",
                         "--gtod_reduce=1", "--runtime=300ms", "--time_based")

    def test_generated_files_are_as_many_and_as_large_as_asked(self):
        run = self.run_json("--name=n", "--ioengine=psync", "--rw=randread", "--nrfiles=20", "--filesize=8k",
                            "--numjobs=2", "--filename_format=f.$jobnum.$filenum")
        sizes = {path.name: path.stat().st_size for path in self.folder.glob("f.*")}
        self.assertEqual(sizes, {f"f.{job}.{file}": 8192 for job in range(2) for file in range(20)})
        for job in run["jobs"]:
            self.assertEqual(job["read"]["total_ios"], 40)
            self.assertLess(len(job["chronio"]["notes"]), 12)  # twenty files don't make twenty notes

    def test_what_somebody_else_made_in_mid_run_is_neither_used_nor_removed(self):
        for engine in ("filecreate", "falloc"):
            process = self.start("--name=a", "--ioengine=null", "--size=4k", "--runtime=1", "--time_based",
                                 "--name=b", "--ioengine=filecreate", "--filename=begun", "--filesize=4k", "--unlink=1",
                                 "--name=c", "--stonewall", f"--ioengine={engine}", "--rw=write", "--size=64k",
                                 "--filename=theirs", "--unlink=1")
            while not (self.folder / "begun").exists():  # all was prepared, the first jobs run
                self.assertIsNone(process.poll())
            self.write("theirs", "precious")
            status, _, err = self.finish(process)
            self.assertEqual(status, 1, engine)
            self.assertIn("theirs: nothing was there before the run", err, engine)
            self.assertEqual((self.folder / "theirs").read_text(), "precious", engine)
            self.assertFalse((self.folder / "begun").exists())
            (self.folder / "theirs").unlink()

    def test_a_file_that_stands_in_the_way_of_a_late_start_is_not_removed(self):
        process = self.start("--name=b", "--ioengine=filecreate", "--filename=begun", "--filesize=4k",
                             "--name=c", "--startdelay=1", "--ioengine=filecreate", "--filesize=4k", "--filename=theirs",
                             "--unlink=1")
        while not (self.folder / "begun").exists():
            self.assertIsNone(process.poll())
        self.write("theirs", "precious")
        self.assertEqual(self.finish(process)[0], 1)
        self.assertEqual((self.folder / "theirs").read_text(), "precious")

    def test_what_an_engine_made_is_removed_in_the_end_and_used_by_later_jobs_till_then(self):
        self.run_well("--name=c", "--ioengine=filecreate", "--filename=made", "--filesize=4k", "--unlink=1",
                      "--name=f", "--stonewall", "--ioengine=falloc", "--rw=write", "--size=64k", "--filename=./made",
                      "--numjobs=2", "--unlink=1")
        self.assertEqual(self.contents(), {})

    def test_unlink_removes_the_file(self):
        self.run_json("--name=u", "--ioengine=psync", "--rw=write", "--size=64k", "--filename=u.dat", "--unlink=1")
        self.assertEqual(self.contents(), {})

    def test_a_sparse_file_is_named_in_the_notes(self):
        with open(self.folder / "holes.dat", "wb") as file:
            file.truncate(1 << 20)
        run = self.run_json("--name=h", "--ioengine=psync", "--rw=read", "--filename=holes.dat")
        self.assertTrue(any("holes" in note for note in run["jobs"][0]["chronio"]["notes"]))

    def test_a_tail_is_neither_read_nor_written(self):
        run = self.run_json("--name=t", "--ioengine=psync", "--rw=write", "--bs=4k", "--size=9120",
                            "--filename=t.dat")
        self.assertEqual(run["jobs"][0]["write"]["io_bytes"], 8192)
        self.assertLessEqual((self.folder / "t.dat").stat().st_size, 9120)

    def test_intervals_add_up_to_the_whole_exactly(self):
        """More workers than CPUs begin and end at different times, close to a sample or far from it."""
        for runtime, more in ((1000, ()), (500, ("--startdelay=100ms", "--ramp_time=100ms")), (1100, ("--iodepth=8",))):
            run = self.run_json("--name=m", "--ioengine=null", "--rw=randrw", "--size=1m", "--numjobs=24", "--time_based",
                                f"--runtime={runtime}ms", *more)
            for job in run["jobs"]:
                intervals = job["chronio"]["intervals"]
                self.assertEqual(sum(intervals["length_ns"]), job["chronio"]["runtime_ns"])
                for ddir, ios, of_bytes in zip(("read", "write", "trim"), intervals["ios"], intervals["bytes"]):
                    self.assertEqual(sum(ios), job[ddir]["total_ios"])
                    self.assertEqual(sum(of_bytes), job[ddir]["io_bytes"])

    def test_many_workers_start_and_end(self):
        run = self.run_json("--name=m", "--ioengine=null", "--size=64k", "--numjobs=300", "--group_reporting")
        self.assertEqual(run["jobs"][0]["read"]["total_ios"], 300 * 16)

    def test_the_clock_is_named_whatever_was_asked_for(self):
        for source in ("cpu", "clock_gettime", "gettimeofday"):
            with self.subTest(source):
                run = self.run_json("--name=c", *NULL, f"--clocksource={source}")
                clock = run["chronio"]["clock"]
                self.assertIn(clock["verdict"], ("forced", "suspect"))
                self.assertGreater(clock["read_cost_ns"], 0)

    def test_the_locale_changes_no_byte_of_a_key(self):
        env = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
        run = self.run_json("--name=l", *NULL, "--percentile_list=50:99.9", env=env)
        self.assertIn("99.900000", run["jobs"][0]["read"]["clat_ns"]["percentile"])


if __name__ == "__main__":
    harness.main()
