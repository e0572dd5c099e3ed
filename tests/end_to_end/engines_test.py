# engines_test.py: every built-in engine in the whole program: exact counts, what becomes of files, facts in the result.
import contextlib
import ctypes
import os
import pathlib
import time

import harness

TRANSFERRING = ("sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "mmap", "io_uring")
MIB = 1 << 20


def dirty_pages(path):
    """Of a file, as cachestat(2) counts them, those under way to the disk included; None on an older kernel."""
    whole, counts = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)()
    with open(path, "rb") as file:
        answer = ctypes.CDLL(None).syscall(451, file.fileno(), whole, counts, 0)
    return counts[1] + counts[2] if answer == 0 else None


class Engines(harness.Case):
    def job(self, engine, *more):
        run = self.run_json("--name=t", f"--ioengine={engine}", "--bs=4k", *more)
        self.assertTrue(run["chronio"]["complete"])
        return run["jobs"][0]

    def test_a_full_queue_is_drained_to_the_low_water_mark(self):
        """One completion at a time: depths at issue are 5 to 16 after the first filling, always 16 without a mark."""
        for low, least in (("4", 5), ("0", 16)):
            with self.subTest(iodepth_low=low):
                job = self.job("null", "--rw=randread", "--size=4m", "--iodepth=16", f"--iodepth_low={low}",
                               "--iodepth_batch_complete_max=1")
                depths = job["chronio"]["depths"]
                cycle = range(least, 17)
                filling, rest = sum(range(1, 17)), 1024 - 16
                mean = sum(cycle) / len(cycle)
                self.assertEqual(depths["level"][0], 1)  # the first I/O, and no other
                self.assertAlmostEqual(depths["depth_sum"], filling + rest * mean, delta=100)

    def test_every_engine_moves_each_block_once(self):
        for engine in TRANSFERRING:
            job = self.job(engine, "--rw=randrw", "--size=2m", "--iodepth=8", "--fdatasync=32", f"--filename={engine}.dat")
            with self.subTest(engine):
                self.assertEqual(job["read"]["io_bytes"] + job["write"]["io_bytes"], 2 * MIB)
                self.assertEqual(job["read"]["total_ios"] + job["write"]["total_ios"], 512)
                self.assertGreater(job["sync"]["total_ios"], 0)
                self.assertEqual((self.folder / f"{engine}.dat").stat().st_size, 2 * MIB)

    def test_a_trim_gives_the_blocks_back(self):
        for engine in (*TRANSFERRING, "falloc"):
            name = f"{engine}.dat"
            self.job("psync", "--rw=write", "--size=2m", "--end_fsync=1", f"--filename={name}")
            job = self.job(engine, "--rw=randtrim", "--size=2m", "--iodepth=4", f"--filename={name}")
            with self.subTest(engine):
                self.assertEqual(job["trim"]["total_ios"], 512)
                self.assertEqual(job["trim"]["clat_ns"]["N"], 512)
                self.assertEqual((self.folder / name).stat().st_blocks, 0)
                self.assertEqual((self.folder / name).stat().st_size, 2 * MIB)

    def test_trims_that_are_made_one_by_one_have_the_depth_of_one(self):
        """Inside the queue call, whatever iodepth says: the job has a note of it."""
        for engine in ("io_uring", "libaio", "posixaio"):
            with self.subTest(engine):
                job = self.job(engine, "--rw=randtrim", "--size=2m", "--iodepth=16", f"--filename={engine}.dat")
                self.assertEqual(job["chronio"]["depths"]["level"], [512, 0, 0, 0, 0, 0, 0])
                self.assertEqual(job["chronio"]["depths"]["depth_sum"], 512)
                self.assertIn("the mean depth was 1.0", " ".join(job["chronio"]["notes"]))

    def test_trimwrite_does_both_to_each_block(self):
        for engine in ("psync", "io_uring"):
            job = self.job(engine, "--rw=randtrimwrite", "--size=1m", "--iodepth=4", f"--filename={engine}.dat")
            self.assertEqual([job[d]["total_ios"] for d in ("read", "write", "trim")], [0, 256, 256])
            self.assertGreaterEqual((self.folder / f"{engine}.dat").stat().st_blocks * 512, MIB)

    def test_files_are_made_looked_up_and_removed(self):
        names = [f"f{n}" for n in range(20)]
        files = "--filename=" + ":".join(names)
        self.assertEqual(self.job("filecreate", files)["read"]["total_ios"], 20)
        self.assertEqual(sorted(self.contents()), sorted(names))
        for call in ("stat", "lstat", "statx"):
            self.assertEqual(self.job("filestat", files, f"--stat_type={call}")["read"]["total_ios"], 20)
        self.assert_refused(["--name=t", "--ioengine=filedelete", files], "f0 exists", "only files that this run makes")
        self.assert_refused(["--name=t", "--ioengine=filecreate", files], "f0 exists")
        self.assertEqual(self.job("filedelete", "--filename=g0:g1:g2", "--size=12k")["read"]["total_ios"], 3)
        self.assertEqual(sorted(self.contents()), sorted(names))

    def test_ftruncate_leaves_old_files_alone(self):
        self.write("old", b"x" * 65536)
        job = ["--name=t", "--ioengine=ftruncate", "--rw=write", "--size=64k"]
        self.assert_refused([*job, "--filename=old"], "old exists")
        self.assertEqual(self.job("ftruncate", "--rw=write", "--size=64k", "--filename=new")["write"]["total_ios"], 16)
        self.assertEqual((self.folder / "new").stat().st_size, 15 * 4096)

    def test_end_fsync_syncs_files_that_an_engine_opens_itself(self):
        path = self.folder / "dirty"
        path.write_bytes(bytes(MIB))
        before = dirty_pages(path)
        if not before:
            self.skipTest("the kernel tells of no dirty pages (cachestat, Linux 6.5), or the file system has none")
        self.job("falloc", "--rw=write", "--size=1m", "--filename=dirty", "--end_fsync=1")
        self.assertEqual(dirty_pages(path), 0)

    def test_falloc_makes_its_file(self):
        self.job("falloc", "--rw=write", "--size=1m", "--filename=new")
        self.assertGreaterEqual((self.folder / "new").stat().st_blocks * 512, MIB)

    @staticmethod
    def waiting_for_cpus(process):
        """Seconds that all threads of a program were ready to run but did not, seen until shortly before its end."""
        waited = {}
        while process.poll() is None:
            for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
                with contextlib.suppress(OSError, IndexError):
                    waited[path] = int(path.read_text().split()[1])
            time.sleep(0.02)
        return sum(waited.values()) / 1e9

    def test_cpuio_uses_the_share_of_a_cpu_that_was_asked(self):
        """At most a stretch of computing too much, and 2 % for what surrounds it. A round is longer than its share wants
        by no more than the worker waited for a CPU: too little is only what a busy machine withholds, 5 % for late wakes,
        and what waiting came after the last look at it."""
        for load, chunk_us in ((0.5, 10_000), (0.25, 40_000)):
            process = self.start("--name=t", "--ioengine=cpuio", f"--cpuload={load * 100:.0f}",
                                 f"--cpuchunks={chunk_us}", "--runtime=2", "--output-format=json")
            waited_s = self.waiting_for_cpus(process)
            chronio = harness.strict_json(self.finish(process)[1])["jobs"][0]["chronio"]
            run_s = chronio["runtime_ns"] / 1e9
            cpu_s = (chronio["usage"]["user_ns"] + chronio["usage"]["system_ns"]) / 1e9
            self.assertLess(cpu_s, 1.02 * load * run_s + chunk_us / 1e6)
            self.assertGreater(cpu_s, 0.95 * load * (run_s - waited_s) - 0.05)

    def test_cpuio_ends_in_time_however_long_it_rests(self):
        """At 1 % a stretch of 100 ms is followed by ten seconds of rest, which a stall would be told of after five."""
        status, out, err = self.run_program("--name=t", "--ioengine=cpuio", "--cpuload=1", "--cpuchunks=100000",
                                            "--runtime=1", "--output-format=json")
        self.assertEqual(status, 0)
        ran_ms = harness.strict_json(out)["jobs"][0]["job_runtime"]
        self.assertGreaterEqual(ran_ms, 1000)
        self.assertLess(ran_ms, 4000)
        self.assertNotIn("no completion", err)

    def test_what_was_in_use_is_in_the_result(self):
        job = self.job("io_uring", "--rw=randread", "--size=2m", "--iodepth=32", "--iodepth_batch_submit=16",
                       "--iodepth_batch_complete_min=16", "--fixedbufs", "--registerfiles", "--filename=a.dat")["chronio"]
        facts, per_io = job["facts"], job["per_io"]
        self.assertEqual((facts["fixed_buffers"], facts["registered_files"], facts["sq_poll"]), (1, 1, 0))
        self.assertEqual(facts["polled"], 0)
        self.assertAlmostEqual(per_io["enter_calls"], facts["enter_calls"] / 512)
        self.assertLess(per_io["enter_calls"], 0.3)
        self.assertLess(per_io["submissions"], 0.2)
        self.assertLessEqual(per_io["depth"], 32)
        forced = self.job("io_uring", "--rw=randread", "--size=1m", "--force_async=4", "--filename=a.dat")
        self.assertEqual(forced["chronio"]["facts"]["punts"], 64)

    def test_a_depth_in_vain_is_told(self):
        for engine, why in (("psync", "no effect with psync"), ("libaio", "is not the depth that a device sees")):
            status, _, err = self.run_program("--name=t", f"--ioengine={engine}", "--rw=read", "--size=1m", "--iodepth=16",
                                              "--filename=a.dat")
            self.assertEqual(status, 0)
            self.assertIn(why, err)

    def test_cpuio_is_a_load_beside_the_others_and_ends_with_them(self):
        run = self.run_json("--name=burn", "--ioengine=cpuio", "--cpuload=20", "--cpuchunks=1000",
                            "--name=job", "--ioengine=null", "--size=4k", "--time_based", "--runtime=500ms")
        burn, job = run["jobs"]
        self.assertGreaterEqual(burn["chronio"]["runtime_ns"], 0.9 * job["chronio"]["runtime_ns"])
        self.assertEqual((run["chronio"]["complete"], burn["error"]), (True, 0))
        # Without counters the other can't even begin: no reason to compute for ever.
        self.run_program("--name=burn", "--ioengine=cpuio", "--name=job", "--ioengine=null", "--size=4k", "--pmu=require")

    def test_the_one_call_of_vsync_is_completion_latency(self):
        run = self.run_json("--name=v", "--ioengine=vsync", "--rw=write", "--bs=64k", "--iodepth=4", "--size=8m")
        write = run["jobs"][0]["write"]
        self.assertGreater(write["clat_ns"]["mean"], write["slat_ns"]["mean"])

    def test_polling_without_a_disk_is_refused_at_once(self):
        if not os.path.isdir("/dev/shm"):
            self.skipTest("no tmpfs")
        began = time.monotonic()
        for engine in ("io_uring", "pvsync2"):
            self.assert_refused(["--name=t", f"--ioengine={engine}", "--hipri", "--direct=1", "--rw=write", "--size=64k",
                                 f"--filename=/dev/shm/chronio-{os.getpid()}"], "could be polled for")
        self.assertLess(time.monotonic() - began, 5)

    def test_pass_through_needs_its_kind_of_device(self):
        self.write("a.dat", b"x" * 4096)
        for path, what in (("a.dat", "it is a file"), ("absent.dat", "it does not exist")):
            self.assert_refused(["--name=t", "--ioengine=io_uring_cmd", "--rw=read", "--size=4k", f"--filename={path}"],
                                path, "/dev/ngXnY", what)

    def test_engines_show_flags_options_and_version(self):
        self.assertIn("asynchronous, trims; engine API ", self.run_well("engines", "io_uring"))
        self.assertEqual(self.run_well("--enghelp=io_uring"), self.run_well("engines", "io_uring"))
        self.assertTrue(self.run_well("--enghelp=io_uring,hipri").startswith("  hipri=0 or 1\n"))
        self.assertEqual(self.run_well("--enghelp"), self.run_well("engines"))
        self.assertEqual(self.run_program("--enghelp=io_uring,nope")[0], 1)


if __name__ == "__main__":
    harness.main()
