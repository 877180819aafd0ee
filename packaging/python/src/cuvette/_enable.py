# SPDX-License-Identifier: Apache-2.0
"""cuvette.enable(): this process, and the programs that it starts, use Cuvette's devices."""
import atexit
import ctypes
import gc
import os
import pathlib
import re
import subprocess
import sys
import threading
from typing import Dict, Iterable, List, Optional, Union

from cuvette import _reports, _tree
from cuvette._native import Driver, driver_in

Knob = Union[str, int, float, bool, "os.PathLike[str]", Iterable[str]]

# CUDA's own variables are knobs, too.
_OWN_NAMES = {"visible_devices": "CUDA_VISIBLE_DEVICES", "device_order": "CUDA_DEVICE_ORDER"}
_FOREIGN = ("libcuda.so", "libcudart.so", "libnvJitLink.so")
# The names under which packages ask for the libraries, besides libcuda.so.1. The stand-ins for libnvJitLink that
# `cuvette run` preloads take less of glibc's reserve for thread-local variables than the libraries do.
_LIBRARIES = ("libcuda.so", "libnvidia-ml.so.1", "libcudart.so.12", "libcudart.so.13",
              "preload/libnvJitLink.so.12", "preload/libnvJitLink.so.13")

_lock = threading.Lock()
_kept: List[ctypes.CDLL] = []
_driver: Optional[Driver] = None
_report_file: Optional[str] = None


def write_reports_to(path: str) -> None:
    """For a test runner: reports go to the file `path`, which other processes can read. Before enable()."""
    global _report_file
    _report_file = path


def enable(*, children: bool = True, **knobs: Knob) -> None:
    """Has this process use Cuvette's devices: call it before the first import that loads CUDA.

    Each knob of ``cuvette run --help`` is a keyword: ``enable(device="a100-80gb", memory="8G", check="races")``. A list
    is joined by commas, True is 1 and False is 0. With ``children``, the environment becomes the same as under
    ``cuvette run``, so that programs that this process starts use Cuvette as well. Threads, and processes made by
    fork() before CUDA is used, need nothing.

    A second call does nothing. Raises RuntimeError if another CUDA library is loaded already, or if knobs come too
    late; ValueError for an unknown knob or value.
    """
    global _driver
    with _lock:
        variables = {_variable(name): _text(name, value) for name, value in knobs.items()}
        if _driver is not None:
            late = {name: value for name, value in variables.items() if os.environ.get(name) != value}
            if late:
                raise RuntimeError(f"cuvette.enable() was called before, so it is too late for {_words(late)}. Give all "
                                   "knobs to the first call.")
            return
        folder = _folder_in_use()
        if folder is not None and variables:
            driver = driver_in(str(folder / "libcuda.so.1"))
            if driver is not None and driver.used():
                raise RuntimeError(f"cuvette.enable() comes too late for {_words(variables)}: the driver is in use. "
                                   "Call it before, or give them to `cuvette run`.")
        environment = _environment_of_run(variables)
        os.environ.update({name: environment[name] for name in variables})
        if children:
            os.environ.update({name: value for name, value in environment.items() if not name.startswith("CUVETTE_")})
        else:
            # Triton looks for these in this process.
            os.environ.update({name: value for name, value in environment.items() if name.startswith("TRITON_")})
        _reports.begin(_report_file)
        _driver = _load(folder or _tree.libraries())
        # Functions registered later run earlier, so packages have already freed their memory.
        atexit.register(free_what_packages_keep)


def free_what_packages_keep() -> None:
    """Has Numba free the memory of arrays that are gone. Numba keeps such memory for a while, and at exit releases the
    context first: the program would seem to leak it."""
    devices = sys.modules.get("numba.cuda.cudadrv.devices")
    if devices is None or _driver is None or not _driver.used() or _driver.lost():
        return
    gc.collect()
    for gpu in devices.gpus:
        context = getattr(gpu, "primary_context", None)
        if context is not None:
            with gpu:
                context.memory_manager.deallocations.clear()
                context.deallocations.clear()


def driver() -> Driver:
    """Returns the process's driver; enable() has been called."""
    assert _driver is not None
    return _driver


def _load(folder: pathlib.Path) -> Driver:
    try:
        # Libraries that are loaded later see its symbols.
        loaded = driver_in(str(folder / "libcuda.so.1"))
        for name in _LIBRARIES:
            if (folder / name).exists():
                _kept.append(ctypes.CDLL(str(folder / name)))
    except OSError as failure:
        raise RuntimeError(f"cuvette.enable() cannot load a library: {failure}. Call it before other imports, or start "
                           "the program with `cuvette run -- python`.") from failure
    if loaded is None:
        raise RuntimeError(f"{folder / 'libcuda.so.1'} is of another version than this package. {_tree.INSTALL_AGAIN}")
    return loaded


def _folder_in_use() -> Optional[pathlib.Path]:
    """Returns the folder of the Cuvette that this process has loaded, as under `cuvette run`; None if there is none.
    Raises RuntimeError for another driver or library that would conflict with it."""
    folder = None
    for path in _mapped():
        if not path.name.startswith(_FOREIGN):
            continue
        if not any((parent / "libcuvette-jit.so").exists() for parent in (path.parent, path.parent.parent)):
            raise RuntimeError(f"cuvette.enable() comes too late: {path} is loaded. Call it before the import that loads "
                               "CUDA, or start the program with `cuvette run -- python`.")
        if path.name.startswith("libcuda.so"):
            folder = path.parent
    return folder


def _mapped() -> List[pathlib.Path]:
    """Returns the mapped files, each once."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        lines = [line.rstrip("\n").split(None, 5) for line in maps]
    return [pathlib.Path(path) for path in dict.fromkeys(line[5] for line in lines if len(line) == 6)
            if path.startswith("/")]


def _variable(name: str) -> str:
    return _OWN_NAMES.get(name) or "CUVETTE_" + name.upper()


def _keyword(variable: str) -> str:
    return {own: name for name, own in _OWN_NAMES.items()}.get(variable) or variable[len("CUVETTE_"):].lower()


def _text(name: str, value: Knob) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    try:
        return ",".join(map(str, value))
    except TypeError:
        raise ValueError(f"cuvette.enable(): {name} is {value!r}, and not a text, a number, a path, a truth value or a "
                         "list.") from None


def _words(variables: Dict[str, str]) -> str:
    return ", ".join(f"{_keyword(name)}={value!r}" for name, value in variables.items())


def _environment_of_run(variables: Dict[str, str]) -> Dict[str, str]:
    """Returns what `cuvette run` adds to a program's environment with these knobs. Raises ValueError with the command's
    complaint about them."""
    asked = {**os.environ, **variables}
    # This process is neither counted nor reported on.
    for name in ("CUVETTE_REPORT", "CUVETTE_REPORT_FORMAT", "CUVETTE_ERROR_EXITCODE"):
        if name not in variables:
            asked.pop(name, None)
    answer = subprocess.run([str(_tree.command()), "run", "--", "env", "-0"], env=asked, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if answer.returncode:
        why = answer.stderr.decode(errors="replace").strip().split("cuvette run: ", 1)[-1]
        why = re.sub(r"\bCUVETTE_[A-Z_]+\b", lambda found: _keyword(found.group()) if found.group() in variables or
                     "did you mean" in why else found.group(), why)
        raise ValueError(f"cuvette.enable(): {why}")
    given = dict(entry.split(b"=", 1) for entry in answer.stdout.split(b"\0") if b"=" in entry)
    found = {os.fsdecode(name): os.fsdecode(value) for name, value in given.items()}
    # A program that `cuvette run` has started has all of it.
    if str(_tree.libraries()) in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        return {name: found[name] for name in variables}
    return {name: value for name, value in found.items() if asked.get(name) != value or name in variables}
