# SPDX-License-Identifier: Apache-2.0
"""pytest --cuvette-orders=N: the session again and again, each time in another legal order of work. A process keeps one
order from its first use of CUDA to its end, so each order is a separate session."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterator, List
from xml.etree import ElementTree

import pytest

# The file in which the session of one order leaves its failures.
FAILURES = "CUVETTE_TEST_FAILURES"
LAST_FAILED = "cache/lastfailed"


def orders() -> Iterator[str]:
    """The schedules (docs/schedules.md): the plain ones, then random ones."""
    yield from ("eager", "lazy", "turned", "shuffled:1")
    for seed in range(1, 1000):
        yield f"random:{seed}"
        yield f"pct:{seed}:3"
        yield f"shuffled:{seed + 1}"


def run(config: pytest.Config) -> int:
    """Runs the sessions and returns the exit status: the first that is not 0."""
    number = config.option.cuvette_orders
    junit = getattr(config.option, "xmlpath", None)
    failures: Dict[str, Dict[str, str]] = {}  # test -> order -> why
    status = 0
    with tempfile.TemporaryDirectory(prefix="cuvette-orders-") as folder:
        suites = []
        answer = pathlib.Path(folder, "failures.json")
        for at, order in enumerate(_first(number), 1):
            print(f"\n===== cuvette: order {at} of {number}: {order}", flush=True)
            answer.write_text(json.dumps({"failed": list(failures), "is last": at == number}))
            result, found = _run_one(config, order, answer, junit)
            suites += found
            for test, why in result["failed"].items():
                failures.setdefault(test, {})[order] = why
            status = status or result["status"]
            if result["status"] and (config.option.maxfail or result["status"] not in (0, 1)):
                break
        if junit:
            _write_junit(config, junit, suites)
    _print_summary(config, failures, at, number, status)
    return status


def _first(number: int) -> List[str]:
    return [order for order, _ in zip(orders(), range(number))]


def _run_one(config: pytest.Config, order: str, answer: pathlib.Path, junit: Any) -> Any:
    xml = answer.parent / "junit.xml"
    if xml.exists():
        xml.unlink()
    arguments = [sys.executable, "-m", "pytest", *map(str, config.invocation_params.args), "--cuvette-orders=1"]
    if junit:
        arguments.append(f"--junit-xml={xml}")
    environment = {**os.environ, "CUVETTE_SCHEDULE": order, FAILURES: str(answer)}
    status = subprocess.run(arguments, cwd=config.invocation_params.dir, env=environment).returncode
    failed = json.loads(answer.read_text())["failed"]
    suites = []
    if xml.exists():
        for suite in ElementTree.parse(xml).getroot().iter("testsuite"):
            suite.set("name", f"{suite.get('name')} {order}")
            suites.append(suite)
    # A session that ended before its first test has left the file as it was.
    return {"status": status, "failed": failed if isinstance(failed, dict) else {}}, suites


def _write_junit(config: pytest.Config, path: str, suites: List[ElementTree.Element]) -> None:
    """Writes pytest's own suites, one for each order, into the file that was asked for."""
    root = ElementTree.Element("testsuites", {"name": "pytest tests"})
    root.extend(suites)
    file = pathlib.Path(config.invocation_params.dir, os.path.expanduser(os.path.expandvars(path)))
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _print_summary(config: pytest.Config, failures: Dict[str, Dict[str, str]], ran: int, number: int,
                   status: int) -> None:
    print(f"\n===== cuvette: {ran} of {number} orders run, " +
          (f"{len(failures)} {'test fails' if len(failures) == 1 else 'tests fail'} in at least one" if failures else
           "no test fails" if status == 0 else f"exit status {status}"))
    for test, found in failures.items():
        where = "all of them" if len(found) == ran else ", ".join(found)
        print(f"{test}: fails in {where}")
        order, why = next(iter(found.items()))
        print(f"  {why}")
        if len(found) < ran:
            print(f"  again: pytest --cuvette={config.option.cuvette} --cuvette-knob=schedule={order} '{test}'")


class Failures:
    """In the session of one order: writes down each failure, with the reason in one line.

    For --lf, a test that failed in any order has failed, even if it passed in the last one; and each order begins with
    the tests that had failed before the first."""

    def __init__(self, path: str) -> None:
        self._path = pathlib.Path(path)
        self._before = json.loads(self._path.read_text())
        self._failed: Dict[str, str] = {}
        self._cache: Any = None
        self._cached: Any = None

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config
        self._cache = getattr(config, "cache", None)
        if self._cache is not None:
            self._cached = self._cache.get(LAST_FAILED, {})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            lines = (report.longreprtext or "failed").strip().splitlines()
            crash = getattr(getattr(report.longrepr, "reprcrash", None), "message", None)
            self._failed.setdefault(report.nodeid, (crash or lines[0]).splitlines()[0])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps({"failed": self._failed}))
        if self._cache is None:
            return
        is_last = self._before["is last"] or (self._failed and self._config.option.maxfail)
        failed = {test: True for test in self._before["failed"]}
        self._cache.set(LAST_FAILED, {**self._cache.get(LAST_FAILED, {}), **failed} if is_last else self._cached)
