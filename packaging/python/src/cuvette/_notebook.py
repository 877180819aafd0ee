# SPDX-License-Identifier: Apache-2.0
"""The magic of notebooks: `%load_ext cuvette`, then cells that begin with `%%cuvette`. A cell is a whole CUDA program:
it is compiled with `cuvette c++`, and run in its own process on Cuvette's devices. The notebook needs nothing but a CPU.
"""
import html
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading
from typing import IO, List, NamedTuple, Optional, TextIO

from cuvette._tree import command

HELP = """%%cuvette [--explore | --profile | --timeline] [--compile="OPTIONS"] [--save=FILE] [OPTIONS] [-- ARGUMENTS]
%cuvette ...

Compiles the cell, a CUDA program in C++, and runs it. With one % it takes the program of the last such cell again.
ARGUMENTS are the program's.

--timeline           also shows what ran when, and which bytes it touched: the page of `cuvette trace --html`
--explore            runs the program in every order that its streams allow: `cuvette explore`
--profile            counts what its kernels do: `cuvette profile`
--compile="OPTIONS"  options for `cuvette c++`, such as -O0 or -lcuda
--save=FILE          also writes the cell into FILE
OPTIONS              of `cuvette run`, or of the command that is chosen: --check=races, --schedule=lazy, --device=a100-80gb
"""
# The name of the program in messages and on the page.
CELL = "cell.cu"
PAGE_HEIGHT = 560


class Request(NamedTuple):
    """The first line of a cell, taken apart."""
    verb: str
    compile_options: List[str]
    save: Optional[str]
    options: List[str]
    arguments: List[str]
    timeline: bool
    help: bool


def parse(line: str) -> Request:
    """Takes the rest of the cell's first line apart. Raises ValueError with a sentence for people."""
    try:
        words = shlex.split(line)
    except ValueError as failure:
        raise ValueError(f"%%cuvette: {failure} in: {line}") from None
    arguments: List[str] = []
    if "--" in words:
        place = words.index("--")
        words, arguments = words[:place], words[place + 1:]
    chosen = [word for word in words if word in ("--explore", "--profile", "--timeline")]
    if len(chosen) > 1:
        raise ValueError(f"%%cuvette: a cell takes one of {' and '.join(chosen)}; use two cells")
    mode = chosen[0] if chosen else ""
    compile_options: List[str] = []
    save = None
    options = []
    for word in words:
        name, equals, value = word.partition("=")
        if name in ("--compile", "--save") and not equals:
            raise ValueError(f"%%cuvette: {name} needs a value: {name}=...")
        if name == "--compile":
            compile_options += shlex.split(value)
        elif name == "--save":
            save = value
        elif word in chosen or word in ("--help", "-h"):
            continue
        elif word.startswith("-"):
            options.append(word)
        else:
            raise ValueError(f"%%cuvette: '{word}' is no option; the program's arguments come after --")
    verb = {"--explore": "explore", "--profile": "profile", "--timeline": "trace"}.get(mode, "run")
    return Request(verb, compile_options, save, options, arguments, mode == "--timeline",
                   "--help" in words or "-h" in words)


def _copy(source: IO[str], target: TextIO, folder: str) -> None:
    for line in source:
        target.write(line.replace(folder, ""))


def _show(words: List[str], folder: pathlib.Path) -> int:
    """Runs a command, and shows its output as it comes, with the cell's name instead of a path that is gone
    afterwards. Returns its exit status; an interrupt of the notebook ends it."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace") as process:
        assert process.stdout and process.stderr
        # A notebook shows what Python prints, not what the process itself writes.
        threads = [threading.Thread(target=_copy, args=(*pair, f"{folder}/")) for pair in
                   ((process.stdout, sys.stdout), (process.stderr, sys.stderr))]
        for thread in threads:
            thread.start()
        try:
            process.wait()
        except KeyboardInterrupt:
            process.terminate()
            raise
        finally:
            for thread in threads:
                thread.join()
        return process.returncode


def frame(page: str) -> str:
    """Returns HTML that shows a whole page within a notebook. The page can't touch the notebook: its scripts run in a
    frame without an origin."""
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{PAGE_HEIGHT}px;border:1px solid #888" '
            f'title="Timeline of {CELL}" srcdoc="{html.escape(page, quote=True)}"></iframe>')


_last_cell: Optional[str] = None


def run_cell(line: str, cell: Optional[str] = None) -> None:
    """What `%%cuvette LINE` does with a cell, and `%cuvette LINE` with the last one."""
    global _last_cell
    try:
        request = parse(line)
    except ValueError as failure:
        print(failure, file=sys.stderr)
        return
    if request.help:
        print(HELP, end="")
        return
    if cell is None and _last_cell is None:
        print("%cuvette: no cell has begun with %%cuvette yet, so there is no program to run", file=sys.stderr)
        return
    cell = _last_cell = _last_cell if cell is None else cell
    assert cell is not None
    if request.save is not None:
        pathlib.Path(request.save).write_text(cell, encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="cuvette-cell-") as name:
        folder = pathlib.Path(name)
        (folder / CELL).write_text(cell, encoding="utf-8")
        program = folder / "program"
        # The page is packed, so its paths are made short by the compiler. The profile reads the source by its path.
        paths = [f"-ffile-prefix-map={folder}=.", "-fdebug-compilation-dir=."] if request.timeline else []
        compiler = [str(command()), "c++", "-g", *paths, *request.compile_options, "-o", str(program), str(folder / CELL)]
        if _show(compiler, folder) != 0:
            print("%%cuvette: the cell does not compile, so nothing was run", file=sys.stderr)
            return
        page = folder / "timeline.html"
        own = ["--html=" + str(page)] if request.timeline else []
        own += ["--quiet"] if request.verb in ("run", "trace") else []
        status = _show([str(command()), request.verb, *own, *request.options, "--", str(program), *request.arguments],
                       folder)
        if status != 0:
            print(f"%%cuvette: `cuvette {request.verb}` ended with exit status {status}", file=sys.stderr)
        if page.exists():
            from IPython.display import display
            display({"text/html": frame(page.read_text(encoding="utf-8")), "text/plain": f"The timeline of {CELL}"}, raw=True)


def load(shell: object) -> None:
    shell.register_magic_function(run_cell, magic_kind="line_cell", magic_name="cuvette")  # type: ignore[attr-defined]
