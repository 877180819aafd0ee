# SPDX-License-Identifier: Apache-2.0
"""Compares libnvidia-ml's exports with its table, and requires a test suite for each function with a body.

usage: exports.py NM LIBRARY FUNCTIONS.DEF TESTS
"""

import os
import re
import subprocess
import sys


def main():
    nm, library, table, tests = sys.argv[1:5]
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in lines.splitlines()}
    rows = re.findall(r"^(FULL|PARTIAL|ABSENT|NONE)\s*\((\w+)", open(table).read(), re.MULTILINE)
    named = {name for _, name in rows}
    suites = set()
    for file in os.listdir(tests):
        if file.endswith("_test.cpp"):
            suites |= set(re.findall(r"^TEST\((\w+),", open(os.path.join(tests, file)).read(), re.MULTILINE))
    failures = [f"{name} is in the table and not exported" for name in sorted(named - exported)]
    failures += [f"{name} is exported and not in the table" for name in sorted(exported - named)]
    failures += [f"{name} is in the table twice" for name in named if len([row for row in rows if row[1] == name]) > 1]
    failures += [f"{name} has no test suite" for level, name in rows
                 if level in ("FULL", "PARTIAL") and name not in suites]
    print("\n".join(failures) or f"{len(exported)} names, as in the table")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
