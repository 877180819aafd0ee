#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surface.py must see each kind of difference: a comparison that cannot fail proves nothing.

No CUDA toolkit is needed: our own headers, changed in a temporary folder, take its place. Run with
the folder api/include and clang as arguments.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import surface

OURS, CLANG = sys.argv[1:3]


class OneHeader(unittest.TestCase):
    """Two versions of one small header, as text."""

    def compare(self, theirs, ours, mode=surface.Mode("C11")):
        facts = []
        for text in (theirs, ours):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "small.h"), "w", encoding="utf-8") as file:
                    file.write(text)
                facts.append(surface.describe(CLANG, folder, "small.h", "", mode))
        self.assertTrue(facts[0])
        return surface.differences(*facts)

    def test_equal_headers_do_not_differ(self):
        text = "#define CU_ONE 1\ntypedef struct A_st { union { int a; long b; }; } A;\n"
        self.assertEqual(self.compare(text, "/* our words */" + text), [])

    def test_enumerator(self):
        self.assertEqual(
            self.compare("typedef enum { CU_ONE = 1 } E;", "typedef enum { CU_ONE = 2 } E;"),
            ["enumerator CU_ONE of E is 2, theirs is 1"])

    def test_macro_value_and_type(self):
        self.assertEqual(self.compare("#define CU_X 0xFF", "#define CU_X 255"), [])
        self.assertEqual(self.compare("#define CU_X 1", "#define CU_X 2"),
                         ["macro CU_X is 2, theirs is 1"])
        self.assertEqual(self.compare("#define CU_X 1", "#define CU_X 1u"),
                         ["macro CU_X type is unsigned int, theirs is int"])

    def test_macro_that_names_a_function(self):
        functions = "int cuA_v2(void); int cuA_v3(void);\n"
        self.assertEqual(
            self.compare(functions + "#define cuA cuA_v2", functions + "#define cuA cuA_v3"),
            ["macro cuA is stands for cuA_v3, theirs is stands for cuA_v2"])

    def test_function_type_parameter_names_and_deprecation(self):
        self.assertEqual(
            self.compare("int cuA(const int* a);", "int cuA(int* a);"),
            ["function cuA is int (int *) with parameters (a), "
             "theirs is int (const int *) with parameters (a)"])
        self.assertEqual(len(self.compare("int cuA(int a);", "int cuA(int b);")), 1)
        self.assertEqual(
            len(self.compare("int cuA(int a);", "__attribute__((deprecated)) int cuA(int a);")), 1)

    def test_default_argument_and_overload_of_cxx(self):
        cxx = surface.Mode("C++20", language="c++", standard="c++20")
        self.assertEqual(
            self.compare("int cudaA(int a, int b = 1);", "int cudaA(int a, int b = 2);", cxx),
            ["function cudaA is int (int, int) with parameters (a, b = 2), "
             "theirs is int (int, int) with parameters (a, b = 1)"])
        self.assertEqual(
            self.compare("int cudaA(int a); int cudaA(char a);", "int cudaA(int a);", cxx),
            ["function cudaA int (char) is missing (theirs: int (char) with parameters (a))"])

    def test_template(self):
        cxx = surface.Mode("C++20", language="c++", standard="c++20")
        theirs = "template <class T> static inline int cudaA(T** a, int b = 0) { return b; }"
        self.assertEqual(self.compare(theirs, theirs.replace("class T>", "typename U>").replace(
            "T**", "U**"), cxx), [])
        self.assertEqual(len(self.compare(theirs, theirs.replace("T**", "T*"), cxx)), 2)
        self.assertEqual(len(self.compare(theirs, theirs.replace("= 0", "= 1"), cxx)), 2)

    def test_word_and_type_behind_a_macro(self):
        self.assertEqual(
            self.compare("#define __mark__ __attribute__((unused))", "#define __mark__"),
            ["macro __mark__ is is empty, theirs is is the text __attribute__((unused))"])
        types = "typedef int A; typedef int B;\n"
        self.assertEqual(
            self.compare(types + "#define cudaName A", types + "#define cudaName B"),
            ["macro cudaName is stands for the type B, theirs is stands for the type A"])

    def test_nested_field(self):
        theirs = "typedef struct { struct { union { int a; char b; }; int c; } in; } S;"
        self.assertEqual(
            self.compare(theirs, theirs.replace("int a", "unsigned a")),
            ["field S.in.a type is unsigned int, theirs is int"])
        self.assertIn("field S.in.c offset and size is 8, 4, theirs is 4, 4",
                      self.compare(theirs, theirs.replace("int a", "long a")))

    def test_what_is_missing_and_what_is_ours_alone(self):
        self.assertEqual(
            self.compare("int cuA(void); int cuB(void);", "int cuA(void); int cuC(void);"),
            ["function cuB is missing (theirs: int (void) with parameters ())",
             "function cuC is ours alone (int (void) with parameters ())"])

    def test_alignment_of_cxx(self):
        self.assertIn("struct S size and alignment is 128, 128, theirs is 8, 8",
                      self.compare("struct S { long a; };", "struct alignas(128) S { long a; };",
                                   surface.Mode("C++20", language="c++", standard="c++20")))


class OurHeaders(unittest.TestCase):
    """Compares api/include with a copy that has two changes, in every mode."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.copy = os.path.join(self.folder.name, "include")
        shutil.copytree(OURS, self.copy)

    def change(self, path, before, after):
        path = os.path.join(self.copy, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(before), 1, "%s in %s" % (before, path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))

    def test_one_enumerator_and_one_field_are_two_differences(self):
        self.change("cuvette/error.h", "CUDA_ERROR_INVALID_HANDLE = 400",
                    "CUDA_ERROR_INVALID_HANDLE = 499")
        self.change("cuvette/graph_edge.h", "unsigned char to_port;", "signed char to_port;")
        for mode in surface.MODES:
            with self.subTest(mode.name):
                theirs, ours = (
                    surface.describe(CLANG, include, "cuda.h", surface.BEFORE["cuda.h"], mode)
                    for include in (OURS, self.copy))
                self.assertEqual(
                    surface.differences(theirs, ours),
                    ["enumerator CUDA_ERROR_INVALID_HANDLE of enum cudaError_enum is 499, "
                     "theirs is 400",
                     "field struct CUgraphEdgeData_st.to_port type is signed char, "
                     "theirs is unsigned char"])

    def test_without_a_toolkit_the_test_is_skipped_and_says_so(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "surface.py")
        result = subprocess.run(
            [sys.executable, script, "--header", "cuda.h", "--toolkit", self.folder.name,
             "--ours", OURS, "--clang", CLANG], text=True, capture_output=True, check=False)
        self.assertEqual(result.returncode, surface.SKIPPED)
        self.assertTrue(result.stdout.startswith("skipped: "), result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
