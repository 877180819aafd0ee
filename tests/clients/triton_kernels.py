# SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton. Triton brings a compiler of its own; its PTX goes to the stand-in for ptxas that `cuvette run`
names to it."""
import pathlib

import python_venv
from harness import Case, Skipped, Wrong

TITLE = "Triton"
PACKAGES = ["python3-venv", "gcc"]
WANTED = ["triton==3.9.0", "cuda-bindings", "numpy"]
PROGRAM = pathlib.Path(__file__).resolve().parent / "triton_program.py"
KERNELS = ["add", "softmax", "matmul", "large_matmul", "histogram", "cumulative_sum", "sort"]
# The H200's own wgmma is not implemented; a kernel that is compiled for another device uses mma.
DEVICES = ["a100-80gb", "t4", "h200"]


def kernel(python, name, device):
    def check(machine):
        # The command lies beside the libraries, as it is built and as it is installed.
        library = pathlib.Path(machine.library)
        commands = [library.parent / "bin/cuvette", library.parent.parent / "bin/cuvette"]
        command = next((str(path) for path in commands if path.exists()), None)
        if not command:
            raise Skipped("there is no command `cuvette` beside the library")
        text = machine.run([command, "run", f"--device={device}", "--", python, "-W", "ignore", PROGRAM, name],
                           environment={"TRITON_CACHE_DIR": str(machine.work / "cache")}).stdout
        if f"{name}: right" not in text:
            raise Wrong(text.strip().splitlines()[-1][:120])
    return check


def cases(machine):
    try:
        python = python_venv.make(machine.work / "venv", WANTED)
    except Skipped as reason:
        def refused(machine, reason=str(reason)):
            raise Skipped(reason)
        yield Case("all", refused)
        return
    for device in DEVICES:
        for name in KERNELS:
            yield Case(f"{name} on {device}", kernel(python, name, device))
