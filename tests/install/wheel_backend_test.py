# SPDX-License-Identifier: Apache-2.0
"""Tests of packaging/python/backend/wheel.py with a small tree, and of what is said of the wheel: quick, and without a
network."""
import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "packaging", "python", "backend"))
sys.dont_write_bytecode = True
import wheel  # noqa: E402  pylint: disable=wrong-import-position


class WheelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.tree = os.path.join(self.work, "tree")
        for name in ("bin", "lib/cuvette/bin", "lib/cuvette/compilers", "share/man/man1"):
            os.makedirs(os.path.join(self.tree, name))
        self.write("bin/cuvette", '#!/bin/sh\necho "$@"\n')
        os.chmod(os.path.join(self.tree, "bin/cuvette"), 0o755)
        self.write("share/man/man1/cuvette.1", ".TH CUVETTE 1\n")
        self.write("cuvette.cdx.json", "{}\n")
        self.library("libcuda.so.1", "int cuInit(void) { return 42; }")
        os.symlink("libcuda.so.1", os.path.join(self.tree, "lib/cuvette/libcuda.so"))
        self.library("libcudart.so.13", "int cudaFree(void) { return 0; }")
        os.symlink("libcudart.so.13", os.path.join(self.tree, "lib/cuvette/libcudart.so"))
        os.symlink("../../../bin/cuvette", os.path.join(self.tree, "lib/cuvette/bin/nvidia-smi"))
        os.symlink("../../../bin/cuvette", os.path.join(self.tree, "lib/cuvette/compilers/ptxas"))
        os.environ.update(CUVETTE_TREE=self.tree, SOURCE_DATE_EPOCH="1700000000")

    def write(self, name, text):
        with open(os.path.join(self.tree, name), "w", encoding="utf-8") as file:
            file.write(text)

    def library(self, name, source, *options):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", f"-Wl,-soname,{name}", "-Wl,--no-as-needed", "-x", "none", *options, "-o",
                        os.path.join(self.tree, "lib/cuvette", name)], input=source, text=True, check=True)

    def build(self):
        folder = tempfile.mkdtemp(dir=self.work)
        return os.path.join(folder, wheel.build_wheel(folder))

    def unpacked(self):
        with zipfile.ZipFile(self.build()) as archive:
            archive.extractall(os.path.join(self.work, "unpacked"))
            for entry in archive.infolist():
                os.chmod(os.path.join(self.work, "unpacked", entry.filename), entry.external_attr >> 16)
        return os.path.join(self.work, "unpacked")

    def test_its_name_says_the_version_and_the_oldest_glibc(self):
        self.assertRegex(os.path.basename(self.build()),
                         rf"^cuvette-{wheel.version()}-py3-none-manylinux_2_\d+_x86_64\.whl$")

    def test_two_are_identical(self):
        first, second = self.build(), self.build()
        with open(first, "rb") as one, open(second, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_the_second_name_of_libcuda_is_found_once_it_is_loaded(self):
        library = os.path.join(self.unpacked(), "cuvette/_tree/lib/cuvette/libcuda.so")
        program = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(ctypes.CDLL('libcuda.so').cuInit())"
        answer = subprocess.run([sys.executable, "-c", program, library], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(answer.stdout, "42\n")

    def test_the_record_has_every_file(self):
        with zipfile.ZipFile(self.build()) as archive:
            name = next(one for one in archive.namelist() if one.endswith(".dist-info/RECORD"))
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(name).decode()))}
            self.assertEqual(sorted(rows), sorted(archive.namelist()))
            for path, (digest, size) in rows.items():
                if path != name:
                    content = archive.read(path)
                    own = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), ("sha256=" + own, str(len(content))), path)

    def test_commands_that_are_links_become_scripts(self):
        folder = os.path.join(self.unpacked(), "cuvette/_tree/lib/cuvette")
        link = os.path.join(self.work, "elsewhere")
        os.symlink(os.path.join(folder, "compilers/ptxas"), link)
        for command, expected in ((os.path.join(folder, "bin/nvidia-smi"), "smi -L 'a b'"), (link, "ptxas -L 'a b'")):
            said = subprocess.run([command, "-L", "'a b'"], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertEqual(said, expected + "\n")

    def test_the_short_name_of_the_driver_is_a_small_library_that_opens_it(self):
        folder = os.path.join(self.unpacked(), "cuvette/_tree/lib/cuvette")
        self.assertLess(os.path.getsize(os.path.join(folder, "libcuda.so")), 8192)
        # Asked for by its path, and then by name.
        script = f"from ctypes import CDLL; import sys; first = CDLL('{folder}/libcuda.so'); sys.exit(CDLL('libcuda.so').cuInit())"
        self.assertEqual(subprocess.run([sys.executable, "-c", script], check=False).returncode, 42)

    def test_programs_are_linked_by_the_other_short_names(self):
        folder = os.path.join(self.unpacked(), "cuvette/_tree/lib/cuvette")
        program = os.path.join(self.work, "program")
        subprocess.run(["cc", "-x", "c", "-", f"-L{folder}", "-lcudart", "-o", program],
                       input="int cudaFree(void); int main() { return cudaFree(); }", text=True, check=True)
        needed = subprocess.run(["readelf", "-d", program], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("[libcudart.so.13]", needed)

    def test_pages_for_man_go_where_man_looks(self):
        folder = self.unpacked()
        self.assertTrue(os.path.exists(f"{folder}/cuvette-{wheel.version()}.data/data/share/man/man1/cuvette.1"))
        self.assertTrue(os.path.exists(f"{folder}/cuvette-{wheel.version()}.dist-info/sboms/cuvette.cdx.json"))

    def test_a_library_that_not_every_system_has_is_refused(self):
        self.library("libstranger.so.7", "int stranger;")
        os.rename(os.path.join(self.tree, "lib/cuvette/libstranger.so.7"), os.path.join(self.work, "libstranger.so.7"))
        self.library("libcuda.so.1", "int cuInit(void) { return 42; }", os.path.join(self.work, "libstranger.so.7"))
        with self.assertRaisesRegex(SystemExit, "libstranger.so.7"):
            self.build()


# `pip install` of the bare name, and not of a file, or from an index that the line names.
BY_NAME = re.compile(r"\bpip3? install\b(?![^\n]*--index-url)[^\n`]*?[ \"']cuvette(?![\w.*/-])")


class NameTest(unittest.TestCase):
    """On PyPI, the name belongs to another project."""

    def test_nothing_tells_to_install_by_the_name_alone(self):
        found, read = [], 0
        for room in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "examples", "packaging", "tools", "sim", "api",
                     ".github"):
            top = os.path.join(ROOT, room)
            for path in [top] if os.path.isfile(top) else [
                    os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]:
                with open(path, encoding="utf-8", errors="replace") as file:
                    found += [f"{path}: {match[0]}" for match in BY_NAME.finditer(file.read())]
                read += 1
        self.assertEqual(found, [])
        self.assertGreater(read, 200)

    def test_lines_are_told_apart(self):
        for line in ("pip install cuvette", "pip install -q 'cuvette==0.1.0'", 'pip install numba "cuvette[x]"',
                     "(pip install --force-reinstall cuvette)."):
            self.assertTrue(BY_NAME.search(line), line)
        for line in ("pip install ./cuvette-*.whl", "pip install numba-cuda", "pip install --index-url=https://a cuvette",
                     "pip install /tmp/cuvette-0.1.0-py3-none-any.whl", "pip install x\ncuvette run"):
            self.assertFalse(BY_NAME.search(line), line)


if __name__ == "__main__":
    unittest.main()
