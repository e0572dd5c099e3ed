# foreign_text_test.py: what others wrote can't speak to the terminal: names, paths, words, texts in result files.
# usage: foreign_text_test.py CHRONIO FAULTY_PLUGIN
import copy
import os
import sys

import harness

FAULTY = os.path.abspath(sys.argv.pop(2))
# Colour, a bell, the eight-bit form of ESC [, and a line that looks like one of ours.
HOSTILE = "n\x1b[31m\a\x9b2J\nforged:error"
JOB = ("--name=a", "--ioengine=null", "--size=64k")


def leaves(node):
    """Each string of a JSON tree, as (its holder, its key)."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, str):
            yield node, key
        elif isinstance(value, (dict, list)):
            yield from leaves(value)


class ForeignText(harness.Case):
    def said(self, *args, env=None):
        """(status, all that was printed) of a run; no byte of it speaks to a terminal, no line is forged."""
        status, out, err = self.run_program(*args, env=env)
        for text in (out, err):
            odd = {c for c in text if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)}
            self.assertEqual(odd, set(), f"{args}: {text!r}")
            self.assertFalse([line for line in text.split("\n") if line.strip().startswith("forged")], f"{args}: {text}")
        return status, out + err

    def test_words_of_the_command_line(self):
        for line in ([HOSTILE], ["-" + HOSTILE], ["--" + HOSTILE], ["./" + HOSTILE], ["run", HOSTILE],
                     ["explain", HOSTILE], ["explain", "--" + HOSTILE], ["compare", "--" + HOSTILE],
                     ["compare", "--percentiles=" + HOSTILE], ["compare", HOSTILE, HOSTILE], ["report", HOSTILE],
                     ["engines", HOSTILE], ["engines", "null," + HOSTILE], ["engines", "./" + HOSTILE],
                     ["engines", "external:" + HOSTILE], ["--enghelp=" + HOSTILE], ["options", HOSTILE],
                     ["--cmdhelp=" + HOSTILE], ["clock", HOSTILE], ["clock", "--cpus=" + HOSTILE],
                     ["clock", "--method=" + HOSTILE], ["clock", "--clock-tolerance=" + HOSTILE],
                     ["pmu", HOSTILE], [*JOB, "--" + HOSTILE], [*JOB, "--" + HOSTILE + "=1"],
                     [*JOB, "--" + HOSTILE, "1"]):
            with self.subTest(line):
                self.assertNotEqual(self.said(*line)[0], 0)

    def test_values_of_the_options_of_a_run(self):
        for option in ("output", "json", "output-format", "section", "allow-destroy", "readonly", "eta", "max-jobs",
                       "clock-tolerance", "clock-quality", "clock-calibrate", "warnings-fatal", "parse-only"):
            with self.subTest(option):
                self.said(f"--{option}={HOSTILE}", *JOB, "--parse-only")
                self.said(f"--{option}=absent/{HOSTILE}/", *JOB)
        self.said("--output=absent/" + HOSTILE, "--json=absent/" + HOSTILE, *JOB)

    def test_values_of_every_option_of_a_job(self):
        keys = [line.split()[0] for line in self.run_well("options").splitlines()]
        self.assertGreater(len(keys), 40)
        for key in keys:
            with self.subTest(key):
                self.said("explain", *JOB, f"--{key}={HOSTILE}")
                self.said("--parse-only", "--name=a", "--rw=read", f"--{key}={HOSTILE}")

    def test_names_of_job_files_and_what_they_take_from_the_environment(self):
        os.mkdir(self.folder / "d")
        for text in ("", "[a]\nbs=4x\niodepht=1\n", "[a]\nrw=read\nfilename=${X}\n", "[a${X}]\n${X}=1\ninclude ${X}\n",
                     "[a]\nioengine=${X}\n", "[a]\nioengine=external:${X}\n", "[global]\n"):
            self.write("d/" + HOSTILE, text)
            for command in ("run", "explain"):
                self.said(command, "d/" + HOSTILE, env={"X": HOSTILE})

    def test_jobs_that_run(self):
        name = "--name=" + HOSTILE
        for more in (("--ioengine=null", "--size=64k"), ("--rw=write", "--size=64k", "--filename=" + HOSTILE)):
            status, text = self.said(name, *more, "--description=" + HOSTILE)
            self.assertEqual(status, 0, text)

    def test_jobs_whose_io_fails(self):
        status, text = self.said("--name=" + HOSTILE, f"--ioengine=external:{FAULTY}", "--error_at=1", "--size=64k",
                                 "--filename=" + HOSTILE)
        self.assertEqual(status, 1)
        self.assertIn("Input/output error", text)

    def test_a_result_that_can_not_be_written(self):
        os.mkdir(self.folder / HOSTILE)
        for option in ("--output=", "--json="):
            self.assertEqual(self.said(*JOB, option + HOSTILE)[0], 1)
            self.assertEqual(self.said(*JOB, option + "/dev/" + HOSTILE)[0], 1)

    def test_texts_in_result_files(self):
        run = self.run_json(*JOB, "--description=d", "--filename=f", output_format="json+")
        self.write("good", harness.json.dumps(run))
        number = len(list(leaves(run)))
        self.assertGreater(number, 40)
        for i in range(number):
            changed = copy.deepcopy(run)
            holder, key = list(leaves(changed))[i]
            holder[key] += HOSTILE
            self.write("bad", harness.json.dumps(changed))
            with self.subTest(key):
                self.said("report", "bad")
                self.said("compare", "good", "bad")

    def test_files_that_are_no_results(self):
        for text in (HOSTILE, '{"' + HOSTILE + '"', '{"jobs": {"' + HOSTILE + '": 1}}', "{\x1b"):
            self.write(HOSTILE, text)
            self.assertEqual(self.said("report", HOSTILE)[0], 1)


if __name__ == "__main__":
    harness.main()
