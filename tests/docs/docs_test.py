# SPDX-License-Identifier: Apache-2.0
"""Tests of the programs in this folder: each finds planted faults, and is silent about correct pages."""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import pages  # noqa: E402


def program(name):
    loader = importlib.machinery.SourceFileLoader(f"{name}_program", os.path.join(HERE, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


links, commands, run_page, knobs = program("links"), program("commands"), program("run_page"), program("knobs")


class Project(unittest.TestCase):
    """A project of files that a test writes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def page(self, text):
        self.write("page.md", text)
        return pages.Page(self.folder.name, "page.md")


class PagesTest(Project):
    def test_anchors_are_those_of_github(self):
        page = self.page("# How `explore` looks, and *why*\n## `a_b`, `c-d`\n## Twice\n## Twice\n"
                         "### A [link](x.md) & more\n\n    # code\n\n```\n# code too\n```\n<a id=\"own\"></a>\n")
        self.assertEqual(page.anchors(), {"how-explore-looks-and-why", "a_b-c-d", "twice", "twice-1",
                                          "a-link--more", "own"})

    def test_links_are_found_with_their_lines(self):
        page = self.page("[a](a.md) and [two\nlines](b.md#c)\n![p](p.svg \"title\")\n`[no](no.md)`\n"
                         "<!-- [no](no.md) -->\n<img src=\"i.png\">\n\n[d]: d.md\n\n    [no](no.md)\n")
        self.assertEqual(sorted(page.links()),
                         [(1, "a.md"), (2, "b.md#c"), (3, "p.svg"), (6, "i.png"), (8, "d.md")])

    def test_blocks_have_title_language_and_text(self):
        page = self.page("text\n\n```cpp title=\"a.cu\"\nint a;\n\nint b;\n```\n\n- item\n  more\n\n      in item\n\nend\n\n"
                         "    indented\n")
        self.assertEqual([(block.line, block.language, block.title, block.text) for block in page.blocks],
                         [(4, "cpp", "a.cu", "int a;\n\nint b;"), (12, "", None, "in item"), (16, "", None, "indented")])


class LinksTest(Project):
    def faults(self, text):
        self.write("page.md", text)
        return [(line, target) for _, line, target, _ in links.Checker(self.folder.name).faults()]

    def test_what_is_there_is_right(self):
        self.write("docs/other.md", "# A heading\n[back](../page.md#top)\n")
        self.write("src/file.cpp", "one\ntwo\n")
        self.assertEqual(self.faults("# Top\n[a](docs/other.md#a-heading) [b](src) [c](src/file.cpp#L2) [d](#top) "
                                     "[e](https://example.org/x) [f](mailto:a@example.org)\n"), [])

    def test_what_is_not_there_is_found(self):
        self.write("docs/other.md", "# A heading\n")
        self.write("src/file.cpp", "one\n")
        wrong = ["none.md", "docs/other.md#other", "docs/Other.md", "#none", "/docs/other.md", "../outside.md",
                 "src/file.cpp#L2", "src/file.cpp#part", "src/file.cpp/x"]
        self.assertEqual([target for _, target in self.faults("\n".join(f"[x]({target})" for target in wrong))], wrong)

    def test_the_line_is_named(self):
        self.assertEqual(self.faults("# Page\n\n[x](none.md)\n"), [(3, "none.md")])


class KnownHelp(commands.Help):
    """The help of a command that exists only in this test."""

    def __init__(self):
        self.texts = {
            None: "Options:\n  --version   x\nSubcommands:\n  run   Run\n  c++   Compile\n  info   Print\n",
            "run": "  --check CUVETTE_CHECK   x\n  -h,--help   x\n", "info": "  --json   x\n",
            "c++": "  -o FILE\n  -I -std=... -W...\n  -rdc=true\n"}
        self.verbs = {"run", "c++", "info", "help"}


class CommandsTest(Project):
    def faults(self, text):
        known = KnownHelp()
        found = [commands.fault_of(words, known) for _, words in commands.command_lines(self.page(text))]
        return [fault for fault in found if fault]

    def test_right_lines(self):
        lines = ["$ cuvette run --check=races -- ./program --other", "  - run: cuvette run --check=all ./program --any",
                 "PATH=x cuvette info --json | less", "build/bin/cuvette c++ -std=c++17 -Iinclude -Wall a.cu -o a && ./a",
                 "cuvette --version", "make image    # a cuvette image", "cuvette help run", "cuvette run: says something", "find_package(cuvette REQUIRED)"]
        text = "".join(f"```\n{line}\n```\n" for line in lines)
        self.assertEqual(self.faults(text), [])
        self.assertEqual(len(list(commands.command_lines(self.page(text)))), len(lines) - 2)

    def test_wrong_lines(self):
        for line in ("cuvette rum ./program", "cuvette run --chekc=races -- ./program", "cuvette info --check=races",
                     "cuvette --verbose", "cuvette c++ --none a.cu", "cuvette run \\\n  --none ./program"):
            self.assertEqual(len(self.faults(f"```\n{line}\n```\n")), 1, line)

    def test_lines_in_sentences(self):
        self.assertEqual(len(self.faults("Run `cuvette run --none` or `cuvette\nnone`.\n")), 2)


class KnobsTest(unittest.TestCase):
    def test_every_row_is_read(self):
        table = {variable: (kind, default) for variable, kind, default, _ in knobs.knobs()}
        self.assertEqual(len(table), knobs.text_of("config.def").count("\nKNOB("))
        self.assertEqual(table["CUVETTE_VULKAN"], ("Switch", "1"))
        self.assertEqual(len(knobs.checks()), knobs.text_of("checks.def").count("\nCHECK("))

    def test_options_are_those_of_the_command(self):
        self.assertEqual(knobs.option_of("CUVETTE_VULKAN", "Switch", "1"), "--no-vulkan")
        self.assertEqual(knobs.option_of("CUVETTE_EXPLAIN", "Switch", "0"), "--explain")
        self.assertEqual(knobs.option_of("CUDA_DEVICE_ORDER", "AnyText", ""), "--device-order=...")


class RunPageTest(Project):
    def faults(self, text):
        reader = run_page.Reader(self.page(text), self.folder.name, {"PATH": "/usr/bin:/bin"})
        for block in reader.page.blocks:
            reader.take(block)
        return len(reader.faults)

    def console(self, text):
        return self.faults(f"```console\n{text}\n```\n")

    def test_right_output(self):
        self.assertEqual(self.console("$ echo a; echo b >&2\na\nb\n$ true\n$ (exit 3)\n$ echo $?\n3"), 0)
        self.assertEqual(self.console("$ echo one; echo two; echo three\none\n...\n$ echo at 0x7f0011223344, b\nat 0x70000000, ..."), 0)
        self.assertEqual(self.console("$ seq 5\n1\n...\n5"), 0)
        self.assertEqual(self.console("$ echo a; echo cuvette run: 1 of 2 processes used Cuvette\na"), 0)
        self.assertEqual(self.console("$ echo a\na\ncuvette run: 1 process used Cuvette."), 0)
        self.assertEqual(self.console("$ echo cuvette: this machine has no protection keys, so; echo a\na"), 1)
        self.assertEqual(self.console("$ echo cuvette: this machine has no protection keys at all; echo a\na"), 0)

    def test_wrong_output(self):
        for text in ("$ echo a\nb", "$ echo a", "$ true\na", "$ seq 5\n1\n...\n6", "$ echo a b\na ... b c",
                     "$ (exit 3)\n$ true"):
            self.assertEqual(self.console(text), 1, text)

    def test_files_are_written(self):
        self.assertEqual(self.faults("```sh title=\"a\"\necho 5\n```\n```console\n$ sh ./a\n5\n```\n"), 0)

    def test_quotations_must_be_there(self):
        first = "#include <cuda.h>"
        self.assertEqual(self.faults(f"```cpp title=\"examples/need.hpp\"\n{first}\n```\n"), 0)
        self.assertEqual(self.faults("```cpp title=\"examples/need.hpp\"\nint none;\n```\n"), 1)


if __name__ == "__main__":
    unittest.main()
