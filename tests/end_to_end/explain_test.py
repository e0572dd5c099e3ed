# explain_test.py: explain shows what a run would take, where it comes from, and every mistake that a run would tell.
import re

import harness

JOB = "[a]\nioengine=null\nsize=64k\n"


class Explain(harness.Case):
    def explained(self, *args):
        """{option: (value, origin)} of the only job."""
        out = self.run_well("explain", *args)
        self.assertEqual(out.count("["), 1)
        rows = (line.split(maxsplit=2) for line in out.splitlines()[1:])
        return {row[0]: tuple(row[1:]) for row in rows if len(row) == 3}

    def test_both_of_two_options_that_set_one_value_have_its_origin(self):
        for option, values in (("rwmixwrite=30", {"rwmixread": "70", "rwmixwrite": "30"}),
                               ("rwmixread=30", {"rwmixread": "30", "rwmixwrite": "70"}),
                               ("direct=1", {"direct": "1", "buffered": "0"}),
                               ("buffered=0", {"direct": "1", "buffered": "0"})):
            with self.subTest(option):
                self.write("t.fio", JOB + option + "\n")
                rows = self.explained("t.fio")
                for key, value in values.items():
                    self.assertEqual(rows[key], (value, "t.fio:4"))
                    self.assertEqual(self.explained("--name=a", "--" + option)[key], (value, "command line"))

    def test_other_names_of_an_option_have_its_origin(self):
        self.write("t.fio", JOB + "blocksize=8k\n")
        self.assertEqual(self.explained("t.fio")["bs"], ("8k", "t.fio:4"))

    def test_an_option_of_the_engine_is_shown_once_as_it_counts(self):
        self.write("t.fio", "[global]\nioengine=io_uring\nhipri=0\nfixedbufs\n[a]\nsize=64k\nhipri=1\n")
        out = self.run_well("explain", "t.fio")
        self.assertEqual(out.count("hipri "), 1, out)
        self.assertRegex(out, r"\bhipri +1 +t.fio:7\n")
        self.assertRegex(out, r"\bfixedbufs +1 +t.fio:4\n")

    def assert_mistake(self, text, *messages):
        """`explain` and --parse-only tell it with the same words and the same exit code."""
        self.write("t.fio", text)
        status, out, err = self.run_program("explain", "t.fio")
        self.assertEqual((status, *self.run_program("--parse-only", "t.fio")[1:]), (1, "", err))
        self.assertIn("[a]\n", out)
        for message in messages:
            self.assertEqual(err.count(message), 1, err)
        return out

    def test_a_misspelt_option_is_a_mistake_with_its_place_and_a_suggestion(self):
        out = self.assert_mistake(JOB + "iodepht=4\n", "t.fio:4: error: ", 'did you mean "iodepth"?',
                                  "\n    iodepht=4\n    ^\n")
        self.assertNotIn("iodepht", out)

    def test_a_misspelt_option_of_an_engine_is_a_mistake(self):
        self.assert_mistake("[a]\nioengine=io_uring\nsize=64k\nhipry=1\n", "t.fio:4: error: ", '"hipri"')

    def test_an_engine_that_is_not_there_is_a_mistake(self):
        self.write("t.fio", "[a]\nioengine=nope\nsize=64k\n")
        status, out, err = self.run_program("explain", "t.fio")
        self.assertEqual(status, 1)
        self.assertIn("t.fio:", err)
        self.assertIn("no such ioengine", err)
        self.assertRegex(out, r"\bioengine +nope +t.fio:2\n")

    def test_what_only_an_engine_has_is_shown_with_its_default(self):
        self.write("t.fio", "[a]\nioengine=io_uring\nsize=64k\n")
        self.assertEqual(self.explained("t.fio")["hipri"], ("0", "default"))
        self.write("t.fio", JOB)
        self.assertNotIn("hipri", self.explained("t.fio"))

    def test_options_behind_a_job_file_are_defaults_for_it_as_with_fio(self):
        self.write("t.fio", JOB)
        for line in (("t.fio", "--bs=8k"), ("--bs=8k", "t.fio"), ("--bs=16k", "t.fio", "--bs=8k"),
                     ("t.fio", "--name=global", "--bs=8k")):
            self.assertEqual(self.explained(*line)["bs"], ("8k", "command line"), line)
        self.assertEqual(self.explained("t.fio", "--ioengine=psync")["ioengine"], ("null", "t.fio:2"))

    def test_options_behind_a_name_are_those_of_that_job_alone_also_behind_a_file(self):
        self.write("t.fio", JOB)
        for line in (("--name=b", "--size=4k", "--bs=8k", "t.fio"), ("--name=b", "--size=4k", "t.fio", "--bs=8k"),
                     ("t.fio", "--name=b", "--size=4k", "--bs=8k")):
            out = self.run_well("explain", *line)
            self.assertEqual(re.findall(r"^ +bs +(\w+)", out, re.MULTILINE), ["8k", "4k"], out)

    def test_all_mistakes_are_told_at_once(self):
        self.assert_mistake(JOB + "bs=4x\niodepht=4\n", "t.fio:4: error: ", "t.fio:5: error: ")

    def test_a_mistake_that_many_jobs_inherit_is_told_once(self):
        self.assert_mistake("[global]\nsize=64k\niodepht=4\n[a]\n[b]\n[c]\n", "t.fio:3: error: ")
        self.assert_mistake("[global]\nbs=4x\niodepht=4\n[a]\n[b]\n[c]\n", "t.fio:2: error: ", "t.fio:3: error: ")


if __name__ == "__main__":
    harness.main()
