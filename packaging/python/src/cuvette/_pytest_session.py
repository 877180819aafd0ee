# SPDX-License-Identifier: Apache-2.0
"""A session of pytest on Cuvette: a report belongs to the test that is running, or to the session."""
import argparse
import os
import re
import tempfile
from typing import Any, Dict, Generator, List, Optional, Sequence, Set

import pytest

import cuvette
from cuvette import _enable, _reports
from cuvette._checks import CHECKS, checks_of

# The folder for the workers of pytest-xdist: each writes its reports to a file there, and the controller reads them.
WORKERS_FOLDER = "CUVETTE_TEST_WORKERS"
# A hook that wraps the others: pytest sends it their outcome.
Wrapper = Generator[None, Any, None]
# A report as the driver writes it to stderr.
_ON_STDERR = re.compile(r"^cuvette: \[[a-z-]+\] .*\n(?:  .*\n?)*", re.MULTILINE)


def enable(options: argparse.Namespace) -> "Session":
    """Has this process use Cuvette, as the options say. Raises UsageError."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    knobs: Dict[str, Any] = {}
    for knob in options.cuvette_knob:
        name, equals, value = knob.partition("=")
        if not equals:
            raise pytest.UsageError(f"--cuvette-knob={knob} has no value: say {name}=VALUE")
        knobs[name.lower().replace("-", "_")] = value
    if options.cuvette != "none":
        knobs["check"] = options.cuvette
    # Reports at the end of the process fail it; reports that tests cause fail those tests.
    os.environ.setdefault("CUVETTE_ERROR_EXITCODE", "1")
    if worker and os.environ.get(WORKERS_FOLDER):
        _enable.write_reports_to(os.path.join(os.environ[WORKERS_FOLDER], f"{worker}.jsonl"))
    try:
        cuvette.enable(**knobs)
    except (ValueError, RuntimeError, FileNotFoundError) as failure:
        raise pytest.UsageError(f"--cuvette: {failure}") from None
    checks = set(CHECKS) if options.cuvette == "all" else set(knobs.get("check", "").split(",")) - {""}
    return Session(checks, options.cuvette_require)


class Skips:
    """Skips tests after the one that lost the device. This is not done in the session's own hook, which wraps those in
    other plugins: they expect every test to begin."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._session.skip_without_device()


class Session:
    """Watches the tests of this process."""

    def __init__(self, checks: Set[str], require: bool) -> None:
        self.checks = checks
        self.driver = _enable.driver()
        self.source = _reports.source()
        self.outside: List[str] = []  # reports that belong to no test
        self.lost: Optional[str] = None  # the test that lost the device, and how
        self.not_run = 0  # tests after that
        self.ran = 0
        self.used = False
        self._require = require
        self._lost_before = False
        self._folder_of_session = os.getcwd()
        self._workers: Dict[str, Dict[str, Any]] = {}
        self._folder: Optional[tempfile.TemporaryDirectory] = None

    # --- Collection ---

    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(Skips(self), "cuvette-skips")
        if getattr(config.option, "numprocesses", None) or getattr(config.option, "tx", None):
            self._folder = tempfile.TemporaryDirectory(prefix="cuvette-")
            os.environ[WORKERS_FOLDER] = self._folder.name

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        """The process runs all checks that any of its tests asks for."""
        wanted = self.checks.union(*(self._checks_of_test(item) for item in items))
        if wanted == self.checks:
            return
        if self.driver.used():
            raise pytest.UsageError(f"a mark asks for {_words(wanted - self.checks)}, but CUDA was used while tests were "
                                    f"collected, with the checks {_words(self.checks) or 'none'}. Name all checks: "
                                    f"--cuvette={','.join(sorted(wanted))}.")
        os.environ["CUVETTE_CHECK"] = ",".join(sorted(wanted))

    def _checks_of_test(self, item: pytest.Item) -> Set[str]:
        """The checks that the closest mark asks for; the session's if the test has no mark."""
        for mark in item.iter_markers("cuvette"):
            asked = mark.kwargs.get("checks")
            if mark.args or set(mark.kwargs) - {"checks", "allow"}:
                raise pytest.UsageError(f"{item.nodeid}: the mark cuvette takes checks=... and allow=[...] alone")
            if asked is not None:
                words = set(asked.split(",") if isinstance(asked, str) else asked) - {"", "none"}
                words = set(CHECKS) if "all" in words else words
                if not words <= set(CHECKS):
                    raise pytest.UsageError(f"{item.nodeid}: the mark cuvette asks for {_words(words - set(CHECKS))}, and "
                                            f"there are {_words(CHECKS)}")
                return words
        return self.checks

    # --- Tests ---

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Wrapper:
        self._take_outside(f"before {item.nodeid}")
        self.driver.begin()
        self.ran += 1
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Wrapper:
        self._lost_before = bool(self.lost and self.driver.lost())  # a test may have replaced the context
        self._judge(item, "setup", (yield))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Wrapper:
        self._judge(item, "call", (yield))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Wrapper:
        self._judge(item, "teardown", (yield))

    def _judge(self, item: pytest.Item, when: str, outcome: Any) -> None:
        """Fails the phase if it made reports that count."""
        found = self._new_reports(item)
        # It may fail by itself, or be skipped; unittest holds a failure back until the report is made.
        if outcome.excinfo or getattr(item, "_excinfo", None):
            self._add_section(item, when, found)
        elif found:
            failure = pytest.fail.Exception(self.text(found), pytrace=False)
            if hasattr(outcome, "force_exception"):
                outcome.force_exception(failure)
            else:  # pluggy before 1.1
                outcome._excinfo = (type(failure), failure, None)

    def _new_reports(self, item: pytest.Item) -> List[cuvette.Report]:
        """Returns the reports since the last call that count for this test."""
        self.driver.settle()
        error = self.driver.lost()
        if error and not self.lost:
            self.lost = f"{item.nodeid} ({error})"
        return self.counting(self.source.read_new(), item)

    def counting(self, reports: Sequence[cuvette.Report], item: pytest.Item) -> List[cuvette.Report]:
        """Returns those of them that fail the test."""
        return [report for report in reports if self._counts(report, item)]

    def _counts(self, report: cuvette.Report, item: pytest.Item) -> bool:
        allowed: Set[str] = set()
        for mark in item.iter_markers("cuvette"):
            kinds = mark.kwargs.get("allow", ())
            allowed.update([kinds] if isinstance(kinds, str) else kinds)
        makers = checks_of(report.kind)
        return report.kind not in allowed and (not makers or bool(makers & self._checks_of_test(item)))

    def skip_without_device(self) -> None:
        if self._lost_before:
            self.not_run += 1
            pytest.skip(f"the device was lost in {self.lost}")

    def _add_section(self, item: pytest.Item, when: str, found: Sequence[cuvette.Report]) -> None:
        if found:
            item.add_report_section(when, "cuvette", self.text(found))

    def text(self, reports: Sequence[cuvette.Report]) -> str:
        return "\n".join(report.text(self._folder_of_session) for report in reports)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Wrapper:
        """Removes the reports that are shown as the test's failure from its stderr."""
        report = (yield).get_result()
        report.sections = [(title, _ON_STDERR.sub("", text) if "stderr" in title else text)
                           for title, text in report.sections]
        report.sections = [(title, text) for title, text in report.sections if text]

    # --- The end of the session ---

    def _take_outside(self, when: str) -> None:
        self.outside += [f"{when}: {report.text(self._folder_of_session)}" for report in self.source.read_new()]

    def close(self) -> None:
        """After the last test: from here on, reports decide the exit status of the process."""
        if self.driver.used():
            _enable.free_what_packages_keep()
            # The work of each test was checked when the test ended, so no error goes unnoticed.
            self.driver.synchronise()
        self._take_outside("after the last test")
        self.driver.begin()
        self.used = self.used or self.driver.used()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.close()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cuvette"] = {
                "used": self.used, "at": self.source.at, "outside": self.outside, "lost": self.lost,
                "not run": self.not_run, "ran": self.ran}
            return
        self._take_workers()
        failed = bool(self.outside or self.not_run or self._none_used(session))
        if failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _none_used(self, session: pytest.Session) -> bool:
        return self._require and self.ran > 0 and not self.used and not session.config.option.collectonly

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        write = terminalreporter.write_line
        session = terminalreporter._session
        if not (self.outside or self.lost or self._none_used(session)):
            return
        terminalreporter.ensure_newline()
        terminalreporter.section("cuvette", red=True)
        for text in self.outside:
            write(text)
        if self.lost:
            write(f"the device was lost in {self.lost}: {_count(self.not_run, 'later test')} not run. With "
                  "--cuvette-isolate each test has a process, and a device, of its own.")
        if self._none_used(session):
            write(f"no test used Cuvette ({_count(self.ran, 'test')} run): no CUDA was used, or another library than "
                  "libcuda.so.1. If that is meant, say --cuvette-no-require.")

    # --- pytest-xdist: in the controller ---

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get("cuvette")
        if told:
            self._workers[node.gateway.id] = told

    def _take_workers(self) -> None:
        """The workers have ended by now."""
        for name, told in self._workers.items():
            self.ran += told["ran"]
            self.used = self.used or told["used"]
            self.not_run += told["not run"]
            self.lost = self.lost or told["lost"]
            self.outside += [f"{name}: {text}" for text in told["outside"]]
            if self._folder:
                path = os.path.join(self._folder.name, f"{name}.jsonl")
                self.outside += [f"at the end of {name}: {report}" for report in _reports.Source(path, told["at"]).read_new()]
        if self._folder:
            self._folder.cleanup()


def _words(names: Any) -> str:
    return ", ".join(sorted(names))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
