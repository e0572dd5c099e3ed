# refusal_test.py: wrong input ends before the first I/O, with exit 1, its place, and nothing changed.
import os

import harness

JOB = "[a]\nioengine=null\nsize=64k\n"


class Refusal(harness.Case):
    def refused_job(self, text, *messages):
        self.write("t.fio", text)
        return self.assert_refused(["t.fio"], *messages)

    def test_unknown_keys_are_named_with_their_line(self):
        self.refused_job(JOB + "iodepht=4\n", "t.fio:4", "iodepht", "iodepth")

    def test_rubbish_after_a_number_is_refused(self):
        self.refused_job(JOB + "bs=4x\n", "t.fio:4", "bs=4x")

    def test_every_mistake_is_told_at_once(self):
        self.refused_job(JOB + "bs=4x\niodepth=0\nnope=1\n", "t.fio:4", "t.fio:5", "t.fio:6")

    def test_a_depth_of_zero_is_refused(self):
        self.refused_job(JOB + "iodepth=0\n", "t.fio:4", "iodepth", "at least 1")

    def test_a_missing_file_without_size_is_refused(self):
        self.assert_refused(["--name=a", "--rw=read", "--filename=absent.dat"], "absent.dat", "does not exist")

    def test_a_directory_as_filename_is_refused(self):
        (self.folder / "d").mkdir()
        self.assert_refused(["--name=a", "--rw=write", "--size=64k", "--filename=d"], "d is a directory")

    def test_an_empty_job_file_is_refused(self):
        self.refused_job("", "t.fio")

    def test_a_job_file_with_only_globals_is_refused(self):
        self.refused_job("[global]\nsize=64k\n", "t.fio", "no job")

    def test_binary_data_is_no_job_file(self):
        error = self.refused_job(b"\x7fELF\x02\x01\x01\x00\xff\xfe[a]\n", "binary")
        self.assertTrue(error.isprintable() or "\n" in error)
        self.assertNotIn("\x00", error)

    def test_a_missing_job_file_is_refused(self):
        self.assert_refused(["./absent.fio"], "absent.fio")

    def test_a_folder_or_device_as_job_file_is_refused(self):
        self.assert_refused(["./"], "./")
        self.assert_refused(["/dev/zero"], "/dev/zero")

    def test_nothing_is_made_in_dev(self):
        path = "/dev/chronio-no-such-device"
        self.assert_refused(["--name=a", "--rw=randread", f"--filename={path}"], path)
        self.assert_refused(["--name=a", "--rw=write", "--size=1m", f"--filename={path}"], path)
        self.assertFalse(os.path.exists(path))

    def test_one_wrong_job_stops_all(self):
        self.assert_refused(["--name=a", "--rw=write", "--size=64k", "--filename=a.dat", "--name=b", "--rw=read",
                             "--filename=absent.dat"], "absent.dat")

    def test_options_of_the_command_line_are_told_apart(self):
        self.refused_job(JOB + "output-format=json\n", "t.fio:4", "--output-format")

    def test_what_fio_can_and_chronio_can_not_is_refused_by_name(self):
        self.refused_job(JOB + "verify=crc32c\n", "t.fio:4", "verify")

    def test_everyday_options_that_change_nothing_are_taken(self):
        self.run_well("--name=a", "--ioengine=null", "--size=64k", "--verify=0", "--thread", "--group_reporting",
                      "--gtod_reduce=0")

    def test_readonly_is_absolute(self):
        self.write("f", b"x" * 65536)
        for options in (["--rw=randrw"], ["--rw=write"], ["--rw=read", "--size=128k"]):
            self.assert_refused(["--readonly", "--name=a", "--filename=f", *options], "readonly")
        self.run_well("--readonly", "--name=a", "--rw=read", "--filename=f")

    def test_calls_without_work_answer_2(self):
        self.assert_refused([], "usage", status=2)
        self.assert_refused(["nonsense"], "nonsense", status=2)
        self.assert_refused(["--readonly"], "nothing to run", status=2)

    def test_every_subcommand_tells_its_usage(self):
        for command in ("compare", "report", "engines", "options", "explain", "clock", "pmu", "run"):
            for word in ("--help", "-h"):
                with self.subTest(command, word=word):
                    told = self.run_well(command, word)
                    self.assertTrue(told.startswith(f"usage: chronio {'[run]' if command == 'run' else command}"), told)
                    self.assertLessEqual(max(map(len, told.splitlines())), 80)
                    if command == "run":
                        self.assertEqual(self.run_well("--name=a", "--size=4k", word), told)
            if command != "run":
                with self.subTest(command, word="--bogus"):
                    self.assert_refused([command, "--bogus"], f"chronio {command}: ", self.run_well(command, "--help"),
                                        status=2)

    def test_direct_io_that_is_not_aligned_is_refused(self):
        self.assert_refused(["--name=a", "--rw=write", "--direct=1", "--bs=1000", "--size=64k", "--filename=f"],
                            "bs=1000", "logical block")

    def test_an_engine_that_is_not_there_is_named(self):
        self.assert_refused(["--name=a", "--ioengine=nope", "--size=1m"], "nope")
        self.write("text.so", "no shared object")
        self.assert_refused(["--name=a", "--ioengine=external:./text.so", "--size=1m"], "text.so")

    def test_warnings_are_fatal_when_asked(self):
        self.assert_refused(["--warnings-fatal", "--name=a", "--ioengine=psync", "--rw=write", "--size=64k",
                             "--iodepth=8"], "iodepth=8 has no effect")

    def test_an_option_is_no_value_of_the_one_before_it(self):
        for first in ("--allow-destroy", "--output", "--description", "-section"):
            self.assert_refused([first, "--readonly", "--name=w", "--rw=write", "--size=4k", "--filename=w"],
                                f"{first} needs a value", "--readonly")
        self.assert_refused(["--output", "-readonly", "--name=w"], "--output needs a value", "-readonly")
        self.assert_refused(["--filename", "--rw=write", "--name=w", "--size=4k"], "--filename needs a value")
        self.run_well("--description=--readonly", "--name=w", "--ioengine=null", "--size=4k", "--runtime", "1")


if __name__ == "__main__":
    harness.main()
