#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package `cuvette`: package_test.py BUILD, a build folder or an installed tree. Each case runs in a separate
process."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PACKAGE = HERE.parents[1] / "packaging" / "python" / "src"
START = "import sys, os, ctypes, cuvette; import little_cuda as cuda\n"


def environment(**variables):
    """The environment without variables that a run of Cuvette sets in this process."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("CUVETTE_", "CUDA_", "LD_", "TRITON_", "VK_"))}
    return {**kept, "PYTHONPATH": f"{PACKAGE}:{HERE}", "CUVETTE_TEST_TREE": str(BUILD), **variables}


def python(program, *, start=START, folder=None, command=(sys.executable,), **variables):
    return subprocess.run([*command, "-c", start + textwrap.dedent(program)], cwd=folder, env=environment(**variables),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)


class Case(unittest.TestCase):
    def output(self, program, **options):
        """The output of a program that must succeed."""
        process = python(program, **options)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout.strip()

    def complaint(self, program, **options):
        process = python(program, **options)
        self.assertNotEqual(process.returncode, 0, process.stdout)
        return process.stderr.strip().splitlines()[-1]


class Enable(Case):
    def test_the_driver_is_found_by_its_name(self):
        self.assertEqual(self.output("""
            cuvette.enable()
            cuda.start()
            memory = cuda.allocate()
            cuda.store(memory, 42)
            print(cuda.read(memory))
            cuda.free(memory)
            """), "42")

    def test_the_runtimes_and_nvml_are_found_by_their_names(self):
        self.output("""
            cuvette.enable()
            for name in "libcudart.so.12", "libcudart.so.13", "libnvidia-ml.so.1", "libnvJitLink.so.12", "libnvJitLink.so.13":
                ctypes.CDLL(name)
            """)

    def test_knobs(self):
        self.assertEqual(self.output("""
            cuvette.enable(device="a100-80gb", memory=1 << 30, check=["races", "memory"], explain=True)
            ctypes.CDLL("libcuda.so.1").cuInit(0)
            name, size = ctypes.create_string_buffer(99), ctypes.c_size_t()
            ctypes.CDLL("libcuda.so.1").cuDeviceGetName(name, 99, 0)
            ctypes.CDLL("libcuda.so.1").cuDeviceTotalMem_v2(ctypes.byref(size), 0)
            print(name.value.decode(), size.value, os.environ["CUVETTE_CHECK"], os.environ["CUVETTE_EXPLAIN"])
            """), "NVIDIA A100-SXM4-80GB 1073741824 races,memory 1")

    def test_a_knob_that_there_is_not_names_the_nearest(self):
        said = self.complaint("cuvette.enable(devise='h200')")
        self.assertRegex(said, r"ValueError: cuvette.enable\(\): devise .* did you mean device\?")

    def test_a_wrong_value_says_what_is_right(self):
        said = self.complaint("cuvette.enable(check='rcaes')")
        self.assertRegex(said, r"ValueError: .*check is 'rcaes'.*did you mean 'races'")
        self.assertIn("None", self.complaint("cuvette.enable(device=None)"))

    def test_after_a_wrong_value_nothing_is_set(self):
        self.assertEqual(self.output("""
            before = dict(os.environ)
            try:
                cuvette.enable(device="h20")
            except ValueError:
                print(os.environ == before)
            cuvette.enable(device="h200")
            """), "True")

    def test_files_are_meant_from_the_folder_of_the_call(self):
        with tempfile.TemporaryDirectory() as folder:
            self.output("""
                cuvette.enable(report="reports.json", check="api")
                os.chdir("/")
                cuda.start()
                cuda.allocate()
                """, folder=folder)
            self.assertIn("leaked-memory", pathlib.Path(folder, "reports.json").read_text())

    def test_twice_is_once(self):
        self.output("""
            cuvette.enable(memory="1G")
            path = os.environ["LD_LIBRARY_PATH"]
            cuvette.enable()
            cuvette.enable(memory="1G")
            assert os.environ["LD_LIBRARY_PATH"] == path
            """)

    def test_other_knobs_come_too_late(self):
        said = self.complaint("cuvette.enable(memory='1G'); cuvette.enable(memory='2G')")
        self.assertRegex(said, r"RuntimeError: .*too late for memory='2G'")

    def test_under_cuvette_run_it_changes_nothing(self):
        run = (str(BUILD / "bin" / "cuvette"), "run", "--quiet", "--", sys.executable)
        self.output("""
            before = dict(os.environ)
            cuda.start()
            cuvette.enable()
            changed = {name for name in os.environ if os.environ[name] != before.get(name)}
            assert changed <= {"CUVETTE_TEST_REPORTS"}, changed
            """, command=run)
        said = self.complaint("cuda.start(); cuvette.enable(memory='1G')", command=run)
        self.assertRegex(said, "RuntimeError: .*too late for memory='1G': the driver is in use")

    def test_a_foreign_driver_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            libraries = self.output("from cuvette import _tree; print(_tree.libraries())")
            for name in ("libcuda.so.1", "libcudart.so.12", "libnvJitLink.so.13"):
                foreign = pathlib.Path(folder, name)
                shutil.copy(pathlib.Path(libraries, name), foreign)
                said = self.complaint(f"ctypes.CDLL('{foreign}'); cuvette.enable()")
                self.assertRegex(said, f"RuntimeError: .*too late: {re.escape(str(foreign))} is loaded")

    def test_a_package_without_its_tree_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.complaint("cuvette.enable()", CUVETTE_TEST_TREE=folder)
            self.assertRegex(said, f"FileNotFoundError: there is no bin/cuvette in {re.escape(folder)}")

    def test_version(self):
        answer = subprocess.run([str(BUILD / "bin" / "cuvette"), "--version"], stdout=subprocess.PIPE, check=True,
                                universal_newlines=True).stdout.split()[-1]
        self.assertEqual(self.output("print(cuvette.version, cuvette.__version__)"), f"{answer} {answer}")
        self.assertIn("AttributeError", self.complaint("cuvette.nothing"))


class Children(Case):
    USE = "cuda.start(); m = cuda.allocate(); cuda.store(m, 7); print(cuda.read(m)); cuda.free(m)"

    def test_programs_use_cuvette(self):
        self.assertEqual(self.output(f"""
            import subprocess
            cuvette.enable(memory="1G")
            subprocess.run([sys.executable, "-c", "import little_cuda as cuda; {self.USE}"], check=True)
            subprocess.run(["nvidia-smi", "-L"], check=True)
            """).splitlines()[0], "7")

    def test_they_need_not(self):
        self.assertEqual(self.output("""
            before = dict(os.environ)
            cuvette.enable(children=False)
            changed = {name for name in os.environ if os.environ[name] != before.get(name)}
            print({name for name in changed if not name.startswith(("TRITON_", "CUVETTE_TEST_"))})
            """), "set()")

    def test_fork_before_the_first_use(self):
        self.assertEqual(self.output(f"""
            cuvette.enable()
            sys.stdout.flush()
            if os.fork() == 0:
                {self.USE}
                sys.exit()
            os.wait()
            {self.USE}
            """), "7\n7")

    def test_spawn(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(textwrap.dedent(f"""
                import multiprocessing
                import little_cuda as cuda
                def work():
                    {self.USE}
                if __name__ == "__main__":
                    import cuvette
                    cuvette.enable(check="api")
                    child = multiprocessing.get_context("spawn").Process(target=work)
                    child.start()
                    child.join()
                    {self.USE}
                """))
            answer = subprocess.run([sys.executable, str(program)], env=environment(), stdout=subprocess.PIPE,
                                    universal_newlines=True, timeout=120)
        self.assertEqual((answer.returncode, answer.stdout), (0, "7\n7\n"))


class Reports(Case):
    RACE = """
        cuvette.enable(check="races")
        cuda.start()
        memory = cuda.allocate()
        cuda.race(memory)
        cuda.synchronise()
        """

    def test_objects(self):
        self.assertEqual(self.output(self.RACE + """
        report = cuvette.reports()[0]
        print(report.kind, report.kernel, report.facts["access"], report.process == os.getpid())
        assert "nothing orders the two" in report.message, report.message
        assert report.advice and report.kind in str(report), report
        """), "thread-race race write True")

    def test_the_place_is_a_line_of_python(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(START + textwrap.dedent(self.RACE) +
                               "place = cuvette.reports()[0].place\nprint(place.file, place.function)\n")
            answer = subprocess.run([sys.executable, str(program)], env=environment(), stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, universal_newlines=True, timeout=120)
        self.assertEqual(answer.stdout, f"{HERE / 'little_cuda.py'} call\n")

    def test_reports_of_programs_that_it_starts(self):
        self.assertEqual(self.output("""
            import subprocess
            cuvette.enable(check="races")
            subprocess.run([sys.executable, "-c", '''if True:
                import little_cuda as cuda
                cuda.start()
                cuda.race(cuda.allocate())
                cuda.synchronise()
                '''], check=True, stderr=subprocess.DEVNULL)
            print({report.kind for report in cuvette.reports()}, {report.process != os.getpid() for report in cuvette.reports()})
            """), "{'thread-race'} {True}")

    def test_beside_a_report_in_another_format(self):
        with tempfile.TemporaryDirectory() as folder:
            self.output(self.RACE.replace('"races"', '"races", report="r.xml", report_format="junit"') +
                        "assert cuvette.reports()\n", folder=folder)
            self.assertIn("<testsuite", pathlib.Path(folder, "r.xml").read_text())

    def test_none(self):
        self.assertEqual(self.output("print(cuvette.reports()); cuvette.enable(); print(cuvette.reports())"), "[]\n[]")

    def test_names_of_numba_are_cut(self):
        self.assertEqual(self.output("""
            from cuvette._reports import short_names
            name = "m::add[abi:v1][abi:c8tJTIeFIjxB2_3d](Array<float, 1, C, mutable, aligned>, int)"
            print(short_names(f"In the kernel {name}, thread (0, 0, 0) of it"))
            """), "In the kernel m::add, thread (0, 0, 0) of it")

    def test_kinds_of_checks_exist(self):
        known = set(re.findall(r"^\| `([a-z-]+)` \|", (HERE.parents[1] / "docs" / "reports.md").read_text(), re.M))
        named = self.output("from cuvette._checks import CHECKS; print(*set().union(*CHECKS.values()), *CHECKS)").split()
        self.assertEqual(set(named) - known, set())


class Command(Case):
    def test_it_is_the_trees(self):
        for program in ("from cuvette._command import main; sys.argv[1:] = ['info', '--profiles']; main()",
                        "import runpy; sys.argv[1:] = ['info', '--profiles']; runpy.run_module('cuvette', run_name='__main__')"):
            self.assertIn("a100-80gb", self.output(program))

    def test_exit_status(self):
        self.assertEqual(python("from cuvette._command import main; sys.argv[1:] = ['nonsense']; main()").returncode,
                         subprocess.run([str(BUILD / "bin" / "cuvette"), "nonsense"], stderr=subprocess.DEVNULL).returncode)


unittest.main()
