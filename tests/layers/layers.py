#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: a room includes only rooms below it, has no friend above it and declares no class
of one above it, and a guest lives in one room.

  layers.py ROOT

Prints each line that breaks a rule, and each guest that no longer lives where it should, and exits with 1 if
there is one. The rules are the tables below."""
import os
import re
import sys

# The rooms, lowest floor first; the longest name that contains a file is its room. A file may include files
# of its own room and of lower floors; rooms on one floor must not include each other.
ROOMS = [
    ["sim/base"],
    ["sim/os"],
    ["sim/callsite", "sim/processes"],
    ["sim/record"],
    ["sim/memory", "sim/ptx/abi", "sim/ptx/image"],
    ["sim/ptx/syntax"],
    ["sim/ptx/passes"],
    ["sim/ptx/emit", "sim/ptx/program"],
    ["sim/exec"],
    ["sim/device/model", "sim/device/texture"],
    ["sim/device/machine"],
    ["sim/device/stream"],
    ["sim/device/pools", "sim/device/kernel"],
    ["sim/device/graph"],
    ["sim/check/kernel"],
    ["sim/interop/external", "sim/interop/gl"],
    ["sim/interop"],
    ["sim/interop/egl"],
    ["sim/check/report"],
    ["sim/check/order"],
    ["sim/check/command", "sim/check/host", "sim/check/api", "sim/check/log", "sim/check/profile"],
    ["sim/check"],
    ["api/driver", "api/management", "api/nvjitlink", "api/vulkan_layer"],
    ["tools"],
    ["bench"],
    ["tests"],
]
FLOORS = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}

# Rooms that must not include each other, although one is on a lower floor.
APART = [
    ("sim/memory", "sim/ptx"),
    ("sim/ptx/image", "sim/ptx/syntax"),
    ("sim/ptx/image", "sim/ptx/passes"),
    ("sim/ptx/image", "sim/ptx/emit"),
    ("sim/device/model", "sim/exec"),
    ("sim/device/texture", "sim/exec"),
]

# Folders that include nothing of ours except the folders listed here, and data (.def) of any
# folder.
CLOSED = {
    "api/include": ["api/include"],
    "api/runtime": ["api/runtime", "api/include"],
    "api/video": ["api/video"],
    "bench/api": ["bench/api", "bench/floor.hpp", "examples", "api/include"],
    "bench/gpu_costs": ["bench/gpu_costs", "api/include"],
    "bench/tools": ["bench/tools", "examples", "api/include"],
    "examples": ["examples", "api/include"],
    "tests/api": ["tests/api", "api"],
    "tests/conformance": ["tests/conformance", "api/include"],
    "tests/corpus": ["tests/corpus"],
}

# Whose guest each header is, and the only folders that may include it. The first one must: a guest that is
# gone has no row here.
OUTSIDE = ["tests", "bench", "examples"]
GUESTS = [
    ("oneTBB", r"(tbb|oneapi/tbb)(/|\.h$)", ["sim/exec", "tests/api"]),
    ("Boost", r"boost/", ["sim/os", *OUTSIDE]),
    ("LLVM", r"(llvm|llvm-c)/", ["sim/ptx/emit"]),
    ("zstd", r"zstd\w*\.h$", ["sim/ptx/image", "tests"]),
    ("LZ4", r"lz4\w*\.h$", ["sim/ptx/image", "tests"]),
    ("xxHash", r"xxh\w*\.h$", ["sim/ptx/program"]),
    ("zlib", r"zlib\.h$", ["tools", "tests"]),
    ("nlohmann", r"nlohmann/", ["sim/check/report", "tools", "tests/tools", "tests/sim/check", "tests/wrong"]),
    ("CLI11", r"CLI/", ["tools"]),
    ("GoogleTest", r"(gtest|gmock)/", ["tests"]),
    ("Google Benchmark", r"benchmark/", ["bench"]),
    ("OpenGL, EGL, VDPAU", r"(GL|GLES\d?|EGL|KHR|vdpau)/", ["api/include", "sim/interop", *OUTSIDE]),
    ("Vulkan", r"(vulkan|vk_video)/", ["api/vulkan_layer", "sim/interop", *OUTSIDE]),
    ("the operating system",
     r"(sys/.*|linux/.*|asm/.*|unistd\.h|fcntl\.h|c?signal(\.h)?|ucontext\.h|dlfcn\.h|link\.h|"
     r"pthread\.h|sched\.h|poll\.h|spawn\.h|dirent\.h|execinfo\.h|semaphore\.h)$",
     # A call's place is read from the program's files and stacks. The header of semaphores is compiled into
     # programs, so the system calls are theirs.
     ["sim/os", "sim/callsite", "api/management/driver_usage.cpp", "api/runtime/driver.cpp",
      "api/include/cuvetteSemaphore.h", "tools", *OUTSIDE]),
    ("CUDA's API", r"(cuda\w*|nvml|nvJitLink)\.h$",
     ["api", "tests/abi", "tests/api", "tests/conformance", "tests/corpus", "tests/install", "tests/fuzz", "tests/ordering",
      "tests/tools", "tests/wrong", "bench/api", "bench/gpu_costs", "bench/tools", "examples", "tools"]),
]

# What may be named in some folders alone: what it is, its pattern, where it is looked for, its homes.
NAMES = [
    ("which checks there are", re.compile(r"\bchecks\(|\bconfig\(\)\.check\b|\bCheck::\w"),
     # Here Check is something else: the one who checks an instruction's operands.
     "sim", ["sim/check", "sim/ptx"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FRIEND = re.compile(r'^\s*friend\s+(?:class|struct)\s+([A-Za-z_]\w*)\s*;')
DEFINITION = re.compile(r'^\s*(?:class|struct)\s+(?:[A-Z_]+\([^)]*\)\s+)?([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^;{]*)?\{',
                        re.MULTILINE)
NAMESPACE = re.compile(r'^(?:inline\s+)?namespace(?:\s+([\w:]+))?\s*\{(.*\}$)?')
NAMESPACE_END = re.compile(r'^\}\s*//\s*(?:inline )?namespace')
# A class or an enumeration in a namespace: what is indented is inside a class.
IN_NAMESPACE = re.compile(r'^(?:template <[^;]*> )?(?:class|struct|union|enum class|enum)\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)?'
                          r'([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^;{]*)?([;{]?)')
SOURCE = (".c", ".h", ".cpp", ".hpp", ".def", ".inc")
TOP = ("api", "bench", "examples", "sim", "tests", "tools")


def is_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def longest(table, path):
    """Returns the longest name in `table` that contains `path`, or None."""
    return max((name for name in table if is_in(path, name)), key=len, default=None)


def complaint(path, quoted, name):
    """Returns why the file at `path` may not include `name`, or None if it may. Both are relative to the root."""
    for guest, pattern, homes in GUESTS:
        if re.match(pattern, name):
            if any(is_in(path, home) for home in homes):
                return None
            return f"{guest} is a guest of {', '.join(homes)} alone"
    if not quoted:
        return None
    if name.split("/")[0] not in TOP:
        # A neighbour in the same folder: the public headers, C, and tests say only its name.
        ours = any(is_in(path, top) for top in ("sim", "api/driver", "api/management", "api/nvjitlink", "api/vulkan_layer",
                                               "tools"))
        return "is not named by its path from the root" if ours else None

    closed = longest(CLOSED, path)
    if closed and not name.endswith(".def") and not any(is_in(name, home) for home in CLOSED[closed]):
        return f"{closed} includes nothing of ours but {', '.join(CLOSED[closed])}"
    mine, theirs = longest(FLOORS, path), longest(FLOORS, name)
    if closed or mine is None or theirs is None or mine == theirs:
        return None
    if FLOORS[theirs] < FLOORS[mine] and not any(
            is_in(path, one) and is_in(name, other) for pair in APART for one, other in (pair, pair[::-1])):
        return None
    return f"{theirs} is not below {mine}"


def sources(root):
    """Yields each source file below TOP: its path from the root, and its text."""
    for top in TOP:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for file in sorted(files):
                if not file.endswith(SOURCE):
                    continue
                full = os.path.join(folder, file)
                with open(full, encoding="utf-8", errors="replace") as text:
                    yield os.path.relpath(full, root).replace(os.sep, "/"), text.read()


def foreign_friends(files):
    """Yields each class that names as its friend one that only rooms above it define. `files` maps paths to texts."""
    rooms_of = {}
    for path, text in files.items():
        for name in DEFINITION.findall(text):
            rooms_of.setdefault(name, set()).add(longest(FLOORS, path))
    for path, text in files.items():
        mine = longest(FLOORS, path)
        for number, line in enumerate(text.splitlines(), 1):
            match = FRIEND.match(line)
            rooms = rooms_of.get(match[1], set()) if match else set()
            if rooms and all(FLOORS[room] > FLOORS[mine] for room in rooms):
                yield f"{path}:{number}: its friend {match[1]} is in {', '.join(sorted(rooms))}, which is above {mine}"


def classes(text):
    """Yields each class of a namespace that `text` names: its line, its full name, and whether it is defined."""
    names, opened = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            if not match[2]:
                names.append(match[1] or "")
                opened = number
        # A namespace of one line ends without a comment.
        elif names and (NAMESPACE_END.match(line) or (line == "}" and number == opened + 2)):
            names.pop()
        elif match := IN_NAMESPACE.match(line):
            yield number, "::".join([*filter(None, names), match[1]]), match[2] != ";"


def foreign_declarations(files):
    """Yields each declaration of a class that only rooms define which the file may not include. `files` maps paths
    to texts."""
    rooms_of = {}
    declared = []
    for path, text in files.items():
        for number, name, defined in classes(text):
            if defined:
                rooms_of.setdefault(name, set()).add(longest(FLOORS, path))
            else:
                declared.append((path, number, name))
    for path, number, name in declared:
        rooms = rooms_of.get(name, set())
        if rooms and all(complaint(path, True, room) for room in rooms):
            yield (f"{path}:{number}: declares {name} of {', '.join(sorted(rooms))}, which is not below "
                   f"{longest(FLOORS, path)}")


def violations(root):
    rooms = {}
    for path, text in sources(root):
        if is_in(path, "sim"):
            if longest(FLOORS, path) is None:
                yield f"{path}:1: is in no room"
                continue
            rooms[path] = text
        for number, line in enumerate(text.splitlines(), 1):
            if match := INCLUDE.match(line):
                why = complaint(path, match[1] == '"', match[2])
                if why:
                    yield f"{path}:{number}: includes {match[2]}: {why}"
            for what, pattern, where, homes in NAMES:
                if is_in(path, where) and not any(is_in(path, home) for home in homes) and pattern.search(line):
                    yield f"{path}:{number}: asks {what}, which only {', '.join(homes)} may"
    yield from foreign_friends(rooms)
    yield from foreign_declarations(rooms)


def gone_guests(root):
    """Yields each guest whose own room includes none of its headers."""
    included = {}
    for path, text in sources(root):
        included[path] = [match[2] for line in text.splitlines() if (match := INCLUDE.match(line))]
    for guest, pattern, homes in GUESTS:
        if not any(re.match(pattern, name) for path, names in included.items() if is_in(path, homes[0])
                   for name in names):
            yield f"{homes[0]}: includes nothing of {guest}, its guest"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = [*violations(sys.argv[1]), *gone_guests(sys.argv[1])]
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
