# stdin_test.py: "-" is a job file that comes from standard input, whatever stands behind that.
import os
import threading

import harness

JOB = "[a]\nioengine=null\nsize=64k\n"


class StandardInput(harness.Case):
    def given(self, text, *args):
        """(status, stdout, stderr) of a run whose standard input is a pipe that holds `text`."""
        read_end, write_end = os.pipe()
        with os.fdopen(write_end, "w") as pipe:
            pipe.write(text)
        try:
            return self.run_program(*args, stdin=read_end)
        finally:
            os.close(read_end)

    def assert_told(self, answer, *messages):
        status, out, err = answer
        self.assertEqual((status, out), (1, ""), err)
        for message in messages:
            self.assertIn(message, err)

    def test_every_subcommand_that_takes_job_files_reads_it(self):
        for words in (["-"], ["run", "-"], ["explain", "-"], ["--parse-only", "-"], ["--time_based=0", "-"]):
            with self.subTest(words):
                status, out, err = self.given(JOB, *words)
                self.assertEqual(status, 0, err + out)
                if "--parse-only" not in words:
                    self.assertIn("a", out)

    def test_a_file_and_a_terminal_are_read_as_well(self):
        self.write("t.fio", JOB)
        with open(self.folder / "t.fio") as file:
            self.assertEqual(self.run_program("-", stdin=file)[0], 0)
        ours, its = os.openpty()
        process = self.start("-", stdin=its)
        os.write(ours, JOB.encode() + b"\x04")
        status, out, err = self.finish(process)
        os.close(ours)
        os.close(its)
        self.assertEqual(status, 0, err + out)

    def test_input_that_comes_slowly_and_without_blocking_is_waited_for(self):
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        process = self.start("-", stdin=read_end)
        os.close(read_end)
        late = threading.Timer(0.2, lambda: (os.write(write_end, JOB.encode()), os.close(write_end)))
        late.start()
        status, out, err = self.finish(process)
        late.join()
        self.assertEqual(status, 0, err + out)

    def test_mistakes_are_told_with_their_line(self):
        self.assert_told(self.given(JOB + "bs=4x\n", "-"), "standard input:4: error: bs=4x")

    def test_includes_are_relative_to_the_working_directory(self):
        self.write("more", "bs=8k\n")
        status, out, err = self.given(JOB + "include more\n", "explain", "-")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"bs +8k +more:1")

    def test_a_file_of_that_name_is_read_by_its_path_and_by_include(self):
        self.write("-", "bs=8k\n")
        status, out, err = self.given(JOB + "include -\n", "explain", "-")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"bs +8k +-:1")
        self.write("-", JOB)
        self.run_well("./-")

    def test_an_empty_one_is_refused(self):
        self.assert_told(self.given("", "-"), "standard input:1: error: no job is defined")
        self.assert_told(self.run_program("-"), "standard input:1: error: no job is defined")

    def test_an_endless_one_is_refused_at_the_limit(self):
        with open("/dev/zero") as zeros:
            self.assert_told(self.run_program("-", stdin=zeros), "standard input", "is over 67108864 bytes")

    def test_what_can_not_be_read_is_named(self):
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.assert_told(self.run_program("-", stdin=folder), "standard input: error: ", "Is a directory")

    def test_binary_data_is_no_job_file(self):
        self.assert_told(self.given("\x00\x01", "-"), "standard input", "binary")


if __name__ == "__main__":
    harness.main()
