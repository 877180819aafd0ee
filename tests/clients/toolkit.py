# SPDX-License-Identifier: Apache-2.0
"""What the clients share that build programs with NVIDIA's nvcc: where the compiler is, its options for PTX and
the shared runtime library, and a run on Cuvette's libcudart.so.13 and libcuda.so.1."""
import os
import pathlib
import subprocess

from harness import Skipped, Wrong

HOME = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
# No machine code of NVIDIA's GPUs: PTX is what runs here.
OPTIONS = ["-cudart", "shared", "-gencode", "arch=compute_80,code=compute_80", "-w"]


def checkout(variable):
    """The folder of a repository that is checked out on this machine; None if `variable` does not name one."""
    folder = os.environ.get(variable)
    return pathlib.Path(folder).resolve() if folder and os.path.isdir(folder) else None


def missing(variable, repository):
    """What a case says where the repository or the compiler is not there."""
    def check(machine):
        raise Skipped(f"{variable} names no folder with {repository}")
    return check


def compiler():
    path = HOME / "bin/nvcc"
    if not path.exists():
        raise Skipped(f"there is no {path}")
    return path


def build(command, folder, timeout=300):
    """Builds a program; Skipped if that fails, since what does not build says nothing of Cuvette."""
    path = f"{HOME / 'bin'}:{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, env=dict(os.environ, PATH=path),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Skipped(f"does not build within {timeout} s") from None
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or ["no reason"]
        raise Skipped(f"does not build: {lines[0][:120].replace('|', '/')}")


def run(machine, command, timeout=60, environment=None):
    """What a program prints; Skipped if a processor needs longer than `timeout` seconds for it."""
    try:
        return machine.run(command, timeout=timeout, environment=environment).stdout
    except Wrong as reason:
        if "does not end" in str(reason):
            raise Skipped(f"not waited for longer than {timeout} s") from None
        raise
