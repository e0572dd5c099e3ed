# docs_test.py: fails when docs/jobfile.md is not what `chronio options --markdown` prints.
import difflib
import pathlib
import subprocess
import sys


def difference(written, printed):
    """Unified diff from the page in the tree to the program's; empty when they are equal."""
    return list(difflib.unified_diff(written.splitlines(), printed.splitlines(), "docs/jobfile.md",
                                     "chronio options --markdown", lineterm=""))


def main(root, exe):
    printed = subprocess.run([exe, "options", "--markdown"], capture_output=True, text=True, check=True).stdout
    page = pathlib.Path(root) / "docs" / "jobfile.md"
    changes = difference(page.read_text(encoding="utf-8"), printed)
    print("\n".join(changes[:60]) or "docs/jobfile.md is in step")
    if changes:
        print("renew it: chronio options --markdown > docs/jobfile.md")
    return 1 if changes or not printed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
