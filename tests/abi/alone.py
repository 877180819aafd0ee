#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header as the only one of a source file, as C and as C++, without any warning.

Each header is tried with every given compiler, in every mode that makes a difference to it: whose
macros it mentions, or a header of ours that it includes. No other include path is given, and those
from the environment are removed, so that a header which needs a CUDA toolkit fails. The exit status
is 0, 1, or 77 when the system lacks a header's guest.
"""

import argparse
import os
import re
import subprocess
import sys

SKIPPED = 77
STANDARDS = {"c": ["c99", "c11"], "c++": ["c++11", "c++20"]}
MODES = [[], ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"], ["-D__CUDA_API_VERSION_INTERNAL"],
         ["-D__CUDA_API_VERSION_INTERNAL", "-D__CUDA_API_VERSION_INTERNAL_ODR",
          "-D__CUDA_API_PUSH_VISIBILITY_DEFAULT"],
         ["-DCUVETTE_CUDART_MAJOR=12"],
         ["-DCUVETTE_CUDART_MAJOR=12", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
         ["-DCUVETTE_CUDART_MAJOR=12", "-D__CUDA_API_VERSION_INTERNAL"]]
GUESTS = {"GL": "GL/gl.h", "EGL": "EGL/egl.h", "VDPAU": "vdpau/vdpau.h"}
GUESTS.update({name.lower(): guest for name, guest in GUESTS.items()})
INCLUDE_PATHS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH")


def environment():
    return {name: value for name, value in os.environ.items() if name not in INCLUDE_PATHS}


def run(command, source):
    return subprocess.run(command + ["-"], input=source, text=True, capture_output=True,
                          check=False, env=environment())


def guest_is_missing(compiler, header):
    for name, guest in GUESTS.items():
        if name in header:
            if run([compiler, "-x", "c", "-fsyntax-only"], "#include <%s>\n" % guest).returncode:
                return guest
    return None


def own_text(include, header, seen):
    """Returns the text of a header and of all headers of ours that it names, needed or not."""
    path = os.path.join(include, header)
    if header in seen or not os.path.exists(path):
        return ""
    seen.add(header)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.MULTILINE):
        text += own_text(include, name, seen)
    return text


def modes_for(text):
    """Returns the modes less the macros that `text` does not mention, each once."""
    found = []
    for mode in MODES:
        known = [define for define in mode
                 if re.search(r"\b%s\b" % define[2:].split("=")[0], text)]
        if known not in found:
            found.append(known)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", required=True, help="api/include")
    parser.add_argument("--c", action="append", default=[], help="a C compiler")
    parser.add_argument("--cxx", action="append", default=[], help="a C++ compiler")
    parser.add_argument("headers", nargs="+")
    arguments = parser.parse_args()

    # cc and gcc are often one program under two names.
    compilers = {(os.path.realpath(path), language): (path, language)
                 for language, paths in (("c", arguments.c), ("c++", arguments.cxx))
                 for path in paths}
    tries = 0
    failures = []
    for header in arguments.headers:
        guest = guest_is_missing((arguments.c + arguments.cxx)[0], header)
        if guest:
            print("skipped: the system has no <%s>" % guest)
            sys.exit(SKIPPED)
        source = "#include <%s>\n#include <%s>\nint main(void) { return 0; }\n" % (header, header)
        modes = modes_for(own_text(arguments.include, header, set()))
        for compiler, language in compilers.values():
            for standard in STANDARDS[language]:
                for mode in modes:
                    command = [compiler, "-x", language, "-std=" + standard, "-fsyntax-only",
                               "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
                               "-I", arguments.include] + mode
                    result = run(command, source)
                    tries += 1
                    if result.returncode != 0:
                        failures.append("%s: %s\n%s" % (header, " ".join(command), result.stderr))
    print("%d compilations, %d failures" % (tries, len(failures)))
    for failure in failures[:5]:
        print(failure)
    sys.exit(1 if failures or not tries else 0)


if __name__ == "__main__":
    main()
