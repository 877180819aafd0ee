#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Orders that are chosen by chance are the ones that the program then runs in, and the line that `save` prints runs
it in the same one.

  choices_test.py CUVETTE STEPPED ORDERING_PROGRAMS [NAME...]

NAME: programs of tests/ordering; STEP_PROGRAMS=N takes more of them than the few that it takes otherwise."""
import os
import random
import re
import subprocess
import sys
import tempfile

CUVETTE, STEPPED, ORDERING = sys.argv[1:4]
DEFINITIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ordering", "orderings.def")
LAST_LINE_OF_HELP = "The first letter of a word is enough."
FEW = 6
MOST_STEPS = 10


class Step:
    """A `cuvette step --plain` that is asked line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([CUVETTE, "step", "--plain", "--"] + program, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ask(self, line):
        # The text of `help` marks the end of an answer.
        self.process.stdin.write(line + "\nhelp\n")
        self.process.stdin.flush()
        text = ""
        for answer in self.process.stdout:
            text += answer
            if answer.strip() == LAST_LINE_OF_HELP:
                return text[:text.rindex("\n> help")]
        raise AssertionError(f"the command ended with {self.process.wait()} after {line}:\n{text}")

    def leave(self):
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait()


def order_of(step):
    """Goes through the run, and returns the names of its commands in their order."""
    text = step.ask("back 100000")
    steps = int(re.search(r"^step \d+ of (\d+)", step.ask("show"), re.MULTILINE)[1])
    names = []
    for i in range(steps):
        text = step.ask("next")
        names.append(re.search(rf"^step {i + 1} of {steps}: (\S+) ", text, re.MULTILINE)[1])
    return names


def began_in(line):
    """Runs the line of `save`, and returns the names in its order log."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        environment = dict(os.environ, CUVETTE_ORDER_LOG=log)
        assert line.startswith("cuvette run "), line
        subprocess.run(CUVETTE + line[len("cuvette"):], shell=True, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        with open(log, encoding="utf-8") as file:
            return [text.split("\t")[1].strip() for text in file if text.startswith("began\t")]


def check(program, seed):
    chance = random.Random(seed)
    step = Step(program)
    text = step.ask("show")
    chosen = []
    for _ in range(MOST_STEPS):
        # Names of commands that are ready, in the rows of streams.
        state = re.split(r"^step \d+ of ", text, flags=re.MULTILINE)[-1]
        ready = re.findall(r"^  (\d+\.\d+(?:\.\d+)?) +ready ", state, re.MULTILINE)
        if not ready:
            break
        if chance.random() < 0.6:
            name = chance.choice(ready)
            text = step.ask("choose " + name)
            assert re.search(rf"^step (\d+) of \d+: {re.escape(name)} ", text, re.MULTILINE), \
                f"{program}, seed {seed}: {chosen} and {name}:\n{text}"
            chosen.append(name)
        else:
            text = step.ask("next")
            if "\nnext: " not in text:
                break
    saved = step.ask("save")
    lines = [line for line in saved.splitlines() if line.startswith("cuvette run ")]
    assert len(lines) == 1 and "did not repeat" not in saved, f"{program}, seed {seed}: {chosen}:\n{saved}"
    order = order_of(step)
    assert step.leave() == 0, f"{program}, seed {seed}: {chosen}: status"
    repeated = began_in(lines[0])
    assert repeated == order, f"{program}, seed {seed}: {chosen}:\n{lines[0]}\n{order}\n{repeated}"
    return len(chosen)


def main():
    names = sys.argv[4:]
    if not names:
        with open(DEFINITIONS, encoding="utf-8") as file:
            names = re.findall(r"^ORDERING\((\w+)", file.read(), re.MULTILINE)
        # Threads that the program itself does not order may go another way each time.
        names = [name for name in names if "thread" not in name]
        random.Random(1).shuffle(names)
        names = names[:int(os.environ.get("STEP_PROGRAMS", FEW))]
    choices = check([STEPPED, "graph"], 1)
    for seed, name in enumerate(names):
        for form in ("wrong", "right"):
            choices += check([ORDERING, name, form], seed)
    print(f"{choices} choices in {2 * len(names) + 1} programs")
    assert choices > len(names), "hardly anything was chosen"


if __name__ == "__main__":
    main()
