#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest: pytest_test.py BUILD, a build folder or an installed tree. Each case is a session of pytest
with its own test files; the exit status is 77 if there is no pytest."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from xml.etree import ElementTree

try:
    import pytest  # noqa: F401
except ImportError:
    print("skipped: there is no pytest (Debian: python3-pytest)")
    sys.exit(77)
try:
    import xdist
except ImportError:
    xdist = None

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PACKAGE = HERE.parents[1] / "packaging" / "python" / "src"
HEAD = """
import pytest
import little_cuda as cuda

@pytest.fixture(scope="session", autouse=True)
def device():
    cuda.start()

@pytest.fixture
def memory():
    allocated = cuda.allocate()
    cuda.store(allocated, 0)
    yield allocated
    cuda.free(allocated)
"""
RACE = HEAD + """
def test_good(memory):
    cuda.store(memory, 3)
    assert cuda.read(memory) == 3

def test_race(memory):
    cuda.race(memory)
"""
LOST = HEAD + """
def test_before(memory):
    cuda.store(memory, 3)

def test_loses():
    cuda.store(cuda.ctypes.c_uint64(4096), 3)

def test_after(memory):
    cuda.store(memory, 3)

def test_last():
    pass
"""


class Result:
    def __init__(self, status, output, folder):
        self.status, self.output, self.folder = status, output, folder

    def outcomes(self):
        """The outcomes that pytest -v prints for each test."""
        return dict(re.findall(r"^\S+::(test_\S+) (PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)", self.output,
                               re.M))

    def count(self, what):
        found = re.search(rf"(\d+) {what}", self.output.strip().splitlines()[-1])
        return int(found[1]) if found else 0


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="test_it.py"):
        file = self.folder / name
        file.write_text(textwrap.dedent(text))
        return file

    def pytest(self, *arguments, cache=False, **variables):
        """Runs pytest -v in the folder; its stderr comes after its stdout."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("CUVETTE_", "LD_", "PYTEST_"))}
        environment = {**kept, "PYTHONPATH": f"{PACKAGE}:{HERE}", "CUVETTE_TEST_TREE": str(BUILD),
                       "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200", **variables}
        plugins = ["-p", "cuvette._pytest", *(["-p", "xdist"] if xdist else []),
                   *([] if cache else ["-p", "no:cacheprovider"])]
        process = subprocess.run([sys.executable, "-m", "pytest", "-v", *plugins, *arguments], cwd=self.folder,
                                 env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                                 timeout=300)
        return Result(process.returncode, process.stdout, self.folder), process.stderr

    def run_tests(self, text, *arguments, **options):
        self.write(text)
        return self.pytest(*arguments, **options)[0]


class Reports(Case):
    def test_a_report_fails_its_own_test(self):
        result = self.run_tests(RACE, "--cuvette")
        self.assertEqual(result.outcomes(), {"test_good": "PASSED", "test_race": "FAILED"}, result.output)
        self.assertEqual(result.status, 1)

    def test_the_line_of_python_comes_first(self):
        output = self.run_tests(RACE, "--cuvette").output
        line = RACE[:RACE.index("cuda.race")].count("\n") + 1
        self.assertRegex(output, r"_ test_race _+\n\S*little_cuda.py:\d+: \[thread-race\] In the kernel race, ")
        self.assertRegex(output, rf"launched at: .*\n(.*\n)*?    called from test_race \(\S*test_it.py:{line}\)")

    def test_it_is_not_shown_twice(self):
        result = self.run_tests(RACE, "--cuvette")
        self.assertEqual(result.output.count("nothing orders the two"), 2, result.output)  # 64 threads are two warps
        self.assertNotIn("Captured stderr", result.output)

    def test_each_parameter_has_its_own(self):
        result = self.run_tests(HEAD + """
@pytest.mark.parametrize("n", range(3))
def test_race(memory, n):
    cuda.race(memory)
""", "--cuvette")
        self.assertEqual(set(result.outcomes().values()), {"FAILED"})
        self.assertEqual(result.count("failed"), 3)

    def test_work_that_the_test_has_not_waited_for_is_its_own(self):
        result = self.run_tests(HEAD + """
def test_unordered(memory):
    cuda.store(memory, 1, on=cuda.stream())
    cuda.store(memory, 2, on=cuda.stream())

def test_next(memory):
    cuda.synchronise()
""", "--cuvette=races")
        self.assertEqual(result.outcomes(), {"test_unordered": "FAILED", "test_next": "PASSED"}, result.output)

    def test_a_test_that_fails_by_itself_shows_them_too(self):
        result = self.run_tests(HEAD + """
def test_both(memory):
    cuda.race(memory)
    assert 1 == 2
""", "--cuvette")
        self.assertRegex(result.output, r"assert 1 == 2[^$]*Captured cuvette call[^$]*\[thread-race\]")

    def test_fixtures(self):
        result = self.run_tests(HEAD + """
@pytest.fixture
def bad_start(memory):
    cuda.race(memory)

@pytest.fixture
def bad_end():
    allocated = cuda.allocate()
    yield allocated
    cuda.free(allocated)
    with pytest.raises(cuda.Failed):
        cuda.free(allocated)

def test_start(bad_start):
    pass

def test_end(bad_end):
    pass
""", "--cuvette")
        self.assertRegex(result.output, r"ERROR at setup of test_start [^$]*\[thread-race\]")
        self.assertRegex(result.output, r"ERROR at teardown of test_end [^$]*\[double-free\]")
        self.assertEqual((result.count("passed"), result.count("error")), (1, 2))

    def test_fixtures_may_hold_memory_over_several_tests(self):
        result = self.run_tests(HEAD + """
@pytest.fixture(scope="module")
def shared():
    allocated = cuda.allocate()
    yield allocated
    cuda.free(allocated)

def test_one(shared):
    cuda.store(shared, 1)

def test_two(shared):
    assert cuda.read(shared) == 1
""", "--cuvette")
        self.assertEqual((result.status, result.count("passed")), (0, 2), result.output)

    def test_classes_of_unittest(self):
        result = self.run_tests(HEAD + """
import unittest
class TestIt(unittest.TestCase):
    def setUp(self):
        self.memory = cuda.allocate()
    def tearDown(self):
        cuda.free(self.memory)
    def test_good(self):
        cuda.store(self.memory, 1)
    def test_race(self):
        cuda.race(self.memory)
    def test_both(self):
        cuda.race(self.memory)
        self.fail("mine")
""", "--cuvette")
        self.assertEqual(result.outcomes(), {"test_good": "PASSED", "test_race": "FAILED", "test_both": "FAILED"},
                         result.output)
        self.assertIn("AssertionError: mine", result.output)

    def test_expected_failures(self):
        result = self.run_tests(HEAD + """
@pytest.mark.xfail
def test_race(memory):
    cuda.race(memory)

@pytest.mark.xfail(strict=True)
def test_good(memory):
    cuda.store(memory, 1)
""", "--cuvette")
        self.assertEqual(result.outcomes(), {"test_race": "XFAIL", "test_good": "FAILED"})

    def test_programs_that_a_test_starts(self):
        result = self.run_tests("""
import subprocess, sys
def test_program():
    subprocess.run([sys.executable, "-c", '''if True:
        import little_cuda as cuda
        cuda.start()
        cuda.race(cuda.allocate())
        cuda.synchronise()
        '''])
""", "--cuvette=races", "--cuvette-no-require")
        self.assertEqual(result.outcomes(), {"test_program": "FAILED"}, result.output)


class Marks(Case):
    def test_allowed_kinds(self):
        result = self.run_tests(HEAD + """
@pytest.mark.cuvette(allow=["thread-race"])
def test_list(memory):
    cuda.race(memory)

@pytest.mark.cuvette(allow="thread-race")
def test_text(memory):
    cuda.race(memory)

@pytest.mark.cuvette(allow=["unordered-access"])
def test_other(memory):
    cuda.race(memory)
""", "--cuvette", "--strict-markers")
        self.assertEqual(result.outcomes(), {"test_list": "PASSED", "test_text": "PASSED", "test_other": "FAILED"})

    def test_what_is_allowed_does_not_decide_the_exit_status(self):
        result = self.run_tests(HEAD + """
@pytest.mark.cuvette(allow=["thread-race"])
def test_it(memory):
    cuda.race(memory)
""", "--cuvette")
        self.assertEqual(result.status, 0)

    def test_checks_of_a_test(self):
        text = HEAD + """
@pytest.mark.cuvette(checks="races")
def test_more(memory):
    cuda.race(memory)

@pytest.mark.cuvette(checks=["memory", "sync"])
def test_others(memory):
    cuda.race(memory)

def test_session(memory):
    cuda.race(memory)
"""
        self.assertEqual(self.run_tests(text, "--cuvette=memory").outcomes(),
                         {"test_more": "FAILED", "test_others": "PASSED", "test_session": "PASSED"})
        self.assertEqual(self.run_tests(text, "--cuvette=races").outcomes(),
                         {"test_more": "FAILED", "test_others": "PASSED", "test_session": "FAILED"})

    def test_mistakes_in_marks(self):
        for mark, words in (("checks='rcaes'", "rcaes"), ("check='races'", "checks=... and allow"),
                            ("'races'", "checks=... and allow")):
            self.write(f"import pytest\n@pytest.mark.cuvette({mark})\ndef test_it(): pass\n")
            result, errors = self.pytest("--cuvette")
            self.assertEqual(result.status, 4, mark)
            self.assertIn(words, result.output + errors)

    def test_without_the_option_marks_mean_nothing(self):
        result = self.run_tests("import pytest\n@pytest.mark.cuvette(allow=['x'])\ndef test_it(): pass\n",
                                "--strict-markers")
        self.assertEqual(result.status, 0, result.output)


class Session(Case):
    def test_leaks_fail_it(self):
        self.write(HEAD + "def test_leaks():\n    cuda.allocate()\n")
        result, errors = self.pytest("--cuvette")
        self.assertEqual((result.count("passed"), result.status), (1, 1))
        self.assertIn("[leaked-memory]", errors)
        self.assertIn("the exit status is 1", errors)

    def test_the_exit_status_of_the_environment_is_kept(self):
        self.write(HEAD + "def test_leaks():\n    cuda.allocate()\n")
        self.assertEqual(self.pytest("--cuvette", CUVETTE_ERROR_EXITCODE="99")[0].status, 99)

    def test_reports_that_belong_to_no_test(self):
        result = self.run_tests("""
import pytest
import little_cuda as cuda
cuda.start()
allocated = cuda.allocate()
cuda.store(allocated, 0)
cuda.race(allocated)
cuda.synchronise()
cuda.free(allocated)
def test_it():
    pass
""", "--cuvette")
        self.assertEqual((result.count("passed"), result.status), (1, 1))
        self.assertRegex(result.output, r"= cuvette =+\nbefore test_it.py::test_it: \S+: \[thread-race\]")

    def test_tests_without_cuda(self):
        result = self.run_tests("def test_it(): pass", "--cuvette")
        self.assertEqual((result.count("passed"), result.status), (1, 1))
        self.assertIn("no test used Cuvette (1 test run)", result.output)
        self.assertEqual(self.run_tests("def test_it(): pass", "--cuvette", "--cuvette-no-require").status, 0)

    def test_no_tests(self):
        self.assertEqual(self.run_tests("", "--cuvette").status, 5)

    def test_a_lost_device_is_said_once(self):
        result = self.run_tests(LOST, "--cuvette")
        self.assertEqual(result.outcomes(), {"test_before": "PASSED", "test_loses": "FAILED", "test_after": "SKIPPED",
                                             "test_last": "SKIPPED"})
        self.assertEqual(result.output.split("short test summary")[0].count("illegal-address"), 1, result.output)
        self.assertIn("the device was lost in test_it.py::test_loses (CUDA_ERROR_ILLEGAL_ADDRESS): 2 later tests not run",
                      result.output)

    def test_what_is_not_run_is_not_passed(self):
        result = self.run_tests(LOST.replace("def test_loses", "@pytest.mark.cuvette(allow='illegal-address')\n"
                                                               "def test_loses"), "--cuvette")
        self.assertEqual((result.count("failed"), result.status), (0, 1))

    def test_isolated_tests_have_devices_of_their_own(self):
        result = self.run_tests(LOST, "--cuvette", "--cuvette-isolate")
        self.assertEqual(result.outcomes(), {"test_before": "PASSED", "test_loses": "FAILED", "test_after": "PASSED",
                                             "test_last": "PASSED"}, result.output)

    def test_isolated_tests_leak_and_crash_alone(self):
        result = self.run_tests(HEAD + """
def test_leaks():
    cuda.allocate()

def test_dies():
    import os
    os.kill(os.getpid(), 11)

def test_good(memory):
    cuda.store(memory, 1)
""", "--cuvette", "--cuvette-isolate", "--junit-xml=it.xml")
        self.assertRegex(result.output, r"FAILED \S+test_leaks - .*\[leaked-memory\]|ERROR at teardown of test_leaks")
        self.assertIn("SIGSEGV has ended the test's process", result.output)
        self.assertEqual(result.status, 1)
        self.assertEqual(result.outcomes().get("test_good"), "PASSED")
        self.assertEqual({case.get("name") for case in ElementTree.parse(self.folder / "it.xml").iter("testcase")},
                         {"test_leaks", "test_dies", "test_good"})


class Options(Case):
    def test_without_it_nothing_happens(self):
        result = self.run_tests("""
import os
def test_it():
    assert not [name for name in os.environ if name.startswith("CUVETTE_") and name != "CUVETTE_TEST_TREE"]
    assert not [line for line in open("/proc/self/maps") if "libcuda" in line]
""")
        self.assertEqual((result.status, result.count("passed")), (0, 1), result.output)

    def test_a_path_is_no_check(self):
        self.write(RACE)
        (self.folder / "memory").mkdir()
        self.write(RACE, "memory/test_that.py")
        for arguments in (["--cuvette", "test_it.py"], ["--cuvette", "test_it.py::test_race"], ["--cuvette", "memory"]):
            result, errors = self.pytest(*arguments)
            self.assertEqual(result.count("failed"), 1, result.output + errors)
        self.assertEqual(self.pytest("--cuvette", "races", "test_it.py")[0].count("failed"), 1)

    def test_mistakes(self):
        self.write(RACE)
        for arguments, words in ((["--cuvette=rcaes"], "did you mean 'races'"),
                                 (["--cuvette", "--cuvette-knob=devise=h200"], "did you mean device?"),
                                 (["--cuvette", "--cuvette-knob=device"], "has no value"),
                                 (["--cuvette-isolate"], "--cuvette-isolate needs --cuvette"),
                                 (["--cuvette-orders=3"], "--cuvette-orders needs --cuvette"),
                                 (["--cuvette", "--cuvette-orders=0"], "from 1 to 1000")):
            result, errors = self.pytest(*arguments)
            self.assertEqual(result.status, 4, arguments)
            self.assertIn(words, errors)

    def test_knobs(self):
        result = self.run_tests(HEAD + """
def test_it():
    name = cuda.ctypes.create_string_buffer(99)
    cuda.call("cuDeviceGetName", name, 99, 0)
    assert name.value == b"NVIDIA A100-SXM4-80GB"
""", "--cuvette=none", "--cuvette-knob=device=a100-80gb", "--cuvette-knob", "error-exitcode=3")
        self.assertEqual(result.status, 0, result.output)

    def test_conftest_is_loaded_after_it(self):
        self.write("import little_cuda as cuda\ncuda.start()\n", "conftest.py")
        self.assertEqual(self.run_tests(RACE, "--cuvette").count("failed"), 1)

    def test_pytests_own_options(self):
        self.write(RACE + "def test_third(memory):\n    cuda.race(memory)\n")
        collected = self.pytest("--cuvette", "--collect-only")[0]
        self.assertEqual((collected.status, "thread-race" in collected.output), (0, False))
        stopped = self.pytest("--cuvette", "-x", cache=True)[0]
        self.assertEqual(stopped.outcomes(), {"test_good": "PASSED", "test_race": "FAILED"})
        again = self.pytest("--cuvette", "--lf", cache=True)[0]
        self.assertEqual((again.count("failed"), again.count("passed")), (1, 0), again.output)

    def test_junit_is_pytests_own(self):
        self.run_tests(RACE, "--cuvette", "--junit-xml=it.xml")
        cases = {case.get("name"): case.find("failure") for case in ElementTree.parse(self.folder / "it.xml").iter("testcase")}
        self.assertEqual(set(cases), {"test_good", "test_race"})
        self.assertIsNone(cases["test_good"])
        self.assertIn("[thread-race]", cases["test_race"].get("message"))


class Orders(Case):
    TEXT = HEAD + """
def test_unordered(memory):
    one, other = cuda.stream(), cuda.stream()
    cuda.store(memory, 1, on=one)
    cuda.store(memory, 2, on=other)
    cuda.call("cuStreamSynchronize", other)
    cuda.call("cuStreamSynchronize", one)
    assert cuda.read(memory) == 2

def test_ordered(memory):
    cuda.store(memory, 1)
    assert cuda.read(memory) == 1
"""

    def test_a_test_that_fails_in_one(self):
        result = self.run_tests(self.TEXT, "--cuvette=none", "--cuvette-orders=3", "--junit-xml=it.xml")
        self.assertEqual(result.status, 1)
        self.assertIn("cuvette: order 3 of 3: turned", result.output)
        self.assertIn("test_it.py::test_unordered: fails in lazy", result.output)
        self.assertIn("again: pytest --cuvette=none --cuvette-knob=schedule=lazy 'test_it.py::test_unordered'", result.output)
        self.assertEqual([(suite.get("name"), suite.get("failures")) for suite in
                          ElementTree.parse(self.folder / "it.xml").iter("testsuite")],
                         [("pytest eager", "0"), ("pytest lazy", "1"), ("pytest turned", "0")])
        again = self.run_tests(self.TEXT, "--cuvette=none", "--cuvette-knob=schedule=lazy", "test_it.py::test_unordered")
        self.assertEqual(again.outcomes(), {"test_unordered": "FAILED"})

    def test_tests_that_fail_in_none(self):
        result = self.run_tests(self.TEXT, "--cuvette=none", "--cuvette-orders=3", "-k", "test_ordered")
        self.assertEqual(result.status, 0, result.output)
        self.assertIn("3 of 3 orders run, no test fails", result.output)

    def test_last_failed_knows_all_orders(self):
        self.run_tests(self.TEXT, "--cuvette=none", "--cuvette-orders=3", cache=True)
        again = self.pytest("--cuvette=none", "--lf", cache=True)[0]
        self.assertEqual(list(again.outcomes()), ["test_unordered"])


@unittest.skipUnless(xdist, "there is no pytest-xdist")
class Workers(Case):
    def test_reports_and_leaks(self):
        result = self.run_tests(RACE + "def test_leaks():\n    cuda.allocate()\n", "--cuvette", "-n2")
        self.assertEqual((result.count("failed"), result.count("passed"), result.status), (1, 2, 1))
        self.assertRegex(result.output, r"at the end of gw\d: \S+: \[leaked-memory\]")

    def test_good_tests(self):
        self.assertEqual(self.run_tests(RACE, "--cuvette", "-n2", "-k", "good").status, 0)

    def test_tests_without_cuda(self):
        self.assertEqual(self.run_tests("def test_it(): pass", "--cuvette", "-n2").status, 1)

    def test_a_lost_device(self):
        result = self.run_tests(LOST, "--cuvette", "-n1")
        self.assertEqual((result.status, result.count("skipped")), (1, 2), result.output)
        self.assertIn("the device was lost in test_it.py::test_loses", result.output)

    def test_isolated(self):
        result = self.run_tests(LOST, "--cuvette", "-n2", "--cuvette-isolate")
        self.assertEqual((result.count("failed"), result.count("passed")), (1, 3), result.output)


unittest.main()
