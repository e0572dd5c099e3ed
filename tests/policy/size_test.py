# size_test.py: fails when a file or a function outgrows its bar; prints how the tree stands to the others.
import pathlib
import re
import statistics
import sys

import tree

FILE_LINES = 400
FUNCTION_LINES = 60
OWN_LIMITS = {"engines/engine.hpp": 220, "README.md": 200, "CONTRIBUTING.md": 150}
MEASURED_SUFFIXES = {".hpp", ".cpp", ".py", ".sh", ".build", ""}

# Text before a brace that opens a function's body: `f(...) const noexcept -> T`, `C(...) : a_(1)`.
FUNCTION_HEAD = re.compile(
    r"\)\s*(?:(?:const|override|final|mutable|try|&&?|noexcept(?:\s*\([^()]*\))?)\s*)*"
    r"(?:->[^;{}]*|:[^:][^;{}]*)?$", re.DOTALL)


def functions(text):
    """(first line, length in lines) of each outermost function of C++ `text`, macros' bodies included."""
    text = re.sub(r"^\s*#(?:\\\n|[^\n])*", lambda hit: re.sub(r"[^\n]", " ", hit[0]),
                  tree.without_strings(text), flags=re.MULTILINE)
    found, depth, inside, head_at = [], 0, None, 0
    for position, sign in enumerate(text):
        if sign not in "{};":
            continue
        if sign == "{":
            head = text[head_at:position]
            if inside is None and FUNCTION_HEAD.search(head.rstrip()):
                start = head_at + len(head) - len(head.lstrip())
                inside = (depth, text.count("\n", 0, start) + 1)
            depth += 1
        elif sign == "}":
            depth -= 1
            if inside is not None and depth == inside[0]:
                found.append((inside[1], text.count("\n", 0, position) + 2 - inside[1]))
                inside = None
        head_at = position + 1
    return found


def line_count(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def long_files(root):
    for path in tree.text_files(root):
        name = path.relative_to(root).as_posix()
        limit = OWN_LIMITS.get(name, FILE_LINES if path.suffix in MEASURED_SUFFIXES else None)
        if limit is not None and line_count(path) > limit:
            yield f"{name}: {line_count(path)} lines, at most {limit}"


def long_functions(root):
    for path in tree.cpp_files(root):
        for line, length in functions(path.read_text(encoding="utf-8")):
            if length > FUNCTION_LINES:
                yield f"{path.relative_to(root)}:{line}: a function of {length} lines, at most {FUNCTION_LINES}"


def check(root):
    return [*long_files(root), *long_functions(root)]


def comment_ratio(paths):
    """Comment-only lines over lines that aren't blank."""
    comments = lines = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for line, code in zip(text.splitlines(), tree.without_comments(text).splitlines()):
            lines += bool(line.strip())
            comments += bool(line.strip()) and not code.strip()
    return comments / max(lines, 1)


def summary(root):
    """Figures that a reviewer looks at and no test gates."""
    product = tree.cpp_files(root, tree.LAYERS)
    tests = [path for path in tree.text_files(root / "tests") if path.suffix in MEASURED_SUFFIXES]
    product_lines = sum(map(line_count, product))
    lengths = sorted(length for path in product for _, length in functions(path.read_text(encoding="utf-8")))
    tenth = lengths[len(lengths) * 9 // 10] if lengths else 0
    return (f"product {product_lines} lines, median file {statistics.median(map(line_count, product)):.0f}; "
            f"functions median {statistics.median(lengths or [0]):.0f}, p90 {tenth}; comments "
            f".cpp {comment_ratio([p for p in product if p.suffix == '.cpp']):.2f}, "
            f".hpp {comment_ratio([p for p in product if p.suffix == '.hpp']):.2f}; "
            f"test lines to product lines {sum(map(line_count, tests)) / product_lines:.2f}")


if __name__ == "__main__":
    TREE = pathlib.Path(sys.argv[1])
    print(summary(TREE))
    tree.finish(check(TREE), "sizes hold")
