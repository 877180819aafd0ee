# SPDX-License-Identifier: Apache-2.0
"""The page of `cuvette explore --html` from outside: explore_page_test.py CUVETTE EXPLORED"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "page"))
from page_data import head_of, rows_of  # noqa: E402

CUVETTE, EXPLORED = sys.argv[1:3]


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = os.path.join(self.folder.name, "page.html")
        # One line for each run that is recorded: its schedule and how it ended.
        self.log = os.path.join(self.folder.name, "log")
        self.program = ["sh", "-c", '"$1" "$2"; s=$?; [ -z "$CUVETTE_RECORD" ] || '
                        'echo "$CUVETTE_SCHEDULE $s" >> "$3"; exit $s', "sh", EXPLORED]

    def explore(self, program, *options):
        return subprocess.run([CUVETTE, "explore", *options, "--", *self.program, program, self.log],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=self.folder.name,
                              check=False)

    def recorded(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_shows_the_order_that_fails_beside_one_that_passes(self):
        said = self.explore("missing_wait", "--html=" + self.page)
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("beside one that passes", said.stderr)
        self.assertEqual(self.recorded(), ["replay:1.1 1", "eager 0"])
        fails, passes = head_of(self.page)["views"]
        self.assertEqual(fails["title"], "This order fails: replay:1.1")
        self.assertEqual(passes["title"], "This order passes: eager, the order of submission")
        decisions, = fails["extraTables"]
        self.assertIn("cuvette run --schedule=replay:1.1 ", decisions["explanation"])
        self.assertEqual([row[0] for row in decisions["rows"]], ["1.1"])
        self.assertEqual(passes["extraTables"], [])
        # How each ended, and which commands nothing orders.
        self.assertTrue(fails["outcome"]["isFailure"])
        self.assertEqual(fails["outcome"]["sentence"], "The program fails: exit status 1.")
        self.assertIn("cuvette run --schedule=replay:1.1 ", fails["outcome"]["repeat"])
        self.assertEqual(passes["outcome"]["sentence"], "The program passes.")
        for view in fails, passes:
            races = [report for report in view["reports"] if report["identifier"] == "unordered-access"]
            self.assertTrue(races)
            self.assertEqual(len(races[0]["commands"]), 2)
        for view in fails, passes:
            self.assertGreater(rows_of(view, "commands"), 0)

    def test_has_a_name_of_its_own_and_leaves_json_alone(self):
        said = self.explore("missing_wait", "--html", "--json")
        self.assertEqual(said.returncode, 1, said)
        self.assertEqual(json.loads(said.stdout)["verdict"], "failed")
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "explore.html")))

    def test_shows_results_that_differ(self):
        self.assertEqual(self.explore("says_nothing", "--differ", "--html=" + self.page).returncode, 1)
        fails, _ = head_of(self.page)["views"]
        self.assertIn("differs", fails["outcome"]["sentence"])
        self.assertTrue(fails["outcome"]["facts"])

    def test_shows_one_run_of_a_program_that_fails_in_the_order_of_submission(self):
        said = self.explore("says_nothing", "--check=races", "--html=" + self.page)
        self.assertEqual(said.returncode, 1, said)
        view, = head_of(self.page)["views"]
        self.assertEqual(view["title"], "This order fails: eager")
        self.assertIn("a report: unordered-access", view["outcome"]["sentence"])

    def test_writes_nothing_if_all_orders_pass(self):
        said = self.explore("right", "--html=" + self.page)
        self.assertEqual(said.returncode, 0, said)
        self.assertIn("was not written: no order was found to fail", said.stderr)
        self.assertFalse(os.path.exists(self.page))
        self.assertEqual(self.recorded(), [])

    def test_writes_nothing_if_the_program_uses_no_device(self):
        said = self.explore("fails", "--html=" + self.page)
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("did not use a device", said.stderr)
        self.assertFalse(os.path.exists(self.page))

    def test_says_that_the_file_cannot_be_written(self):
        said = self.explore("missing_wait", "--html=/nowhere/page.html")
        self.assertEqual((said.returncode, said.stdout), (123, ""), said)
        self.assertIn("/nowhere/page.html cannot be written: No such file", said.stderr)
        said = self.explore("missing_wait", "--html=/dev/full")
        self.assertEqual(said.returncode, 123, said)
        self.assertIn("fails in order", said.stdout)
        self.assertIn("/dev/full cannot be written: No space left", said.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
