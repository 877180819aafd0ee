# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest: `pytest --cuvette` runs tests on Cuvette's devices, and a test fails if anything is reported
during it. Without --cuvette only this file is loaded, which adds the options."""
import argparse
import copy
import os
import re
from typing import TYPE_CHECKING, Any, List, Optional

import pytest

if TYPE_CHECKING:
    from cuvette._pytest_session import Session


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cuvette", "Cuvette, a CUDA device made of software")
    group.addoption("--cuvette", nargs="?", const="all", metavar="CHECKS",
                    help="Run the tests on Cuvette's devices, with these checks (`all` if none are named, `none` for "
                         "what is always reported): a report fails the test that caused it.")
    group.addoption("--cuvette-knob", action="append", default=[], metavar="NAME=VALUE",
                    help="A knob of `cuvette run`, such as device=a100-80gb. May be repeated.")
    group.addoption("--cuvette-require", action="store_true", default=True,
                    help="Fail if no test has used Cuvette (the default).")
    group.addoption("--cuvette-no-require", dest="cuvette_require", action="store_false",
                    help="Pass even if no test has used Cuvette.")
    group.addoption("--cuvette-isolate", action="store_true",
                    help="Run each test in a process of its own, so that one that loses its device does not end the "
                         "others, and memory that it leaks is reported as its own.")
    group.addoption("--cuvette-orders", type=_number_of_orders, default=1, metavar="N",
                    help="Run the tests N times, each time in processes of their own and in another legal order of "
                         "work (docs/schedules.md).")


def _number_of_orders(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of orders from 1 to 1000")
    return int(text)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: List[str]) -> None:
    """Before the first conftest.py, which may import a package that loads CUDA."""
    if _give_paths_back(args):
        early_config.known_args_namespace = parser.parse_known_args(args, namespace=copy.copy(early_config.option))
    options = early_config.known_args_namespace
    if options.cuvette is None:
        for name, default in (("cuvette_knob", []), ("cuvette_isolate", False), ("cuvette_orders", 1)):
            if getattr(options, name) != default:
                raise pytest.UsageError(f"--{name.replace('_', '-')} needs --cuvette")
        return
    from cuvette import _pytest_session
    session = _pytest_session.enable(options)
    early_config.pluginmanager.register(session, "cuvette-session")
    _join_outer_session(early_config, session)


def _join_outer_session(config: pytest.Config, session: "Session") -> None:
    """Registers the plugins for several orders and for tests in separate processes."""
    from cuvette import _pytest_isolation, _pytest_orders
    add = config.pluginmanager.register
    failures, answer = os.environ.get(_pytest_orders.FAILURES), os.environ.get(_pytest_isolation.ANSWER)
    if answer:
        add(_pytest_isolation.Answer(session, answer), "cuvette-answer")
    elif config.known_args_namespace.cuvette_isolate:
        add(_pytest_isolation.Isolation(session), "cuvette-isolation")
    if failures and not answer and "PYTEST_XDIST_WORKER" not in os.environ:
        add(_pytest_orders.Failures(failures), "cuvette-failures")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Optional[Any]:
    if config.option.cuvette is None or config.option.cuvette_orders == 1 or config.option.collectonly:
        return None
    from cuvette import _pytest_orders
    return _pytest_orders.run(config)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cuvette(checks=None, allow=()): with --cuvette, the checks whose reports fail the "
                                       "test, instead of the session's, and the kinds of reports that do not fail it.")


def _give_paths_back(args: List[str]) -> bool:
    """Corrects `--cuvette tests/`: argparse takes the path for the checks. Returns whether there was a path."""
    for at, (option, value) in enumerate(zip(args, args[1:])):
        if option == "--cuvette" and (os.path.exists(value.split("::")[0]) or not re.fullmatch(r"[a-z,]+", value)):
            args[at] = "--cuvette=all"
            return True
    return False
