# SPDX-License-Identifier: Apache-2.0
"""What OpenMP and OpenACC share: GCC's own tests of offloading, out of the distribution's source package,
built with its compiler for NVIDIA's devices."""
import pathlib
import re
import shlex
import shutil
import subprocess
import tarfile

from harness import Case, Skipped, Wrong

PACKAGES = ["gcc-12", "gcc-12-offload-nvptx", "libgomp-plugin-nvptx1", "dpkg-dev"]
KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"
HEADERS = pathlib.Path(__file__).resolve().parents[2] / "api/include"
SITE = "http://deb.debian.org/debian"


def sources(work):
    """The folder libgomp/testsuite of GCC 12's sources, fetched once. Skipped where that is impossible."""
    folder = pathlib.Path(work).parent / "gcc-source"
    found = list(folder.glob("*/libgomp/testsuite"))
    if found:
        return found[0]
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    listed = folder / "sources.list"
    listed.write_text(f"deb-src [signed-by={KEY}] {SITE} bookworm main\n")
    apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={listed}", "-o", "Dir::Etc::sourceparts=-",
           "-o", f"Dir::State::lists={folder}/lists"]
    for words in (["update", "-q"], ["source", "-q", "--download-only", "gcc-12"]):
        done = subprocess.run([*apt, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode:
            raise Skipped("the source package of GCC 12 cannot be fetched")
    outer = next(folder.glob("gcc-12_*.orig.tar.*"))
    with tarfile.open(outer) as package:
        inner = next(member for member in package if re.search(r"\.tar\.\w+$", member.name))
        with tarfile.open(fileobj=package.extractfile(inner)) as tree:
            tree.extractall(folder, [member for member in tree if "/libgomp/testsuite/" in member.name
                                     or member.name.endswith("/include/gomp-constants.h")])
    return next(folder.glob("*/libgomp/testsuite"))


def directives(text, name):
    return re.findall(r"\{\s*" + name + r"\s+(.*?)\s*\}\s*(?:\*/|$)", text, re.MULTILINE)


def options_of(text):
    """What a test asks of the compiler, always or for NVIDIA's devices."""
    options = []
    for words in directives(text, r"dg-(?:additional-)?options"):
        given, _, target = words.partition("{")
        if not target or target.split() == ["target", "{", "offload_target_nvptx", "}", "}"]:
            options += shlex.split(given.strip().strip('"'))
    return options


def build_and_run(source, flags):
    def check(machine):
        text = source.read_text(errors="replace")
        options = options_of(text)
        others = [source.parent / name for words in directives(text, "dg-additional-sources")
                  for name in words.split()]
        for kernels in source.parent.glob("*.ptx"):  # which some load by themselves
            shutil.copy(kernels, machine.work)
        # Without a toolkit's ptxas on the way: what it no longer knows it would refuse.
        clean = {"PATH": "/usr/bin:/bin"}
        built = ["gcc-12", "-O2", *flags, "-foffload=nvptx-none", "-foffload-options=nvptx-none=-lm", "-w",
                 "-I", source.parent, "-I", source.parents[3] / "include", "-I", HEADERS, "-L", machine.library,
                 source, *others, *options, "-o", "program", "-lm"]
        try:
            machine.run(built, cuda=False, environment=clean, timeout=120)
        except Wrong as reason:
            raise Skipped(f"does not build: {reason}") from None
        # GCC puts its runtime into each kernel: what kernels have in common takes seconds to compile.
        machine.run([machine.work / "program"], timeout=600, environment={
            "OMP_TARGET_OFFLOAD": "MANDATORY", "ACC_DEVICE_TYPE": "nvidia"})
    return check


def tests(machine, folders, flags, wanted):
    """A case for each program that is to run and to succeed, and that `wanted` takes by its text."""
    try:
        root = sources(machine.work)
    except Skipped as reason:
        def skip(_, words=str(reason)):
            raise Skipped(words)
        yield Case("all", skip)
        return
    for folder in folders:
        for source in sorted((root / folder).glob("*.c")):
            text = source.read_text(errors="replace")
            kind = directives(text, "dg-do")
            fails = "dg-shouldfail" in text or "dg-xfail-run-if" in text
            part_of_another = 'dg-skip-if "" { *-*-* }' in text
            if (kind and not kind[0].startswith("run")) or fails or part_of_another or not wanted(text):
                continue
            yield Case(f"{folder}/{source.name}", build_and_run(source, flags))
