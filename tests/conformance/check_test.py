#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `check`, with a RUN that prints what it is told to."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check")
CORE = """\
core: 8 of 10 lines, 1 of 3 cases whole
  memory | cuMemAlloc(&p, 0) #1 | expected CUDA_ERROR_INVALID_VALUE | got CUDA_SUCCESS
  memory | cuMemAlloc(&p, 0) #2 | expected 1 | got (no such line)
8 passed, 2 failed
"""
BOTH = ["core | memory | cuMemAlloc(&p, 0) #1", "core | memory | cuMemAlloc(&p, 0) #2"]


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.list = os.path.join(self.folder.name, "list")

    def tearDown(self):
        self.folder.cleanup()

    def check(self, output, listed, *arguments):
        if listed is not None:
            with open(self.list, "w") as file:
                file.writelines(f"{line}\n" for line in listed)
        run = os.path.join(self.folder.name, "run")
        with open(run, "w") as file:
            file.write(f"#!{sys.executable}\nprint({output!r}, end='')\nexit(1)\n")
        os.chmod(run, 0o755)
        return subprocess.run([sys.executable, CHECK, "--list", self.list, *arguments, run, "lib",
                               "--only", "core"], capture_output=True, text=True)

    def listed(self):
        with open(self.list) as file:
            return [line.rstrip("\n") for line in file if not line.startswith("#")]

    def test_known_lines_may_fail(self):
        result = self.check(CORE, BOTH)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("8 lines met, 2 known not to be, 0 lost", result.stdout)

    def test_a_line_once_met_must_stay_met(self):
        result = self.check(CORE, BOTH[:1])
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"not met any more: {BOTH[1]}: expected 1, got (no such line)", result.stdout)

    def test_says_what_is_met_now(self):
        result = self.check(CORE, [*BOTH, "core | a | b #1", "gl | a | b #1"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("met now, to be taken off the list: core | a | b #1", result.stdout)
        self.assertNotIn("gl | a", result.stdout)

    def test_update_keeps_suites_that_did_not_run(self):
        result = self.check(CORE, ["core | a | b #1", "gl | a | b #1"], "--update")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.listed(), [*BOTH, "gl | a | b #1"])

    def test_several_runs_count_what_failed_in_one(self):
        result = self.check(CORE, [], "--update", "--runs", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.listed(), BOTH)

    def test_expected_lines_beside_run_are_ours(self):
        os.mkdir(os.path.join(self.folder.name, "expected"))
        theirs = os.path.join(self.folder.name, "expected", "core.txt")
        shutil.copy(os.path.join(os.path.dirname(CHECK), "expected", "core.txt"), theirs)
        self.assertEqual(self.check(CORE, BOTH).returncode, 0)
        with open(theirs, "a") as file:
            file.write("memory | cuMemAlloc(&p, 0) | 7\n")
        result = self.check(CORE, BOTH)
        self.assertEqual(result.returncode, 1)
        self.assertIn("expected/core.txt differs", result.stdout)

    def test_departures_beside_run_are_ours(self):
        with open(os.path.join(self.folder.name, "departures.txt"), "w") as file:
            file.write("memory | cuMemAlloc(&p, 0) | 1 | 7\n")
        result = self.check(CORE, BOTH)
        self.assertEqual(result.returncode, 1)
        self.assertIn("departures.txt lacks a line", result.stdout)

    def test_no_list_is_an_empty_one(self):
        self.assertEqual(self.check(CORE, None).returncode, 1)

    def test_a_suite_that_does_not_build_is_named(self):
        result = self.check("gl: does not build\nerror: GL/gl.h\n" + CORE.replace("2 failed", "9 failed"),
                            [*BOTH, "gl | a | b #1"])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("gl does not build here", result.stdout)

    def test_output_that_is_not_understood_fails(self):
        self.assertNotEqual(self.check("Segmentation fault\n", []).returncode, 0)
        self.assertNotEqual(self.check(CORE.replace("2 failed", "3 failed"), BOTH).returncode, 0)


unittest.main()
