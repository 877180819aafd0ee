#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `compare`, with a program that prints what it is told to."""
import os
import subprocess
import sys
import tempfile
import unittest

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare")
EXPECTED = "a | f() | 0\na | f() | 1\nb | g() | crashes\n"


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def compare(self, output, departures="", listed=None, *arguments):
        program = self.file("program", f"#!{sys.executable}\nprint({output!r}, end='')\n")
        os.chmod(program, 0o755)
        if listed is not None:
            arguments = ("--not-met", self.file("list", listed), *arguments)
        return subprocess.run([sys.executable, COMPARE, *arguments, program, self.file("some.txt", EXPECTED),
                               self.file("departures", departures)], capture_output=True, text=True)

    def test_each_line_must_be_as_expected(self):
        self.assertEqual(self.compare(EXPECTED).returncode, 0)
        result = self.compare("a | f() | 0\na | f() | 2\nb | g() | crashes\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a | f() #2: expected 1, got 2", result.stdout)

    def test_nothing_else_may_be_said(self):
        self.assertIn("a | h() #1: expected None, got 0", self.compare(EXPECTED + "a | h() | 0\n").stdout)

    def test_departures_are_expected_instead(self):
        departure = "# why\nb | g() | 1 | refused\n"
        self.assertEqual(self.compare(EXPECTED.replace("crashes", "refused"), departure).returncode, 0)
        self.assertEqual(self.compare(EXPECTED, departure).returncode, 1)

    def test_departures_are_of_lines_that_there_are(self):
        self.assertNotEqual(self.compare(EXPECTED, "b | g() | 2 | refused\n").returncode, 0)
        self.assertNotEqual(self.compare(EXPECTED, "b | g() | 1 | crashes\n").returncode, 0)
        self.assertEqual(self.compare(EXPECTED, "of another suite | g() | 1 | 0\n").returncode, 0)

    def test_known_lines_may_fail(self):
        output = EXPECTED.replace("crashes", "0") + "a | h() | 0\n"
        result = self.compare(output, "", "some | b | g() #1\nsome | a | h() #1\nother | a | f() #1\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("0 not met, 2 known not to be", result.stdout)
        self.assertEqual(self.compare(output, "", "other | b | g() #1\nsome | a | h() #1\n").returncode, 1)

    def test_says_what_is_met_now(self):
        result = self.compare(EXPECTED, "", "some | b | g() #1\n")
        self.assertEqual(result.returncode, 0)
        self.assertIn("met now, take it off the list: b | g() #1", result.stdout)

    def test_a_program_that_cannot_ask_is_skipped(self):
        program = self.file("program", f"#!{sys.executable}\nprint('skipped: no device')\nexit(77)\n")
        os.chmod(program, 0o755)
        result = subprocess.run([sys.executable, COMPARE, program, self.file("some.txt", EXPECTED),
                                 self.file("departures", "")], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (77, "skipped: no device\n"))

    def test_a_line_that_varies_may_be_met_or_not(self):
        listed = "some | b | g() #1 | varies\n"
        for output in EXPECTED, EXPECTED.replace("crashes", "0"):
            self.assertEqual(self.compare(output, "", listed).returncode, 0)
            self.assertEqual(self.compare(output, "", listed, "--update").returncode, 0)
            with open(os.path.join(self.folder.name, "list")) as file:
                self.assertEqual(file.read(), listed)

    def test_update_keeps_other_suites(self):
        result = self.compare(EXPECTED.replace("crashes", "0"), "", "# head\nother | a | f() #1\nsome | a | f() #1\n",
                              "--update")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.folder.name, "list")) as file:
            self.assertEqual(file.read(), "# head\nother | a | f() #1\nsome | b | g() #1\n")


unittest.main()
