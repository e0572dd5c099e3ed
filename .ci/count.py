# count.py: adds up Meson's test logs and prints what failed; the last line is `N passed, N failed, N skipped`.
# usage: count.py [--broken STAGE]... EXPECTED_SKIPS BUILD_FOLDER...
# A skip that EXPECTED_SKIPS doesn't name counts as failed, and so does each broken stage. Exit 1 on any failure.
import argparse
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


def expected_skips(path):
    """First word of each line that is no comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def results(folder):
    """(test, result, its last line) of the last `meson test` in a build folder; nothing when there was none."""
    log = folder / "meson-logs" / "testlog.json"
    if log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            test = json.loads(line)
            said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
            yield test["name"], test["result"], said[-1] if said else ""


def classify(result, expected):
    if result in PASSED:
        return "passed"
    return "skipped" if result == "SKIP" and expected else "failed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", action="append", default=[])
    parser.add_argument("expected_skips", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    count = {"passed": 0, "failed": len(args.broken), "skipped": 0}
    for stage in args.broken:
        print(f"stage failed: {stage}")
    may_skip = expected_skips(args.expected_skips)
    for folder in args.folders:
        for name, result, last_line in results(folder):
            kind = classify(result, name in may_skip)
            count[kind] += 1
            if kind != "passed":
                unnamed = " that is not expected" if (result, kind) == ("SKIP", "failed") else ""
                print(f"{folder.name}: {name}: {result}{unnamed}: {last_line}")
    print(", ".join(f"{number} {kind}" for kind, number in count.items()))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
