#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of cycles.py: planted circles are found, and a list that is too long is refused."""
import sys
import unittest

sys.dont_write_bytecode = True
import cycles
from planted import planted


def circles_of(files):
    texts = {path: "".join(f'#include "{name}"\n' for name in includes) for path, includes in files.items()}
    with planted(texts) as root:
        return cycles.circles(cycles.read_units(root))


class Cycles(unittest.TestCase):
    def test_a_header_and_its_source_are_no_circle(self):
        self.assertEqual(circles_of({"sim/a.hpp": [], "sim/a.cpp": ["sim/a.hpp"]}), [])

    def test_a_chain_is_no_circle(self):
        self.assertEqual(circles_of({"sim/a.cpp": ["sim/b.hpp"], "sim/b.hpp": ["sim/c.hpp"], "sim/c.hpp": []}), [])

    def test_a_table_is_no_unit(self):
        files = {"sim/a.hpp": ["sim/a.def"], "sim/a.def": [], "sim/b.hpp": ["sim/a.def"], "sim/a.cpp": ["sim/b.hpp"]}
        self.assertEqual(circles_of(files), [])

    def test_sources_may_close_a_circle(self):
        files = {"sim/a.hpp": [], "sim/a.cpp": ["sim/b.hpp"], "sim/b.hpp": [], "sim/b.cpp": ["sim/a.hpp"]}
        self.assertEqual(circles_of(files), [["sim/a", "sim/b"]])

    def test_long_circles_and_several_are_found(self):
        files = {"sim/a.hpp": ["sim/b.hpp"], "sim/b.hpp": ["sim/c.hpp"], "sim/c.hpp": ["sim/a.hpp"],
                 "sim/d.hpp": ["sim/a.hpp", "sim/e.hpp"], "sim/e.hpp": ["sim/d.hpp"], "tools/f.hpp": ["sim/d.hpp"]}
        self.assertEqual(circles_of(files), [["sim/a", "sim/b", "sim/c"], ["sim/d", "sim/e"]])

    def test_two_circles_through_one_unit_are_one(self):
        files = {"sim/a.hpp": ["sim/b.hpp", "sim/c.hpp"], "sim/b.hpp": ["sim/a.hpp"], "sim/c.hpp": ["sim/a.hpp"]}
        self.assertEqual(circles_of(files), [["sim/a", "sim/b", "sim/c"]])

    def test_a_long_chain_needs_no_deep_stack(self):
        files = {f"sim/u{n}.hpp": [f"sim/u{n + 1}.hpp"] for n in range(3000)}
        self.assertEqual(circles_of({**files, "sim/u3000.hpp": []}), [])
        self.assertEqual(len(circles_of({**files, "sim/u3000.hpp": ["sim/u0.hpp"]})[0]), 3001)

    def test_a_unit_outside_the_list_is_a_complaint(self):
        circle = [["sim/a", "sim/b"]]
        self.assertEqual(list(cycles.complaints(circle, {"sim/a": "one idea", "sim/b": "one idea"})), [])
        said = list(cycles.complaints(circle, {"sim/a": "one idea"}))
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].startswith("sim/b: in a circle of 2"), said)

    def test_a_unit_that_left_its_circle_leaves_the_list(self):
        said = list(cycles.complaints([], {"sim/a": "one idea"}))
        self.assertEqual(said, ["sim/a is in no circle any more: take it off the list"])

    def test_a_unit_on_the_list_needs_a_reason(self):
        allowed = cycles.read_allowed("# a list\n\nsim/a: one idea: two halves of it\nsim/b\n")
        self.assertEqual(allowed, {"sim/a": "one idea: two halves of it", "sim/b": ""})
        said = list(cycles.complaints([["sim/a", "sim/b"]], allowed))
        self.assertEqual(said, ["sim/b is on the list without a reason: write `sim/b: why`"])
        self.assertEqual(len(list(cycles.complaints([["sim/a", "sim/b"]], cycles.read_allowed("sim/a:\nsim/b: \n")))), 2)


if __name__ == "__main__":
    unittest.main()
