# policy_self_test.py: plants violations in a small tree and expects each policy test to name them.
import contextlib
import io
import os
import pathlib
import stat
import tempfile
import unittest

import docs_test
import format_test
import layering_test
import readme_test
import size_test
import style_test
import tree

GOOD_HEADER = "// {name}: a good header.\n#pragma once\n"


class Tree(unittest.TestCase):
    """A tree in a temporary folder, `self.root`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def header(self, name, body):
        self.write(name, GOOD_HEADER.format(name=pathlib.Path(name).name) + body)

    def expect(self, problems, *wanted):
        """Exactly one problem for each of `wanted`, in any order, each holding its text."""
        self.assertEqual(len(problems), len(wanted), problems)
        for text in wanted:
            self.assertTrue(any(text in problem for problem in problems), f"{text!r} not in {problems}")


class Layering(Tree):
    def test_good_tree_passes(self):
        self.header("results/run.hpp", '#include "stats/moments.hpp"\n#include "clock/certificate.hpp"\n')
        self.header("runner/run.hpp", '#include "results/run.hpp"\n#include <fmt/core.h>\n')
        self.header("cli/args.hpp", '#include <boost/program_options.hpp>\n#include "report/text.hpp"\n')
        self.assertEqual(layering_test.check(self.root), [])

    def test_an_arrow_upward_is_named_with_its_line(self):
        self.header("clock/bad.hpp", '\n#include "stats/moments.hpp"\n')
        self.expect(layering_test.check(self.root), 'clock/bad.hpp:4: clock may not include "stats/moments.hpp"')

    def test_a_layer_of_which_one_header_is_allowed_stays_closed(self):
        self.header("runner/bad.hpp", '#include "results/json.hpp"\n')
        self.header("results/bad.hpp", '#include "clock/counter.hpp"\n')
        self.header("workload/bad.hpp", '#include "engines/registry.hpp"\n')
        self.header("report/bad.hpp", '#include "runner/plan.hpp"\n')
        self.assertEqual(len(layering_test.check(self.root)), 4)

    def test_an_include_that_is_not_from_the_root_is_named(self):
        self.header("clock/bad.hpp", '#include "scale.hpp"\n#include "tests/catch.hpp"\n')
        self.expect(layering_test.check(self.root), '"scale.hpp"', '"tests/catch.hpp"')

    def test_third_parties_stay_where_they_serve(self):
        plants = {"engines/psync.cpp": "#include <liburing.h>\n", "jobs/parser.cpp": "#include <boost/any.hpp>\n",
                  "report/text.cpp": "#include <nlohmann/json.hpp>\n", "runner/run.cpp": "#include <blkid/blkid.h>\n",
                  "cli/main.cpp": "#include <dlfcn.h>\n", "clock/timebase.cpp": "::syscall(SYS_perf_event_open);\n",
                  "runner/spin.cpp": "auto t = __rdtsc();\n", "engines/null.cpp": "#include <fmt/core.h>\n",
                  "runner/loop.hpp": "#include <fmt/core.h>\n", "report/hdr.cpp": "#include <zlib.h>\n"}
        for name, text in plants.items():
            self.write(name, text)
        self.expect(layering_test.check(self.root), *(f"{name}:1: " for name in plants))

    def test_comments_may_name_anything(self):
        self.header("jobs/fine.hpp", '// #include "runner/run.hpp" and __rdtsc\n/*\n#include <liburing.h>\n*/\n')
        self.assertEqual(layering_test.check(self.root), [])


class Size(Tree):
    def body(self, lines, head="int f(int a, const char* b)"):
        return f"{head} {{\n" + "  ++a;\n" * (lines - 2) + "}\n"

    def test_the_bars_themselves_pass(self):
        self.write("stats/good.cpp", "// good.cpp: x.\n" + self.body(60))
        self.write("stats/full.cpp", "\n" * 400)
        self.write("engines/engine.hpp", "\n" * 220)
        self.assertEqual(size_test.check(self.root), [])

    def test_one_line_more_fails(self):
        self.write("stats/long.cpp", self.body(61))
        self.write("stats/full.cpp", "\n" * 401)
        self.write("engines/engine.hpp", "\n" * 221)
        self.write("README.md", "\n" * 201)
        self.write("tools/test", "\n" * 401)
        self.expect(size_test.check(self.root), "stats/long.cpp:1: a function of 61", "stats/full.cpp: 401",
                    "engines/engine.hpp: 221", "README.md: 201", "tools/test: 401")

    def test_functions_are_found_in_every_shape(self):
        for head in ("static auto f() -> std::vector<int>", "Foo::Foo(int a) noexcept : a_(a), b_(2)",
                     "TEST_CASE(\"unit: a { b\")", "int f(int a = g({1})) const noexcept(false)",
                     "template <class T>\nbool operator()(const T& a)\n    const"):
            text = "namespace a {\nclass B {\n" + self.body(61, head) + "};\n}\n"
            lengths = [length for _, length in size_test.functions(text)]
            self.assertEqual(len(lengths), 1, head)
            self.assertGreater(lengths[0], 60, head)

    def test_tables_and_scopes_are_no_functions(self):
        rows = '    {"a", f(1), {2, 3}},\n' * 100
        text = f"namespace x {{\nconstexpr auto kT = std::to_array<Row>({{\n{rows}}});\nRow t[] = {{\n{rows}}};\n}}\n"
        self.assertEqual([entry for entry in size_test.functions(text) if entry[1] > 2], [])


class Style(Tree):
    def test_a_good_tree_passes(self):
        self.header("clock/a.hpp", 'int b();  // NOLINT(google-runtime-int): the kernel\'s type\n')
        self.write("tools/run", "#!/usr/bin/env bash\n# run: runs.\n")
        self.write("README.md", "see https://github.com/axboe/fio\n")
        self.assertEqual(style_test.check(self.root), [])

    def test_unnamed_files_are_named(self):
        self.write("clock/a.cpp", "// b.cpp: another file's name.\n")
        self.write("tools/run", "#!/usr/bin/env bash\nset -e\n")
        self.write("tests/t.py", "import sys\n")
        self.expect(style_test.check(self.root), "clock/a.cpp:1", "tools/run:1", "tests/t.py:1")

    def test_leftovers_and_places_are_named(self):
        plants = ("TO" + "DO later", "see /home/me/x", "cd /work/main", "iss" + "ue #12 asks",
                  "from https://example.org/x")
        for number, text in enumerate(plants):
            self.write(f"docs/{number}.md", "\n" + text + "\n")
        self.expect(style_test.check(self.root), *(f"docs/{n}.md:2" for n in range(len(plants))))

    def test_unsafe_calls_are_named(self):
        plants = ("double a = strtod(b, c);", "int a = std::stod (b);", 'std::printf("%8.2f", a);',
                  "std::shared_ptr<int> a;", "auto* a = dynamic_cast<B*>(c);", "using namespace std;",
                  "int a;  // NOLINT", "int a;  // NOLINTNEXTLINE(some-check)")
        for number, text in enumerate(plants):
            self.write(f"clock/f{number}.cpp", f"// f{number}.cpp: x.\n{text}\n")
        self.expect(style_test.check(self.root), *(f"clock/f{n}.cpp:2" for n in range(len(plants))))

    def test_tests_and_engines_may_open_a_namespace_in_a_cpp_file(self):
        for name in ("tests/a_test.cpp", "engines/a.cpp"):
            self.write(name, f"// {pathlib.Path(name).name}: x.\nnamespace {{\nusing namespace chronio;\n}}\n")
        self.assertEqual(style_test.check(self.root), [])
        self.header("engines/a.hpp", "using namespace chronio;\n")
        self.expect(style_test.check(self.root), "engines/a.hpp:3")

    def test_dead_links_of_a_page_are_named(self):
        self.write("docs/a.md", "[b](b.md) [c](../README.md#x) [d](https://github.com/x/y) [e](#part)\n")
        self.expect(style_test.check(self.root), "'b.md'", "'../README.md'")
        self.write("docs/b.md", "x\n")
        self.write("README.md", "x\n")
        self.assertEqual(style_test.check(self.root), [])

    def test_a_header_without_pragma_once_is_named(self):
        self.write("clock/a.hpp", "// a.hpp: x.\n")
        self.expect(style_test.check(self.root), "#pragma once")

    def test_build_folders_are_left_out(self):
        self.write("build-x/a.cpp", "using namespace std;\n")
        self.assertEqual(tree.text_files(self.root), [])


class Format(Tree):
    def test_an_unformatted_file_is_named(self):
        program = format_test.pinned_clang_format()
        if program is None:
            self.skipTest("the pinned clang-format is not installed")
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("clock/good.cpp", "int a = 1;\n")
        self.write("clock/bad.cpp", "int a = 1;\nint  b=2;\n")
        self.expect(format_test.check(program, self.root), "clock/bad.cpp:2: run clang-format")


class Program(Tree):
    """Tests that run a program: a shell script stands for it."""

    def program(self, text):
        path = self.write("bin/chronio", "#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run_main(self, module, exe):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = module.main(self.root, exe)
        return status, printed.getvalue()

    def readme(self, printed):
        self.write("jobs/a.fio", "[a]\n")
        self.write("README.md", f"# x\n```console\n$ chronio jobs/a.fio\n{printed}```\n```sh\n$ false\n```\n")

    def test_a_page_out_of_step_is_shown(self):
        exe = self.program("printf '# Options\\nbs\\n'\n")
        self.write("docs/jobfile.md", "# Options\nbs\n")
        self.assertEqual(self.run_main(docs_test, exe)[0], 0)
        self.write("docs/jobfile.md", "# Options\nsize\n")
        status, printed = self.run_main(docs_test, exe)
        self.assertEqual(status, 1)
        self.assertIn("+bs", printed)

    def test_figures_bars_and_blanks_of_the_readme_may_differ(self):
        exe = self.program("printf 'iops=  12.5k, p99 830 us\\n 4 us ###  2%%\\n 8 us ##### 3%%\\n'\n")
        self.readme("iops=3 k, p99 1.2 ms\n16 us ## 11%\n")
        status, printed = self.run_main(readme_test, exe)
        self.assertEqual((status, printed), (0, "1 commands print what README.md says\n"))

    def test_another_word_or_status_in_the_readme_is_shown(self):
        exe = self.program("echo 'bw=3 MiB/s'\n")
        self.readme("iops=3\n")
        self.assertIn("-iops=", self.run_main(readme_test, exe)[1])
        exe = self.program("echo iops=3\nexit 3\n")
        self.assertIn("exit 3", self.run_main(readme_test, exe)[1])

    def test_a_readme_without_commands_fails(self):
        self.write("jobs/a.fio", "[a]\n")
        self.write("README.md", "# x\n")
        self.assertEqual(self.run_main(readme_test, os.devnull)[0], 1)


if __name__ == "__main__":
    unittest.main(argv=["policy_self_test"])  # the tree it gets from Meson is not its subject
