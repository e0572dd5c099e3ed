# count.py: adds up Meson's test logs and prints what failed; the last line is `N passed, N failed, N skipped`.
# usage: count.py [--list] [--log NAME] [--broken STAGE]... EXPECTED_SKIPS BUILD_FOLDER...
# Of a test that prints TAP each of its lines counts, as TEST/CASE. A skip that EXPECTED_SKIPS doesn't name counts as
# failed, and so does each broken stage. Exit 1 on any failure. --list prints what passed, too; --log NAME reads only
# NAME.json of each folder.
import argparse
import json
import pathlib
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
TAP_CASE = re.compile(r"^(?P<bad>not )?ok \d+ - (?P<name>\S+?)(?:: (?P<detail>.*)| # SKIP (?P<reason>.*))?$", re.MULTILINE)


def expected_skips(path):
    """First word of each line that is no comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def cases(test):
    """(TEST/CASE, result, what it said) of each line of TAP that a test printed."""
    for hit in TAP_CASE.finditer(test.get("stdout", "")):
        result = "FAIL" if hit["bad"] else "OK" if hit["reason"] is None else "SKIP"
        yield f"{test['name']}/{hit['name']}", result, hit["detail"] or hit["reason"] or ""


def results(folder, name):
    """(test or TEST/CASE, result, what it said last) of the last `meson test` of each kind in a build folder."""
    for log in sorted((folder / "meson-logs").glob(f"{name}.json")):
        for line in log.read_text(encoding="utf-8").splitlines():
            test = json.loads(line)
            test["name"] = test["name"].rpartition(" / ")[2]  # Meson puts project and suites before it
            said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
            found = list(cases(test))
            yield from found
            # A test that ended badly though no case says so counts, too.
            if not found or (test["result"] not in PASSED | {"SKIP"} and all(case[1] != "FAIL" for case in found)):
                yield test["name"], test["result"], said[-1] if said else ""


def classify(result, expected):
    if result in PASSED:
        return "passed"
    return "skipped" if result == "SKIP" and expected else "failed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--log", default="testlog*", help="only these logs; a pattern")
    parser.add_argument("--broken", action="append", default=[])
    parser.add_argument("expected_skips", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    count = {"passed": 0, "failed": len(args.broken), "skipped": 0}
    for stage in args.broken:
        print(f"stage failed: {stage}")
    may_skip = expected_skips(args.expected_skips)
    for folder in args.folders:
        for name, result, last_line in results(folder, args.log):
            kind = classify(result, name in may_skip)
            count[kind] += 1
            if kind != "passed" or args.list:
                unnamed = " that is not expected" if (result, kind) == ("SKIP", "failed") else ""
                print(f"{folder.name}: {name}: {result}{unnamed}: {last_line}")
    print(", ".join(f"{number} {kind}" for kind, number in count.items()))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
