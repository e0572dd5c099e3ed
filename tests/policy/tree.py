# tree.py: what the policy tests read: the files of the tree, and C++ text without comments.
import pathlib
import re
import sys

LAYERS = ("clock", "pmu", "stats", "jobs", "engines", "target", "workload", "results", "runner",
          "compare", "report", "cli")
SKIPPED_DIRS = {".git", "__pycache__", "subprojects"}
TEXT_SUFFIXES = {".hpp", ".cpp", ".in", ".py", ".sh", ".md", ".txt", ".build", ".fio", ".wrap", ""}

_TOKEN = re.compile(
    r'(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<string>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\')',
    re.DOTALL)


def text_files(root):
    """Every text file of the tree, sorted; build folders and fetched subprojects are left out."""
    found = []
    pending = [pathlib.Path(root)]
    while pending:
        for path in pending.pop().iterdir():
            if path.is_dir():
                is_build = path.name.startswith("build")
                if path.name not in SKIPPED_DIRS and not is_build and not path.is_symlink():
                    pending.append(path)
            elif path.suffix in TEXT_SUFFIXES and not path.name.startswith("."):
                found.append(path)
    return sorted(found)


def cpp_files(root, dirs=LAYERS + ("tests",)):
    """The C++ files below `dirs`, sorted."""
    root = pathlib.Path(root)
    return [path for folder in dirs for path in sorted((root / folder).rglob("*.[ch]pp"))]


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """C++ text with its comments blanked; lines and columns stay where they are."""
    return _TOKEN.sub(lambda hit: _blank(hit[0]) if hit["comment"] else hit[0], text)


def without_strings(text):
    """C++ text with its comments, strings and characters blanked."""
    return _TOKEN.sub(lambda hit: _blank(hit[0]), text)


def finish(problems, good_word):
    """Prints `problems`, one a line, and ends the process: 1 when there are some."""
    print("\n".join(problems) or good_word)
    sys.exit(1 if problems else 0)
