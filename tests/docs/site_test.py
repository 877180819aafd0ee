# SPDX-License-Identifier: Apache-2.0
"""Tests of packaging/site: the folder that MkDocs reads, and how pages are rewritten for it. Needs no network.

  site_test.py CUVETTE [unittest's arguments...]"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
PACKAGING = os.path.join(ROOT, "packaging", "site")
sys.path[:0] = [HERE, PACKAGING]
import for_mkdocs  # noqa: E402
import pages  # noqa: E402

CUVETTE = os.path.abspath(sys.argv.pop(1))


def links():
    loader = importlib.machinery.SourceFileLoader("links_program", os.path.join(HERE, "links"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class RewritingTest(unittest.TestCase):
    def test_items_are_indented_by_four(self):
        self.assertEqual(for_mkdocs.converted("- a\n  more\n  - b\n    more\n- c\n\n  d\n\ne\n"),
                         "- a\n    more\n    - b\n        more\n- c\n\n    d\n\ne\n")
        self.assertEqual(for_mkdocs.converted("1. a\n   more\n\n   b\n"), "1. a\n    more\n\n    b\n")

    def test_a_list_begins_after_a_blank_line(self):
        self.assertEqual(for_mkdocs.converted("text:\n- a\n- b\n"), "text:\n\n- a\n- b\n")

    def test_code_keeps_its_own_indentation(self):
        self.assertEqual(for_mkdocs.converted("text\n\n    a\n      b\n\n    c\nend\n"),
                         "text\n\n    a\n      b\n\n    c\nend\n")
        self.assertEqual(for_mkdocs.converted("- a\n\n      - b\n        c\n\n  d\n"),
                         "- a\n\n        - b\n          c\n\n    d\n")
        self.assertEqual(for_mkdocs.converted("- a\n\n  ```\n  b\n    - c\n  ```\n"),
                         "- a\n\n    ```\n    b\n      - c\n    ```\n")


class AssembledTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parent = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.parent.name, "site")
        subprocess.run([sys.executable, "-B", os.path.join(PACKAGING, "assemble.py"), CUVETTE, cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.parent.cleanup()

    def text_of(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_every_page_is_there(self):
        there = set(pages.page_names(self.folder))
        self.assertEqual(set(pages.page_names(ROOT)) - there, set())

    def test_every_link_leads_somewhere(self):
        checker = links().Checker(self.folder)
        self.assertEqual([f"{page}:{line}: {target}: {fault}" for page, line, target, fault in checker.faults()], [])
        self.assertGreater(checker.count, 150)

    def test_linked_files_are_shown(self):
        self.assertIn("Apache License", self.text_of("LICENSE.md"))
        self.assertIn("```cpp\n", self.text_of("examples/shared_segment.cpp.md"))
        self.assertIn("(runtime.rs.md)", self.text_of("examples/languages/index.md"))
        self.assertIn("<svg", self.text_of("docs/overview.svg"))

    def test_tables_come_from_the_command(self):
        self.assertIn("cuImportExternalMemory", self.text_of("docs/support.md"))
        self.assertIn("--default-stream", self.text_of("docs/compiler.md"))
        statuses = self.text_of("docs/exit_statuses.md")
        for verb in ("run", "explore", "c++"):
            self.assertRegex(statuses, rf"## `cuvette {re.escape(verb)}`\n\n- \w")

    def test_the_order_names_pages(self):
        with open(os.path.join(PACKAGING, "mkdocs.yml"), encoding="utf-8") as file:
            named = [line.rsplit(": ", 1)[1].strip() for line in file.read().split("\nnav:\n")[1].split("\n")
                     if line.endswith(".md")]
        self.assertGreater(len(named), 20)
        for name in named:
            self.assertTrue(os.path.exists(os.path.join(self.folder, name)), name)
        own = {name for name in pages.page_names(ROOT) if name.startswith("docs/")}
        # A lesson leads to its exercises.
        for lesson in (name for name in named if re.fullmatch(r"docs/course/[^/]+/index\.md", name)):
            own -= {os.path.normpath(os.path.join(os.path.dirname(lesson), link))
                    for link in re.findall(r"\]\(([^)]+README\.md)\)", self.text_of(lesson))}
        self.assertEqual(own - set(named), set(), "pages that a reader of the site does not find")


@unittest.skipUnless(os.environ.get("CUVETTE_TEST_INSTALL") == "1", "takes what PyPI has: set CUVETTE_TEST_INSTALL=1")
class BuiltTest(unittest.TestCase):
    def test_mkdocs_has_no_complaint(self):
        answer = subprocess.run([os.path.join(ROOT, "tools", "site")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)
        if answer.returncode and "WARNING: Retrying" in answer.stdout:  # pip's words
            self.skipTest("PyPI is not reachable")
        self.assertEqual(answer.returncode, 0, answer.stdout)
        self.assertTrue(os.path.exists(os.path.join(ROOT, "build", "site", "docs", "knobs", "index.html")))


if __name__ == "__main__":
    unittest.main()
