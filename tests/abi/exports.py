#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runtime's headers declare every function that a toolkit's libcudart.so exports, and no other.

The library is searched for beside the toolkit's include folder. The exit status is 0, 1, or 77
(skipped, with the reason).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

import surface

HEADERS = ["cuda_runtime_api.h", "cuda_profiler_api.h", "cuda_gl_interop.h", "cuda_egl_interop.h",
           "cuda_vdpau_interop.h", "cuvette/runtime/launch_abi.h"]


def library(toolkit):
    for folder in ("../lib64", "../lib", "../targets/x86_64-linux/lib"):
        path = os.path.join(toolkit, folder, "libcudart.so.13")
        if os.path.exists(path):
            return path
    return None


def exported(path):
    lines = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True,
                           check=True).stdout
    return set(re.findall(r" T ((?:__)?cuda\w+)", lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--toolkit", required=True, help="include folder of a CUDA toolkit")
    parser.add_argument("--ours", required=True, help="api/include")
    parser.add_argument("--clang", required=True)
    arguments = parser.parse_args()
    if not shutil.which(arguments.clang) or not shutil.which("nm"):
        surface.skip("there is no clang or no nm")
    path = library(arguments.toolkit)
    if not path:
        surface.skip("there is no libcudart.so.13 beside %s" % arguments.toolkit)

    names = exported(path)
    headers = list(HEADERS)
    for guest, needed in surface.GUESTS.items():
        if not surface.compiles(arguments.clang, arguments.ours,
                                "".join("#include <%s>\n" % header for header in needed)):
            if guest.isupper():
                print("left out: the system has no <%s>" % needed[0])
            headers = [header for header in headers if "_%s_" % guest not in header]
            names = {name for name in names if guest not in name}

    mode = surface.Mode("C11", defines=["__CUDA_API_VERSION_INTERNAL"])
    nodes = surface.Compiler(arguments.clang, arguments.ours, mode).declarations(
        "".join("#include <%s>\n" % header for header in headers))
    declared = {node["name"] for node in nodes
                if node.get("kind") == "FunctionDecl" and node.get("storageClass") != "static"
                and re.match(r"(__)?cuda", node["name"])}
    print("%d names exported, %d declared" % (len(names), len(declared)))
    for name in sorted(names - declared):
        print("  %s is not declared" % name)
    for name in sorted(declared - names):
        print("  %s is not exported" % name)
    sys.exit(0 if names and names == declared else 1)


if __name__ == "__main__":
    main()
