#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notebook of lessons: lessons_test.py BUILD NOTEBOOK. Each lesson's cells must say what the lesson's program says in a
terminal. nbclient runs it without a browser (tools/setup notebook; else it is skipped)."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

BOOK = pathlib.Path(sys.argv.pop(2)).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import notebook_test  # noqa: E402  (takes BUILD)

CUVETTE = notebook_test.BUILD / "bin" / "cuvette"


def in_a_terminal(program):
    """What a program prints that is compiled and run by hand."""
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name, "cell.cu")
        source.write_text(program, encoding="utf-8")
        subprocess.run([CUVETTE, "c++", "-g", source, "-o", source.with_suffix("")], check=True)
        run = subprocess.run([CUVETTE, "run", "--quiet", source.with_suffix("")], stdout=subprocess.PIPE, text=True,
                             check=True)
        return run.stdout


class Lessons(unittest.TestCase):
    def test_cells_say_what_programs_say(self):
        try:
            import nbformat
        except ImportError:
            self.skipTest("nbformat is not installed (tools/setup notebook)")
        book = nbformat.read(BOOK, as_version=4)
        nbformat.validate(book)
        cells = [cell.source for cell in book.cells if cell.cell_type == "code"]
        self.assertEqual(cells.pop(0), "%load_ext cuvette")
        answers, _ = notebook_test.outputs(*cells)
        programs = 0
        for cell, (output, errors, shown) in zip(cells, answers):
            line, _, program = cell.partition("\n")
            with self.subTest(cell=line):
                if program:
                    programs += 1
                    expected = in_a_terminal(program)
                    self.assertNotEqual(expected, "")
                self.assertNotIn("does not compile", errors)
                if "--timeline" in line:
                    self.assertIn("<iframe", shown)
                if "--explore" in line:
                    self.assertRegex(output, "^cuvette explore: passes|^cuvette explore: passed")
                else:
                    self.assertIn(expected, output)
        self.assertEqual(programs, 4)


if __name__ == "__main__":
    unittest.main()
