# SPDX-License-Identifier: Apache-2.0
"""The counts of kernels on a page, from outside: profile_page_test.py CUVETTE PROFILED"""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "page"))
from page_data import head_of, rows_of  # noqa: E402

CUVETTE, PROFILED = sys.argv[1:3]


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = os.path.join(self.folder.name, "page.html")

    def cuvette(self, *words):
        return subprocess.run([CUVETTE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              cwd=self.folder.name, check=False)

    def check_page(self, page):
        head = head_of(page)
        view, = head["views"]
        self.assertGreater(rows_of(view, "commands"), 0)
        self.assertGreater(rows_of(view, "touches"), 0, "both are recorded in one run")
        kernels, lines = view["extraTables"]
        self.assertEqual([table["title"] for table in (kernels, lines)], ["Kernels", "Lines of kernels"])
        for table in (kernels, lines):
            for name in ("rows", "notes", "kernels"):
                self.assertEqual(len(table[name]), len(table["rows"]))
            # The page links rows with commands by the names that these have.
            self.assertLessEqual(set(table["kernels"]), set(head["texts"]))
        self.assertIn("strided", kernels["kernels"])
        line = next(row for row, cells in enumerate(lines["rows"]) if cells[0] == "kernels.cu:10")
        excess = [column["title"] for column in lines["columns"]].index("Excess sectors")
        self.assertEqual(lines["rows"][line][excess], "896")
        self.assertIn("32 sectors where 4 would do", lines["rows"][line][-1])
        self.assertIn("global load of 4 bytes: 32 requests, 32 sectors each, 4 at best", lines["notes"][line])
        self.assertNotIn("\x1b", "".join(lines["notes"] + kernels["notes"]))

    def test_profile_writes_one_beside_what_it_prints(self):
        said = self.cuvette("profile", "--html", "--", PROFILED, "once")
        self.assertEqual(said.returncode, 0, said)
        self.assertIn("global load of 4 bytes", said.stdout)
        self.assertIn("profile.html", said.stderr)
        self.check_page(os.path.join(self.folder.name, "profile.html"))

    def test_trace_shows_the_counts_that_are_kept(self):
        said = self.cuvette("trace", "--html=" + self.page, "--profile=counts", "--", PROFILED, "once")
        self.assertEqual(said.returncode, 0, said)
        self.check_page(self.page)
        self.assertTrue(os.listdir(os.path.join(self.folder.name, "counts")))

    def test_a_page_that_cannot_be_written_is_found_out_early(self):
        for command in ("profile", "trace"):
            said = self.cuvette(command, "--html=/nowhere/page.html", "--", "sh", "-c", "echo it ran")
            self.assertEqual((said.returncode, said.stdout), (123, ""), said)
            self.assertIn("/nowhere/page.html cannot be written: No such file", said.stderr)
            self.assertIn("--html=FILE", said.stderr)

    def test_a_program_without_a_device_has_none(self):
        said = self.cuvette("profile", "--html=" + self.page, "--", "true")
        self.assertEqual(said.returncode, 0, said)
        self.assertIn("no process used a device", said.stderr)
        self.assertFalse(os.path.exists(self.page))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
