#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Jupyter notebook of lessons of the course: notebook.py COURSE LESSON... > FILE.

Text stays text; where a page runs its program in a terminal, the notebook has the program in a cell, or runs it again
with other options. Links to files of the course become plain words, since a notebook travels alone."""
import json
import pathlib
import re
import shlex
import sys
from typing import Dict, Iterator, List, Tuple

VIEWS = {"run": "", "explore": "--explore", "profile": "--profile", "trace": "--timeline"}
FENCE = re.compile(r"^(```+)(\w*)$")
PROGRAM = "./program"
INTRODUCTION = """# {title}

These are lessons {first} to {last} of Cuvette's course. Each cell below a text is a CUDA program. It runs on a GPU made of
software, so this machine needs no GPU: change a program and run its cell again, as often as you like.

Install once: `pip install` Cuvette's wheel and `jupyterlab`, and clang from your distribution. The exercises of each
lesson wait on the command line: `cuvette learn`."""


class Course(ValueError):
    """A page that has no notebook; says why."""


def cell_of(command: str, compile_options: List[str]) -> str:
    """Returns the line of the magic that does what a command of a page does."""
    words = shlex.split(command)
    if words[:1] != ["cuvette"] or len(words) < 2 or words[1] not in VIEWS or PROGRAM not in words:
        raise Course(f"a notebook cannot run: {command}")
    place = words.index(PROGRAM)
    options = [word for word in words[2:place] if word != "--" and not word.startswith("--html")]
    line = [VIEWS[words[1]]] if VIEWS[words[1]] else []
    if compile_options:
        line.append("--compile=" + shlex.quote(" ".join(compile_options)))
    line += [shlex.quote(option) for option in options]
    if words[place + 1:]:
        line += ["--", *map(shlex.quote, words[place + 1:])]
    return " ".join(line)


def blocks_of(page: str) -> Iterator[Tuple[str, str]]:
    """Splits a page into ("", text) and ("console", the lines of a block that runs commands)."""
    text: List[str] = []
    lines = iter(page.splitlines())
    for line in lines:
        fence = FENCE.match(line)
        if fence is None:
            text.append(line)
            continue
        inside = []
        for line_inside in lines:
            if line_inside == fence[1]:
                break
            inside.append(line_inside)
        else:
            raise Course("a block of code has no end")
        if fence[2] != "console":
            text += [line, *inside, fence[1]]
            continue
        yield "", "\n".join(text)
        yield "console", "\n".join(inside)
        text = []
    yield "", "\n".join(text)


def without_links(text: str) -> str:
    """Links within the course lead nowhere from a notebook; others stay."""
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)


def without_exercises(page: str) -> str:
    return re.split(r"^## Exercises$", page, flags=re.MULTILINE)[0]


def lesson_cells(folder: pathlib.Path) -> Iterator[Tuple[str, str]]:
    """Yields ("markdown" or "code", source) for each cell of a lesson."""
    program = (folder / "program.cu").read_text(encoding="utf-8")
    page = without_exercises((folder / "index.md").read_text(encoding="utf-8"))
    shown = False
    for kind, text in blocks_of(page):
        if kind == "":
            if text.strip():
                yield "markdown", without_links(text).strip()
            continue
        compile_options: List[str] = []
        for command in (line[2:] for line in text.splitlines() if line.startswith("$ ")):
            words = shlex.split(command)
            if words[:2] == ["cuvette", "c++"]:
                output = words.index("-o") if "-o" in words else len(words)
                compile_options = [word for i, word in enumerate(words[2:], 2)
                                   if i not in (output, output + 1) and word.startswith("-") and word != "-g"]
                continue
            line = cell_of(command, compile_options)
            yield "code", f"%cuvette {line}".rstrip() if shown else f"%%cuvette {line}".rstrip() + "\n" + program.rstrip()
            shown = True
    if not shown:
        raise Course(f"{folder.name}/index.md runs its program nowhere")
    yield "markdown", "When everything ran, and which bytes it touched:"
    yield "code", "%cuvette --timeline"


def notebook(course: pathlib.Path, lessons: List[str]) -> Dict[str, object]:
    title = "CUDA without a GPU"
    cells = [("markdown", INTRODUCTION.format(title=title, first=int(lessons[0][:2]), last=int(lessons[-1][:2]))),
             ("code", "%load_ext cuvette")]
    for lesson in lessons:
        cells += lesson_cells(course / lesson)
    made = []
    for number, (kind, source) in enumerate(cells):
        made.append({"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)})
        if kind == "code":
            made[-1].update(execution_count=None, outputs=[])
    return {"cells": made, "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                                        "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        json.dump(notebook(pathlib.Path(sys.argv[1]), sys.argv[2:]), sys.stdout, ensure_ascii=False, indent=1)
    except (Course, OSError) as failure:
        sys.exit(f"notebook.py: {failure}")
    print()


if __name__ == "__main__":
    main()
