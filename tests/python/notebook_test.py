#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cell magic %%cuvette: notebook_test.py BUILD, a build folder or an installed tree. Cells run in notebooks that
nbclient executes without a browser (tools/setup notebook; else they are skipped)."""
import base64
import gzip
import html.parser
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python" / "src"
sys.path.insert(0, str(PACKAGE))
from cuvette import _notebook  # noqa: E402

SUM = r"""
#include <cstdio>
#include <cstdlib>
__global__ void add(int* sum, int many) { if (threadIdx.x < many) atomicAdd(sum, threadIdx.x + 1); }
int main(int argc, char** argv) {
  const int many = argc > 1 ? std::atoi(argv[1]) : 32;
  int* sum, result;
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(sum, 0, sizeof *sum);
  add<<<1, 64>>>(sum, many);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(sum);
  std::printf("%d\n", result);
}
"""
RACE = r"""
#include <cstdio>
int main() {
  cudaStream_t one, other;
  char* memory; char* host;
  cudaMalloc(&memory, 64);
  cudaMallocHost(&host, 64);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMemsetAsync(memory, 7, 64, one);
  cudaMemcpyAsync(host, memory, 64, cudaMemcpyDeviceToHost, other);
  cudaDeviceSynchronize();
  return host[5] == 7 ? 0 : 3;
}
"""


class Line(unittest.TestCase):
    """The first line of a cell."""

    def complaint(self, line):
        with self.assertRaises(ValueError) as caught:
            _notebook.parse(line)
        return str(caught.exception)

    def test_alone(self):
        request = _notebook.parse("")
        self.assertEqual((request.verb, request.options, request.arguments), ("run", [], []))

    def test_options_go_to_the_command(self):
        request = _notebook.parse("--check=races --schedule=lazy")
        self.assertEqual((request.verb, request.options), ("run", ["--check=races", "--schedule=lazy"]))

    def test_arguments_of_the_program(self):
        request = _notebook.parse("--profile -- --explore 'two words' --")
        self.assertEqual((request.verb, request.arguments), ("profile", ["--explore", "two words", "--"]))

    def test_options_for_the_compiler(self):
        self.assertEqual(_notebook.parse("--compile='-O0 -DNAME=\"a b\"'").compile_options, ["-O0", "-DNAME=a b"])

    def test_the_timeline_is_a_trace(self):
        request = _notebook.parse("--timeline")
        self.assertEqual((request.verb, request.timeline), ("trace", True))

    def test_two_views_need_two_cells(self):
        self.assertIn("--explore and --profile", self.complaint("--explore --profile"))

    def test_a_word_that_is_no_option(self):
        self.assertIn("'races' is no option", self.complaint("races"))

    def test_a_value_is_missing(self):
        self.assertIn("--save needs a value", self.complaint("--save"))

    def test_a_quote_is_missing(self):
        self.assertIn("No closing quotation", self.complaint("--compile='-O0"))


class Reader(html.parser.HTMLParser):
    """What a browser makes of a frame."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


class Frame(unittest.TestCase):
    """A page within a notebook."""

    def test_the_page_arrives_whole(self):
        page = "<!doctype html><p title=\"it's\">a &amp; b</p><script>if (1 < 2 && \"x\") {}</script>"
        (tag, attributes), = Reader(_notebook.frame(page)).tags
        self.assertEqual((tag, attributes["srcdoc"]), ("iframe", page))

    def test_the_page_cannot_touch_the_notebook(self):
        (_, attributes), = Reader(_notebook.frame("")).tags
        self.assertEqual(attributes["sandbox"], "allow-scripts")


def outputs(*cells):
    """Runs cells in one notebook. Returns for each the text of stdout, of stderr, and the HTML that it shows."""
    try:
        import nbclient
        import nbformat
        import ipykernel  # noqa: F401
    except ImportError as missing:
        raise unittest.SkipTest(f"{missing.name} is not installed (tools/setup notebook)") from None
    if shutil.which("clang++") is None and not any(pathlib.Path("/usr/bin").glob("clang++-*")):
        raise unittest.SkipTest("there is no clang++, which compiles cells (tools/setup test)")
    cell = nbformat.v4.new_code_cell
    book = nbformat.v4.new_notebook(cells=[cell("%load_ext cuvette"), *map(cell, cells)])
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUVETTE_", "LD_"))}
        changed = {**kept, "PYTHONPATH": str(PACKAGE), "CUVETTE_TEST_TREE": str(BUILD), "IPYTHONDIR": folder,
                   "JUPYTER_RUNTIME_DIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(changed)
        try:
            nbclient.NotebookClient(book, timeout=240, kernel_name="python3",
                                    resources={"metadata": {"path": folder}}).execute()
        finally:
            os.environ.clear()
            os.environ.update(before)
        files = sorted(path.name for path in pathlib.Path(folder).iterdir() if path.suffix == ".cu")
    answers = []
    for one in book.cells[1:]:
        text = {"stdout": "", "stderr": ""}
        shown = ""
        for output in one.outputs:
            if output.output_type == "stream":
                text[output.name] += output.text
            else:
                shown += output.data["text/html"]
        answers.append((text["stdout"], text["stderr"], shown))
    return answers, files


class Cells(unittest.TestCase):
    """Cells of a notebook. One notebook runs them all, since its kernel takes seconds to start."""

    def test_cells(self):
        answers, files = outputs("%cuvette", f"%%cuvette --save=sum.cu\n{SUM}", "%cuvette -- 3", f"%%cuvette --timeline\n{SUM}",
                                 f"%%cuvette --profile\n{SUM}", f"%%cuvette --explore\n{RACE}",
                                 f"%%cuvette --check=races\n{RACE}", "%%cuvette\nint main( {}",
                                 "%%cuvette\nint main() { return 7; }", "%%cuvette --help\n ", "%%cuvette races\n ")
        self.assertIn("there is no program to run", answers.pop(0)[1])
        self.assertEqual(answers[0], ("528\n", "", ""))
        self.assertEqual(files, ["sum.cu"])
        self.assertEqual(answers[1], ("6\n", "", ""))
        timeline, profile, explored, raced, wrong, seven, described, refused = answers[2:]
        self.assertEqual(timeline[0], "528\n")
        (tag, attributes), = Reader(timeline[2]).tags
        self.assertEqual(tag, "iframe")
        packed = re.search(r'<script type="text/plain" id="data">([^<]+)<', attributes["srcdoc"])
        data = gzip.decompress(base64.b64decode(packed[1]))
        self.assertTrue(b"add(int*, int)" in data, "the page does not name the kernel")
        self.assertEqual(set(re.findall(rb"[\w./-]*cell\.cu", data)), {b"cell.cu"})
        self.assertRegex(profile[0], r"(?s)add\(int\*, int\).*cell\.cu:4 ")
        self.assertRegex(explored[0], r"(?s)fails in order .*copy.*cell\.cu:\d+")
        self.assertIn("unordered-access", raced[1])
        self.assertNotIn("/cuvette-cell-", raced[1])
        self.assertRegex(wrong[1], r"(?s)^cell\.cu:1:.*error.*does not compile, so nothing was run\n$")
        self.assertIn("ended with exit status 7", seven[1])
        self.assertIn("--timeline ", described[0])
        self.assertIn("'races' is no option", refused[1])


if __name__ == "__main__":
    unittest.main()
