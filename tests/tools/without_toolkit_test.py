#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/without_toolkit and tools/includes: without_toolkit_test.py PROJECT COMPILER

A toolkit and sources of our own making: the one must not be seen, and of the others those that do not find their
headers must be named."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROJECT = COMPILER = ""


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class Scene(unittest.TestCase):
    """A temporary folder that holds a toolkit."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.toolkit = self.path("toolkit")
        self.write("toolkit/include/cuda.h", "#define THEIRS\n")
        os.chmod(self.write("toolkit/bin/nvcc", "#!/bin/sh\necho a compiler\n"), 0o755)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)


class WithoutToolkit(Scene):
    def hidden(self, script, **variables):
        path = self.path("toolkit/bin") + ":" + os.environ["PATH"]
        result = run(os.path.join(PROJECT, "tools", "without_toolkit"), "sh", "-c", script,
                     env={**os.environ, "PATH": path, **variables})
        if result.returncode == 77:
            self.skipTest(result.stdout)
        return result

    def test_hides_the_toolkit_of_nvcc_and_nvcc(self):
        result = self.hidden(f"ls -A {self.toolkit} /usr/local/include; command -v nvcc")
        self.assertNotIn("nvcc", result.stdout)
        self.assertNotIn("bin", result.stdout)
        self.assertNotIn("cuda.h", result.stdout)

    def test_hides_what_the_environment_names(self):
        result = self.hidden(f"ls -A {self.toolkit}; echo $CUDA_HOME$CPATH", CUDA_HOME=self.toolkit,
                             CPATH=self.path("toolkit/include"), PATH=os.environ["PATH"])
        self.assertEqual(result.stdout, "\n")

    def test_leaves_the_toolkit_to_others_and_keeps_the_exit_status(self):
        self.assertEqual(self.hidden("exit 5").returncode, 5)
        self.assertEqual(sorted(os.listdir(self.toolkit)), ["bin", "include"])


class Includes(Scene):
    def named(self, text, *options):
        """The mistakes of one source, and the exit status."""
        source = self.write("source.cpp", text)
        command = [COMPILER, *options, "-o", "room/CMakeFiles/some_target.dir/source.cpp.o", "-c", source]
        self.write("compile_commands.json", json.dumps(
            [{"directory": self.folder.name, "command": " ".join(command), "file": source}]))
        result = run(os.path.join(PROJECT, "tools", "includes"), self.folder.name)
        return result.stdout.splitlines()[:-1], result.returncode

    def test_a_header_that_is_there(self):
        ours = os.path.join(PROJECT, "api", "include")
        self.assertEqual(self.named("#include <cuda.h>\n#include <vector>\n", "-I", ours), ([], 0))

    def test_a_header_that_is_nowhere(self):
        lines, status = self.named("// A comment.\n#include <nowhere_at_all.h>\n")
        self.assertEqual((len(lines), status), (1, 1), lines)
        self.assertRegex(lines[0], r"^some_target: .*source\.cpp:2:.*nowhere_at_all\.h")

    def test_a_header_that_a_header_includes(self):
        self.write("inner.hpp", "#include <nowhere_at_all.h>\n")
        lines, status = self.named('#include "inner.hpp"\n')
        self.assertEqual((len(lines), status), (1, 1), lines)
        self.assertIn("inner.hpp:1", lines[0])

    def test_a_header_of_the_toolkit_in_place_of_ours(self):
        lines, status = self.named("#include <cuda.h>\n", "-I", self.path("toolkit/include"))
        self.assertEqual((len(lines), status), (1, 1), lines)
        self.assertIn("toolkit/include/cuda.h", lines[0])


if __name__ == "__main__":
    PROJECT, COMPILER = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
