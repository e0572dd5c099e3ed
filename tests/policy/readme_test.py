# readme_test.py: runs the commands of README.md's ```console blocks and compares what they print.
# A line that starts with "$ " is run in one empty folder with chronio on the PATH; the lines up to the next
# one are what it printed. Figures and the machine may differ, so the labels of lines are compared, in their order.
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 100
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# Rows of a histogram, and the marks below it.
PICTURE = re.compile(r"[\sAB:^p\d.█▇▆▅▄▃▂▁#*-]+")
# Only such lines wrap, and where depends on the width of their figures.
CONTINUED = re.compile(r" {6}")
WORDS = {"nsec": "usec", "msec": "usec", "slower": "faster"}


def blocks(markdown):
    """The text of each fenced block marked `console`, with the number of its first line."""
    for hit in re.finditer(r"^```console\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL):
        yield markdown.count("\n", 0, hit.start(1)) + 1, hit[1]


def commands(block):
    """[(command, lines that follow it)] of one block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def label(line):
    """What a line is about: its text up to the first ":", "=" or figure, with units and directions made alike."""
    text = NUMBER.sub("#", re.sub(r"\s+", " ", line.strip()))
    text = re.split(r"(?<=[:=])|(?<=\w)#| #", text, maxsplit=1)[0]
    for word, same in WORDS.items():
        text = text.replace(word, same)
    return text.strip()


def shape(lines):
    """The labels of lines, runs of one label folded; pictures, continued lines and remarks on samples are left out."""
    shaped = []
    for line in lines:
        if not line.strip() or PICTURE.fullmatch(line) or CONTINUED.match(line) or line.lstrip().startswith(("~", "(~")):
            continue
        if not line[:1].isdigit() and not line.lstrip()[:1].isdigit() and label(line) not in shaped[-1:]:
            shaped.append(label(line))
    return shaped


def run_block(block, folder, env):
    """Unified diffs between what the block says and what its commands print."""
    problems = []
    for command, said in commands(block):
        run = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S,
                             check=False)
        change = list(difflib.unified_diff(shape(said), shape(run.stdout.splitlines()), "README.md",
                                           f"$ {command}", lineterm=""))
        problems += change
        if run.returncode != 0:
            problems.append(f"$ {command}: exit {run.returncode}\n{run.stdout}")
    return problems


def main(root, exe):
    root = pathlib.Path(root)
    text = (root / "README.md").read_text(encoding="utf-8")
    env = dict(os.environ, PATH=f"{pathlib.Path(exe).resolve().parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
               NO_COLOR="1")
    problems, ran = [], 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(root / "jobs", pathlib.Path(folder) / "jobs", ignore=shutil.ignore_patterns("*.?pp"))
        for line, block in blocks(text):
            ran += len(commands(block))
            problems += [f"README.md:{line}: {problem}" for problem in run_block(block, folder, env)]
    if ran == 0:
        problems.append("README.md: no ```console block holds a command")
    print("\n".join(problems) or f"{ran} commands print what README.md says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
