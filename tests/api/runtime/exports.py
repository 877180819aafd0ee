# SPDX-License-Identifier: Apache-2.0
"""Compares libcudart's exports with its table, and with a toolkit's library if there is one.

usage: exports.py NM LIBRARY MAJOR FUNCTIONS.DEF PER_THREAD.DEF RECORDED [TOOLKIT'S LIBRARY]

RECORDED lists what a toolkit's library exports.
"""

import re
import subprocess
import sys


def exported(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = dict()
    for line in lines.splitlines():
        name, _, version = line.split()[-1].partition("@@")
        if line.split()[-2] == "T":
            names[name] = version
    return names


def rows(table, pattern, major):
    """Returns the names of the rows that apply to this library; a row is (parts of a name..., abi)."""
    text = re.sub(r"//.*", "", open(table).read())
    return {"".join(match.groups()[:-1]) for match in re.finditer(pattern, text)
            if match.groups()[-1] in ("both", "cuda_" + major)}


def main():
    nm, library, major, functions, per_thread, recorded = sys.argv[1:7]
    ours = exported(nm, library)
    table = rows(functions, r"(?:FULL|PARTIAL|NONE)\s*\((\w+), (\w+)", major)
    table |= rows(per_thread, r"PER_THREAD\((\w+), (\w+), (\w+)", major)
    failures = [f"{name} is in the table and not exported" for name in sorted(table - set(ours))]
    failures += [f"{name} is exported and not in the table" for name in sorted(set(ours) - table)]
    failures += [f"{name} has the version {version}" for name, version in ours.items() if version != "libcudart.so." + major]
    with open(recorded) as file:
        all_theirs = [{line.strip() for line in file if not line.startswith("#")}]
    if len(sys.argv) > 7:
        all_theirs.append(set(exported(nm, sys.argv[7])))
    for theirs in all_theirs:
        failures += [f"{name} is missing" for name in sorted(theirs - set(ours))]
        failures += [f"{name} is none of the toolkit's" for name in sorted(set(ours) - theirs)]
        print(f"{len(theirs)} names of the toolkit's library")
    print("\n".join(failures) or f"{len(ours)} names, as in the table")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
