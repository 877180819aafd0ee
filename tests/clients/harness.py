# SPDX-License-Identifier: Apache-2.0
"""What the clients share: a machine that runs programs on Cuvette, and the ways a case can end."""
import dataclasses
import os
import pathlib
import subprocess
import typing


class Wrong(Exception):
    """The program failed, or its result is not the expected one."""


class Skipped(Exception):
    """The case cannot be tried on this machine; the message says why."""


@dataclasses.dataclass
class Case:
    """One run of a client. `check` raises Wrong or Skipped, or returns words for the table."""
    name: str
    check: typing.Callable


class Machine:
    """Runs programs, on Cuvette or without it, in a folder of the client's own."""

    def __init__(self, library, work):
        self.library = os.path.abspath(library)
        self.work = pathlib.Path(work)

    def run(self, command, cuda=True, timeout=300, environment=None, libraries=()):
        """Returns the finished process, stdout and stderr as one text; Wrong if it ends badly or not at all."""
        variables = dict(os.environ, **(environment or {}))
        if cuda:
            folders = [self.library, *libraries, variables.get("LD_LIBRARY_PATH", "")]
            variables["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
        try:
            process = subprocess.run([str(word) for word in command], cwd=self.work, env=variables, text=True,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, timeout=timeout, errors="replace")
        except subprocess.TimeoutExpired:
            raise Wrong(f"does not end within {timeout} s") from None
        if process.returncode:
            raise Wrong(f"ends with {process.returncode}: {last_words(process.stdout)}")
        return process

    def bytes_of(self, name):
        """The content of a file that a program wrote; Wrong if there is none."""
        path = self.work / name
        if not path.exists():
            raise Wrong(f"writes no {name}")
        return path.read_bytes()


def last_words(text):
    """The line of an output that says most: Cuvette's own first, else the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("cuvette:")]
    return (ours or lines or ["nothing printed"])[0 if ours else -1][:200].replace("|", "/")


def differing(expected, got):
    """Compares two byte strings; Wrong unless they are equal."""
    if expected != got:
        at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
        raise Wrong(f"{len(got)} bytes, {len(expected)} expected; the first that differs is byte {at}")


def mean_difference(expected, got):
    """The mean difference of two pictures' bytes, 0 to 255; Wrong if their sizes differ."""
    if len(expected) != len(got) or not got:
        raise Wrong(f"{len(got)} bytes, {len(expected)} expected")
    return sum(abs(a - b) for a, b in zip(expected, got)) / len(got)


def alike(expected, got, limit):
    """Compares two pictures: byte by byte if `limit` is 0, else by their mean difference, which is returned
    in words; Wrong beyond the limit."""
    if limit == 0:
        differing(expected, got)
        return ""
    difference = mean_difference(expected, got)
    if difference > limit:
        raise Wrong(f"mean difference {difference:.2f}, at most {limit} expected")
    return f"mean difference {difference:.2f}"
