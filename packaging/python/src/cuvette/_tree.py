# SPDX-License-Identifier: Apache-2.0
"""Where the command and the libraries lie."""
import functools
import os
import pathlib
import subprocess
from typing import Iterator

PACKAGE = pathlib.Path(__file__).resolve().parent
# Instead of the package's own tree: an installed one or a build folder, for Cuvette's own tests.
OTHER_TREE = "CUVETTE_TEST_TREE"
# By the file: the name alone would be another project's.
INSTALL_AGAIN = "Install it again (pip install --force-reinstall ./cuvette-*.whl, the file of a release)."


def _candidates() -> Iterator[pathlib.Path]:
    if os.environ.get(OTHER_TREE):
        yield pathlib.Path(os.environ[OTHER_TREE])
        return
    yield PACKAGE / "_tree"
    # A checkout: packaging/python/src/cuvette, and beside packaging the build folder of the presets.
    if PACKAGE.parts[-4:] == ("packaging", "python", "src", "cuvette"):
        yield PACKAGE.parents[3] / "build" / "release"


@functools.lru_cache(maxsize=None)
def tree() -> pathlib.Path:
    """Returns the folder with bin/cuvette."""
    looked_at = []
    for folder in _candidates():
        if (folder / "bin" / "cuvette").exists():
            return folder
        looked_at.append(str(folder))
    raise FileNotFoundError(f"there is no bin/cuvette in {' or '.join(looked_at)}: the package is not complete. "
                            + INSTALL_AGAIN)


def command() -> pathlib.Path:
    return tree() / "bin" / "cuvette"


def libraries() -> pathlib.Path:
    """Returns the folder with libcuda.so.1."""
    for folder in (tree() / "lib" / "cuvette", tree() / "lib"):
        if (folder / "libcuda.so.1").exists():
            return folder
    raise FileNotFoundError(f"there is no libcuda.so.1 in {tree() / 'lib' / 'cuvette'}: the package is not complete. "
                            + INSTALL_AGAIN)


@functools.lru_cache(maxsize=None)
def version_of_tree() -> str:
    answer = subprocess.run([str(command()), "--version"], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return answer.stdout.split()[-1]
