# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/release_notes, with a changelog of their own."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class ReleaseNotesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "tools"))
        shutil.copy(os.path.join(ROOT, "tools", "release_notes"), os.path.join(self.folder, "tools"))
        self.write("CMakeLists.txt", "project(cuvette VERSION 1.2.0 LANGUAGES C CXX)\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def notes(self, version):
        return subprocess.run([os.path.join(self.folder, "tools", "release_notes"), version], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def test_prints_the_section_of_the_version(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.0, 2026-12-31\n\n### Added\n- this\n\n## 1.1.0, 2026-01-01\n- that\n")
        answer = self.notes("1.2.0")
        self.assertEqual((answer.returncode, answer.stdout), (0, "### Added\n- this\n"))

    def test_refuses_a_version_that_is_not_released_yet(self):
        self.write("CHANGELOG.md", "## 1.2.0, not yet released\n- this\n")
        answer = self.notes("1.2.0")
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn("not yet released", answer.stderr)

    def test_refuses_a_version_that_is_not_the_source(self):
        self.write("CHANGELOG.md", "## 1.3.0, 2026-12-31\n- this\n")
        for version in ("1.3.0", "1.2.0"):
            answer = self.notes(version)
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("1.2.0", answer.stderr)


if __name__ == "__main__":
    unittest.main()
