# pmu_page_test.py: runs the study of switching, and holds docs/pmu.md to the table that it prints.
# usage: pmu_page_test.py PMU_STUDY PAGE
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def rows(text):
    """{class: [figures]} of the rows whose cells hold three figures each."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and all(cell.count(" / ") == 2 for cell in cells[1:]):
            found[cells[0]] = [float(number) for cell in cells[1:] for number in NUMBER.findall(cell)]
    return found


def differs(written, printed):
    """The arithmetic of another C library may move a last digit, and with it one interval of a class."""
    return abs(written - printed) > max(0.02 * printed, 1 if printed > 20 else 0.1)


def main(study, page):
    run = subprocess.run([study], capture_output=True, text=True, check=False)
    print(run.stdout)
    printed = rows(run.stdout)
    written = rows(pathlib.Path(page).read_text(encoding="utf-8"))
    stale = [name for name, figures in printed.items()
             if len(written.get(name, [])) != len(figures) or any(map(differs, written[name], figures))]
    for name in stale:
        print(f"{page}: the row of '{name}' is not what the study prints")
    return run.returncode or (1 if stale or len(printed) != 12 else 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
