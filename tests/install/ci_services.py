# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests for GitHub's actions and GitLab's template. Their arguments are the folders of source and
build, and a C compiler."""
import importlib.machinery
import importlib.util
import os
import shutil
import stat
import subprocess
import sys

SOURCE, BUILD, COMPILER = (os.path.abspath(path) for path in sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def load(name):
    """A script without a suffix, as a module. It ends this program with status 77 if a module that it needs is
    missing."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(HERE, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def write(path, commands):
    """Writes a program that is a shell script."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + commands + "\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def compile_pipeline(folder):
    """Compiles ci/pipeline.c in a project in that folder, folder/project. Returns the program."""
    project = os.path.join(folder, "project")
    os.makedirs(os.path.join(project, "src"))
    shutil.copy(os.path.join(HERE, "ci", "pipeline.c"), os.path.join(project, "src"))
    program = os.path.join(folder, "pipeline")
    subprocess.run([COMPILER, "-g", "src/pipeline.c", "-I", os.path.join(SOURCE, "api", "include"),
                    os.path.join(BUILD, "lib", "libcuda.so.1"), "-o", program], cwd=project, check=True)
    return program


def line_of(text):
    with open(os.path.join(HERE, "ci", "pipeline.c"), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)
