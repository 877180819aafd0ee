# SPDX-License-Identifier: Apache-2.0
"""HeCBench: programs in CUDA that compare what they compute with what the processor computes. HECBENCH names
the folder of a checkout of zjin-lcf/HeCBench."""
import re
import subprocess

import toolkit
from harness import Case, Skipped, Wrong, last_words

TITLE = "HeCBench"
PACKAGES = ["g++", "make"]

LIBRARIES = re.compile(r"lcublas|lcufft|lcusparse|lcurand|lcusolver|nccl|cudnn|lmpi|-lnpp|cutensor|lboost")
GOOD = re.compile(r"pass|success|correct|verified|\bok\b", re.I)
BAD = re.compile(r"\bfail|mismatch|incorrect|wrong", re.I)


def shorter(command):
    """A command with one repetition: benchmarks that are told several numbers, and nothing else, name it last."""
    words = command.split()
    numbers = [at for at, word in enumerate(words) if at and word.isdigit()]
    if len(numbers) > 1 and not re.search(r"[a-zA-Z]", " ".join(words[1:])):
        words[numbers[-1]] = "1"
    return " ".join(words)


def benchmark(folder):
    def check(machine):
        recipe = (folder / "Makefile").read_text()
        if found := LIBRARIES.search(recipe):
            raise Skipped(f"needs a library: {found[0]}")
        compiler = " ".join(map(str, [toolkit.compiler(), *toolkit.OPTIONS]))
        toolkit.build(["make", "-s", "ARCH=compute_80", f"CUDA_ROOT={toolkit.HOME}", f"CC={compiler}"], folder)
        told = subprocess.run(["make", "-n", "-o", "main", "run", "program=main"], cwd=folder,
                              capture_output=True, text=True).stdout.replace("\\\n", " ")
        commands = [line.strip() for line in told.splitlines() if "./main" in line] or ["./main"]
        # They find their data beside themselves and beside their neighbours.
        text = toolkit.run(machine, ["sh", "-c", f"cd '{folder}' && {shorter(commands[0])}"])
        if BAD.search(text):
            raise Wrong(last_words("\n".join(line for line in text.splitlines() if BAD.search(line))))
        if not GOOD.search(text):
            raise Skipped("does not say whether its result is right")
    return check


def cases(machine):
    root = toolkit.checkout("HECBENCH")
    if not root:
        yield Case("all", toolkit.missing("HECBENCH", "zjin-lcf/HeCBench"))
        return
    for recipe in sorted(root.glob("src/*-cuda/Makefile")):
        yield Case(recipe.parent.name.removesuffix("-cuda"), benchmark(recipe.parent))
