# SPDX-License-Identifier: Apache-2.0
"""cuvette.reports(): the mistakes that Cuvette has reported, as objects."""
import dataclasses
import json
import os
import re
from typing import Dict, List, Optional, Tuple, Union

# Where the driver writes a line of JSON for each report, besides the user's own file (CUVETTE_REPORT). Programs that
# this process starts inherit it.
VARIABLE = "CUVETTE_TEST_REPORTS"

# The order of facts that are places: the line of the kernel, then the call that is to blame, other calls, earlier ones,
# and the place of the allocation.
_RANKS = {"source": 0, "submitted at": 1, "allocated at": 4, "freed at": 4, "mapped at": 4, "registered at": 4}
_FRAME = re.compile(r"(?P<function>.*?) ?\((?P<file>[^()]+):(?P<line>\d+)\)")
_LINE = re.compile(r"(?P<file>[^\s()]+):(?P<line>\d+)\b")
_BETWEEN_FRAMES = ", called from "
_PACKAGES = ("/site-packages/", "/dist-packages/", "/lib/python3")


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of source."""
    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Report:
    """A mistake of the program: docs/reports.md lists the kinds."""
    kind: str
    message: str
    facts: Dict[str, Union[str, int]]
    advice: str
    process: int

    @property
    def places(self) -> List[Place]:
        """The lines of source that it names: lines to blame first, and the innermost frame of each stack first."""
        facts = [(_rank(key), value) for key, value in self.facts.items()
                 if isinstance(value, str) and (key.endswith("source") or key.endswith(" at"))]
        return [place for _, value in sorted(facts, key=lambda fact: fact[0]) for place in _places_in(value)]

    @property
    def place(self) -> Optional[Place]:
        """The line to look at first: one of the program's own in Python, if there is one."""
        own = [place for place in self.places
               if place.file.endswith(".py") and not any(part in place.file for part in _PACKAGES)]
        return next(iter(own or self.places), None)

    @property
    def kernel(self) -> str:
        """The kernel's name, without what Numba adds to it; empty if no kernel is involved."""
        name = self.facts.get("kernel", "")
        return short_name(name) if isinstance(name, str) else ""

    def text(self, folder: str = "") -> str:
        """Returns lines for people: the place, the kind and the message, the facts, what to do. Files below `folder`
        are named relative to it."""
        place = f"{self.place}: " if self.place else ""
        if folder and place.startswith(os.path.join(folder, "")):
            place = os.path.relpath(place, folder)
        lines = [f"{place}[{self.kind}] {short_names(self.message)}"]
        lines += [f"  {key}: {_fact(str(value))}" for key, value in self.facts.items()]
        return "\n".join([*lines, f"  what to do: {self.advice}"])

    def __str__(self) -> str:
        return self.text()


def reports() -> List[Report]:
    """Returns the reports so far: of this process, and of programs that it has started. After enable()."""
    return _source.read_all() if _source else []


def short_name(name: str) -> str:
    """The name of a kernel without the signature that Numba mangles into it."""
    return re.sub(r"\[abi:.*", "", name, flags=re.DOTALL)


def short_names(text: str) -> str:
    """The same for each name in a sentence: `module::kernel[abi:v1][abi:c8tJ...](Array<...>)`."""
    return re.sub(r"(?:\[abi:[^\]]*\])+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?", "", text)


def _rank(key: str) -> int:
    return 3 if key.startswith("earlier") else _RANKS.get(key, 2)


def _places_in(text: str) -> List[Place]:
    """Returns the places of a stack, or of a text that consists of one place."""
    found = []
    for frame in text.split(_BETWEEN_FRAMES):
        match = _FRAME.search(frame) or _LINE.search(frame)
        if match and int(match["line"]) > 0:
            found.append(Place(match["file"], int(match["line"]), match.groupdict().get("function") or ""))
    return found


def _fact(text: str) -> str:
    """A fact for people: a stack has a line for each frame; frames in packages are left out if there are others."""
    frames = text.split(_BETWEEN_FRAMES)
    own = [frame for frame in frames if not any(part in frame for part in _PACKAGES)]
    return short_names("\n    called from ".join(own or frames))


def parsed(line: str) -> Report:
    row = json.loads(line)
    return Report(row["report"], row["sentence"], row["facts"], row["what to do"], row["process"])


class Source:
    """A file that reports are added to. Reads from `begin`, or else from its present end. `only`: reads the reports of
    this process alone."""

    def __init__(self, path: str, begin: Optional[int] = None, only: Optional[int] = None) -> None:
        self._path, self._only = path, only
        self._begin = self.at = os.stat(path).st_size if begin is None else begin

    def read_all(self) -> List[Report]:
        return self._read(self._begin)[0]

    def read_new(self) -> List[Report]:
        found, self.at = self._read(self.at)
        return found

    def _read(self, begin: int) -> Tuple[List[Report], int]:
        with open(self._path, "rb") as file:
            file.seek(begin)
            text = file.read()
        # A line is written at once, but may be read half.
        text = text[:text.rfind(b"\n") + 1]
        found = [parsed(line) for line in text.decode(errors="replace").splitlines()]
        if self._only is not None:
            found = [report for report in found if report.process == self._only]
        return found, begin + len(text)


_source: Optional[Source] = None


def begin(path: Optional[str] = None) -> None:
    """Has the driver write reports where reports() reads them: to the file `path`, or to memory."""
    global _source
    if path is not None:
        with open(path, "ab"):
            pass
        os.environ[VARIABLE] = path
        _source = Source(path)
        return
    inherited = os.environ.get(VARIABLE)
    if inherited and os.path.exists(inherited):
        # The parent reads all of it.
        _source = Source(inherited, only=os.getpid())
        return
    # The memory ends with this process, after the reports that are made at its exit.
    file = os.memfd_create("cuvette-reports")
    os.environ[VARIABLE] = f"/proc/{os.getpid()}/fd/{file}"
    _source = Source(os.environ[VARIABLE])


def source() -> Source:
    """The source that reports() reads; enable() has been called."""
    assert _source is not None
    return _source
