# SPDX-License-Identifier: Apache-2.0
"""Numba's own tests of its CUDA target, a module each. Numba compiles with libnvvm and libdevice of a CUDA toolkit,
and links with libnvJitLink."""
import os
import subprocess

import python_venv
import toolkit
from harness import Case, Skipped, Wrong, last_words

TITLE = "Numba's tests"
PACKAGES = ["python3-venv"]
# Those behind numba-cuda are what its tests import.
WANTED = ["numba-cuda==0.30.4", "numpy", "pytest", "filecheck", "ml_dtypes", "cffi",
          "psutil"]
FOLDERS = ["core", "cudadrv", "cudapy", "doc_examples"]


def module(python, name):
    def check(machine):
        if not (toolkit.HOME / "bin/nvcc").exists():
            raise Skipped(f"there is no toolkit in {toolkit.HOME}")
        # A module that fails says so in its last line, and tells how many of its tests did.
        text = machine.run(["sh", "-c", f"'{python}' -W ignore -m unittest numba.cuda.tests.{name} || true"], timeout=300,
                           environment={"CUDA_HOME": str(toolkit.HOME), "CUVETTE_MEMORY": "8G"},
                           libraries=[str(toolkit.HOME / "lib64")]).stdout
        end = text.strip().splitlines()[-1] if text.strip() else ""
        if not end.startswith("OK"):
            errors = [line for line in text.splitlines() if "Error: " in line]
            raise Wrong(last_words("\n".join(errors + [end])[-300:]))
        return end
    return check


def cases(machine):
    try:
        python = python_venv.make(machine.work / "venv", WANTED)
    except Skipped as reason:
        def refused(machine, reason=str(reason)):
            raise Skipped(reason)
        yield Case("all", refused)
        return
    # Numba finds its own tests in the folder of the package.
    found = subprocess.run([python, "-c", "import numba_cuda; print(numba_cuda.__path__[0])"], capture_output=True,
                           text=True).stdout.strip()
    for folder in FOLDERS:
        tests = os.path.join(found, "numba", "cuda", "tests", folder)
        for file in sorted(os.listdir(tests)):
            if file.startswith("test_") and file.endswith(".py"):
                name = f"{folder}.{file.removesuffix('.py')}"
                yield Case(name, module(python, name))
