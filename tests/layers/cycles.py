#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds files that include each other in a circle.

  cycles.py ROOT [ALLOWED]

A unit is a header with its source: stream.hpp and stream.cpp. A unit includes another if one of its
files does. Units that reach each other are a circle: none of them can be read, tested or changed
without the others. A line of the file ALLOWED is `unit: why it may be in a circle`. Prints each circle
and exits with 1 if ALLOWED does not name a unit of one, names a unit that is no longer in any, or gives
no reason for one: the list only gets shorter."""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCE = (".hpp", ".cpp", ".h", ".c")  # tables (.def) are data
TOP = ("sim", "api/driver", "api/management", "api/nvjitlink", "tools")


def unit_of(path):
    return os.path.splitext(path)[0]


def read_units(root):
    """Returns the units below TOP, each with the units that it includes."""
    texts = {}
    for top in TOP:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for file in files:
                if file.endswith(SOURCE):
                    full = os.path.join(folder, file)
                    path = os.path.relpath(full, root).replace(os.sep, "/")
                    with open(full, encoding="utf-8", errors="replace") as text:
                        texts[path] = text.read()
    includes = {unit_of(path): set() for path in texts}
    for path, text in texts.items():
        for name in INCLUDE.findall(text):
            if name in texts and unit_of(name) != unit_of(path):
                includes[unit_of(path)].add(unit_of(name))
    return includes


def circles(includes):
    """Returns the strongly connected components of more than one unit, each sorted (Tarjan's algorithm
    without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(includes):
        if start in index:
            continue
        work = [(start, iter(sorted(includes[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            unit, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(includes[other]))))
                    break
                if other in on_stack:
                    low[unit] = min(low[unit], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    circle = []
                    while not circle or circle[-1] != unit:
                        circle.append(stack.pop())
                        on_stack.remove(circle[-1])
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return sorted(found)


def read_allowed(text):
    """Returns the units that a list allows in a circle, each with its reason."""
    lines = (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {unit.strip(): reason.strip() for unit, _, reason in (line.partition(":") for line in lines)}


def complaints(found, allowed):
    """Yields what is wrong with the circles, given the units that may be in one and the reasons."""
    inside = {unit for circle in found for unit in circle}
    for circle in found:
        new = [unit for unit in circle if unit not in allowed]
        if new:
            yield f"{', '.join(new)}: in a circle of {len(circle)} units: {' '.join(circle)}"
    for unit in sorted(allowed.keys() - inside):
        yield f"{unit} is in no circle any more: take it off the list"
    for unit, reason in sorted(allowed.items()):
        if not reason:
            yield f"{unit} is on the list without a reason: write `{unit}: why`"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    allowed = {}
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as lines:
            allowed = read_allowed(lines.read())
    found = list(complaints(circles(read_units(sys.argv[1])), allowed))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
