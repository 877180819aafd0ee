# SPDX-License-Identifier: Apache-2.0
"""pytest --cuvette-isolate: runs each test in a new process. A copy made by fork() could not use CUDA if importing the
tests had used it, as Numba's decorators do."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from typing import Any, Dict, List

import pytest

from cuvette._pytest_session import Session

# The file in which the test's process leaves pytest's reports.
ANSWER = "CUVETTE_TEST_ANSWER"


class Isolation:
    """In the user's session: runs each test in another process."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        self._session.ran += 1
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._run(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _run(self, item: pytest.Item) -> List[pytest.TestReport]:
        with tempfile.TemporaryDirectory(prefix="cuvette-test-") as folder:
            answer = pathlib.Path(folder) / "answer.json"
            process = subprocess.run(_command(item), cwd=item.config.invocation_params.dir,
                                     env={**os.environ, ANSWER: str(answer)}, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            told: Dict[str, Any] = json.loads(answer.read_text()) if answer.exists() else {}
        source = self._session.source
        reports = [item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
                   for data in told.get("reports", [])]
        self._session.used = self._session.used or told.get("used", False)
        # Reports at the end of the process, of leaks for example, belong to this test.
        source.at = told.get("at", source.at)
        found = self._session.counting(source.read_new(), item)
        output = process.stdout.decode(errors="replace")
        if process.returncode < 0:
            name = signal.Signals(-process.returncode).name
            reports.append(_failure(item, f"{name} has ended the test's process\n{output}"))
        elif not reports:
            reports.append(_failure(item, f"the test's process has not run it\n{output}"))
        if found:
            reports.append(_failure(item, self._session.text(found)))
        return reports


def _command(item: pytest.Item) -> List[str]:
    """The same pytest for one test."""
    config = item.config
    paths = set(map(str, config.option.file_or_dir))
    arguments = [str(word) for word in config.invocation_params.args if str(word) not in paths]
    if config.pluginmanager.hasplugin("xdist"):
        arguments += ["-n", "0"]
    if getattr(config.option, "xmlpath", None):
        arguments.append(f"--junit-xml={os.devnull}")
    return [sys.executable, "-m", "pytest", *arguments, str(item.path) + "::" + item.nodeid.partition("::")[2]]


def _failure(item: pytest.Item, text: str) -> pytest.TestReport:
    return pytest.TestReport(item.nodeid, item.location, {item.name: 1}, "failed", text, "teardown")


class Answer:
    """In the test's process: hands over pytest's reports."""

    def __init__(self, session: Session, path: str) -> None:
        self._session, self._path = session, path
        self._reports: List[Dict[str, Any]] = []
        self._config: Any = None

    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._reports.append(data)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        told = {"reports": self._reports, "at": self._session.source.at, "used": self._session.used}
        pathlib.Path(self._path).write_text(json.dumps(told))
