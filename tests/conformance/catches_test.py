# catches_test.py: the conformance test fails on an engine that breaks a rule, and names that rule.
import re
import subprocess
import sys

# The fault that tests/plugin/broken.cpp is told to have: the claim that must fail for it.
CLAIMS = {
    "twice": "every request comes back once, at any iodepth",
    "lost": "every request comes back once, at any iodepth",
    "stranger": "every request comes back once, at any iodepth",
    "overrun": "reap() heeds done.size()",
    "touched": "every request comes back once, at any iodepth",
    "part": "a whole transfer's result is its length",
    "allocating": "no memory is allocated after open()",
    "leaking": "a hundred workers leave no descriptor open",
    "any_ddir": "an unknown ddir gives EOPNOTSUPP",
    "stuck": "every request comes back once, at any iodepth",
    "sync_fails": "sync and datasync work",
}


def failed_claims(program, plugin, fault):
    """(exit status, claims that failed) of a run over the engine with `fault`."""
    run = subprocess.run([program, f"--engine=external:{plugin}", "--patience=1", f"fault={fault}"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return run.returncode, re.findall(r"^broken: FAIL (.*?): ", run.stdout, re.MULTILINE)


def main(program, plugin):
    status, failed = failed_claims(program, plugin, "none")
    problems = [f"without a fault: status {status}, {failed}"] if status != 0 or failed else []
    for fault, claim in CLAIMS.items():
        status, failed = failed_claims(program, plugin, fault)
        if status == 0 or claim not in failed:
            problems.append(f"fault={fault}: status {status}, not among what failed: {claim}: {failed}")
    print("\n".join(problems) or f"all {len(CLAIMS)} faults are found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
