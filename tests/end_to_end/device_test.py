# device_test.py: loop devices as targets: data on them is safe, blank ones run. Needs root.
import hashlib
import os
import shutil
import signal
import subprocess

import harness


class Device(harness.Case):
    def loop(self, name, megabytes=32):
        """A loop device on a new file; detached when the case ends."""
        image = self.folder / name
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        run = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            harness.skip(f"losetup: {run.stderr.strip()}")
        device = run.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=False)
        return device

    def digest(self, device):
        os.sync()
        with open(device, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def test_a_device_with_a_file_system_is_refused_and_stays_as_it_is(self):
        device = self.loop("ext4.img")
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        before = self.digest(device)
        for rw in ("write", "randwrite", "randrw", "trim", "randtrim", "trimwrite"):
            status, out, err = self.run_program("--name=w", f"--rw={rw}", "--size=1m", f"--filename={device}")
            self.assertEqual(status, 1)
            self.assertEqual(out, "")
            self.assertIn("ext4", err)
            self.assertIn(device, err)
        os.symlink(device, self.folder / "link")
        self.assertEqual(self.run_program("--name=w", "--rw=write", "--size=1m", "--filename=link")[0], 1)
        self.assertEqual(self.digest(device), before)

    def test_a_device_with_a_file_system_may_be_read(self):
        device = self.loop("ext4.img")
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        before = self.digest(device)
        run = self.run_json("--name=r", "--rw=randread", "--ioengine=io_uring", "--direct=1", "--size=25%",
                            f"--filename={device}")
        self.assertEqual(run["jobs"][0]["read"]["io_bytes"], 8 << 20)
        self.assertEqual(self.digest(device), before)

    def test_a_blank_device_runs_to_its_end(self):
        device = self.loop("blank.img")
        run = self.run_json("--name=w", "--rw=write", "--bs=64k", "--ioengine=io_uring", "--iodepth=4", "--direct=1",
                            f"--filename={device}")
        self.assertEqual(run["jobs"][0]["write"]["io_bytes"], 32 << 20)
        self.assertEqual(run["jobs"][0]["chronio"]["targets"][0]["type"], "block")

    def test_what_lies_past_the_end_of_a_device_is_refused(self):
        device = self.loop("small.img")
        err = self.assert_refused(["--name=w", "--rw=read", "--size=64m", f"--filename={device}"], "past the end")
        self.assertIn(str(32 << 20), err)

    def test_a_blank_device_is_trimmed_for_good(self):
        device = self.loop("blank.img")
        image = self.folder / "blank.img"
        job = ("--name=t", "--bs=64k", f"--filename={device}", f"--allow-destroy={device}")
        for engine in ("psync", "libaio", "io_uring"):
            self.run_well(*job, "--rw=write", "--direct=1")
            full = image.stat().st_blocks * 512
            run = self.run_json(*job, "--rw=randtrim", f"--ioengine={engine}")
            self.assertEqual(run["jobs"][0]["trim"]["io_bytes"], 32 << 20)
            self.assertEqual(run["jobs"][0]["write"]["total_ios"], 0)
            self.assertGreaterEqual(full, 32 << 20)
            self.assertLess(image.stat().st_blocks * 512, 1 << 20)

    def test_a_trim_that_is_no_multiple_of_the_block_is_refused(self):
        device = self.loop("blank.img")
        self.assert_refused(["--name=t", "--rw=trim", "--bs=700", f"--filename={device}"], "512", "trim needs")

    def test_allow_destroy_lifts_the_guard_for_its_device_only(self):
        device, other = self.loop("a.img"), self.loop("b.img")
        for path in (device, other):
            subprocess.run(["mkfs.ext4", "-q", path], check=True)
        job = ("--name=w", "--rw=write", "--bs=64k", "--size=1m")
        self.run_well(f"--allow-destroy={device}", *job, f"--filename={device}")
        self.assertEqual(self.run_program(f"--allow-destroy={device}", *job, f"--filename={other}")[0], 1)
        self.assertEqual(self.run_program("--readonly", f"--allow-destroy={device}", *job, f"--filename={device}")[0], 1)

    def test_a_link_that_is_turned_in_mid_run_leads_nowhere(self):
        device = self.loop("ext4.img")
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        before = self.digest(device)
        self.write("plain", bytes(1 << 20))
        for engine in ("psync", "io_uring", "mmap", "falloc"):
            for name in ("begun", "link"):
                (self.folder / name).unlink(missing_ok=True)
            os.symlink("plain", self.folder / "link")
            process = self.start("--name=a", "--ioengine=null", "--size=4k", "--runtime=1", "--time_based",
                                 "--name=b", "--ioengine=filecreate", "--filename=begun", "--filesize=4k",
                                 "--name=c", "--stonewall", "--rw=write", "--size=1m", f"--ioengine={engine}",
                                 "--filename=link")
            while not (self.folder / "begun").exists():  # all was prepared, the first jobs run
                self.assertIsNone(process.poll())
            os.symlink(device, self.folder / "other")
            os.rename(self.folder / "other", self.folder / "link")
            status, _, err = self.finish(process)
            self.assertEqual(status, 1, engine)
            self.assertIn("no longer what was checked", err, engine)
            self.assertEqual(self.digest(device), before, engine)

    def test_a_device_in_a_run_takes_no_file_system(self):
        device = self.loop("blank.img")
        process = self.start("--name=a", "--rw=write", "--runtime=30", "--time_based", f"--filename={device}",
                             "--direct=1", "--name=b", "--ioengine=filecreate", "--filename=begun", "--filesize=4k")
        while not (self.folder / "begun").exists():
            self.assertIsNone(process.poll())
        self.assertNotEqual(subprocess.run(["mkfs.ext4", "-q", device], capture_output=True, check=False).returncode, 0)
        process.send_signal(signal.SIGINT)
        self.finish(process)

    def test_a_device_that_is_not_held_is_asked_about_again_before_each_stage(self):
        # Discards through the page cache keep the device from being held, also for the job that writes.
        device = self.loop("blank.img")
        process = self.start("--name=t", "--rw=trim", "--bs=64k", f"--filename={device}",
                             "--name=a", "--stonewall", "--ioengine=null", "--size=4k", "--runtime=2", "--time_based",
                             "--name=b", "--ioengine=filecreate", "--filename=begun", "--filesize=4k",
                             "--name=w", "--stonewall", "--rw=write", "--bs=64k", f"--filename={device}")
        while not (self.folder / "begun").exists():
            self.assertIsNone(process.poll())
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        before = self.digest(device)
        status, _, err = self.finish(process)
        self.assertEqual(status, 1)
        self.assertIn("it holds ext4", err)
        self.assertEqual(self.digest(device), before)

    def test_output_on_a_device_is_refused(self):
        device = self.loop("o.img")
        before = self.digest(device)
        self.assert_refused(["--name=a", "--ioengine=null", "--size=64k", f"--output={device}"], device)
        self.assertEqual(self.digest(device), before)


if __name__ == "__main__":
    if os.geteuid() != 0:
        harness.skip("needs root, for loop devices")
    if shutil.which("mkfs.ext4") is None:
        harness.skip("mkfs.ext4 is not installed")
    harness.main()
