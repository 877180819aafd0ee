# SPDX-License-Identifier: Apache-2.0
"""HeCBench: programs in CUDA that compare what they compute with what the processor computes. HECBENCH names
the folder of a checkout of zjin-lcf/HeCBench. hecbench_arguments.txt says which are run, and with what: a
processor would need hours for the sizes that suit a GPU."""
import pathlib
import re
import shlex
import subprocess

import toolkit
from harness import Case, Skipped, Wrong, last_words

TITLE = "HeCBench"
PACKAGES = ["g++", "make"]

LIBRARIES = re.compile(r"lcublas|lcufft|lcusparse|lcurand|lcusolver|nccl|cudnn|lmpi|-lnpp|cutensor|lboost")
GOOD = re.compile(r"pass|success|correct|verified|\bok\b", re.I)
BAD = re.compile(r"\bfail(?!ures: 0\b)|mismatch|incorrect|wrong", re.I)
# What those print where all is well that print a word of BAD then, or neither that nor one of GOOD.
EXPECTED = {"assert": r"Test assert completed, returned OK", "affine": r"Max output error is [01]\s",
            "babelstream": r"Dot",  # which says "Validation failed" otherwise
            "distort": r"Max error of each channel: [01] [01] [01]\s",
            "expdist": r"device result: ([\d.]+)\s+host result: \1\s",
            "heat": r"Error \(L2norm\): [\d.]+e-(?:0[6-9]|[1-9]\d)",  # against the solution known beforehand
            "lud": r">>>Verify<<<<\s*\Z",  # after which it lists what differs
            "quicksort": r"Number of failures: 0 out of",
            "simpleMultiDevice": r"Relative difference: [\d.]+E-(?:0[6-9]|[1-9]\d)"}


def arguments():
    """What each program is called with; None: as its Makefile does."""
    table = pathlib.Path(__file__).with_name("hecbench_arguments.txt").read_text()
    lines = [line.split(None, 1) for line in table.splitlines() if not line.startswith("#")]
    return {words[0]: words[1] if len(words) > 1 else None for words in lines}


def shorter(command):
    """A command with one repetition: benchmarks that are told several numbers, and nothing else, name it last."""
    words = command.split()
    numbers = [at for at, word in enumerate(words) if at and word.isdigit()]
    if len(numbers) > 1 and not re.search(r"[a-zA-Z]", " ".join(words[1:])):
        words[numbers[-1]] = "1"
    return " ".join(words)


def own_command(folder):
    """How a program's Makefile calls it, with one repetition."""
    told = subprocess.run(["make", "-n", "-o", "main", "run", "program=main"], cwd=folder,
                          capture_output=True, text=True).stdout.replace("\\\n", " ")
    commands = [line.strip() for line in told.splitlines() if "./main" in line] or ["./main"]
    return shorter(commands[0])


def judge(name, text):
    """Wrong or Skipped unless a program's words say that its result is right."""
    if BAD.search(text) and name != "assert":
        raise Wrong(last_words("\n".join(line for line in text.splitlines() if BAD.search(line))))
    if name in EXPECTED:
        if not re.search(EXPECTED[name], text):
            raise Wrong(last_words(text))
    elif not GOOD.search(text):
        raise Skipped("does not say whether its result is right")


def lacking(folder, command):
    """Skipped if a file that a program reads is kept elsewhere than in the repository."""
    for word in command.split()[1:]:
        file = re.search(r"[a-zA-Z]\S*\.[a-zA-Z]\w+$", word) and not re.search(r"out|result", word, re.I)
        if (file and not (folder / word).exists()) or (folder / f"{word}.tar.gz.dvc").exists():
            raise Skipped(f"its data is not in the repository: {word}")


def run_and_judge(machine, folder, command, environment=None):
    # They find their data beside themselves and beside their neighbours.
    text = toolkit.run(machine, ["sh", "-c", f"cd {shlex.quote(str(folder))} && exec {command}"], timeout=120,
                       environment=environment)
    (machine.work / "said.txt").write_text(text)
    judge(folder.name.removesuffix("-cuda"), text)


def benchmark(folder, told):
    def check(machine):
        recipe = (folder / "Makefile").read_text()
        if found := LIBRARIES.search(recipe):
            raise Skipped(f"needs a library: {found[0]}")
        command = f"./main {told}" if told else own_command(folder)
        lacking(folder, command)
        compiler = " ".join(map(str, [toolkit.compiler(), *toolkit.OPTIONS]))
        toolkit.build(["make", "-s", "ARCH=compute_80", f"CUDA_ROOT={toolkit.HOME}", f"CC={compiler}"], folder)
        try:
            run_and_judge(machine, folder, command)
        except Wrong as reason:
            if re.search(r"ends with .*(?:could not|cannot|can't|failed to|unable to) (?:find|open|read|load)\b|"
                         r"ends with .*not found",
                         str(reason), re.I):
                raise Skipped(f"its data is not in the repository: {reason}") from None
            try:  # fresh memory as a GPU tends to have it: zero
                run_and_judge(machine, folder, command, {"CUVETTE_FILL": "none"})
            except Wrong:
                pass
            else:
                raise Skipped("reads memory that it never wrote: right with CUVETTE_FILL=none only") from None
            raise
    return check


def cases(machine):
    root = toolkit.checkout("HECBENCH")
    if not root:
        yield Case("all", toolkit.missing("HECBENCH", "zjin-lcf/HeCBench"))
        return
    for name, told in arguments().items():
        folder = root / f"src/{name}-cuda"
        if (folder / "Makefile").exists():
            yield Case(name, benchmark(folder, told))
