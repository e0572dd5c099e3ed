# style_test.py: fails on what the house does not write: unnamed files, leftovers, machine paths, unsafe calls.
import pathlib
import re
import sys

import tree

KNOWN_HOSTS = {"github.com", "keepachangelog.com", "semver.org", "www.kernel.org", "man7.org", "no-color.org"}

# Not in any text file of the tree: pattern, and what is wrong with it.
ANYWHERE = (
    (r"\b(?:TODO|FIXME|XXX)\b", "finish it, or file it"),
    (r"(?<![\w.])/(?:home|root|work|Users)/", "the path of one machine"),
    (r"(?i)\b(?:issue|ticket|session)\s+#?\d+\b", "the tree speaks of itself only"),
)

# Not in C++ code (comments apart).
IN_CODE = (
    (r"\b(?:strtod|strtof|strtold|atof|stod|stof|stold|sscanf)\s*\(", "depends on the locale: use std::from_chars"),
    (r'printf\s*\([^;]*%[-+ #0-9.*]*l?[aefgAEFG]', "depends on the locale: use fmt or std::to_chars"),
    (r"\bshared_ptr\b", "one owner: use a value or std::unique_ptr"),
    (r"\b(?:dynamic_cast|typeid)\b", "ask the type by a virtual function or a variant"),
)
USING_NAMESPACE = (r"^[ \t]*using namespace (?!std::\w*literals)", "spell the namespace out")

NOLINT = re.compile(r"NOLINT(?:NEXTLINE|BEGIN)?(?!\w)(?P<rest>.*)")


def first_line(path):
    """The line that has to name the file: the first, or the second after a #!."""
    lines = path.read_text(encoding="utf-8").splitlines() or [""]
    return lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]


def wants_name(path):
    """True for source files and for scripts without a suffix."""
    if path.suffix in {".hpp", ".cpp", ".py", ".sh"}:
        return True
    return path.suffix == "" and path.read_text(encoding="utf-8").startswith("#!")


def unnamed(path):
    mark = "//" if path.suffix in {".hpp", ".cpp"} else "#"
    wanted = f"{mark} {path.name}: "
    if wants_name(path) and not first_line(path).startswith(wanted):
        yield 1, f"has to begin with '{wanted}' and its purpose in one sentence"


def hits(text, rules):
    for pattern, why in rules:
        for hit in re.finditer(pattern, text, re.MULTILINE):
            yield text.count("\n", 0, hit.start()) + 1, f"'{hit[0].strip()[:40]}': {why}"


def unknown_hosts(text):
    for hit in re.finditer(r"\bhttps?://([\w.-]+)", text):
        if hit[1] not in KNOWN_HOSTS:
            yield text.count("\n", 0, hit.start()) + 1, f"'{hit[1]}' is no host that this tree names"


def dead_links(path, text):
    """Links of a Markdown page to files that aren't there."""
    for hit in re.finditer(r"\]\(([^)#\s]+)", text):
        if "://" not in hit[1] and not (path.parent / hit[1]).exists():
            yield text.count("\n", 0, hit.start()) + 1, f"'{hit[1]}' is not there"


def unreasoned(text):
    for number, line in enumerate(text.splitlines(), 1):
        hit = NOLINT.search(line)
        if hit and not re.match(r"\([\w.,\- ]+\): \S", hit["rest"]):
            yield number, "NOLINT names its check and its reason: NOLINT(check): reason"


def cpp_problems(path, text):
    """Of one C++ file; `path` is relative to the root."""
    yield from hits(tree.without_comments(text), IN_CODE)
    yield from unreasoned(text)
    if path.suffix == ".hpp" or not {"tests", "engines"} & set(path.parts):
        yield from hits(tree.without_comments(text), (USING_NAMESPACE,))
    if path.suffix == ".hpp" and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield 1, "a header has #pragma once"


def check(root):
    problems = []
    for path in tree.text_files(root):
        if path.is_relative_to(root / "tests" / "policy"):
            continue  # the rules themselves, and what is planted to try them
        text = path.read_text(encoding="utf-8", errors="replace")
        found = [*unnamed(path), *hits(text, ANYWHERE), *unknown_hosts(text)]
        if path.suffix in {".hpp", ".cpp"}:
            found += cpp_problems(path.relative_to(root), text)
        if path.suffix == ".md":
            found += dead_links(path, text)
        problems += [f"{path.relative_to(root)}:{line}: {message}" for line, message in sorted(found)]
    return problems


if __name__ == "__main__":
    tree.finish(check(pathlib.Path(sys.argv[1])), "the style holds")
