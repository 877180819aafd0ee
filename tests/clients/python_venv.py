# SPDX-License-Identifier: Apache-2.0
"""What the clients share that are Python packages: a virtual environment with them, from PyPI."""
import pathlib
import subprocess
import sys

from harness import Skipped


def make(folder, packages):
    """Returns the Python of a virtual environment in `folder` that has `packages`; Skipped if they cannot be had."""
    python = pathlib.Path(folder) / "bin" / "python"
    wanted = "\n".join(packages)
    done = pathlib.Path(folder) / "installed.txt"
    if done.exists() and done.read_text() == wanted:
        return python
    for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "-q", *packages]):
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if process.returncode:
            raise Skipped(f"cannot be installed: {(process.stderr.strip().splitlines() or ['no reason'])[-1][:120]}")
    done.write_text(wanted)
    return python
