# SPDX-License-Identifier: Apache-2.0
"""Cuvette, a CUDA device made of software, in this process:

    import cuvette

    cuvette.enable(check="races,memory")    # before the first import that loads CUDA
    from numba import cuda
    ...
    for report in cuvette.reports():
        print(report.place, report.kind, report.message)

``python -m cuvette`` and the command ``cuvette`` are the command line: ``cuvette run -- python program.py`` needs no
change to the program. Tests run on Cuvette with ``pytest --cuvette``. In a notebook, ``%load_ext cuvette`` adds the
cell magic ``%%cuvette``, which compiles a CUDA program and runs it.
"""
from cuvette._enable import enable
from cuvette._reports import Place, Report, reports

__all__ = ["Place", "Report", "enable", "reports", "version"]

version: str
"""The version of the libraries."""


def __getattr__(name: str) -> str:
    if name in ("version", "__version__"):
        from cuvette._tree import version_of_tree
        return version_of_tree()
    raise AttributeError(f"module 'cuvette' has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """Called by `%load_ext cuvette`."""
    from cuvette._notebook import load
    load(shell)
