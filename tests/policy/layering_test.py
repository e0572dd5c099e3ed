# layering_test.py: fails where a layer includes what it may not know, or a third party leaves its layer.
import pathlib
import re
import sys

import tree

# Headers of plain data that stand in results::Run as they are.
DATA = {"clock/certificate.hpp", "pmu/estimate.hpp"}

# What each layer may include beside itself: a whole layer, or one header of it.
ALLOWED = {
    "clock": set(), "pmu": set(), "stats": set(), "jobs": set(), "engines": set(),
    "target": {"jobs", "engines"},
    "workload": {"jobs", "engines/engine.hpp"},
    "results": {"stats"} | DATA,
    "runner": {"clock", "pmu", "stats", "jobs", "engines", "target", "workload", "results/run.hpp"},
    "compare": {"stats", "results"},
    "report": {"stats", "results", "compare", "runner/observer.hpp"} | DATA,
    "cli": set(tree.LAYERS),
}

# What serves in one place only: its name, how it looks in code, the paths where it may stand.
CONFINED = (
    ("liburing", r"<liburing", r"engines/(?:io_)?uring\w*\.[ch]pp"),
    ("Boost", r"<boost/", r"cli/.*"),
    ("nlohmann JSON", r"<nlohmann/", r"results/.*"),
    ("zlib", r"<zlib\.h>", r"results/.*"),
    ("libblkid", r"<blkid/", r"target/.*"),
    ("dlopen", r"<dlfcn\.h>|\bdlopen\s*\(", r"engines/registry\.cpp"),
    ("perf events", r"<linux/perf_event\.h>|\b__NR_perf_event_open\b|\bSYS_perf_event_open\b", r"pmu/.*"),
    ("RDTSC", r"\b_*rdtscp?\b|<x86intrin\.h>", r"clock/.*"),
    ("fmt", r"<fmt/", r"(?!clock/|pmu/|stats/|runner/loop|engines/(?!registry\.cpp)).*"),
)

GENERATED = {"builtin_engines.hpp"}  # written by Meson
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]*)"', re.MULTILINE)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def forbidden_includes(layer, text):
    """(line, message) for each quoted include of `text` that `layer` may not have."""
    allowed = ALLOWED[layer] | {layer}
    for hit in INCLUDE.finditer(text):
        header = hit[1]
        if header in GENERATED:
            continue
        if header.split("/")[0] not in tree.LAYERS:
            yield line_of(text, hit.start(1)), f'"{header}": write includes from the root of the tree'
        elif header.split("/")[0] not in allowed and header not in allowed:
            yield line_of(text, hit.start(1)), f'{layer} may not include "{header}"'


def strays(name, text):
    """(line, message) for each third party in `text` that has no business in file `name`."""
    for what, pattern, home in CONFINED:
        if not re.fullmatch(home, name):
            for hit in re.finditer(pattern, text):
                yield line_of(text, hit.start()), f"{what} belongs to {home}"


def check(root):
    problems = []
    for path in tree.cpp_files(root, tree.LAYERS):
        name = path.relative_to(root).as_posix()
        text = tree.without_comments(path.read_text(encoding="utf-8"))
        found = [*forbidden_includes(name.split("/")[0], text), *strays(name, text)]
        problems += [f"{name}:{line}: {message}" for line, message in sorted(found)]
    return problems


if __name__ == "__main__":
    tree.finish(check(pathlib.Path(sys.argv[1])), "the layers hold")
